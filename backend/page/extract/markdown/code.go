package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// languageAncestors is how many ancestors of a pre element are searched for its language.
const languageAncestors = 4

// codeLanguage is the attribute for the language of a polished pre element; pages cannot write it.
const codeLanguage = "\x00language"

// settleCode turns each block of code into a pre element with lines of text and a language, whatever a highlighter made.
func settleCode(root *html.Node) {
	for n := root; n != nil; {
		switch {
		case n.DataAtom == atom.Pre:
		case isCodeTable(n), n.DataAtom == atom.Code && hasLines(n):
			dom.Rename(n, atom.Pre, n.Attr)
		default:
			n = dom.Next(n, root)
			continue
		}
		settlePre(n)
		n = dom.After(n, root) // not before: the buttons beside the code are gone
	}
}

// codeOf returns the contents of a settled pre element.
func codeOf(pre *html.Node) (code, language string) {
	return dom.Text(pre), dom.Attr(pre, codeLanguage)
}

func settlePre(pre *html.Node) {
	language := languageOfCode(pre)
	w := &codeWriter{}
	w.node(pre, 0)
	code := trimLines(w.out.String())
	for pre.FirstChild != nil {
		pre.RemoveChild(pre.FirstChild)
	}
	dropButtons(pre)
	pre.Attr = nil
	if language != "" {
		pre.Attr = []html.Attribute{{Key: codeLanguage, Val: language}}
	}
	pre.AppendChild(&html.Node{Type: html.TextNode, Data: code})
}

// trimLines removes empty lines from both ends of code, and invisible characters from all lines.
func trimLines(code string) string {
	lines := strings.Split(strings.TrimRight(code, " \t\n"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// codeWriter collects the lines of a block of code.
type codeWriter struct {
	out strings.Builder
	// due is a line break that is written before more text.
	due bool
	// ended reports that the text so far ends with a line break.
	ended bool
}

func (w *codeWriter) node(n *html.Node, depth int) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
	default:
		return
	}
	if depth > 0 && isCodeNoise(n) {
		return
	}
	if n.DataAtom == atom.Br {
		w.text("\n")
		return
	}
	if isNote(n) {
		w.text(dom.Text(n))
		return
	}
	line := depth > 0 && isCodeLine(n)
	if line && w.due {
		w.write("\n")
	}
	if line && w.out.Len() > 0 && !w.ended {
		w.write("\n")
	}
	begin := w.out.Len()
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.node(child, depth+1)
	}
	if line {
		w.due = w.out.Len() == begin || !w.ended
	}
}

func (w *codeWriter) text(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.ReplaceAll(dom.Visible(s), "\u00a0", " ")
	if s == "" {
		return
	}
	if w.due {
		w.due = false
		if s[0] != '\n' {
			w.write("\n")
		}
	}
	w.write(s)
}

func (w *codeWriter) write(s string) {
	w.out.WriteString(s)
	w.ended = s[len(s)-1] == '\n'
	w.due = false
}

// lineClasses are the classes that highlighters give a line of code.
var lineClasses = dom.Words("line code-line view-line token-line cl row-line highlight-line blob-code cm-line CodeMirror-line react-code-text ec-line")

// isCodeLine reports whether an element within code is a line of its own.
func isCodeLine(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.P, atom.Li, atom.Tr, atom.Pre, atom.Ol, atom.Ul, atom.Table:
		return true
	case atom.Span, atom.Code:
		return n.DataAtom == atom.Code && dom.HasAttr(n, "data-line") || dom.HasClass(n, lineClasses) || dom.HasAttr(n, "data-line") && dom.Attr(n, "data-line") != ""
	}
	return false
}

// noiseClasses are those of elements that highlighters add to code: line numbers and buttons.
var noiseClasses = dom.Words("gutter lineno linenos linenodiv lnt ln line-number line-numbers-rows linenumber line_number code-line-number " +
	"hljs-ln-numbers hljs-ln-n blob-num rouge-gutter lineNumber react-line-number react-syntax-highlighter-line-number copy copybtn " +
	"copy-button copy-code copy-btn btn-copy clipboard-copy zeroclipboard-container copy-to-clipboard-button clipboard-button toolbar " +
	"code-toolbar-item lntd-gutter CodeMirror-gutter-wrapper CodeMirror-linenumber prompt-number sr-only visually-hidden screen-reader-text")

func isCodeNoise(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Script, atom.Style, atom.Svg, atom.Template, atom.Input, atom.Select:
		return true
	case atom.Td, atom.Th:
		if dom.HasClass(n, noiseClasses) {
			return true
		}
		// A column of numbers beside the code.
		return n.PrevSibling == nil && n.NextSibling != nil && isNumbers(n)
	case atom.Span, atom.Div, atom.Pre, atom.A, atom.Code, atom.I, atom.Em:
		if dom.HasClass(n, noiseClasses) {
			return true
		}
		return (dom.Attr(n, "aria-hidden") == "true" || strings.Contains(dom.Attr(n, "style"), "user-select")) && isNumbers(n)
	}
	return n.DataAtom == 0 && (n.Data == "clipboard-copy" || n.Data == "copy-button" || n.Data == "x-copy")
}

// isNumbers reports whether n shows nothing but numbers, or nothing.
func isNumbers(n *html.Node) bool {
	return strings.Trim(dom.Text(n), "0123456789 \t\r\n\u00a0") == ""
}

var codeTableClasses = dom.Words("highlighttable lntable rouge-table hljs-ln syntaxhighlighter js-file-line-container highlight-table crayon-table")

// isCodeTable reports whether a table or similar element is code beside its line numbers.
func isCodeTable(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Table:
		return dom.HasClass(n, codeTableClasses)
	case atom.Div:
		return dom.HasClass(n, codeTableClasses) && !containsElement(n, atom.Pre)
	}
	return false
}

func containsElement(n *html.Node, name atom.Atom) bool {
	for child := range n.Descendants() {
		if child.DataAtom == name {
			return true
		}
	}
	return false
}

// hasLines reports whether a code element outside of pre shows several lines.
func hasLines(code *html.Node) bool {
	breaks := 0
	for child := code.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom == atom.Br || child.DataAtom == atom.Div {
			breaks++
		}
	}
	if breaks > 0 {
		return code.Parent == nil || code.Parent.DataAtom != atom.Td
	}
	if style := dom.Attr(code, "style"); strings.Contains(style, "white-space") && strings.Contains(style, "pre") {
		return strings.Contains(strings.TrimSpace(dom.Text(code)), "\n")
	}
	return false
}

var copyWords = map[string]bool{
	"copy": true, "copied": true, "copied!": true, "copy code": true, "copy to clipboard": true, "copy link": true, "run": true,
	"try it": true, "play": true, "edit": true, "raw": true, "wrap": true, "expand": true, "open in playground": true, "": true, "code: select all": true, "select all": true,
}

// dropButtons removes the buttons beside code in its wrapper, and the language's name, which the fence has.
func dropButtons(pre *html.Node) {
	for n, level := pre, 0; n.Parent != nil && level < 3; n, level = n.Parent, level+1 {
		parent := n.Parent
		if level > 0 && !dom.HasClass(parent, wrapperClasses) && !dom.HasClass(n, wrapperClasses) {
			return
		}
		for _, next := range []func(*html.Node) *html.Node{
			func(n *html.Node) *html.Node { return n.PrevSibling },
			func(n *html.Node) *html.Node { return n.NextSibling },
		} {
			sibling := next(n)
			for range besideMax { // bounded, or many adjacent blocks would take quadratic time
				if sibling == nil {
					break
				}
				after := next(sibling)
				if sibling.Type == html.ElementNode && isPressable(sibling) {
					parent.RemoveChild(sibling)
				}
				sibling = after
			}
		}
	}
}

// besideMax is how many nodes before and after code are examined.
const besideMax = 6

var (
	wrapperClasses = dom.Words("highlight code-block codeblock code-wrapper code-toolbar code-example snippet-clipboard-content codeBlockContent " +
		"codeBlockContainer theme-code-block code-snippet codebox wp-block-code code-container")
	labelClasses = dom.Words("language-name code-lang code-language lang-label code-block-language example-header code-block-header code-header")
)

func isPressable(n *html.Node) bool {
	if n.DataAtom == atom.Pre || containsElement(n, atom.Pre) {
		return false
	}
	if n.DataAtom == atom.Button || n.Data == "clipboard-copy" {
		return true
	}
	switch n.DataAtom {
	case atom.Div, atom.Span, atom.A, atom.Figcaption:
	case atom.P:
		if !dom.HasClass(n.Parent, wrapperClasses) {
			return false
		}
	default:
		return false
	}
	var shown strings.Builder
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom != atom.Button {
			shown.WriteString(dom.Text(child) + " ")
		}
	}
	text := strings.ToLower(dom.Fold(shown.String()))
	if len(text) > 60 {
		return false
	}
	if dom.HasClass(n, noiseClasses) || copyWords[text] {
		return true
	}
	return dom.HasClass(n, labelClasses) && len(strings.Fields(text)) < 2 && !strings.Contains(text, ".")
}
