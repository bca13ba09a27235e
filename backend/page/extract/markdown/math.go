package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// Settled math is an element whose name and attributes no page can write.
const (
	mathElement = "\x00math"
	mathTeX     = "\x00tex"
	mathDisplay = "\x00display"
	// texBytesMax is the greatest length of a formula.
	texBytesMax = 20_000
)

func isMath(n *html.Node) bool        { return n.Type == html.ElementNode && n.Data == mathElement }
func isDisplayMath(n *html.Node) bool { return isMath(n) && dom.Attr(n, mathDisplay) != "" }

// formula is a piece of math in a page, as TeX.
type formula struct {
	tex     string
	display bool
}

// rescueMath turns the scripts in which MathJax 2 keeps TeX into math elements, before scripts are removed, and removes
// MathJax's rendering of them, which would repeat the formula.
func rescueMath(root *html.Node) {
	var scripts []*html.Node
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script && strings.HasPrefix(dom.Attr(n, "type"), "math/tex") && n.FirstChild != nil {
			scripts = append(scripts, n)
		}
	}
	for _, script := range scripts {
		tex := cleanTeX(dom.Text(script))
		if tex == "" {
			continue
		}
		for before := script.PrevSibling; before != nil; {
			previous := before.PrevSibling
			if before.Type != html.ElementNode || !strings.HasPrefix(dom.Attr(before, "class"), "MathJax") {
				break
			}
			before.Parent.RemoveChild(before)
			before = previous
		}
		display := strings.Contains(dom.Attr(script, "type"), "mode=display")
		script.Type, script.DataAtom, script.Data, script.Namespace = html.ElementNode, atom.Math, "math", "math"
		script.Attr = nil
		if display {
			script.Attr = []html.Attribute{{Key: "display", Val: "block"}}
		}
		for script.FirstChild != nil {
			script.RemoveChild(script.FirstChild)
		}
		// Browsers show the first child of semantics; programs read the annotation (MathML Core 2.7).
		semantics := element("semantics")
		shown := element("mtext")
		shown.AppendChild(&html.Node{Type: html.TextNode, Data: tex})
		annotation := element("annotation")
		annotation.Attr = []html.Attribute{{Key: "encoding", Val: "application/x-tex"}}
		annotation.AppendChild(&html.Node{Type: html.TextNode, Data: tex})
		semantics.AppendChild(shown)
		semantics.AppendChild(annotation)
		script.AppendChild(semantics)
	}
}

func element(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: atom.Lookup([]byte(name)), Data: name, Namespace: "math"}
}

// settleMath turns each formula into one element with its TeX. rawTeX says that scripts of the page read TeX in text.
func settleMath(root *html.Node, rawTeX bool) {
	var texts []*html.Node
	for n := root; n != nil; {
		if n.Type == html.TextNode && (strings.IndexByte(n.Data, '\\') >= 0 || strings.IndexByte(n.Data, '$') >= 0) {
			texts = append(texts, n)
		}
		if n.DataAtom == atom.Pre || n.DataAtom == atom.Code || n.DataAtom == atom.Textarea {
			n = dom.After(n, root)
			continue
		}
		f, ok := formulaAt(n)
		if !ok {
			n = dom.Next(n, root)
			continue
		}
		after := dom.After(n, root)
		if n != root {
			setMath(n, f)
		}
		n = after
	}
	for _, text := range texts {
		if rawTeX || isMathContainer(text.Parent) {
			splitTeX(text)
		}
	}
}

// setMath turns n into the formula f. As text it shows the TeX.
func setMath(n *html.Node, f formula) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	*n = html.Node{
		Parent: n.Parent, PrevSibling: n.PrevSibling, NextSibling: n.NextSibling, Type: html.ElementNode, Data: mathElement,
		Attr: []html.Attribute{{Key: mathTeX, Val: f.tex}},
	}
	if f.display {
		n.Attr = append(n.Attr, html.Attribute{Key: mathDisplay, Val: "1"})
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: f.tex})
}

// formulaAt returns the formula that an element is.
func formulaAt(n *html.Node) (formula, bool) {
	if n.Type != html.ElementNode {
		return formula{}, false
	}
	class := dom.Attr(n, "class")
	switch {
	case n.DataAtom == atom.Math:
		return mathML(n)
	case n.DataAtom == atom.Img:
		// MediaWiki and WordPress show formulas as images with the TeX as alternative text.
		if !strings.Contains(class, "mwe-math-fallback") && class != "latex" && class != "tex" {
			return formula{}, false
		}
		tex := cleanTeX(dom.Attr(n, "alt"))
		return formula{tex: tex, display: strings.Contains(class, "display")}, tex != ""
	case n.Data == "mjx-container" || strings.HasPrefix(class, "katex") || strings.HasPrefix(class, "mwe-math-element") || class == "MathJax" ||
		class == "MathJax_Display" || class == "MathJax_SVG":
		display := class == "katex-display" || class == "MathJax_Display" || dom.Attr(n, "display") == "true" || strings.Contains(class, "mwe-math-element-block")
		return mathWithin(n, display)
	}
	return formula{}, false
}

// mathWithin returns the formula that a renderer's element contains besides what it shows.
func mathWithin(n *html.Node, display bool) (formula, bool) {
	for child := range n.Descendants() {
		if child.DataAtom == atom.Math {
			f, ok := mathML(child)
			f.display = f.display || display
			return f, ok
		}
	}
	if label := cleanTeX(dom.Attr(n, "data-latex")); label != "" {
		return formula{tex: label, display: display}, true
	}
	return formula{}, false
}

// mathML reads a math element: its annotation in TeX if there is one, else its markup.
func mathML(n *html.Node) (formula, bool) {
	f := formula{display: dom.Attr(n, "display") == "block" || dom.Attr(n, "mode") == "display"}
	for child := range n.Descendants() {
		if child.Data == "annotation" && strings.Contains(strings.ToLower(dom.Attr(child, "encoding")), "tex") {
			f.tex = cleanTeX(dom.Text(child))
			break
		}
	}
	if f.tex == "" && strings.Contains(dom.Attr(n, "alttext"), `\`) {
		f.tex = cleanTeX(dom.Attr(n, "alttext"))
	}
	if f.tex == "" {
		f.tex = cleanTeX(linear(n))
	}
	return f, f.tex != ""
}

// cleanTeX removes delimiters and MediaWiki's wrapper, and folds white space: an empty line would end the formula.
func cleanTeX(tex string) string {
	if len(tex) > texBytesMax {
		return ""
	}
	tex = strings.TrimSpace(foldLines(dom.Visible(tex)))
	for _, pair := range [][2]string{{"$$", "$$"}, {`\[`, `\]`}, {`\(`, `\)`}, {"$", "$"}} {
		if len(tex) >= len(pair[0])+len(pair[1]) && strings.HasPrefix(tex, pair[0]) && strings.HasSuffix(tex, pair[1]) {
			tex = strings.TrimSpace(tex[len(pair[0]) : len(tex)-len(pair[1])])
			break
		}
	}
	for _, wrapper := range []string{`{\displaystyle `, `{\textstyle `, `{\scriptstyle `} {
		if strings.HasPrefix(tex, wrapper) && strings.HasSuffix(tex, "}") && isOneGroup(tex) {
			tex = strings.TrimSpace(tex[len(wrapper) : len(tex)-1])
		}
	}
	return strings.TrimSuffix(tex, `\!`)
}

// isOneGroup reports whether the brace that begins s is closed by the one that ends it.
func isOneGroup(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// foldLines folds white space but keeps single line breaks, such as between the rows of a matrix.
func foldLines(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = dom.Fold(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
