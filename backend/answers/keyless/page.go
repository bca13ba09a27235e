package keyless

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
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
	// counted reports that the value is a number that stood before the label.
	counted bool
	// question reports that the label is a question or a heading, and the value the text below it.
	question bool
	// under is the list that stands right below the heading, an entry a line; "" where there is none.
	under string
	// list reports that the value is the entries of a list, each on a line.
	list bool
	// block is the text of the part of the page that is the site's or of another thing, "" where it stands in none.
	block string
	// edge reports that it stands at the edge of the page, which is the site's.
	edge bool
}

// sentence is a part of the page's text.
type sentence struct {
	text, heading, card, block string
	marks                      []mark
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
	items     []item
	tables    []grid
	headings  [7]string
	// question is one that stands in the block before.
	question string
	// posted reports that who began the thread is known.
	posted bool
	// isFile reports that it is a context file.
	isFile bool
	// coded are terms that have labelled values of their own.
	coded map[string]bool
	// hosts are the parts of its host's name, without hyphens.
	hosts []string
	// margins is how many elements around what is read are of the site, not of the page.
	margins int
	// inside is the text of the innermost part around what is read that is the site's, or the name of the object.
	inside string
	// sites are the names that its site may have.
	sites []string
	// outline are its headings, in its order.
	outline []quoted
	// homes are what the page calls its site where it links to its first page.
	homes []string
	// runs are the parts of what elements of one sort make that stand side by side with nothing between them, such as tags, by their whole text.
	runs map[string][]string
	// groups are its cards, entries of lists and rows of tables that are alike.
	groups []group
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
	p := &page{source: source, coded: map[string]bool{}, context: map[string]bool{}, all: map[string]bool{}, isFile: strings.HasPrefix(source.URL, "file:")}
	d := source.Document
	if d == nil {
		d = &extract.Document{}
	}
	p.language = d.Metadata.Language
	p.note(source)
	switch {
	case p.readJSON(source, d):
	case d.HTML != "" && (source.Page.MediaType == "" || strings.Contains(source.Page.MediaType, "html") || isFeed(source)):
		if root, err := extract.Parse([]byte(limit(d.HTML, 4<<20))); err == nil {
			p.findRuns(root)
			p.walk(root)
		}
	default:
		if first, _, _ := strings.Cut(strings.TrimSpace(d.Text), "\n"); len(p.names) == 0 && len(first) < 120 {
			p.names = append(p.names, first)
		}
		p.lines(d.Text)
	}
	p.headings = [7]string{} // what follows is of the page, not of its last part
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
	p.edges()
	for _, word := range plainWords(strings.Join(p.homes, " ")) {
		p.context[word] = true
	}
	p.deal()
	p.settle(d)
	p.prepare()
	return p
}

// isFeed reports whether a source is a list of entries for programs, which extract has made a page of.
func isFeed(source *ask.Source) bool {
	return strings.Contains(source.Page.MediaType, "rss") || strings.Contains(source.Page.MediaType, "atom")
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
		p.introduces(first)
	}
	context := title + " " + source.URL
	if u, err := url.Parse(source.URL); err == nil {
		context = title + " " + u.Host + " " + u.Path
		for part := range strings.SplitSeq(u.Hostname(), ".") {
			p.hosts = append(p.hosts, strings.ReplaceAll(part, "-", ""))
		}
	}
	if source.Document != nil {
		context += " " + source.Document.Metadata.SiteName
		p.sites = append(p.sites, source.Document.Metadata.SiteName)
	}
	if rest, ok := strings.CutPrefix(title, firstPart(title)); ok && rest != "" {
		p.sites = append(p.sites, strings.Trim(rest, " |—·:»-"))
	}
	if rest := strings.Replace(wholeTitle(source), title, "", 1); rest != "" && title != "" {
		p.sites = append(p.sites, strings.Trim(rest, " |—·:»–-"))
		context += " " + rest
	}
	for _, word := range plainWords(context) {
		p.context[word] = true
	}
}

// headBytes is within how much of a page its title stands.
const headBytes = 64 << 10

// titleText matches the title of a page.
var titleText = regexp.MustCompile(`(?is)<title[^>]*>([^<]{1,300})`)

// wholeTitle is the title of a page as it came, with the site's name that the title of its document is without.
func wholeTitle(source *ask.Source) string {
	if source.Document == nil || !strings.Contains(source.Page.MediaType, "html") {
		return ""
	}
	if m := titleText.FindSubmatch(source.Page.Body[:min(len(source.Page.Body), headBytes)]); m != nil {
		return squeeze(html.UnescapeString(string(m[1])))
	}
	return ""
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
	all := words(withoutMeasure(f.label))
	if len(all) == 0 || len(all) > labelWords+4 && !f.question {
		return
	}
	f.terms = slices.DeleteFunc(terms(all), func(term string) bool {
		_, known := kindOf[term]
		return !known && p.context[term] && len(all) > 1 // the site's or the page's own name
	})
	f.around += " " + strings.Join(p.headings[2:], " ")
	f.card, f.block = p.card(), p.inside
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
	"was": {"listprice"}, "now": {"price"}, "rrp": {"listprice"}, "instead of": {"listprice"},
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
		card := p.facts[i].card
		p.cards[card] = p.cards[card] || card != "" && (p.coded[card] || isCode(card))
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

var asideWords = set("also nearby related similar also bought others recommended sponsored advertisement neighbours neighbors alternatives")

// isFull reports whether nothing more is kept of a page.
func (p *page) isFull() bool { return len(p.facts) >= factsMax && len(p.sentences) >= sentencesMax }

// walk reads a tree in the order of the page. It recurses as deep as the tree, which its parser bounds.
func (p *page) walk(n *html.Node) {
	if p.isFull() {
		return
	}
	if n.Type == html.ElementNode {
		if isMargin(n) {
			p.margins++
			defer func() { p.margins-- }()
		}
		defer p.enter(n)()
		if isCardNode(n) {
			outer := p.headings
			defer func() { p.headings = outer }()
		}
		if p.element(n) {
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

// element reads an element that is read as a whole; it reports false where what it holds is to be read one by one.
func (p *page) element(n *html.Node) bool {
	if n.DataAtom == atom.Button {
		p.pressed(squeeze(textOfAll(n)))
		return true
	}
	if skipped(n) {
		return true
	}
	if level := headingLevel(n); level > 0 && (level == 1 || !isAmount(squeeze(textOf(n)), p.language)) {
		p.heading(n, level)
		return true
	}
	if n.DataAtom == atom.P && isFeed(p.source) {
		p.dated(n)
	}
	if n.DataAtom == atom.Dl {
		p.definitions(n)
		return true
	}
	if p.question != "" && !hasBlocks(n) {
		p.answered(partsOf(n))
	}
	if n.DataAtom == atom.Table && p.table(n) || p.sequence(n) {
		return true
	}
	p.titledList(n)
	if n.DataAtom == atom.Div {
		p.chosen(n)
	}
	if isGroup := p.group(n); !isGroup && p.pair(n) {
		return true
	}
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
		p.introduced(n)
	}
	if n.DataAtom == atom.Fieldset {
		p.options(n)
	}
	if hasBlocks(n) {
		return false
	}
	p.block(n)
	return true
}

// pressed reads what a button says: a question that it opens, or that the thing cannot be bought.
func (p *page) pressed(text string) {
	switch {
	case strings.HasSuffix(text, "?"):
		p.answered(text)
	case goneText.MatchString(text):
		p.noteItem(text)
	}
}

func (p *page) flush(run **html.Node) {
	if (*run).FirstChild != nil {
		p.block(*run)
		*run = &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
	}
}

func (p *page) heading(n *html.Node, level int) {
	text := squeeze(textOf(n))
	if text == "" {
		return
	}
	if p.margins == 0 {
		p.outline = append(p.outline, quoted{text, text})
	}
	p.headings[level] = numbering.ReplaceAllString(text, "")
	for i := level + 1; i < len(p.headings); i++ {
		p.headings[i] = ""
	}
	if level == 1 && !slices.Contains(p.names, text) {
		p.names = append([]string{text}, p.names...)
		p.introduces(text)
	}
	if level < 2 {
		p.roleBelow(n, text)
		return
	}
	// What stands below a heading is what the heading asks, or names.
	var below []string
	list := ""
	for next := n.NextSibling; next != nil && len(below) < 3; next = next.NextSibling {
		if next.Type != html.ElementNode {
			continue
		}
		if headingLevel(next) > 0 || next.DataAtom == atom.Table || next.DataAtom == atom.Section {
			break
		}
		if (next.DataAtom == atom.Ul || next.DataAtom == atom.Ol) && (len(below) == 0 || len(below) == 1 && strings.HasSuffix(below[0], ":")) {
			list = textOf(next)
		}
		below = append(below, textOf(next))
	}
	p.listed(n, text, level)
	value := strings.TrimSpace(strings.Join(below, "\n"))
	if value != "" && len(value) <= 3000 {
		p.headings[level] = ""
		p.add(fact{label: text, value: value, quote: value, around: text, trust: 0.8, question: true, under: list})
		p.headings[level] = numbering.ReplaceAllString(text, "")
	}
}

// numbering matches the number that an entry of a list has before its heading: "3. ", "3) ".
var numbering = regexp.MustCompile(`^#?\d{1,3}[.)] `)
