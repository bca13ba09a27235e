package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/clip"
)

// linear writes MathML as TeX. Symbols stay as characters, which modern TeX and people can read.
func linear(n *html.Node) string {
	w := &linearWriter{}
	w.children(n)
	return w.out.String()
}

type linearWriter struct{ out strings.Builder }

// node recurses: the tree's depth is bounded by the parser.
func (w *linearWriter) node(n *html.Node) {
	if w.out.Len() > texBytesMax {
		return
	}
	if n.Type == html.TextNode {
		return // space between elements
	}
	parts := elements(n)
	switch n.Data {
	case "mi":
		w.identifier(dom.Fold(dom.Text(n)))
	case "mn":
		w.put(dom.Fold(dom.Text(n)))
	case "mo":
		w.operator(dom.Fold(dom.Text(n)))
	case "mtext", "ms":
		if text := strings.Join(strings.FieldsFunc(dom.Text(n), isWhite), " "); text != "" {
			w.put(`\text{` + text + `}`)
		}
	case "mspace":
		w.put(" ")
	case "annotation", "annotation-xml", "maction-label":
	case "mfrac":
		w.command(`\frac`, parts, 2)
	case "msqrt":
		w.put(`\sqrt{`)
		w.children(n)
		w.out.WriteString("}")
	case "mroot":
		if len(parts) == 2 {
			w.put(`\sqrt[`)
			w.node(parts[1])
			w.out.WriteString("]{")
			w.node(parts[0])
			w.out.WriteString("}")
			return
		}
		w.children(n)
	default:
		w.built(n, parts)
	}
}

// built writes constructs of several parts other than fractions and roots.
func (w *linearWriter) built(n *html.Node, parts []*html.Node) {
	switch n.Data {
	case "msub", "munder":
		w.scripts(parts, "_")
	case "msup", "mover":
		if len(parts) == 2 && n.Data == "mover" && w.accent(parts) {
			return
		}
		w.scripts(parts, "^")
	case "msubsup", "munderover":
		w.scripts(parts, "_", "^")
	case "mfenced":
		w.fenced(n, parts)
	case "mtable":
		w.table(parts)
	default:
		w.children(n)
	}
}

func (w *linearWriter) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			w.node(child)
		}
	}
}

func elements(n *html.Node) []*html.Node {
	var list []*html.Node
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			list = append(list, child)
		}
	}
	return list
}

// put writes a token, separated from a preceding command's name.
func (w *linearWriter) put(s string) {
	if s == "" {
		return
	}
	if (dom.IsLetter(s[0]) || s[0] >= 0x80) && endsInCommand(w.out.String()) {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(s)
}

func endsInCommand(s string) bool {
	const nameMax = 20
	i := len(s)
	for i > 0 && len(s)-i <= nameMax && dom.IsLetter(s[i-1]) {
		i--
	}
	return i > 0 && i < len(s) && s[i-1] == '\\'
}

var functionNames = dom.Words("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh exp log ln lim max min sup inf det dim ker gcd deg arg Pr")

func (w *linearWriter) identifier(s string) {
	switch {
	case functionNames[s]:
		w.put(`\` + s)
	case utf8.RuneCountInString(s) > 1 && dom.IsLetter(s[0]):
		w.put(`\mathrm{` + s + `}`)
	default:
		w.put(escapeTeX(s))
	}
}

func (w *linearWriter) operator(s string) {
	switch s {
	case "", "\u2061", "\u2062", "\u2063", "\u2064": // invisible: function application, times, separator, plus
		return
	}
	s = dom.Visible(strings.Trim(s, "\u2061\u2062\u2063\u2064"))
	if functionNames[s] {
		w.put(`\` + s)
		return
	}
	if s == "−" {
		s = "-"
	}
	spaced := strings.ContainsAny(s, "=<>≤≥≠≈≡→⇒⇔∈∼±×+") || s == "-" && w.out.Len() > 0
	s = escapeTeX(s)
	if spaced && w.out.Len() > 0 && !endsOpen(w.out.String()) {
		w.out.WriteString(" " + s + " ")
		return
	}
	w.put(s)
}

// endsOpen reports whether an operator after s is a sign.
func endsOpen(s string) bool {
	return strings.HasSuffix(s, "(") || strings.HasSuffix(s, "{") || strings.HasSuffix(s, "[") || strings.HasSuffix(s, " ")
}

var texEscapes = strings.NewReplacer(`\`, `\backslash `, "{", `\{`, "}", `\}`, "$", `\$`, "%", `\%`, "#", `\#`, "_", `\_`, "&", `\&`)

func escapeTeX(s string) string { return texEscapes.Replace(s) }

func (w *linearWriter) command(name string, parts []*html.Node, arguments int) {
	if len(parts) != arguments {
		for _, part := range parts {
			w.node(part)
		}
		return
	}
	w.put(name)
	for _, part := range parts {
		w.group(part)
	}
}

func (w *linearWriter) group(n *html.Node) {
	w.out.WriteByte('{')
	w.node(n)
	w.out.WriteByte('}')
}

func (w *linearWriter) scripts(parts []*html.Node, marks ...string) {
	if len(parts) == 0 {
		return
	}
	w.node(parts[0])
	for i, mark := range marks {
		if i+1 >= len(parts) {
			return
		}
		w.out.WriteString(mark)
		if text := dom.Fold(dom.Text(parts[i+1])); len(text) == 1 && parts[i+1].Data != "mrow" {
			w.out.WriteString(escapeTeX(text))
			continue
		}
		w.group(parts[i+1])
	}
}

var accents = map[string]string{
	"¯": `\bar`, "‾": `\overline`, "→": `\vec`, "^": `\hat`, "ˆ": `\hat`, "~": `\tilde`, "˜": `\tilde`, "˙": `\dot`, "¨": `\ddot`,
	"⏞": `\overbrace`, "_": `\underline`,
}

func (w *linearWriter) accent(parts []*html.Node) bool {
	name, found := accents[dom.Fold(dom.Text(parts[1]))]
	if found {
		w.put(name)
		w.group(parts[0])
	}
	return found
}

// fenced writes the obsolete element for brackets (MathML 3, 3.3.8).
func (w *linearWriter) fenced(n *html.Node, parts []*html.Node) {
	opening, closing := "(", ")"
	if dom.HasAttr(n, "open") {
		opening = dom.Attr(n, "open")
	}
	if dom.HasAttr(n, "close") {
		closing = dom.Attr(n, "close")
	}
	left, right := "", ""
	if containsMatrix(parts) {
		left, right = `\left`, `\right`
	}
	w.put(left + escapeTeX(clip.Bytes(opening, 8)))
	for i, part := range parts {
		if i > 0 {
			w.out.WriteString(", ")
		}
		w.node(part)
	}
	w.out.WriteString(right + escapeTeX(clip.Bytes(closing, 8)))
}

func containsMatrix(parts []*html.Node) bool {
	return slices.ContainsFunc(parts, func(part *html.Node) bool { return part.Data == "mtable" })
}

func (w *linearWriter) table(rows []*html.Node) {
	w.put(`\begin{matrix}`)
	for i, row := range rows {
		if i > 0 {
			w.out.WriteString(` \\`)
		}
		for j, cell := range elements(row) {
			if j > 0 {
				w.out.WriteString(" &")
			}
			w.out.WriteByte(' ')
			w.node(cell)
		}
	}
	w.out.WriteString(` \end{matrix}`)
}
