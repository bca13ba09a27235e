package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isNumber(s string) bool {
	s = strings.TrimLeft(strings.TrimSpace(s), "-−+")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// standsApart reports whether a link or button is separate from the text before it even without a space: browsers draw
// buttons, and rows of links in menus, with a gap.
func standsApart(n *html.Node) bool {
	if n.DataAtom == atom.Button {
		return true
	}
	if n.PrevSibling == nil {
		return false
	}
	switch n.PrevSibling.DataAtom {
	case atom.Img, atom.Picture, atom.Strong, atom.B:
		// The parts of a tile, which style sheets put below each other.
		return n.DataAtom != atom.A && (n.Parent.DataAtom == atom.A || n.Parent.DataAtom == atom.Li)
	case atom.A:
	default:
		return false
	}
	if n.DataAtom == atom.A {
		return true
	}
	text := dom.Text(n) // a date or a count beside an entry of a list
	return text != "" && isDigit(text[0])
}

// Text returns the readable text of the polished tree, except its title and nodes for which isOut is true. Text has no
// links, so it also leaves out what is only a link: players, and notes outside of what is kept.
func (p *Page) Text(isOut func(*html.Node) bool) string {
	w := &textWriter{isOut: func(n *html.Node) bool { return n == p.title || isOut(n) }}
	w.node(p.Root)
	for _, note := range p.notes.written() {
		if !note.kept {
			continue
		}
		w.breakLine(2)
		w.marker = "[" + note.mark + "] "
		for child := note.body.FirstChild; child != nil; child = child.NextSibling {
			w.node(child)
		}
		w.marker = ""
	}
	return strings.TrimRight(w.out.String(), "\n\t ")
}

// textWriter writes text with white space folded as browsers show it. Space and line breaks are delayed until more text
// comes, so that they do not add up.
type textWriter struct {
	out       strings.Builder
	lines     int  // line breaks due before the next text
	space     bool // a space due before the next text
	tabs      int  // tabs due before the next text: the borders of cells
	cells     int  // depth of cells, each of which stays on the line of its row
	pre       int  // depth of preformatted elements
	listDepth int
	isOut     func(*html.Node) bool
	marker    string // of an item or a note, due before its first text
}

// node recurses: the tree's depth is bounded by the parser.
func (w *textWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if w.isOut(n) {
			return
		}
		if w.pre > 0 {
			w.verbatim(n.Data)
		} else {
			w.words(n.Data)
		}
		return
	case html.ElementNode:
		if dom.IsInvisible(n) || isMedia(n) || w.isOut(n) {
			return
		}
		if isMath(n) {
			w.math(n)
			return
		}
	case html.DocumentNode:
	default:
		return
	}
	w.enter(n)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.node(child)
	}
	w.leave(n)
}

func (w *textWriter) enter(n *html.Node) {
	w.breakLine(w.apartOf(n))
	switch n.DataAtom {
	case atom.Br:
		if w.cells > 0 {
			w.space = true
		} else if w.out.Len() > 0 {
			w.lines++
			w.space = false
		}
	case atom.Sup:
		// Otherwise a power of a number would become a larger number.
		if out := w.out.String(); !w.space && w.lines == 0 && out != "" && isDigit(out[len(out)-1]) && isNumber(dom.Text(n)) {
			w.out.WriteByte('^')
		}
	case atom.Button, atom.A, atom.Span, atom.Time, atom.Small, atom.Strong, atom.B:
		w.space = w.space || standsApart(n)
	case atom.Pre, atom.Textarea:
		w.pre++
	case atom.Ul, atom.Ol:
		w.listDepth++
	case atom.Li:
		if w.cells > 0 {
			break
		}
		w.marker = strings.Repeat("  ", min(max(w.listDepth-1, 0), listDepthMax)) + "- "
	case atom.Td, atom.Th:
		for before := n.PrevSibling; before != nil; before = before.PrevSibling {
			if before.Type == html.ElementNode {
				w.tabs++
				w.space = false
				break
			}
		}
		w.cells++
	}
}

func (w *textWriter) leave(n *html.Node) {
	switch n.DataAtom {
	case atom.Button:
		w.space = true
	case atom.Pre, atom.Textarea:
		w.pre--
	case atom.Ul, atom.Ol:
		w.listDepth--
	case atom.Li:
		w.marker = ""
	case atom.Td, atom.Th:
		w.cells--
		return
	case atom.Tr:
		w.tabs = 0
	}
	w.breakLine(w.apartOf(n))
}

// apartOf keeps nested lists, and the contents of cells, together.
func (w *textWriter) apartOf(n *html.Node) int {
	lines := dom.Apart(n)
	if lines == 2 && w.listDepth > 0 && n.DataAtom != atom.Pre {
		return 1
	}
	return lines
}

// math writes a formula as TeX, between the same dollar signs as in markdown.
func (w *textWriter) math(n *html.Node) {
	dollars, gap := "$", 0
	if isDisplayMath(n) {
		dollars, gap = "$$", 2
	}
	w.breakLine(gap)
	w.due()
	w.out.WriteString(dollars + dom.Attr(n, mathTeX) + dollars)
	w.breakLine(gap)
}

func (w *textWriter) breakLine(lines int) {
	if lines == 0 || w.out.Len() == 0 {
		return
	}
	if w.cells > 0 {
		w.space = true
		return
	}
	w.lines = max(w.lines, lines)
	w.space = false
}

func (w *textWriter) words(s string) {
	if s = dom.Visible(s); s == "" {
		return
	}
	if dom.IsFolded(s) {
		w.due()
		w.out.WriteString(s)
		w.space = false
		return
	}
	first := true
	for word := range strings.FieldsSeq(s) {
		if first {
			if startsWithSpace(s) {
				w.space = true
			}
			w.due()
		} else {
			w.out.WriteByte(' ')
		}
		first = false
		w.out.WriteString(word)
	}
	w.space = first || endsWithSpace(s)
}

func (w *textWriter) verbatim(s string) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	kept := strings.TrimRight(s, "\n")
	if kept != "" {
		w.due()
		w.out.WriteString(kept)
	}
	if w.out.Len() > 0 {
		w.lines = max(w.lines, len(s)-len(kept))
	}
	w.space = false
}

// due writes the delayed white space.
func (w *textWriter) due() {
	switch {
	case w.lines > 0:
		w.out.WriteString(strings.Repeat("\n", min(w.lines, 2)))
	case w.out.Len() == 0:
	case w.tabs > 0:
		w.out.WriteString(strings.Repeat("\t", min(w.tabs, spanMax)))
	case w.space:
		w.out.WriteByte(' ')
	}
	w.lines, w.space, w.tabs = 0, false, 0
	w.out.WriteString(w.marker)
	w.marker = ""
}

// startsWithSpace and endsWithSpace use the same characters as [strings.Fields], which splits the words between them.
func startsWithSpace(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

func endsWithSpace(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}
