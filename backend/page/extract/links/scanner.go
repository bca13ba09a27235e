package links

import (
	"slices"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
	"github.com/turnpike-edge/turnpike/clip"
)

// scanner walks through a page's tokens.
type scanner struct {
	scanRoom

	tokens   *markup.Tokens
	resolver *resolver
	based    bool
	out      *Scan

	open  int // the link whose text is being read; -1: none
	ended int // how many links have their block
	// retext says that the open link was on the page before, without text.
	retext bool

	space    bool // one is due before the next text
	block    int  // where the block of the current text begins
	heading  bool // one is open
	h1       stretch
	inH1     bool
	titled   bool
	noscript int
}

// run reads the page to its end, or returns the page's base if links came before it.
func (s *scanner) run() *whatwg.Url {
	t := s.tokens
	for t.Next() {
		switch t.Kind {
		case html.TextToken:
			s.textToken()
		case html.StartTagToken:
			if t.Name == atom.Base && !s.based {
				if late := s.rebase(); late != nil {
					return late
				}
				continue
			}
			s.start(t.Name)
		case html.EndTagToken:
			s.end(t.Name)
		case html.CommentToken, html.DoctypeToken, html.SelfClosingTagToken, html.ErrorToken:
		}
	}
	return nil
}

// rebase uses the first base element that has a reference (HTML standard 4.2.3).
func (s *scanner) rebase() *whatwg.Url {
	values, _ := s.attributes("href")
	href := values[0]
	if href == "" {
		return nil
	}
	s.based = true
	base := s.resolver.parse(href)
	if base == nil || !IsWeb(base) {
		return nil
	}
	if len(s.links) > 0 {
		return base
	}
	s.resolver = newResolver(base)
	return nil
}

// attributes returns the first value of each name in the current tag, and whether the first name is present at all.
func (s *scanner) attributes(names ...string) (out [5]string, is bool) {
	var found [5]bool
	for a := s.tokens.Attributes(); a.Next(); {
		for i, name := range names {
			if !found[i] && len(a.Key) == len(name) && strings.EqualFold(a.Key, name) {
				out[i], found[i] = markup.AttributeValue(a.Value), true
			}
		}
	}
	return out, found[0]
}

// meta reads the page's rules for robots.
func (s *scanner) meta() {
	values, _ := s.attributes("name", "content")
	name, content := values[0], values[1]
	if strings.EqualFold(strings.TrimSpace(name), "robots") {
		s.out.NoFollow = s.out.NoFollow || asksNoFollow(content)
	}
}

// showsNothing reports whether an element hides its text. textToken handles raw text, such as that of scripts.
func showsNothing(name atom.Atom) bool {
	switch name {
	case atom.Template, atom.Svg, atom.Object, atom.Datalist, atom.Audio, atom.Video, atom.Canvas:
		return true
	}
	return false
}

// breaksLine reports whether an element is separate from the text around it.
func breaksLine(name atom.Atom) bool {
	switch name {
	case atom.Br, atom.Td, atom.Th, atom.Button, atom.Title, atom.Head:
		return true
	}
	return dom.ApartBy(name) > 0
}

func (s *scanner) start(name atom.Atom) {
	if showsNothing(name) && len(s.hidden) < markup.DepthMax {
		s.hidden = append(s.hidden, name)
		return
	}
	if breaksLine(name) {
		s.breakLine(name != atom.Br)
	}
	switch name {
	case atom.A:
		s.closeLink()
		s.link()
	case atom.Area:
		s.link()
		s.closeLink()
	case atom.Img:
		s.image()
	case atom.Meta:
		s.meta()
	case atom.Link:
		s.linkElement()
	case atom.Noscript:
		s.noscript++
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		s.startHeading(name)
	}
}

func (s *scanner) startHeading(name atom.Atom) {
	s.endHeading()
	if len(s.headings) < scanHeadingsMax {
		s.headings = append(s.headings, stretch{len(s.text), len(s.text)})
		s.heading = true
	}
	if name == atom.H1 && s.h1.end == 0 {
		s.h1.start, s.inH1 = len(s.text), true
	}
}

func (s *scanner) endHeading() {
	if s.heading {
		s.headings[len(s.headings)-1].end = len(s.text)
		s.heading = false
	}
	if s.inH1 {
		s.h1.end, s.inH1 = len(s.text), false
	}
}

func (s *scanner) end(name atom.Atom) {
	if n := len(s.hidden); n > 0 && s.hidden[n-1] == name {
		s.hidden = s.hidden[:n-1]
		return
	}
	switch name {
	case atom.A:
		s.closeLink()
	case atom.Noscript:
		s.noscript = max(0, s.noscript-1)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		s.endHeading()
	}
	if breaksLine(name) {
		s.breakLine(true)
	}
}

func (s *scanner) linkElement() {
	values, _ := s.attributes("rel", "href")
	if s.out.Canonical != "" || !slices.Contains(strings.Fields(strings.ToLower(values[0])), "canonical") {
		return
	}
	if u := s.resolver.resolve(values[1]); u.web {
		s.out.Canonical = u.url
	}
}

// image makes pages with different pictures different, and gives links their images' text.
func (s *scanner) image() {
	values, _ := s.attributes("src", "alt")
	src, alt := values[0], dom.Fold(values[1])
	src, _, _ = strings.Cut(src, "?")
	if len(src) <= ReferenceBytesMax && len(s.images) < scanTextBytesMax {
		s.images = append(append(s.images, src...), '\n')
	}
	if s.open >= 0 && alt != "" {
		if l := &s.links[s.open]; len(l.label) < TextBytesMax {
			l.label = strings.TrimLeft(l.label+" "+alt, " ")
		}
	}
}

// link adds the link of a tag, if it leads to a web page that was not linked before.
func (s *scanner) link() {
	values, is := s.attributes("href", "rel", "alt", "aria-label", "title")
	if !is || len(s.links) >= Max {
		return
	}
	u := s.resolver.resolve(values[0])
	if !u.web {
		return
	}
	if i, ok := s.byURL[u.url]; ok {
		if l := &s.links[i]; l.text.start == l.text.end {
			s.open, s.retext = i, true
			l.text = stretch{len(s.text), len(s.text)}
		}
		return
	}
	s.byURL[u.url] = len(s.links)
	s.open, s.retext = len(s.links), false
	l := scannedLink{Link: Link{URL: u.url, Href: values[0]}, text: stretch{len(s.text), len(s.text)}, block: stretch{s.block, 0}, heading: len(s.headings)}
	if values[1] != "" {
		l.Rel = strings.Fields(strings.ToLower(values[1]))
	}
	for _, label := range values[2:] {
		if l.Text = clip.Bytes(dom.Fold(label), TextBytesMax); l.Text != "" { // until there is something better
			break
		}
	}
	s.links = append(s.links, l)
}

func (s *scanner) closeLink() {
	if s.open >= 0 {
		s.links[s.open].text.end = len(s.text)
		s.open = -1
	}
}

func (s *scanner) breakLine(block bool) {
	s.space = true
	if !block || s.block == len(s.text) {
		return
	}
	s.block = len(s.text)
	end := len(s.links)
	if s.open >= 0 && !s.retext {
		end = s.open // a link around blocks ends with the last of them
	}
	for ; s.ended < end; s.ended++ {
		s.links[s.ended].block.end = len(s.text)
	}
}

func (s *scanner) textToken() {
	t := s.tokens
	if t.InRawText {
		if t.RawIn == atom.Title && !s.titled && len(s.hidden) == 0 {
			s.titled = true
			s.out.Title = clip.Bytes(dom.Fold(t.Text()), fieldBytesMax)
		}
		return
	}
	if len(s.hidden) > 0 || len(s.text) >= scanTextBytesMax {
		return
	}
	s.words(t.Text())
}

// words appends text with each run of white space as one space.
func (s *scanner) words(text string) {
	for i := 0; i < len(text); {
		if isBlank(text[i]) {
			s.space = true
			i++
			continue
		}
		// Words with single spaces between them are copied at once.
		begin, spaces := i, 0
		for i++; i < len(text); i++ {
			if !isBlank(text[i]) {
				continue
			}
			if text[i] != ' ' || i+1 == len(text) || isBlank(text[i+1]) {
				break
			}
			spaces++
		}
		if s.space && len(s.text) > 0 {
			s.text = append(s.text, ' ')
		}
		s.space = false
		s.text = append(s.text, text[begin:i]...)
		if s.noscript == 0 {
			s.out.TextRunes += utf8.RuneCountInString(text[begin:i]) - spaces
		}
	}
}

func isBlank(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
