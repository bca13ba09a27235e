package compare

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of what is kept of a page.
const (
	blocksMax     = 20_000
	pageBytesMax  = 1 << 20 // of text and links
	blockBytesMax = 8 << 10
	labelBytesMax = 200
	linksMax      = 20 // of a block
	pathMax       = 8  // elements of a path
	rowBytesMax   = 600
)

// reader makes blocks of a tree.
type reader struct {
	page     *Page
	bytes    int
	around   []element
	fork     int // least depth since the last block
	headings []int
	groups   int

	text   strings.Builder
	links  []string
	linked int
	framed map[*html.Node]bool // elements around the title or the main part
}

// element is one around the text that is read.
type element struct {
	name, part  string
	kind        Kind
	label       string
	level       int
	group, head int
}

func (r *reader) read(root *html.Node) {
	r.framed = map[*html.Node]bool{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.DataAtom == atom.H1 || isMain(n)) {
			for up := n.Parent; up != nil && !r.framed[up]; up = up.Parent {
				r.framed[up] = true
			}
		}
	}
	r.around = append(r.around, element{kind: KindParagraph})
	r.walk(root)
	r.flush()
}

func isMain(n *html.Node) bool { return n.DataAtom == atom.Main || attribute(n, "role") == "main" }

// isDropped reports whether an element has nothing to say to readers. What is hidden is kept, because it is often behind a tab.
func isDropped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Head, atom.Link, atom.Meta,
		atom.Textarea, atom.Audio, atom.Video, atom.Datalist, atom.Progress, atom.Meter:
		return true
	}
	return false
}

// inline elements are within lines. All others begin and end blocks.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true, atom.Br: true, atom.Cite: true, atom.Code: true,
	atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true, atom.Input: true, atom.Ins: true,
	atom.Kbd: true, atom.Label: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true,
	atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.U: true, atom.Var: true, atom.Wbr: true,
	atom.Picture: true, atom.Source: true, atom.Math: true,
}

// joined elements do not part words: "H<sub>2</sub>O".
var joined = map[atom.Atom]bool{
	atom.B: true, atom.I: true, atom.Em: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.U: true, atom.S: true, atom.Mark: true, atom.Wbr: true,
	atom.Font: true, atom.Abbr: true, atom.Code: true, atom.Q: true, atom.A: true, atom.Ins: true, atom.Del: true, atom.Big: true, atom.Bdi: true,
}

// walk reads what n contains. It recurses: the tree's depth is bounded by its parser.
func (r *reader) walk(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			r.add(c.Data)
		case c.Type != html.ElementNode || isDropped(c):
		case inline[c.DataAtom] && !hasBlock(c):
			r.inline(c)
		default:
			r.block(c)
		}
	}
}

// hasBlock reports whether an inline element has a block in it, as links around cards have.
func hasBlock(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (!inline[c.DataAtom] || hasBlock(c)) {
			return true
		}
	}
	return false
}

func (r *reader) add(text string) {
	if r.text.Len() < 2*blockBytesMax {
		_, _ = r.text.WriteString(text)
	}
}

func (r *reader) link(n *html.Node) {
	if link := canonicalLink(attribute(n, "href")); n.DataAtom == atom.A && link != "" && len(r.links) < linksMax {
		r.links = append(r.links, link)
	}
}

func (r *reader) inline(n *html.Node) {
	if n.DataAtom == atom.Input && (attribute(n, "type") == "submit" || attribute(n, "type") == "button") {
		r.add(" " + attribute(n, "value") + " ")
	}
	if !joined[n.DataAtom] || n.PrevSibling != nil && n.PrevSibling.DataAtom == atom.A {
		r.add(" ")
	}
	r.link(n)
	before := r.text.Len()
	r.walk(n)
	if n.DataAtom == atom.A {
		r.linked += max(0, r.text.Len()-before)
	}
	if !joined[n.DataAtom] {
		r.add(" ")
	}
}

func (r *reader) block(n *html.Node) {
	r.flush()
	carried, before := r.links, len(r.page.Blocks) // a link around blocks is one of the first
	e := r.around[len(r.around)-1]
	e.name, e.level = nameOf(n), 0
	if part := r.partOf(n); part != "" && (!r.framed[n] || part == "dialog") {
		e.part = part
	} else if isMain(n) {
		e.part = ""
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		e.kind, e.level = KindHeading, int(n.Data[1]-'0')
	case atom.Ul, atom.Ol, atom.Menu, atom.Dl, atom.Table, atom.Select:
		r.groups++
		e.group, e.head, e.label = r.groups, 0, ""
	case atom.Li, atom.Option:
		e.kind = KindItem
	case atom.Dt, atom.Dd:
		e.kind = KindTerm
	case atom.Pre:
		e.kind = KindCode
	case atom.Button:
		e.kind = KindButton
	}
	r.around = append(r.around, e)
	r.link(n)
	switch {
	case n.DataAtom == atom.Tr && r.row(n):
	case n.DataAtom == atom.Pre:
		for line := range strings.SplitSeq(textOf(n, "\n"), "\n") {
			r.add(line)
			r.flush()
		}
	default:
		r.walk(n)
	}
	r.flush()
	if r.links = carried; len(r.page.Blocks) > before {
		r.links = nil
	}
	r.around = r.around[:len(r.around)-1]
	r.fork = min(r.fork, len(r.around))
	if last := len(r.page.Blocks) - 1; n.DataAtom == atom.Dt && last >= 0 { // it names what follows
		r.around[len(r.around)-1].label = cutText(strings.TrimRight(r.page.Blocks[last].Text, ": "), labelBytesMax)
	}
}

// row makes one block of a row of a table, unless what is in it is too large for one.
func (r *reader) row(n *html.Node) bool {
	var cells []string
	heads, size := 0, 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th || isDropped(c) {
			continue
		}
		for inner := range c.Descendants() {
			if inner.DataAtom == atom.Table || inner.DataAtom == atom.Li || inner.DataAtom == atom.H1 || inner.DataAtom == atom.H2 {
				return false
			}
			if len(r.links) < linksMax {
				r.link(inner)
			}
		}
		text := cleanText(textOf(c, " "))
		if size += len(text); size > rowBytesMax {
			r.links = nil
			return false
		}
		if c.DataAtom == atom.Th {
			heads++
		}
		cells = append(cells, text)
	}
	e := &r.around[len(r.around)-1]
	e.kind = KindRow
	if len(cells) > 1 {
		e.label = cutText(cells[0], labelBytesMax)
	}
	r.add(strings.Join(cells, " | "))
	before := len(r.page.Blocks)
	r.flush()
	if heads == len(cells) && heads > 1 && len(r.page.Blocks) > before {
		for i := len(r.around) - 2; i > 0 && r.around[i].group == e.group; i-- {
			r.around[i].head = before + 1
		}
	}
	return true
}

// flush makes a block of the text since the last.
func (r *reader) flush() {
	text := cleanText(r.text.String())
	links, linked := r.links, r.linked
	r.text.Reset()
	r.links, r.linked = nil, 0
	if text == "" || strings.Trim(text, " |") == "" {
		if len(r.around) > 1 {
			r.links = links
		}
		return
	}
	e := &r.around[len(r.around)-1]
	b := Block{
		Kind: e.kind, Text: text, Level: e.level, Label: e.label, Group: e.group, Head: e.head, Links: links, Part: e.part, Depth: len(r.around), Fork: r.fork,
		Linked: min(linked, len(text)),
	}
	names := make([]string, 0, pathMax)
	for _, around := range r.around[max(1, len(r.around)-pathMax):] {
		names = append(names, around.name)
	}
	b.Path = cutText(strings.Join(names, " "), labelBytesMax)
	r.fork = len(r.around)
	blocks := r.page.Blocks
	for b.Level > 0 && len(r.headings) > 0 && blocks[r.headings[len(r.headings)-1]].Level >= b.Level {
		r.headings = r.headings[:len(r.headings)-1]
	}
	r.emit(b)
	if b.Level > 0 && len(r.page.Blocks) > len(blocks) {
		r.headings = append(r.headings, len(blocks))
	}
}

// emit keeps a block within the bounds.
func (r *reader) emit(b Block) {
	if b.Text == "" {
		return
	}
	if len(r.headings) > 0 {
		b.Under = r.headings[len(r.headings)-1] + 1
	}
	b.Text = cutText(b.Text, blockBytesMax)
	size := len(b.Text) + len(b.Label) + len(b.Path)
	for _, link := range b.Links {
		size += len(link)
	}
	if len(r.page.Blocks) >= blocksMax || r.bytes+size > pageBytesMax {
		r.page.Cut = true
		return
	}
	r.bytes += size
	r.page.Blocks = append(r.page.Blocks, b)
}

// nameOf is an element with the words of its classes and id, without what looks generated.
func nameOf(n *html.Node) string {
	name := n.Data
	for _, key := range []string{"class", "id"} {
		for class := range strings.FieldsSeq(cutText(attribute(n, key), 200)) {
			for word := range strings.FieldsFuncSeq(class, func(r rune) bool { return r == '-' || r == '_' || r == ':' || r == '/' }) {
				if len(name) < 60 && isPlainWord(word) && !slices.Contains(strings.Split(name, "."), word) {
					name += "." + word
				}
			}
		}
	}
	return name
}

// isPlainWord reports whether a part of a class is small letters alone, and may be spoken.
func isPlainWord(word string) bool {
	return len(word) > 2 && len(word) < 20 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" && strings.ContainsAny(word, "aeiouy")
}

// partOf is the part of the page that an element begins, "" for none.
func (r *reader) partOf(n *html.Node) string {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Header, atom.Dialog:
		return n.Data
	case atom.Body, atom.Html, atom.Main:
		return ""
	}
	if part := partRoles[strings.ToLower(attribute(n, "role"))]; part != "" {
		return part
	}
	for _, word := range strings.Split(nameOf(n), ".")[1:] {
		switch word {
		case "nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs":
			return "nav"
		case "footer", "colophon":
			return "footer"
		case "header", "masthead", "topbar":
			return "header"
		case "sidebar", "aside":
			return "aside"
		}
	}
	return ""
}

var partRoles = map[string]string{
	"navigation": "nav", "menu": "nav", "menubar": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside", "dialog": "dialog", "alertdialog": "dialog",
}

func attribute(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

// textOf is the text of an element, with a mark where lines break.
func textOf(n *html.Node, lineBreak string) string {
	var out strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			if out.Len() < blockBytesMax && !isDropped(c.Parent) {
				_, _ = out.WriteString(c.Data)
			}
		case c.DataAtom == atom.Br:
			_, _ = out.WriteString(lineBreak)
		case c.Type == html.ElementNode && !joined[c.DataAtom] && lineBreak != "\n":
			_ = out.WriteByte(' ')
		}
	}
	return out.String()
}
