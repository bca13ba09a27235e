package fill

import (
	"context"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	factsMax       = 5000
	nodesMax       = 150_000
	sectionsMax    = 500
	labelBytesMax  = 60
	valueBytesMax  = 5000
	lookEveryNodes = 1024
)

// fact is a pair of label and value.
type fact struct {
	label []string
	key   string // of the label
	text  string
	trust float64
	// unit is the value's unit as the label states it: "kg" of "Weight (kg)".
	unit string
	// node contains the value; nil if that is a part of a text.
	node *html.Node
	// named reports that the label is a class or similar name.
	named bool
	// more are further values under the same label, such as several dd.
	more []*html.Node
}

// facts are the evidence in a part of a page, by label.
type facts struct {
	pairs    []fact
	sections []section
	headings []*html.Node
	links    []*html.Node
	images   []*html.Node
	times    []*html.Node
	root     *html.Node
	// cards are elements whose siblings have facts with the same names.
	cards map[*html.Node]bool
}

// section is a heading and the nodes up to the next one of its level.
type section struct {
	title string
	label []string
	key   string
	nodes []*html.Node
}

// isQuestion reports whether the heading asks something.
func (s section) isQuestion() bool { return strings.HasSuffix(s.title, "?") }

// collect reads a part of a page. Within records all of it counts; of a whole page, navigation and the like do not.
func collect(ctx context.Context, root *html.Node, isPage bool) (*facts, error) {
	f := &facts{root: root}
	seen := 0
	for n := root; n != nil; {
		if seen++; seen > nodesMax || len(f.pairs) > factsMax {
			break
		}
		if seen%lookEveryNodes == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if n.Type != html.ElementNode && n.Type != html.DocumentNode || n.Type == html.ElementNode && n != root && (hidden(n) || isPage && frame(n)) {
			n = after(n, root)
			continue
		}
		if n.Type == html.ElementNode {
			f.read(n)
		}
		if n.FirstChild != nil {
			n = n.FirstChild
		} else {
			n = after(n, root)
		}
	}
	if isPage {
		f.findCards()
	}
	return f, nil
}

// findCards finds the elements that repeat: two siblings of one make that both have a value of the same name. Facts
// within them are not facts of the page.
func (f *facts) findCards() {
	f.cards = map[*html.Node]bool{}
	type place struct {
		parent *html.Node
		make   string
		label  string
	}
	firsts := map[place]*html.Node{}
	for _, fact := range f.pairs {
		if !fact.named || fact.node == nil {
			continue
		}
		label := strings.Join(fact.label, " ")
		for n, up := fact.node, 0; isElement(n) && isElement(n.Parent) && up < 12; n, up = n.Parent, up+1 {
			m := makeOf(n)
			if m == "" || n == fact.node {
				continue
			}
			at := place{n.Parent, m, label}
			if first, ok := firsts[at]; !ok {
				firsts[at] = n
			} else if first != n {
				f.cards[first], f.cards[n] = true, true
			}
		}
	}
}

// inCards reports whether a fact belongs to one of several records, not to the page.
func (f *facts) inCards(fact fact) bool {
	for n, up := fact.node, 0; fact.named && isElement(n) && up < 14; n, up = n.Parent, up+1 {
		if f.cards[n] {
			return true
		}
	}
	return false
}

func after(n, root *html.Node) *html.Node {
	for ; n != nil && n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

func (f *facts) read(n *html.Node) {
	switch n.DataAtom {
	case atom.Dt:
		f.definition(n)
	case atom.Tr:
		f.row(n)
	case atom.A:
		f.links = append(f.links, n)
	case atom.Img:
		f.images = append(f.images, n)
	case atom.Time:
		f.times = append(f.times, n)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		f.headings = append(f.headings, n)
		f.section(n)
	case atom.Strong, atom.B, atom.Span, atom.Label, atom.Em, atom.Small, atom.Div, atom.P:
		f.besides(n)
	}
	f.named(n)
	f.colon(n)
}

func (f *facts) add(label string, trust float64, node *html.Node, text string) {
	label = strings.TrimRight(fold(label), " :*")
	text = strings.TrimLeft(fold(text), ": ")
	if label == "" || text == "" || len(label) > labelBytesMax {
		return
	}
	all, unit := labelOf(label)
	if len(all) == 0 || len(all) > labelsWords+2 {
		return
	}
	f.pairs = append(f.pairs, fact{label: all, key: key(all), unit: unit, text: text, trust: trust, node: node})
}

// labelOf returns the words of a label, and separately those in brackets, which may be the unit.
func labelOf(label string) ([]string, string) {
	before, inside, ok := strings.Cut(label, "(")
	if !ok || len(words(before)) == 0 {
		return words(label), ""
	}
	return words(before), strings.Join(words(inside), "")
}

// definition reads a dt and the dd that follow it.
func (f *facts) definition(dt *html.Node) {
	label, ok := text(dt, labelBytesMax)
	if !ok {
		return
	}
	var values []*html.Node
	for next := dt.NextSibling; next != nil; next = next.NextSibling {
		if !isElement(next) {
			continue
		}
		if next.DataAtom != atom.Dd {
			break
		}
		values = append(values, next)
	}
	if len(values) == 0 {
		return
	}
	value, ok := text(values[0], valueBytesMax)
	if !ok {
		return
	}
	before := len(f.pairs)
	if f.add(label, 1, values[0], value); len(f.pairs) > before {
		f.pairs[before].more = values[1:]
	}
}

// row reads a row of two cells, the first of which is a label.
func (f *facts) row(tr *html.Node) {
	cells := children(tr)
	if len(cells) != 2 || cells[1].DataAtom != atom.Td || cells[0].DataAtom != atom.Th && cells[0].DataAtom != atom.Td {
		return
	}
	label, ok := text(cells[0], labelBytesMax)
	if !ok {
		return
	}
	if value, ok := text(cells[1], valueBytesMax); ok {
		f.add(label, 1, cells[1], value)
	}
}

// besides reads a label in its own element, with its value beside it: the rest of the parent's text, or its only other
// element.
func (f *facts) besides(n *html.Node) {
	parent := n.Parent
	if !isElement(parent) || parent.DataAtom == atom.Tr || parent.DataAtom == atom.Dl || hasMoreChildren(parent, besideMax) {
		return
	}
	label, ok := text(n, labelBytesMax)
	if !ok || label == "" {
		return
	}
	siblings := children(parent)
	own := ownText(parent)
	isMarked := strings.HasSuffix(label, ":") || strings.HasPrefix(own, ":") || hasLabelClass(n)
	isBold := n.DataAtom == atom.Strong || n.DataAtom == atom.B || n.DataAtom == atom.Label
	switch {
	case len(siblings) == 2 && siblings[0] == n && own == "" || len(siblings) == 2 && siblings[0] == n && own == ":":
		f.beside(siblings[1], label, isMarked || isBold)
	case len(siblings) == 2 && siblings[1] == n && own == "" && (hasLabelClass(n) || isCount(siblings[0])):
		f.beside(siblings[0], label, hasLabelClass(n))
	case len(siblings) >= 1 && siblings[0] == n && own != "" && (isMarked || isBold) && startsWith(parent, n):
		if all, ok := text(parent, valueBytesMax); ok && !containsLabels(siblings[1:]) {
			f.add(label, trusted(isMarked), nil, strings.TrimPrefix(all, label))
		}
	case isMarked && len(siblings) > 2:
		f.beside(nextElement(n), label, true)
	}
}

// besideMax is how many nodes a line of label and value has at most.
const besideMax = 24

func hasMoreChildren(n *html.Node, most int) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if most--; most < 0 {
			return true
		}
	}
	return false
}

func trusted(isMarked bool) float64 {
	if isMarked {
		return 0.95
	}
	return 0.8
}

func (f *facts) beside(n *html.Node, label string, isMarked bool) {
	if n == nil || headingLevel(n) > 0 || n.DataAtom == atom.Table {
		return
	}
	if value, ok := text(n, valueBytesMax); ok {
		f.add(label, trusted(isMarked), n, value)
	}
}

// nextElement is the element after n; nil if there is text between.
func nextElement(n *html.Node) *html.Node {
	for next := n.NextSibling; next != nil; next = next.NextSibling {
		if next.Type == html.TextNode && strings.TrimSpace(next.Data) != "" {
			return nil
		}
		if isElement(next) {
			return next
		}
	}
	return nil
}

// containsLabels reports whether another label follows in the same line.
func containsLabels(siblings []*html.Node) bool {
	for _, n := range siblings {
		if n.DataAtom == atom.Strong || n.DataAtom == atom.B {
			return true
		}
	}
	return false
}

// startsWith reports whether n is the first visible content of parent.
func startsWith(parent, n *html.Node) bool {
	for child := range parent.ChildNodes() {
		if child == n {
			return true
		}
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			return false
		}
	}
	return false
}

func hasLabelClass(n *html.Node) bool {
	for _, word := range words(attr(n, "class")) {
		switch word {
		case "label", "key", "term", "caption", "dt", "lbl":
			return true
		}
	}
	return n.DataAtom == atom.Label
}

var countText = regexp.MustCompile(`^[\d.,]+\+?$`)

func isCount(n *html.Node) bool {
	value, ok := text(n, 20)
	return ok && countText.MatchString(value)
}

// named reads an element by its author's names for it: classes, and the attributes for tests and microdata.
func (f *facts) named(n *html.Node) {
	names := []string{}
	for _, key := range []string{"itemprop", "data-testid", "data-qa", "data-field", "data-label"} {
		names = append(names, strings.Fields(attr(n, key))...)
	}
	trusts := len(names)
	if classes := strings.Fields(attr(n, "class")); len(classes) <= 8 {
		names = append(names, classes...)
	}
	if id := attr(n, "id"); id != "" {
		names = append(names, id)
	}
	if len(names) == 0 || n.DataAtom == atom.Body || n.DataAtom == atom.Html || n.DataAtom == atom.Input {
		return
	}
	value, ok := text(n, valueBytesMax)
	if n.DataAtom == atom.Meta || n.DataAtom == atom.Data || n.DataAtom == atom.Link {
		value, ok = attr(n, "content")+attr(n, "value")+attr(n, "href"), true
	}
	if !ok || value == "" && n.DataAtom != atom.Img && n.DataAtom != atom.A {
		return
	}
	if value == "" {
		value = "-" // an image or link: its address counts
	}
	for i, name := range names {
		trust := 0.7
		if i < trusts {
			trust = 0.85
		}
		before := len(f.pairs)
		f.add(name, trust, n, value)
		// block__element, and the last words of a class that begins with the block's name.
		if _, element, ok := strings.Cut(name, "__"); ok {
			f.add(element, trust, n, value)
		} else if all := words(name); len(all) == 2 && (entities[all[0]] || len(all[0]) <= 2) || len(all) == 2 && all[0] == "card" {
			f.add(all[1], trust-0.1, n, value)
		}
		for j := before; j < len(f.pairs); j++ {
			f.pairs[j].named = true
		}
	}
}

// colon reads "Label: value" in the text of one element.
func (f *facts) colon(n *html.Node) {
	switch n.DataAtom {
	case atom.P, atom.Li, atom.Div, atom.Span, atom.Td, atom.Address, atom.Small, atom.Dd, atom.Em:
	default:
		return
	}
	line := strings.Builder{}
	flush := func() {
		s := fold(line.String())
		line.Reset()
		label, value, ok := strings.Cut(s, ":")
		if !ok || len(s) > 500 || strings.HasPrefix(value, "//") || len(words(label)) > 5 || label == "" || isDigit(label[len(label)-1]) {
			return
		}
		f.add(label, 0.95, nil, value)
		if at := strings.LastIndexByte(label, ','); at >= 0 {
			f.add(label[at+1:], 0.9, nil, value) // "Mrs Winter, phone: …"
		}
	}
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode:
			line.WriteString(child.Data)
		case child.DataAtom == atom.Br:
			flush()
		case isElement(child) && inline[child.DataAtom]:
			inner, ok := text(child, 500)
			if !ok {
				return
			}
			line.WriteString(inner)
		default:
			flush()
		}
	}
	flush()
}

// section reads the content under a heading, up to the next heading of its level.
func (f *facts) section(h *html.Node) {
	title, ok := text(h, 300)
	if !ok || len(f.sections) >= sectionsMax {
		return
	}
	s := section{title: title, label: words(title)}
	s.key = key(s.label)
	level := headingLevel(h)
	start := h
	// A heading may have a header element or a line of its own.
	for start.NextSibling == nil || nextElement(start) == nil && start.Parent.DataAtom == atom.Header {
		if !isElement(start.Parent) || start.Parent == f.root || start.Parent.DataAtom == atom.Body {
			break
		}
		start = start.Parent
		if len(s.nodes) > 0 || start.DataAtom == atom.Section || start.DataAtom == atom.Article || start.DataAtom == atom.Main {
			return
		}
	}
	for next := start.NextSibling; next != nil && len(s.nodes) < 200; next = next.NextSibling {
		if !isElement(next) {
			continue
		}
		if l := headingLevel(next); l > 0 && l <= level || next.DataAtom == atom.Section {
			break
		}
		s.nodes = append(s.nodes, next)
	}
	if len(s.nodes) > 0 {
		f.sections = append(f.sections, s)
	}
}

// prose is the text of a section's paragraphs, up to a list or table.
func (s section) prose() (string, bool) {
	var parts []string
	for _, n := range s.nodes {
		switch n.DataAtom {
		case atom.P, atom.Div, atom.Span, atom.Address:
			t, ok := text(n, valueBytesMax)
			if !ok {
				return "", false
			}
			if t != "" {
				parts = append(parts, t)
			}
		default:
			if len(parts) == 0 {
				return "", false
			}
			return strings.Join(parts, "\n"), true
		}
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

// list returns the items of a section's first list.
func (s section) list() []*html.Node {
	for _, n := range s.nodes {
		if list := firstList(n, 3); list != nil {
			return items(list)
		}
	}
	return nil
}

// firstList finds a list in n, at most depth elements deep.
func firstList(n *html.Node, depth int) *html.Node {
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
		return n
	}
	if depth == 0 {
		return nil
	}
	for _, child := range children(n) {
		if list := firstList(child, depth-1); list != nil {
			return list
		}
	}
	return nil
}

func items(list *html.Node) []*html.Node {
	var out []*html.Node
	for _, child := range children(list) {
		if child.DataAtom == atom.Li {
			out = append(out, child)
		}
	}
	return out
}
