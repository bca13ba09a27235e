package keyless

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/extract"
)

const (
	factsMax     = 4000
	sentencesMax = 2000
	textBytesMax = 1 << 20
	labelWords   = 9
	labelBytes   = 90
	valueBytes   = 20_000
	blockBytes   = 20_000
)

// fact is a label with a value.
type fact struct {
	label string
	terms []string
	value string
	// quote are the words of the source that hold both.
	quote string
	// around are the other words that belong to it: of its row, its headings, the record that it is in.
	around string
	// row are the cells of its row, or the values of its record, by which it may be about something of its own.
	row []string
	// context are the terms of label, value where that is an answer to a question, what is around, and the page's names.
	context []string
	// isRow reports that other rows or records have the same label.
	isRow bool
	trust float64
	// card is the heading that it stands under, below the first level.
	card string
	// question reports that the label is a question or a heading, and the value the text below it.
	question bool
}

// sentence is a part of the page's text.
type sentence struct {
	text, heading, card string
	marks               []mark
	// around are the terms of its own, of its headings and of the page's names.
	around []string
}

// page is a source as it is looked through.
type page struct {
	source   *ask.Source
	language string
	// names are what it says that it is about: its first heading, the first part of its title, its structured data's name.
	names     []string
	cards     map[string]bool // headings of records
	context   map[string]bool // words of its title, host and path
	all       map[string]bool // words of its text
	facts     []fact
	sentences []sentence
	tables    []grid
	headings  [7]string
	// question is one that stands in the block before.
	question string
	// posted reports that who began the thread is known.
	posted bool
	// isFile reports that it is a context file.
	isFile bool
}

// grid is a table with a header.
type grid struct {
	header []string
	rows   [][]string
	// quotes are what proves each cell, where that is not the row.
	quotes [][]string
	around string
}

// read reads a source.
func read(source *ask.Source) *page {
	p := &page{source: source, context: map[string]bool{}, all: map[string]bool{}, isFile: strings.HasPrefix(source.URL, "file:")}
	d := source.Document
	if d == nil {
		d = &extract.Document{}
	}
	p.language = d.Metadata.Language
	p.note(source)
	switch {
	case p.readJSON(source, d):
	case d.HTML != "" && (source.Page.MediaType == "" || strings.Contains(source.Page.MediaType, "html")):
		if root, err := extract.Parse([]byte(limit(d.HTML, 4<<20))); err == nil {
			p.walk(root)
		}
	default:
		if first, _, _ := strings.Cut(strings.TrimSpace(d.Text), "\n"); len(p.names) == 0 && len(first) < 120 {
			p.names = append(p.names, first)
		}
		p.lines(d.Text)
	}
	p.structured(d)
	for _, said := range [][2]string{{"author", d.Metadata.Author}, {"published", d.Metadata.PublishedAt}, {"updated", d.Metadata.ModifiedAt}} {
		if said[1] != "" && !p.isFile {
			label := map[string]string{"updated": "modified"}[said[0]]
			if label == "" {
				label = said[0]
			}
			p.add(fact{label: said[0], value: said[1], quote: label + ": " + said[1], trust: 0.7})
		}
	}
	p.deal()
	p.settle(d)
	p.prepare()
	return p
}

func limit(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// note takes down what the page is called.
func (p *page) note(source *ask.Source) {
	title := source.Title
	if source.Document != nil && source.Document.Metadata.Title != "" {
		title = source.Document.Metadata.Title
	}
	if first := firstPart(title); first != "" {
		p.names = append(p.names, first)
	}
	context := title + " " + source.URL
	if u, err := url.Parse(source.URL); err == nil {
		context = title + " " + u.Host + " " + u.Path
	}
	if source.Document != nil {
		context += " " + source.Document.Metadata.SiteName
	}
	for _, word := range plainWords(context) {
		p.context[word] = true
	}
}

// firstPart is a title without the site's name.
func firstPart(title string) string {
	for _, mark := range []string{" | ", " — ", " · ", " :: ", " » "} {
		title, _, _ = strings.Cut(title, mark)
	}
	if before, _, ok := strings.Cut(title, " - "); ok && len(before) > 2 {
		title = before
	}
	return strings.TrimSpace(title)
}

// prepare finds the terms that stand about facts and sentences once, since they are asked for by every field.
func (p *page) prepare() {
	names := terms(words(strings.Join(p.names, " ")))
	known := map[string][]string{}
	termsOf := func(s string) []string {
		out, ok := known[s]
		if !ok {
			out = terms(words(s))
			known[s] = out
		}
		return out
	}
	for i := range p.facts {
		f := &p.facts[i]
		f.context = slices.Concat(termsOf(f.around), names, f.terms)
		if f.question {
			f.context = append(f.context, terms(words(f.value))...)
		}
	}
	for i := range p.sentences {
		s := &p.sentences[i]
		s.heading = strings.Join(s.around, " ")
		around := slices.Concat(termsOf(s.heading), names)
		for _, m := range s.marks {
			around = append(around, m.term)
		}
		s.around = around
	}
}

// settle counts the words once all is read.
func (p *page) settle(d *extract.Document) {
	for _, word := range plainWords(limit(d.Text, textBytesMax)) {
		p.all[word] = true
	}
	for _, f := range p.facts {
		for _, word := range plainWords(f.label + " " + f.value) {
			p.all[word] = true
		}
	}
	for word := range p.context {
		p.all[word] = true
	}
}

func (p *page) add(f fact) {
	f.question = f.question || strings.HasSuffix(strings.TrimSpace(f.label), "?")
	f.label, f.value = strings.TrimSpace(strings.TrimRight(squeeze(f.label), " :*?")), strings.TrimSpace(f.value)
	if f.label == "" || f.value == "" || len(f.label) > labelBytes || len(f.value) > valueBytes || len(p.facts) >= factsMax {
		return
	}
	f.label = sinceYear.ReplaceAllString(f.label, "")
	all := words(f.label)
	if len(all) == 0 || len(all) > labelWords+4 && !f.question {
		return
	}
	f.terms = slices.DeleteFunc(terms(all), func(term string) bool {
		_, known := kindOf[term]
		return !known && p.context[term] && len(all) > 1 // the site's or the page's own name
	})
	f.around += " " + strings.Join(p.headings[2:], " ")
	f.card = p.card()
	if isAside(p.headings[2:]) {
		return
	}
	p.facts = append(p.facts, f)
	for _, sense := range alone[strings.Join(all, " ")] {
		other := f
		other.terms, other.trust = []string{sense}, f.trust*0.95
		p.facts = append(p.facts, other)
	}
}

// sinceYear matches since when something has been so, at the end of a label: "Mayor since 2023".
var sinceYear = regexp.MustCompile(`(?i),? \(?since [12]\d{3}\)?$`)

// alone are labels that say something only where nothing else stands beside them, with the senses that they may have.
var alone = map[string][]string{
	"by": {"author"}, "from": {"start"}, "to": {"end"}, "until": {"end"}, "till": {"end"}, "unit": {"department"}, "title": {"position"}, "call": {"phone"},
	"contact": {"email", "phone", "contactperson"}, "led by": {"ceo", "director"}, "head": {"director"}, "line": {"phone"}, "location": {"address", "town"},
	"time": {"start"}, "where": {"address"}, "in": {"town"}, "on": {"date"}, "size": {"area", "capacity", "employees"}, "grows to": {"height"}, "term": {"duration"},
	"for": {"servings"}, "no": {"number"}, "code": {"sku"}, "place": {"town", "address"}, "seat": {"capacity"}, "stage": {"venue"}, "hall": {"venue"},
}

// card is the innermost heading below the first level.
func (p *page) card() string {
	for _, h := range slices.Backward(p.headings[2:]) {
		if h != "" {
			return h
		}
	}
	return ""
}

// deal finds the headings that are of records: several of them have values under the same label. What is said under one is of that
// record, not of the page.
func (p *page) deal() {
	under := map[string][]string{}
	for _, f := range p.facts {
		key := strings.Join(f.terms, " ")
		if f.card != "" && !f.question && !f.isRow && key != "" && !slices.Contains(under[key], f.card) {
			under[key] = append(under[key], f.card)
		}
	}
	p.cards = map[string]bool{}
	for _, cards := range under {
		for _, card := range cards {
			p.cards[card] = p.cards[card] || len(cards) > 1
		}
	}
	for i := range p.facts {
		if f := &p.facts[i]; p.cards[f.card] {
			f.isRow, f.row = true, append(f.row, f.card)
		}
	}
}

// isAside reports whether a part of a page is about something else.
func isAside(headings []string) bool {
	for _, h := range headings {
		for _, word := range plainWords(h) {
			if asideWords[word] {
				return true
			}
		}
	}
	return false
}

var asideWords = set("nearby related similar also bought others recommended sponsored advertisement neighbours neighbors alternatives")

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// walk reads a tree in the order of the page. It recurses as deep as the tree, which its parser bounds.
func (p *page) walk(n *html.Node) {
	if n.Type == html.ElementNode {
		if skipped(n) {
			return
		}
		if level := headingLevel(n); level > 0 {
			p.heading(n, level)
			return
		}
		switch n.DataAtom {
		case atom.Table:
			if p.table(n) {
				return
			}
		case atom.Dl:
			p.definitions(n)
			return
		}
		if p.pair(n) {
			return
		}
		if !hasBlocks(n) {
			p.block(n)
			return
		}
	}
	run := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode || child.Type == html.ElementNode && isInline(child) && !hasBlocks(child) {
			run.AppendChild(clone(child)) // text between blocks is a block
			continue
		}
		p.flush(&run)
		p.walk(child)
	}
	p.flush(&run)
}

func (p *page) flush(run **html.Node) {
	if (*run).FirstChild != nil {
		p.block(*run)
		*run = &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
	}
}

// clone copies a node; it recurses as deep as the tree.
func clone(n *html.Node) *html.Node {
	out := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Attr: n.Attr}
	for child := range n.ChildNodes() {
		out.AppendChild(clone(child))
	}
	return out
}

func skipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Nav, atom.Svg, atom.Iframe, atom.Select, atom.Textarea, atom.Button, atom.Noscript, atom.Object:
		return true
	}
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
}

func headingLevel(n *html.Node) int {
	switch n.DataAtom {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

func isInline(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Cite, atom.Code, atom.Em, atom.Font, atom.I, atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Small, atom.Span,
		atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.U, atom.Wbr, atom.Data, atom.Label, atom.Br, atom.Img, atom.Ins, atom.Del, atom.Var, atom.Samp, atom.Dfn,
		atom.Meta, atom.Link:
		return true
	}
	return false
}

func hasBlocks(n *html.Node) bool {
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && !isInline(inner) {
			return true
		}
	}
	return false
}

func elements(n *html.Node) (list []*html.Node, own string) {
	var text strings.Builder
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode:
			text.WriteString(child.Data)
		case child.Type == html.ElementNode && !skipped(child) && child.DataAtom != atom.Br && child.DataAtom != atom.Meta:
			list = append(list, child)
		}
	}
	return list, strings.TrimSpace(text.String())
}

// textOf is what a node shows, blocks and breaks being lines.
func textOf(n *html.Node) string {
	var out strings.Builder
	writeText(&out, n)
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		if line = squeeze(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// writeText recurses as deep as the tree.
func writeText(out *strings.Builder, n *html.Node) {
	if out.Len() > blockBytes {
		return
	}
	switch {
	case n.Type == html.TextNode:
		out.WriteString(strings.Map(func(r rune) rune {
			if r == '\n' {
				return ' '
			}
			return r
		}, n.Data))
		return
	case n.Type == html.ElementNode && skipped(n):
		return
	case n.DataAtom == atom.Br:
		out.WriteByte('\n')
		return
	}
	apart := n.Type == html.ElementNode && !isInline(n)
	if apart {
		out.WriteByte('\n')
	}
	for child := range n.ChildNodes() {
		writeText(out, child)
	}
	if apart {
		out.WriteByte('\n')
	}
}

func (p *page) heading(n *html.Node, level int) {
	text := squeeze(textOf(n))
	if text == "" {
		return
	}
	p.headings[level] = text
	for i := level + 1; i < len(p.headings); i++ {
		p.headings[i] = ""
	}
	if level == 1 && !slices.Contains(p.names, text) {
		p.names = append([]string{text}, p.names...)
	}
	if level < 2 {
		return
	}
	// What stands below a heading is what the heading asks, or names.
	var below []string
	for next := n.NextSibling; next != nil && len(below) < 3; next = next.NextSibling {
		if next.Type != html.ElementNode {
			continue
		}
		if headingLevel(next) > 0 || next.DataAtom == atom.Table || next.DataAtom == atom.Section {
			break
		}
		below = append(below, textOf(next))
	}
	value := strings.TrimSpace(strings.Join(below, "\n"))
	if value != "" && len(value) <= 3000 {
		p.headings[level] = ""
		p.add(fact{label: text, value: value, quote: value, around: text, trust: 0.8, question: true})
		p.headings[level] = text
	}
}

// definitions reads a list of terms; each may have several values.
func (p *page) definitions(dl *html.Node) {
	label := ""
	var values []string
	flush := func() {
		if label != "" && len(values) > 0 {
			value := strings.Join(values, "\n")
			p.pairFact(label, value, 1)
		}
		label, values = "", nil
	}
	for n := range dl.Descendants() {
		switch n.DataAtom {
		case atom.Dt:
			flush()
			label = squeeze(textOf(n))
		case atom.Dd:
			values = append(values, textOf(n))
		}
	}
	flush()
}

func (p *page) pairFact(label, value string, trust float64) {
	p.add(fact{label: label, value: value, quote: label + " " + value, trust: trust})
	p.sentencesOf(value)
}

// pair reads an element that holds a label and a value, and nothing else.
func (p *page) pair(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Tbody, atom.Tr, atom.Body, atom.Html, atom.Main, atom.Section, atom.Article, atom.Form, atom.A, atom.P:
		return false
	}
	list, own := elements(n)
	if len(list) == 1 && n.DataAtom == atom.Li && (list[0].DataAtom == atom.Ul || list[0].DataAtom == atom.Ol) && p.isLabel(squeeze(own)) {
		p.pairFact(squeeze(own), textOf(list[0]), 0.95)
		return true
	}
	if len(list) != 2 || strings.Trim(own, ": ") != "" || headingLevel(list[0]) > 0 || headingLevel(list[1]) > 0 {
		return false
	}
	for _, child := range list {
		if child.DataAtom == atom.Ul && child == list[0] || child.DataAtom == atom.Table || child.DataAtom == atom.Dl ||
			child.DataAtom == atom.Section || child.DataAtom == atom.Article {
			return false
		}
	}
	label, value := squeeze(textOf(list[0])), textOf(list[1])
	if strings.HasSuffix(label, "?") && value != "" && len(label) <= labelBytes && len(value) <= 3000 {
		p.add(fact{label: label, value: value, quote: value, trust: 0.85, question: true})
		p.lines(value)
		return true
	}
	if p.poster(label) {
		p.lines(value)
		return true
	}
	if label == "" || value == "" || len(label) > 60 || len(words(label)) > 7 || len(value) > 1000 || strings.ContainsAny(label, ".!?") && len(words(label)) > 3 {
		return false
	}
	if strings.Contains(strings.TrimRight(label, ":"), ":") {
		return false
	}
	p.pairFact(label, value, 0.95)
	return true
}

// block reads an element that is one piece of text.
func (p *page) block(n *html.Node) {
	text := textOf(n)
	p.answered(text)
	if label, value, ok := strings.Cut(text, "\n"); ok && !strings.Contains(value, "\n") && !strings.HasSuffix(label, ":") && p.isLabel(label) {
		p.add(fact{label: label, value: value, quote: label + " " + value, trust: 0.95}) // one below the other
	}
	p.bold(n)
	p.lines(text)
}

// answered reads a question that stands in a block of its own, and the block behind it as its answer.
func (p *page) answered(text string) {
	question := p.question
	p.question = ""
	switch {
	case strings.HasSuffix(text, "?") && len(text) < 150 && !strings.Contains(text, "\n"):
		p.question = strings.TrimPrefix(text, "Q: ")
	case question != "" && text != "":
		p.add(fact{label: question, value: strings.TrimPrefix(text, "A: "), quote: text, trust: 0.85, question: true})
	}
}

// isLabel is isLabel for a label that may have the page's own name in it, or be known where it stands alone.
func (p *page) isLabel(text string) bool {
	all := words(text)
	return len(alone[strings.Join(all, " ")]) > 0 || isLabel(text) ||
		isLabel(strings.Join(slices.DeleteFunc(all, func(word string) bool { return p.context[word] && senses[singular(word)] == nil }), " "))
}

// isLabel reports whether a text is short and speaks of nothing but what the lexicon knows.
func isLabel(text string) bool {
	all := words(text)
	if len(text) > 60 || len(all) > labelWords || strings.ContainsAny(text, "!?;") {
		return false
	}
	found := terms(all)
	return len(core(found)) > 0 && !slices.ContainsFunc(found, func(term string) bool {
		_, known := kindOf[term]
		return !known && !isYear(term)
	})
}

// bold reads labels that are set in bold before their values.
func (p *page) bold(n *html.Node) {
	label := ""
	var value strings.Builder
	flush := func() {
		if v := squeeze(strings.TrimLeft(strings.TrimSpace(value.String()), ":–- ")); label != "" && v != "" && len(words(label)) <= 7 {
			p.add(fact{label: label, value: strings.TrimRight(v, ","), quote: v, around: label, trust: 0.9})
		}
		label = ""
		value.Reset()
	}
	for child := range n.ChildNodes() {
		switch {
		case child.DataAtom == atom.Strong || child.DataAtom == atom.B:
			flush()
			label = squeeze(textOf(child))
			if !strings.HasSuffix(label, ":") && child.PrevSibling != nil && strings.TrimSpace(textOf(child.PrevSibling)) != "" {
				label = "" // emphasis within a sentence
			}
		case child.DataAtom == atom.Br:
			if strings.TrimSpace(value.String()) != "" {
				flush()
			}
		default:
			value.WriteString(textOf(child) + " ")
		}
	}
	flush()
}

// lines reads text: "Label: value" on a line, and sentences.
func (p *page) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = squeeze(line)
		if line == "" || len(line) > blockBytes {
			continue
		}
		p.line(line)
		p.sentencesOf(line)
	}
}

// byLine is what stands below the headline of an article: who wrote it, and when.
var byLine = regexp.MustCompile(`^(?:By|From|Words:|Text:) (\p{Lu}[\pL'’.-]+(?: \p{Lu}[\pL'’.-]+){1,3})(?:,| on| ·| \||  ?[–—-]) ?(.{6,40})$`)

func (p *page) line(line string) {
	if m := byLine.FindStringSubmatch(line); m != nil {
		p.add(fact{label: "author", value: m[1], quote: line, trust: 0.9})
		p.add(fact{label: "published", value: m[2], quote: line, trust: 0.9})
	}
	p.poster(line)
	for _, part := range apart.Split(line, -1) {
		if p.run(part) {
			continue
		}
		label, value, ok := strings.Cut(part, ":")
		if !ok || !strings.HasPrefix(value, " ") || len(label) > 60 || len(words(label)) > 7 || strings.ContainsAny(label, ".!?;") {
			if label, value, ok = strings.Cut(part, " – "); !ok || !p.isLabel(label) {
				p.cells(part)
				continue
			}
		}
		if len(value) > 1500 {
			continue
		}
		p.add(fact{label: strings.Trim(label, " -*•"), value: value, quote: part, trust: 0.95})
	}
}

var (
	// apart matches what stands between labelled values on one line.
	apart = regexp.MustCompile(` (?:[|·•‖¦]|//) `)
	// colons matches a label with a capital within a line.
	colons = regexp.MustCompile(`(?:^|\s)(\p{Lu}[\pL\pN'’()/-]*(?: [\pL\pN'’()/&-]+){0,5}): `)
	// onward matches where a sentence begins behind a value.
	onward = regexp.MustCompile(` \p{Lu}\p{Ll}+ \p{Ll}+ \p{Ll}+`)
)

// run reads labelled values that follow each other in one text without marks between them, as the lines of a printed page do
// once they are joined. It reports whether there were several.
func (p *page) run(text string) bool {
	type place struct{ start, end int }
	var labels []place
	for _, at := range colons.FindAllStringSubmatchIndex(text, 100) {
		// The label is the longest end of what stands before the colon that begins with a capital and is known.
		for start := at[2]; start < at[3]; {
			if first := text[start]; first >= 'A' && first <= 'Z' && p.isLabel(text[start:at[3]]) {
				labels = append(labels, place{start, at[3]})
				break
			}
			next := strings.IndexByte(text[start:at[3]], ' ')
			if next < 0 {
				break
			}
			start += next + 1
		}
	}
	if len(labels) < 2 {
		return false
	}
	for i, label := range labels {
		end := len(text)
		if i+1 < len(labels) {
			end = labels[i+1].start
		}
		value := strings.Trim(text[label.end+1:end], " ,;")
		if at := onward.FindStringIndex(value); at != nil {
			value = value[:at[0]]
		}
		if value != "" && len(value) <= 1500 {
			p.add(fact{label: text[label.start:label.end], value: value, quote: text[label.start:label.end] + ": " + value, trust: 0.9})
		}
	}
	return true
}

// cells reads a line of a text in columns: a label, a tab or dots, and a value.
func (p *page) cells(line string) bool {
	label, value, ok := strings.Cut(line, " .. ")
	if !ok {
		label, value, ok = strings.Cut(line, "....")
	}
	if !ok || len(words(label)) > 7 {
		return false
	}
	p.add(fact{label: label, value: strings.TrimLeft(value, ". "), quote: line, trust: 0.9})
	return true
}

func (p *page) sentencesOf(text string) {
	heading := append([]string{}, p.headings[2:]...)
	if isAside(p.headings[2:]) {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, s := range split(line) {
			if len(p.sentences) < sentencesMax && len(s) < 1500 && strings.Contains(s, " ") {
				s = ask.Plain(s)
				p.sentences = append(p.sentences, sentence{text: s, card: p.card(), marks: marks(s), around: heading})
			}
		}
	}
}

var abbreviations = set("dr mr mrs ms prof st no nr tel approx ca e.g i.e etc vol ed jr sr inc ltd co art fig jan feb mar apr jun jul aug sep sept oct nov dec")

// split parts a text into sentences.
func split(text string) []string {
	var out []string
	start := 0
	runes := []byte(text)
	for i := range runes {
		if runes[i] != '.' && runes[i] != '!' && runes[i] != '?' {
			continue
		}
		if i+1 < len(runes) && runes[i+1] != ' ' {
			continue
		}
		before := strings.ToLower(text[max(0, strings.LastIndexByte(text[:i], ' ')+1):i])
		if runes[i] == '.' && (abbreviations[before] || len(before) == 1 && before >= "a" && before <= "z") {
			continue
		}
		if runes[i] == '.' && before != "" && strings.Trim(before, "0123456789") == "" && i+2 < len(text) && !unicode.IsUpper(rune(text[i+2])) {
			continue
		}
		if s := strings.TrimSpace(text[start : i+1]); s != "" {
			out = append(out, s)
		}
		start = i + 1
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}
