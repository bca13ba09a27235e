package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// readsTeX reports whether the page has a script that makes formulas of TeX in its text.
func readsTeX(root *html.Node) bool {
	for n := range root.Descendants() {
		if n.DataAtom != atom.Script {
			continue
		}
		src := strings.ToLower(dom.Attr(n, "src"))
		if strings.Contains(src, "mathjax") || strings.Contains(src, "katex") || strings.HasPrefix(dom.Attr(n, "type"), "text/x-mathjax-config") {
			return true
		}
	}
	return false
}

// isMathContainer reports whether an element is marked as containing TeX in its text.
func isMathContainer(n *html.Node) bool {
	if n == nil {
		return false
	}
	switch n.DataAtom {
	case atom.Span, atom.Div, atom.P, atom.Td:
		return dom.HasClass(n, mathClasses)
	}
	return false
}

var mathClasses = dom.Words("math math-container arithmatex tex2jax_process math-inline math-display math-tex")

// texDelimiters are those that MathJax reads by default, and dollar signs, which it reads if configured to.
var texDelimiters = []struct {
	begin, end string
	display    bool
	// contained delimiters count only in elements that are marked as math.
	contained bool
}{
	{`\(`, `\)`, false, false},
	{`\[`, `\]`, true, false},
	{"$$", "$$", true, false},
	{"$", "$", false, true},
}

var texEnvironments = []string{"equation*", "equation", "align*", "align", "gather*", "gather", "eqnarray*", "eqnarray", "multline"}

// splitTeX makes math elements of the formulas in a text.
func splitTeX(text *html.Node) {
	rest := text.Data
	parent := text.Parent
	contained := isMathContainer(parent)
	var pieces []*html.Node
	plain := 0
	missing := map[string]bool{} // delimiters not in the rest: searching again would take quadratic time
	for i := 0; i < len(rest); i++ {
		if rest[i] != '\\' && rest[i] != '$' {
			continue
		}
		f, size := texAt(rest[i:], contained, missing)
		if size == 0 {
			continue
		}
		if f.tex = cleanTeX(f.tex); f.tex == "" {
			i += size - 1
			continue
		}
		if plain < i {
			pieces = append(pieces, &html.Node{Type: html.TextNode, Data: rest[plain:i]})
		}
		node := &html.Node{Type: html.ElementNode}
		setMath(node, f)
		pieces = append(pieces, node)
		i += size - 1
		plain = i + 1
	}
	if len(pieces) == 0 || parent == nil {
		return
	}
	if plain < len(rest) {
		pieces = append(pieces, &html.Node{Type: html.TextNode, Data: rest[plain:]})
	}
	for _, piece := range pieces {
		parent.InsertBefore(piece, text)
	}
	parent.RemoveChild(text)
}

// texAt reads the formula at the beginning of s and returns its size with delimiters; 0 if there is none.
func texAt(s string, contained bool, missing map[string]bool) (formula, int) {
	for _, d := range texDelimiters {
		if !strings.HasPrefix(s, d.begin) || d.contained && !contained || missing[d.end] {
			continue
		}
		end := strings.Index(s[len(d.begin):], d.end)
		if end < 0 {
			missing[d.end] = true
			continue
		}
		return formula{tex: s[len(d.begin) : len(d.begin)+end], display: d.display}, len(d.begin) + end + len(d.end)
	}
	if !strings.HasPrefix(s, `\begin{`) {
		return formula{}, 0
	}
	for _, name := range texEnvironments {
		if !strings.HasPrefix(s[len(`\begin{`):], name+"}") || missing[name] {
			continue
		}
		end := strings.Index(s, `\end{`+name+"}")
		if end < 0 {
			missing[name] = true
			continue
		}
		size := end + len(`\end{}`) + len(name)
		return formula{tex: s[:size], display: true}, size
	}
	return formula{}, 0
}
