package compare

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// Bounds of what is kept of a page.
const (
	blocksMax     = 20_000
	pageBytesMax  = 1 << 20 // of text and links
	blockBytesMax = 8 << 10
	labelBytesMax = 200
	linksMax      = 20 // of a block
	cellsMax      = 60 // of a row or a card
	// A card is small: what is larger is a section, and is compared paragraph by paragraph.
	cardBytesMax  = 1500
	cardBlocksMax = 20
)

// reader makes blocks of a tree.
type reader struct {
	page     *Page
	facts    map[*html.Node]facts
	looks    map[string]string
	bytesAll int // of text that shows
	blocks   []Block
	bytes    int
	headings []head // those that are around
	groups   int
	run      run
}

// head is a heading by its number plus one.
type head struct{ number, level int }

// facts are what is known of an element before its blocks are made.
type facts struct {
	bytes  int  // of text that shows
	leaves int  // pieces of text between the borders of blocks
	blocky bool // it is a block, or has one in it
	linked bool
	titled bool // it holds the page's title, its main part or a table
	headed bool // it holds the page's title or its main part
	main   bool // it holds the page's main part
	nested bool // it holds lists, tables or code
}

// around is what surrounds a block.
type around struct {
	kind    Kind
	part    string
	noise   string
	form    string
	label   string
	group   int
	ordered bool
	inMain  bool
	within  bool // a main or an article, whose header is its own
}

// readBlocks makes the blocks of a page in the form of Document.HTML.
func (p *Page) readBlocks(written string) error {
	root, err := extract.Parse([]byte(written))
	if err != nil {
		return err
	}
	r := &reader{page: p, facts: map[*html.Node]facts{}, looks: map[string]string{}}
	r.bytesAll = r.measure(root).bytes
	start := around{kind: KindParagraph}
	if !hasMain(root) {
		start.inMain = true
	}
	r.walk(root, start)
	r.flush(start)
	p.Blocks = r.blocks
	return nil
}

func hasMain(root *html.Node) bool {
	for n := range root.Descendants() {
		if isMain(n) {
			return true
		}
	}
	return false
}

func isMain(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.DataAtom == atom.Main || strings.EqualFold(attribute(n, "role"), "main") && n.DataAtom != atom.Body)
}

// measure looks at all of the tree once, leaves first.
func (r *reader) measure(n *html.Node) facts {
	f := facts{}
	inline := false // whether text has been since the last border
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if length := len(strings.TrimSpace(c.Data)); length > 0 {
				f.bytes += length
				inline = true
			}
			continue
		case html.ElementNode:
		default:
			continue
		}
		if isDropped(c) {
			continue
		}
		in := r.measure(c)
		f.bytes += in.bytes
		f.linked = f.linked || in.linked || c.DataAtom == atom.A
		f.main = f.main || in.main || isMain(c)
		f.titled = f.titled || in.titled || f.main || c.DataAtom == atom.H1 || c.DataAtom == atom.Table
		f.headed = f.headed || in.headed || f.main || c.DataAtom == atom.H1
		f.nested = f.nested || in.nested || c.DataAtom == atom.Ul || c.DataAtom == atom.Ol || c.DataAtom == atom.Table || c.DataAtom == atom.Pre ||
			strings.EqualFold(attribute(c, "role"), "list")
		if in.blocky {
			f.leaves += in.leaves
			f.blocky = true
			if inline {
				f.leaves++
			}
			inline = false
		} else if in.bytes > 0 {
			inline = true
		}
	}
	if inline {
		f.leaves++
	}
	f.blocky = f.blocky || isBlock[n.DataAtom] || isPlainBlock(n)
	r.facts[n] = f
	return f
}

// isPlainBlock reports whether an element without a name that is known is one that stands by itself.
func isPlainBlock(n *html.Node) bool {
	return n.DataAtom == 0 && n.Type == html.ElementNode && strings.Contains(n.Data, "-")
}

// isDropped reports whether an element has nothing to say to readers.
func isDropped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Head, atom.Link, atom.Meta,
		atom.Textarea, atom.Audio, atom.Video, atom.Math, atom.Dialog, atom.Datalist, atom.Progress, atom.Meter:
		return n.DataAtom != atom.Math
	}
	return isHidden(n)
}

var isBlock = func() map[atom.Atom]bool {
	all := map[atom.Atom]bool{}
	for name := range strings.FieldsSeq(`address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form
		h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section select summary table tbody td tfoot th thead
		tr ul caption`) {
		all[atom.Lookup([]byte(name))] = true
	}
	return all
}()

// formatting elements are within words: "H<sub>2</sub>O".
var isFormatting = map[atom.Atom]bool{
	atom.B: true, atom.I: true, atom.Em: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.U: true, atom.S: true, atom.Mark: true, atom.Wbr: true,
	atom.Font: true, atom.Abbr: true, atom.Code: true, atom.Q: true, atom.A: true, atom.Ins: true, atom.Del: true, atom.Big: true, atom.Bdi: true,
}

// walk makes the blocks of what n contains. It recurses: the tree's depth is bounded by its parser.
func (r *reader) walk(n *html.Node, at around) {
	cards := r.cards(n)
	section := sectionOf{}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			r.run.add(c.Data)
			continue
		}
		if c.Type != html.ElementNode || isDropped(c) {
			continue
		}
		section.end(c, r.facts[c].blocky)
		if !r.facts[c].blocky {
			r.inline(c, section.around(at))
			continue
		}
		first := len(r.blocks)
		r.flush(at)
		if section.noise == "" {
			section.begin(r.blocks[min(first, len(r.blocks)):]) // "<b>Related</b><ul>"
			section.tag = c.Data
		}
		in := section.around(at)
		first = len(r.blocks)
		if cards.of(c) {
			in.group = cards.group
			r.card(c, in)
		} else {
			r.block(c, in)
		}
		r.flush(in)
		section.begin(r.blocks[min(first, len(r.blocks)):])
	}
}

// sectionOf is a run of siblings that a heading makes noise: "You may also like".
type sectionOf struct {
	noise string
	level int
	// loose reports that the heading is none by its markup. What it makes noise is then the next sibling, and those after it that are of
	// the same element, tag: cards, but not paragraphs.
	loose bool
	tag   string
}

// around is what surrounds a sibling in the section.
func (s *sectionOf) around(at around) around {
	if at.noise == "" {
		at.noise = s.noise
	}
	return at
}

// begin starts a section where what a sibling said is nothing but such a heading.
func (s *sectionOf) begin(said []Block) {
	if len(said) != 1 || len(said[0].Text) > 80 {
		return
	}
	b := &said[0]
	isHeading := b.Kind == KindHeading
	if !isHeading && (len(b.Links) > 0 || strings.ContainsAny(b.Text, "0123456789") || strings.Count(b.Text, " ") > 5) {
		return
	}
	if isHeading && b.Level == 1 || !isHeading && b.Noise != "" && wholeHeadings[strings.ToLower(b.Text)] == "" {
		return // it is what the page is about, or an advert with what it says
	}
	if reason := noiseHeading(b.Text); reason != "" {
		*s = sectionOf{noise: reason, level: 7, loose: !isHeading}
		if isHeading {
			s.level = b.Level
		}
		if b.Noise == "" {
			b.Noise = reason
		}
	}
}

// end ends it where the next sibling starts with a heading of its level or above.
func (s *sectionOf) end(next *html.Node, blocky bool) {
	if s.noise == "" {
		return
	}
	if s.loose && blocky {
		if s.tag != "" && (s.tag != next.Data || s.tag == "p" || s.noise == noiseAdvert) || next.DataAtom == atom.Fieldset || next.DataAtom == atom.Form {
			*s = sectionOf{}
			return
		}
		s.tag = next.Data
	}
	for n := next; n != nil; {
		if level := headingLevel(n); level > 0 {
			if level <= s.level {
				*s = sectionOf{}
			}
			return
		}
		n = n.FirstChild
		for n != nil && (n.Type != html.ElementNode || isDropped(n)) {
			if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
				return
			}
			n = n.NextSibling
		}
	}
}

func headingLevel(n *html.Node) int {
	switch n.DataAtom {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

// enter is what surrounds what an element contains.
func (r *reader) enter(n *html.Node, at around) around {
	if at.noise == "" {
		at.noise = r.lookOf(n)
	}
	if isMain(n) {
		at.inMain, at.within = true, true
		if at.part != "dialog" {
			at.part = "" // what is said of an element around it is not said of it
		}
	}
	if n.DataAtom == atom.Article {
		at.within = true
	}
	if part := partOf(n, at.within); part != "" && !r.isFrame(n) && !(part == "aside" && at.within && isOffer(n)) {
		at.part = part
	}
	at.form = formOf(n)
	return at
}

// frameShare is the part of a page's text in an element, in quarters, from which on the element is no part beside the content, unless
// it says so by its name.
const frameShare = 3

// isFrame reports whether an element is around the content, and so not a part of the page beside it, whatever it is called: generators
// of sites name the body and what divides it by what is within, as in "body-for-nav", "has-sidebar" and "sticky-footer".
func (r *reader) isFrame(n *html.Node) bool {
	f := r.facts[n]
	switch n.DataAtom {
	case atom.Html, atom.Body:
		return true
	case atom.Nav, atom.Aside, atom.Header, atom.Footer:
		return f.main
	}
	return f.main || f.headed && 2*f.bytes > r.bytesAll || 4*f.bytes > frameShare*r.bytesAll && r.bytesAll > cardBytesMax
}

// block makes the blocks of an element that is one.
func (r *reader) block(n *html.Node, at around) {
	at = r.enter(n, at)
	if level := headingLevel(n); level > 0 {
		r.heading(n, level, at)
		return
	}
	switch n.DataAtom {
	case atom.Table:
		r.table(n, at)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Select:
		r.groups++
		at.group, at.ordered = r.groups, n.DataAtom == atom.Ol
		if n.DataAtom == atom.Select {
			at.kind = KindItem
		}
		r.walk(n, at)
	case atom.Li:
		r.card(n, at)
	case atom.Dl:
		r.terms(n, at, new(string))
	case atom.Pre:
		r.code(n, at)
	case atom.Hr:
	default:
		if term, value, ok := r.pair(n); ok {
			r.term(term, value, at)
			return
		}
		if isMain(n) || n.DataAtom == atom.Article || n.DataAtom == atom.Section || n.DataAtom == atom.Aside || n.DataAtom == atom.Nav || n.DataAtom == atom.Footer {
			defer r.scope(len(r.headings))
		}
		r.walk(n, at)
		r.flush(at)
	}
}

// scope ends the headings of a section with it.
func (r *reader) scope(depth int) { r.headings = r.headings[:min(depth, len(r.headings))] }

func (r *reader) heading(n *html.Node, level int, at around) {
	at.kind = KindHeading
	for len(r.headings) > 0 {
		if r.headings[len(r.headings)-1].level < level {
			break
		}
		r.headings = r.headings[:len(r.headings)-1]
	}
	r.walk(n, at)
	before := len(r.blocks)
	r.flush(at)
	for i := before; i < len(r.blocks); i++ {
		if r.blocks[i].Kind == KindHeading {
			r.blocks[i].Level = level
			r.headings = append(r.headings, head{i + 1, level})
			return
		}
	}
}

// place is the part of the page that a block is in.
func (at *around) place() string {
	if at.part == "" && !at.inMain {
		return "outside"
	}
	return at.part
}
