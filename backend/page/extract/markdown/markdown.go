package markdown

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

const (
	// listDepthMax is how deep lists and quotations nest in text and markdown, where each level indents every line.
	listDepthMax = 12
	// tableCellsMax is the greatest size of a table after its rows are filled up to the longest.
	tableCellsMax = 200_000
	// spanMax is how far a cell may span.
	spanMax = 100
	// spannedCellsMax is how many cells of a page may come from spans.
	spannedCellsMax = 20_000
)

// Markdown returns the markdown of the polished tree: CommonMark with GFM's tables, strikethrough, task lists and
// footnotes, and TeX between dollar signs. The tree is not changed. size is the expected length in bytes.
func (p *Page) Markdown(size int) (markdown string, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			markdown, err = "", fmt.Errorf("%w: writing markdown: %v", markup.ErrTooComplex, caught)
		}
	}()
	w := &writer{mixed: map[*html.Node]bool{}}
	w.out.Grow(size)
	w.survey(p.Root)
	for _, note := range p.notes.written() {
		w.survey(note.body)
	}
	if isBlock(p.Root) || w.mixed[p.Root] {
		w.element(p.Root, style{})
	} else {
		w.block(p.Root, style{})
	}
	for _, note := range p.notes.written() {
		w.open("[^"+note.label+"]: ", "    ")
		w.block(note.body, style{})
		w.close()
	}
	return w.out.String(), nil
}

// writer writes blocks line by line, each line after the markers of the lists and quotations around it, so that
// nothing is written twice, however deep it nests.
type writer struct {
	out    strings.Builder
	levels []level
	// gap is what precedes the next block: nothing, a line break, or an empty line.
	gap int
	// depth is how many lists and quotations are open.
	depth int
	// tight reports that the current list has no empty lines between its items.
	tight bool
	// rule reports that a thematic break must be written before more content.
	rule bool
	// mixed are the inline elements that contain blocks.
	mixed map[*html.Node]bool
	// dollars reports that the page has math, so that dollar signs in text must be escaped.
	dollars bool
	// spanned counts cells from spans.
	spanned int
	// spare is a finished line whose memory is reused.
	spare *inline
}

// style is the formatting around a block that applies to its text.
type style struct {
	strong, em, deleted bool
	// card is the link around the block.
	card *card
}

// card is a link that contains blocks, such as a tile of a listing. Links in markdown contain one line of text, so one of
// the blocks gets the link.
type card struct {
	href string
	// at is the block that gets the link; nil for the first one with text.
	at *html.Node
	// anything allows it to be put on an image alone.
	anything bool
	done     bool
}

// survey collects what must be known before writing. It reports whether n is or contains a block.
func (w *writer) survey(n *html.Node) bool {
	holds := false
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if w.survey(child) {
			holds = true
		}
	}
	if n.Type != html.ElementNode {
		return holds
	}
	if isMath(n) {
		w.dollars = true
		return isDisplayMath(n)
	}
	if dom.IsInvisible(n) {
		return false
	}
	if isBlock(n) {
		return true
	}
	if holds {
		w.mixed[n] = true
	}
	return holds
}

// isBlock reports whether an element begins and ends a block.
func isBlock(n *html.Node) bool {
	return dom.Apart(n) > 0 || n.DataAtom == atom.Td || n.DataAtom == atom.Th || isDisplayMath(n) || isMedia(n)
}

// block writes the content of n: blocks, and the text between them as paragraphs.
func (w *writer) block(n *html.Node, s style) {
	var in *inline
	flush := func() {
		if in != nil {
			w.paragraph(in, s)
			in = nil
		}
	}
	breaks := 0
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom == atom.Br {
			breaks++
		} else if child.Type == html.ElementNode || child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			breaks = 0
		}
		switch {
		case dom.IsInvisible(child):
		case breaks > 1:
			flush() // on old pages two line breaks end a paragraph
		case child.Type == html.ElementNode && (isBlock(child) || w.mixed[child]):
			flush()
			w.element(child, s)
		case child.Type == html.TextNode || child.Type == html.ElementNode:
			if in == nil {
				in = w.inline(s)
			}
			in.node(child)
		}
	}
	flush()
}

// line begins a line of text, in the memory of a finished one.
func (w *writer) line() *inline {
	in := w.spare
	if w.spare = nil; in == nil {
		in = &inline{}
	}
	*in = inline{dollars: w.dollars, buf: in.buf[:0], due: in.due[:0], open: in.open[:0]}
	return in
}

// written returns the line as a string. The line must not be used afterwards.
func (w *writer) written(in *inline) string {
	content := in.finish()
	w.spare = in
	return content
}

// inline begins a line of text in the style of its surroundings.
func (w *writer) inline(s style) *inline {
	in := w.line()
	if c := s.card; c != nil && !c.done && c.at == nil && !c.anything {
		in.inLink = 1
	}
	for _, mark := range []struct {
		on   bool
		name string
	}{{s.strong, "**"}, {s.em, "*"}, {s.deleted, "~~"}} {
		if mark.on {
			in.begin(mark.name)
		}
	}
	return in
}

// paragraph writes inline content as a block.
func (w *writer) paragraph(in *inline, s style) {
	anything := in.text
	content := w.written(in)
	if content == "" {
		return
	}
	if c := s.card; c != nil && c.at == nil && (anything || c.anything) {
		content = c.around(content)
	}
	w.lines(content)
}

// around puts the card's link around a line, once.
func (c *card) around(content string) string {
	if c.done {
		return content
	}
	c.done = true
	return "[" + strings.ReplaceAll(content, "  \n", " ") + "](" + destination(c.href) + ")"
}

// element writes an element that is or contains a block.
func (w *writer) element(n *html.Node, s style) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n, s)
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(n, s)
	case atom.Li:
		w.looseItem(n, s)
	case atom.Blockquote:
		w.quote(n, s)
	case atom.Pre:
		w.code(n)
	case atom.Hr:
		w.rule = w.out.Len() > 0
	case atom.Table:
		w.table(n, s)
	case atom.Dl:
		w.definitions(n, s)
	case atom.Summary, atom.Legend:
		w.summary(n, s)
	case atom.A:
		w.card(n, s)
	case atom.B, atom.Strong:
		s.strong = true
		w.block(n, s)
	case atom.I, atom.Em:
		s.em = true
		w.block(n, s)
	case atom.Del, atom.S, atom.Strike:
		s.deleted = true
		w.block(n, s)
	default:
		if isDisplayMath(n) {
			w.lines("$$\n" + dom.Attr(n, mathTeX) + "\n$$")
			return
		}
		w.block(n, s)
	}
}

func (w *writer) heading(n *html.Node, s style) {
	in := w.line()
	in.between = " "
	if s.card != nil && s.card.at == n {
		in.inLink = 1
	}
	in.children(n)
	content := w.written(in)
	if content == "" {
		return
	}
	if strings.HasSuffix(content, "#") {
		content = content[:len(content)-1] + `\#` // it would count as the heading's closing sequence
	}
	if s.card != nil && s.card.at == n {
		content = s.card.around(content)
	}
	w.lines(strings.Repeat("#", int(n.Data[1]-'0')) + " " + content)
}

// summary is the line that opens a section; it is bold, as when the section is closed.
func (w *writer) summary(n *html.Node, s style) {
	for child := range n.Descendants() {
		if dom.IsHeading(child) {
			w.block(n, s)
			return
		}
	}
	s.strong = true
	in := w.inline(s)
	in.between = " "
	in.children(n)
	w.paragraph(in, s)
}

func (w *writer) quote(n *html.Node, s style) {
	if w.depth >= listDepthMax {
		w.block(n, s)
		return
	}
	w.depth++
	w.open("> ", "> ")
	w.block(n, s)
	w.close()
	w.depth--
}

// code writes a fenced block, whose fence is longer than any in it (CommonMark 4.5).
func (w *writer) code(n *html.Node) {
	code, language := codeOf(n)
	if strings.TrimSpace(code) == "" {
		return
	}
	fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
	w.lines(fence + language + "\n" + code + "\n" + fence)
}

// card writes a link that contains blocks.
func (w *writer) card(n *html.Node, s style) {
	href := dom.Attr(n, "href")
	if !isLinkable(href) || s.card != nil {
		w.block(n, s)
		return
	}
	c := &card{href: href, anything: true}
	for child := range n.Descendants() {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" && !dom.IsInvisible(child.Parent):
			c.anything = false
		case dom.IsHeading(child) && c.at == nil && dom.HasText(child):
			c.at = child
		}
	}
	s.card = c
	w.block(n, s)
}

func longestRun(s string, of byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
