package reader

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	blocksMax    = 12_000
	blockBytes   = 20_000
	labelWords   = 12
	classesMax   = 12
	itemDepthMax = 12
)

// origin is where in a source a block was found.
type origin uint8

const (
	inText origin = iota
	inCell
	inDefinition
	inHeading
	inLink
	inMeta
	inJSONLD
	inMicrodata
	inFile
)

// region is the part of a page that a block is in.
type region uint8

const (
	nowhere region = iota
	inMain
	inHeader
	inNav
	inAside
	inFooter
)

// standing is what a statement of structured data is about.
type standing uint8

const (
	ofAny     standing = iota
	ofSubject          // what the page is about
	ofMany             // one of several of its type
)

// block is a piece of a source's text between two borders, or a value of its structured data.
type block struct {
	text   string
	tokens []token
	origin origin
	region region
	tag    atom.Atom
	level  int8  // of a heading, 1–6
	above  int32 // the heading above it, -1 if there is none
	group  int32 // the innermost list, row or other element around it
	label  []stem
	class  []stem
	inline [][2]int32 // the elements within it
	quote  string     // what it is cited by; "": text
	href   string
	hidden bool
	about  standing
	node   *html.Node // the element that it begins in; nil if it is no text of a page
}

// page is a source as it is read.
type page struct {
	source   *ask.Source
	language string
	blocks   []block
	shown    int // how many of the blocks are of the page's text
	title    []stem
	found    [shapes]*[]located // by group
	root     *html.Node         // nil if it is no HTML
	things   things
}

// read splits a source into blocks.
func read(source *ask.Source) *page {
	p := &page{source: source, language: source.Document.Metadata.Language, title: stemsOf(source.Title)}
	if root := tree(source); root != nil {
		w := walker{page: p, heads: [7]int32{-1, -1, -1, -1, -1, -1, -1}}
		w.walk(root, place{group: -1})
		w.flush()
		p.root = root
	} else {
		for line := range strings.SplitSeq(source.Document.Text, "\n") {
			p.add(block{text: strings.TrimSpace(line), above: -1, group: -1})
		}
	}
	p.shown = len(p.blocks)
	p.statements()
	return p
}

// tree is the page's HTML, whole if the response is held.
func tree(source *ask.Source) *html.Node {
	body := source.Page.Body
	if len(source.JSON) > 0 {
		return nil
	}
	if len(body) == 0 || !strings.Contains(source.Page.MediaType, "html") {
		body = []byte(source.Document.HTML)
	}
	if len(body) == 0 {
		return nil
	}
	root, err := extract.Parse(body)
	if err != nil {
		return nil
	}
	return root
}

func (p *page) add(b block) {
	if b.text == "" || len(p.blocks) >= blocksMax {
		return
	}
	if len(b.text) > blockBytes {
		b.text = strings.ToValidUTF8(b.text[:blockBytes], "")
	}
	if b.tokens = tokensOf(b.text); len(b.tokens) > 0 {
		p.blocks = append(p.blocks, b)
	}
}

// statements adds what the page's head, its structured data and its links say.
func (p *page) statements() {
	d := p.source.Document
	m := d.Metadata
	for _, pair := range [][2]string{
		{"title", m.Title}, {"description", m.Description}, {"author", m.Author}, {"published", m.PublishedAt}, {"modified", m.ModifiedAt}, {"site", m.SiteName},
	} {
		p.state(inMeta, nil, pair[0], pair[1], ofSubject)
	}
	if d.Structured == nil {
		return
	}
	p.things = newThings(p)
	for _, item := range d.Structured.JSONLD {
		p.item(inJSONLD, item, nil, ofAny, 0)
	}
	for _, list := range [][]*extract.Item{d.Structured.Microdata, d.Structured.RDFa} {
		for _, item := range list {
			p.item(inMicrodata, item, nil, ofAny, 0)
		}
	}
}

// item adds the properties of an item and of those within it.
func (p *page) item(from origin, item *extract.Item, path []stem, about standing, depth int) {
	if depth > itemDepthMax || len(p.blocks) >= blocksMax {
		return
	}
	if own := p.things.standing(item); about != ofSubject && own != ofAny {
		about = own
	}
	for _, kind := range item.Types {
		path = append(slices.Clone(path), nameStems(kind)...)
	}
	for _, name := range slices.Sorted(maps.Keys(item.Properties)) {
		for _, value := range item.Properties[name] {
			if inner, ok := value.(*extract.Item); ok {
				p.item(from, inner, append(slices.Clone(path), nameStems(name)...), about, depth+1)
				continue
			}
			p.state(from, path, name, value, about)
		}
	}
}

// state adds a value of structured data.
func (p *page) state(from origin, path []stem, name string, value any, about standing) {
	quote := ask.Statement(name, value)
	_, text, _ := strings.Cut(quote, ": ")
	p.add(block{
		text: strings.Join(strings.Fields(text), " "), origin: from, above: -1, group: -1, quote: quote,
		label: nameStems(name), class: path[max(0, len(path)-classesMax):],
		about: about,
	})
}

// place is where in the tree the walker is.
type place struct {
	region region
	group  int32
	tag    atom.Atom
	level  int8
	label  []stem
	class  []stem
	origin origin
	href   string
	hidden bool
	node   *html.Node
}

type walker struct {
	page   *page
	text   []byte
	space  bool
	at     place
	begun  bool
	inline [][2]int32
	heads  [7]int32 // the heading of each level that is in force
	groups int32
	term   []stem  // of the definition that follows
	links  []block // of the current block
}

var skipped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Head: true, atom.Svg: true, atom.Iframe: true, atom.Object: true, atom.Canvas: true,
	atom.Select: true, atom.Textarea: true, atom.Video: true, atom.Audio: true, atom.Noscript: true, atom.Datalist: true,
}

var inlines = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Cite: true, atom.Code: true, atom.Data: true, atom.Em: true, atom.Font: true, atom.I: true,
	atom.Ins: true, atom.Kbd: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strong: true,
	atom.Sub: true, atom.Sup: true, atom.Time: true, atom.U: true, atom.Var: true, atom.Wbr: true, atom.Img: true, atom.Del: true, atom.Meta: true, atom.Link: true,
}

// walk recurses: the parser bounds the tree's depth.
func (w *walker) walk(n *html.Node, at place) {
	if n.Type == html.TextNode {
		w.write(n.Data, at)
		return
	}
	if n.Type != html.ElementNode && n.Type != html.DocumentNode || skipped[n.DataAtom] || len(w.page.blocks) >= blocksMax {
		return
	}
	start := len(w.text)
	isInline := n.Type == html.ElementNode && (inlines[n.DataAtom] || n.DataAtom == 0)
	if n.Type == html.ElementNode {
		at = w.enter(n, at, isInline)
	}
	if !isInline {
		w.flush()
	} else if n.DataAtom == atom.Img {
		w.space = true
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.walk(child, at)
	}
	switch {
	case !isInline:
		w.flush()
	case len(w.text) > start && start >= 0:
		w.inline = append(w.inline, [2]int32{int32(start), int32(len(w.text))}) //nolint:gosec // bounded
	}
	if n.DataAtom == atom.A {
		w.linked(n, at)
	}
	if n.DataAtom == atom.Dt {
		w.term = stemsOf(shownText(n, 200))
	}
}

// linked adds the email address or telephone number that a link leads to, if its text is another.
func (w *walker) linked(n *html.Node, at place) {
	target, ok := ask.ContactOf(at.href)
	text := shownText(n, blockBytes)
	if !ok || strings.Contains(text, target) {
		return
	}
	w.links = append(w.links, block{
		text: target, origin: inLink, region: at.region, tag: at.tag, group: at.group, above: -1, label: stemsOf(text), class: at.class, href: at.href,
	})
}

// enter says what is in force within an element.
func (w *walker) enter(n *html.Node, at place, isInline bool) place {
	if !isInline {
		at.tag, at.level = n.DataAtom, 0
		w.groups++
	}
	at.node, at.class = n, w.classes(n, at.class)
	for _, a := range n.Attr {
		switch {
		case a.Key == "hidden", a.Key == "aria-hidden" && a.Val == "true", a.Key == "style" && strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none"):
			at.hidden = true
		case a.Key == "href" && n.DataAtom == atom.A:
			at.href = a.Val
		case a.Key == "role" && a.Val == "contentinfo":
			at.region = inFooter
		case a.Key == "role" && a.Val == "navigation":
			at.region = inNav
		case a.Key == "role" && a.Val == "complementary":
			at.region = inAside
		}
	}
	switch n.DataAtom {
	case atom.Main, atom.Article:
		at.region = inMain
	case atom.Nav:
		at.region = inNav
	case atom.Footer:
		if at.region != inMain {
			at.region = inFooter
		}
	case atom.Header:
		if at.region != inMain {
			at.region = inHeader
		}
	case atom.Aside:
		at.region = inAside
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		at.level, at.origin = int8(n.Data[1]-'0'), inHeading
	case atom.Ul, atom.Ol, atom.Tr, atom.Dl, atom.Table:
		at.group = w.groups
	case atom.Td, atom.Th:
		at.origin, at.label = inCell, cellLabel(n)
	case atom.Dd:
		at.origin, at.label = inDefinition, w.term
	}
	return at
}

// classes are the words of an element's class, id and property, before those of the elements around it.
func (w *walker) classes(n *html.Node, around []stem) []stem {
	var own []stem
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id", "itemprop", "aria-label", "title", "data-testid", "datetime":
			if len(a.Val) < 200 {
				own = append(own, nameStems(a.Val)...)
			}
		}
	}
	if len(own) == 0 {
		return around
	}
	own = append(own[:min(len(own), classesMax)], around...)
	return own[:min(len(own), 2*classesMax)]
}

// cellLabel are the words of the headers of a table's cell: those of its row and its column.
func cellLabel(cell *html.Node) []stem {
	row := cell.Parent
	if row == nil || row.DataAtom != atom.Tr {
		return nil
	}
	column := 0
	var out []stem
	for c := row.FirstChild; c != nil && c != cell; c = c.NextSibling {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			if column == 0 {
				out = append(out, stemsOf(shownText(c, 100))...)
			}
			column++
		}
	}
	table := row.Parent
	for table != nil && table.DataAtom != atom.Table {
		table = table.Parent
	}
	first := firstRow(table)
	if first == nil || first == row {
		return out[:min(len(out), labelWords)]
	}
	for c := first.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		if column == 0 {
			out = append(out, stemsOf(shownText(c, 100))...)
			break
		}
		column--
	}
	return out[:min(len(out), labelWords)]
}

func firstRow(table *html.Node) *html.Node {
	if table == nil {
		return nil
	}
	for n := range table.Descendants() {
		if n.DataAtom == atom.Tr {
			return n
		}
	}
	return nil
}

// shownText is the start of the text under n.
func shownText(n *html.Node, most int) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent != nil && !skipped[d.Parent.DataAtom] {
			out.WriteString(d.Data)
			out.WriteByte(' ')
		}
		if out.Len() > most {
			break
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func (w *walker) write(data string, at place) {
	for i, word := range strings.Fields(data) {
		if i == 0 {
			w.space = w.space || strings.TrimLeft(data, " \t\r\n\f\u00a0") != data
		}
		if (i > 0 || w.space) && len(w.text) > 0 {
			w.text = append(w.text, ' ')
		}
		w.text = append(w.text, word...)
		w.space = false
		if !w.begun {
			w.begun, w.at = true, at
		}
	}
	if strings.TrimRight(data, " \t\r\n\f\u00a0") != data {
		w.space = true
	}
}

// flush ends a block.
func (w *walker) flush() {
	if w.begun {
		at := w.at
		b := block{
			text: string(w.text), origin: at.origin, region: at.region, tag: at.tag, level: at.level, group: at.group, label: at.label, class: at.class,
			inline: slices.Clone(w.inline), href: at.href, hidden: at.hidden, node: at.node, above: w.above(at.level),
		}
		before := len(w.page.blocks)
		w.page.add(b)
		if at.level > 0 && len(w.page.blocks) > before {
			w.heads[at.level] = int32(before) //nolint:gosec // bounded
			for level := at.level + 1; level <= 6; level++ {
				w.heads[level] = -1
			}
		}
	}
	for _, b := range w.links {
		b.above = w.above(0)
		w.page.add(b)
	}
	w.text, w.inline, w.links, w.begun, w.space = w.text[:0], w.inline[:0], w.links[:0], false, false
}

// above is the heading that is in force for text, or for a heading of a level.
func (w *walker) above(level int8) int32 {
	out := int32(-1)
	for k := int8(1); k <= 6 && (level == 0 || k < level); k++ {
		out = max(out, w.heads[k])
	}
	return out
}
