package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isInvisible reports whether what n holds is never shown as text. What noscript holds is: it is for readers who run no
// scripts, and a page without its scripts is what this is.
func isInvisible(n *html.Node) bool {
	if n == nil {
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Title, atom.Iframe, atom.Object, atom.Svg,
		atom.Noembed, atom.Noframes, atom.Datalist, atom.Audio, atom.Video, atom.Canvas:
		return true
	}
	return false
}

// apart is how an element stands apart from what is before and after it: not at all, by a line, or by an empty line.
func apart(n *html.Node) int {
	switch n.DataAtom {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Pre,
		atom.Blockquote, atom.Figure, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Aside, atom.Nav, atom.Main,
		atom.Hr, atom.Fieldset, atom.Form, atom.Details:
		return 2
	case atom.Div, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Caption, atom.Figcaption, atom.Address, atom.Option, atom.Legend,
		atom.Summary, atom.Body, atom.Html, atom.Center, atom.Thead, atom.Tbody, atom.Tfoot, atom.Hgroup, atom.Search:
		return 1
	}
	return 0
}

// textOf returns the readable text under root.
func textOf(root *html.Node) string {
	w := &textWriter{}
	w.node(root)
	return strings.TrimRight(w.out.String(), "\n\t ")
}

// textWriter writes text with white space folded the way a browser shows it. Space and line breaks are kept back
// until more text comes, so that none pile up.
type textWriter struct {
	out         strings.Builder
	lines       int  // line breaks due before the next text
	space       bool // a space due before the next text
	tab         bool // a tab due before the next text: the border of two cells
	pre         int  // depth of preformatted elements
	listDepth   int
	itemPending bool
}

// node recurses: the tree's depth is bounded by the parser.
func (w *textWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if w.pre > 0 {
			w.verbatim(n.Data)
		} else {
			w.words(n.Data)
		}
		return
	case html.ElementNode:
		if isInvisible(n) {
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
		if w.out.Len() > 0 {
			w.lines++
			w.space = false
		}
	case atom.Pre, atom.Textarea:
		w.pre++
	case atom.Ul, atom.Ol:
		w.listDepth++
	case atom.Li:
		w.itemPending = true
	case atom.Td, atom.Th:
		for before := n.PrevSibling; before != nil; before = before.PrevSibling {
			if before.Type == html.ElementNode {
				w.tab = true
				break
			}
		}
	}
}

func (w *textWriter) leave(n *html.Node) {
	switch n.DataAtom {
	case atom.Pre, atom.Textarea:
		w.pre--
	case atom.Ul, atom.Ol:
		w.listDepth--
	case atom.Li:
		w.itemPending = false
	case atom.Tr:
		w.tab = false
	}
	w.breakLine(w.apartOf(n))
}

// apartOf keeps lists within lists, and what cells hold, together.
func (w *textWriter) apartOf(n *html.Node) int {
	lines := apart(n)
	if lines == 2 && w.listDepth > 0 && n.DataAtom != atom.Pre {
		return 1
	}
	return lines
}

func (w *textWriter) breakLine(lines int) {
	if lines == 0 || w.out.Len() == 0 {
		return
	}
	w.lines = max(w.lines, lines)
	w.space = false
}

func (w *textWriter) words(s string) {
	if s == "" {
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		w.space = true
		return
	}
	if isSpace(s[0]) {
		w.space = true
	}
	w.due()
	for i, word := range words {
		if i > 0 {
			w.out.WriteByte(' ')
		}
		w.out.WriteString(word)
	}
	w.space = isSpace(s[len(s)-1])
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

// due writes the white space that was kept back.
func (w *textWriter) due() {
	switch {
	case w.lines > 0:
		w.out.WriteString(strings.Repeat("\n", min(w.lines, 2)))
	case w.out.Len() == 0:
	case w.tab:
		w.out.WriteByte('\t')
	case w.space:
		w.out.WriteByte(' ')
	}
	w.lines, w.space, w.tab = 0, false, false
	if w.itemPending {
		w.out.WriteString(strings.Repeat("  ", min(max(w.listDepth-1, 0), listDepthMax)) + "- ")
		w.itemPending = false
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' || b == '\f' }
