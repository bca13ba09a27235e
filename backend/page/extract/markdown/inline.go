package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// inline writes a paragraph's content. White space and opening marks are delayed until content follows, so that marks are
// next to words, as CommonMark requires (6.2), and empty elements leave nothing.
type inline struct {
	buf []byte
	// between replaces the borders of blocks and line breaks; if empty, both may be shown.
	between string
	// cell reports that this is a cell of a table, where a bar would end it.
	cell bool
	// dollars reports that dollar signs must be escaped.
	dollars bool
	// text reports that there is more than images.
	text bool

	space   bool // a space is due
	brk     bool // a line break is due
	due     []*mark
	open    []*mark
	inLink  int
	bracket int // where a bracket of text was just closed; a parenthesis after it would make a link
	closed  *mark
	quotes  int
}

// mark is a pair of delimiters or tags around some content.
type mark struct {
	name string
	// start and end are the positions of its delimiters, once they are written.
	start, end int
	written    bool
	// skipped marks are within one of the same kind.
	skipped bool
}

// node recurses: the tree's depth is bounded by the parser.
func (in *inline) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		in.words(n.Data)
	case n.Type != html.ElementNode || dom.IsInvisible(n):
	case isMath(n):
		in.math(n)
	case isNote(n):
		in.raw("[^" + dom.Attr(n, noteLabel) + "]")
	case isTask(n):
		in.raw(dom.Attr(n, taskMark))
		in.space = true
	default:
		in.element(n)
	}
}

func (in *inline) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Br:
		in.lineBreak()
	case atom.Img:
		in.image(n)
	case atom.A:
		in.link(n)
	case atom.Code, atom.Tt, atom.Samp, atom.Pre:
		in.code(n)
	case atom.B, atom.Strong:
		in.space = in.space || standsApart(n)
		in.marked("**", n)
	case atom.Span, atom.Time, atom.Small:
		in.space = in.space || standsApart(n)
		in.children(n)
	case atom.Button:
		in.space = true
		in.children(n)
		in.space = true
	case atom.I, atom.Em, atom.Var:
		in.marked("*", n)
	case atom.Cite:
		if n.FirstChild != nil && n.FirstChild.NextSibling != nil {
			in.children(n) // a reference with separately formatted parts
			return
		}
		in.marked("*", n)
	case atom.Del, atom.S, atom.Strike:
		in.marked("~~", n)
	case atom.Kbd, atom.Mark, atom.Ins, atom.Sub:
		in.marked("<"+n.Data+">", n)
	case atom.Sup:
		if isOrdinal(n) {
			in.children(n)
			return
		}
		in.marked("<sup>", n)
	default:
		in.other(n)
	}
}

// other writes the elements that are no marks: quotations, abbreviations, and blocks within a line.
func (in *inline) other(n *html.Node) {
	switch n.DataAtom {
	case atom.Q:
		in.quote(n)
	case atom.Abbr, atom.Acronym:
		in.children(n)
		if title := dom.Attr(n, expansion); title != "" {
			in.words(" (" + title + ")")
		}
	case atom.Li:
		in.border()
		in.raw("- ")
		in.children(n)
		in.border()
	case atom.Td, atom.Th:
		in.space = true
		in.children(n)
		in.space = true
	case atom.Dt:
		in.border()
		in.marked("**", n)
		in.border()
	case atom.Hr:
		in.border()
	default:
		if isBlock(n) {
			in.border()
			in.children(n)
			in.border()
			return
		}
		in.children(n)
	}
}

func (in *inline) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		in.node(child)
	}
}

// border marks where a block begins or ends within a line.
func (in *inline) border() {
	if in.between == "" || in.between == " " || in.inLink > 0 {
		in.space = true
		return
	}
	in.brk = in.brk || len(in.buf) > 0
}

func (in *inline) lineBreak() {
	if in.between == " " || in.inLink > 0 && in.between == "" {
		in.space = true
		return
	}
	in.brk = in.brk || len(in.buf) > 0
}

// finish ends the line and returns it.
func (in *inline) finish() string {
	for len(in.open) > 0 {
		in.end(in.open[len(in.open)-1].name)
	}
	return string(in.buf)
}

// begin opens a mark; end closes the innermost, which must have the same name.
func (in *inline) begin(name string) {
	m := &mark{name: name, skipped: in.emphasised(name)}
	in.open = append(in.open, m)
	if !m.skipped {
		in.due = append(in.due, m)
	}
}

func (in *inline) emphasised(name string) bool {
	for _, m := range in.open {
		if m.name == name {
			return true
		}
	}
	return false
}

func (in *inline) end(name string) {
	m := in.open[len(in.open)-1]
	in.open = in.open[:len(in.open)-1]
	switch {
	case m.skipped:
	case !m.written:
		in.due = in.due[:len(in.due)-1] // nothing came between
	default:
		m.end = len(in.buf)
		in.buf = append(in.buf, closing(name)...)
		in.closed = m
	}
}

// closing is the end of a mark.
func closing(name string) string {
	if name[0] == '<' {
		return "</" + name[1:]
	}
	return name
}

func (in *inline) marked(name string, n *html.Node) {
	in.begin(name)
	in.children(n)
	in.end(name)
}

// settle writes what was delayed, before content that begins with r.
func (in *inline) settle(r rune) {
	in.rejoin(r)
	switch {
	case in.brk && in.between != "":
		in.buf = append(trimSpaces(in.buf), in.between...)
	case in.brk && len(in.buf) > 0:
		in.buf = append(trimSpaces(in.buf), "  \n"...)
	case in.space && len(in.buf) > 0 && !in.atLineStart():
		in.buf = append(in.buf, ' ')
	}
	in.brk, in.space = false, false
	for _, m := range in.due {
		m.start, m.written = len(in.buf), true
		in.buf = append(in.buf, m.name...)
	}
	in.due = in.due[:0]
}

func trimSpaces(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// rejoin re-examines the mark that was just closed, now that it is known what follows: if it is reopened at once, it
// continues; and delimiters that CommonMark would not recognise (6.2: between a letter and a punctuation mark) become
// tags.
func (in *inline) rejoin(next rune) {
	m := in.closed
	in.closed = nil
	if m == nil || len(in.buf) != m.end+len(closing(m.name)) {
		return
	}
	if !in.space && !in.brk && len(in.due) > 0 && in.due[0].name == m.name {
		in.buf = in.buf[:m.end]
		in.due[0].start, in.due[0].written = m.start, true
		in.due = in.due[1:]
		return
	}
	if m.name[0] != '*' && m.name[0] != '~' {
		return
	}
	after := next
	if in.space || in.brk {
		after = ' '
	}
	before, _ := utf8.DecodeLastRune(in.buf[:m.start])
	first, _ := utf8.DecodeRune(in.buf[m.start+len(m.name):])
	last, _ := utf8.DecodeLastRune(in.buf[:m.end])
	if m.start == 0 {
		before = ' '
	}
	if flanks(before, first) && flanks(after, last) {
		return
	}
	tag := map[string]string{"**": "strong", "*": "em", "~~": "del"}[m.name]
	content := string(in.buf[m.start+len(m.name) : m.end])
	in.buf = append(in.buf[:m.start], "<"+tag+">"+content+"</"+tag+">"...)
}

// flanks reports whether a delimiter between outer and inner counts: inner is no punctuation, or outer is or is space.
func flanks(outer, inner rune) bool {
	return !isPunct(inner) || isPunct(outer) || unicode.IsSpace(outer)
}

func isPunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// raw writes markdown as it is.
func (in *inline) raw(s string) {
	if s == "" {
		return
	}
	r, _ := utf8.DecodeRuneInString(s)
	in.settle(r)
	in.buf = append(in.buf, s...)
	in.text = true
}

func (in *inline) atLineStart() bool {
	return len(in.buf) == 0 || in.buf[len(in.buf)-1] == '\n'
}

// meaning separates a term from its meaning.
func (in *inline) meaning() {
	if len(in.buf) > 0 && in.buf[len(in.buf)-1] != ':' && !strings.HasSuffix(string(in.buf[max(0, len(in.buf)-3):]), ":**") {
		in.closed = nil
		in.buf = append(in.buf, ':')
	}
	in.space = true
}

func (in *inline) quote(n *html.Node) {
	marks := [2]string{"“", "”"}
	if in.quotes%2 == 1 {
		marks = [2]string{"‘", "’"}
	}
	in.quotes++
	in.raw(marks[0])
	in.children(n)
	in.space, in.brk = false, false
	in.raw(marks[1])
	in.quotes--
}

func (in *inline) math(n *html.Node) {
	tex := dom.Attr(n, mathTeX)
	if in.cell {
		tex = strings.ReplaceAll(tex, "|", `\vert `)
	}
	if isDisplayMath(n) {
		in.border()
		in.raw("$$" + tex + "$$")
		in.border()
		return
	}
	// A digit after the closing dollar would invalidate it.
	in.raw("$" + tex + "$")
}

// code writes a code span. Its delimiters are longer than any in it (CommonMark 6.1).
func (in *inline) code(n *html.Node) {
	if a := onlyLink(n); a != nil && in.inLink == 0 {
		in.linkAround(dom.Attr(a, "href"), func() { in.codeSpan(n) })
		return
	}
	in.codeSpan(n)
}

func (in *inline) codeSpan(n *html.Node) {
	code := dom.Text(n)
	trimmed := dom.Fold(code)
	if trimmed == "" {
		in.space = in.space || code != ""
		return
	}
	if startsWithSpace(code) {
		in.space = true
	}
	fence := strings.Repeat("`", longestRun(trimmed, '`')+1)
	if trimmed[0] == '`' || trimmed[len(trimmed)-1] == '`' {
		trimmed = " " + trimmed + " "
	}
	if in.cell {
		trimmed = strings.ReplaceAll(trimmed, "|", `\|`) // GFM 4.10: also within code
	}
	in.raw(fence + trimmed + fence)
	in.space = endsWithSpace(code)
}

// onlyLink is the link that contains all of an element's text.
func onlyLink(n *html.Node) *html.Node {
	only := n.FirstChild
	if only == nil || only.NextSibling != nil || only.DataAtom != atom.A || !isLinkable(dom.Attr(only, "href")) {
		return nil
	}
	return only
}

// image writes an image. Polishing has removed invisible ones.
func (in *inline) image(n *html.Node) {
	src := dom.Attr(n, "src")
	alt := dom.Fold(dom.Visible(dom.Attr(n, "alt")))
	if alt == "" {
		alt = dom.Fold(dom.Visible(dom.Attr(n, "title")))
	}
	if src == "" {
		return
	}
	if len(in.buf) > 0 && in.buf[len(in.buf)-1] == ')' {
		in.space = true // after another image
	}
	hadText := in.text
	in.raw("![" + escapeLabel(alt, in.cell) + "](" + destination(src) + ")")
	in.text = hadText
}

func (in *inline) link(n *html.Node) {
	in.space = in.space || standsApart(n)
	href := dom.Attr(n, "href")
	if !isLinkable(href) || in.inLink > 0 {
		in.children(n)
		return
	}
	if text := dom.Fold(dom.Text(n)); text != "" && (text == href || "mailto:"+text == href) && !strings.ContainsAny(text, " <>") && onlyText(n) {
		in.raw("<" + text + ">")
		return
	}
	in.linkAround(href, func() { in.children(n) })
}

func onlyText(n *html.Node) bool {
	return n.FirstChild != nil && n.FirstChild.NextSibling == nil && n.FirstChild.Type == html.TextNode
}

// linkAround makes a link of what content writes; if that is nothing, there is no link.
func (in *inline) linkAround(href string, content func()) {
	if len(in.buf) > 0 && in.buf[len(in.buf)-1] == '!' && !in.space && !in.brk {
		in.buf = append(in.buf[:len(in.buf)-1], `\!`...) // it would be an image otherwise
	}
	in.begin("[")
	m := in.open[len(in.open)-1]
	in.inLink++
	content()
	in.inLink--
	in.open = in.open[:len(in.open)-1]
	if !m.written {
		in.due = removeMark(in.due, m)
		return
	}
	in.closed = nil
	in.buf = append(in.buf, "]("+destination(href)+")"...)
}

func removeMark(marks []*mark, m *mark) []*mark {
	for i := range marks {
		if marks[i] == m {
			return append(marks[:i], marks[i+1:]...)
		}
	}
	return marks
}
