package fill

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	// coverageMin is the share of the properties that records must have if no name identifies them as the wanted ones.
	coverageMin  = 0.6
	coverageSaid = 0.34
	groupsMax    = 60
	cardsMax     = recordsMax
	trialMax     = 20 // records that are filled to judge a set
)

// recordSet is a candidate for the items of a list of objects.
type recordSet struct {
	scopes []*scope
	// said is how well the set's name, caption or class matches the list's, 0–1.
	said float64
	// least is the least number of records for a list: two for tables and cards.
	least int
}

// records fills a list of objects from the set of records that has most of their properties.
func (f *filler) records(s *scope, w *want, item *jsonschema.Node, depth int) (any, bool) {
	if depth >= depthMax {
		return nil, false
	}
	var best *recordSet
	bestScore := 0.0
	for _, set := range f.sets(s, w, item) {
		if len(set.scopes) < set.least {
			continue
		}
		for _, record := range set.scopes {
			record.list = w
		}
		coverage, columns := f.coverage(set, item)
		needed := coverageMin
		if set.said > 0 {
			needed = coverageSaid
		}
		if coverage < needed || columns < 2 && len(item.Properties) > 1 {
			continue
		}
		if score := coverage + set.said; score > bestScore {
			best, bestScore = &set, score
		}
	}
	if best == nil {
		return nil, false
	}
	out := []any{}
	for _, record := range best.scopes[:min(len(best.scopes), recordsMax)] {
		if value, ok := f.object(record, item, nil, depth+1); ok {
			out = append(out, value)
		}
	}
	return out, len(out) > 0
}

// coverage is the share of the properties that the first records have, and how many of the properties any of them has.
func (f *filler) coverage(set recordSet, item *jsonschema.Node) (float64, int) {
	trial := set.scopes[:min(len(set.scopes), trialMax)]
	columns := map[string]bool{}
	filled := 0
	for _, record := range trial {
		value, _ := f.object(record, item, nil, depthMax-1)
		for _, p := range item.Properties {
			if v, ok := value[p.Name]; ok && v != nil && !p.Node.View().HasDefault && !p.Node.View().Const {
				columns[p.Name] = true
				filled++
			}
		}
	}
	return float64(filled) / float64(max(1, len(trial)*len(item.Properties))), len(columns)
}

// sets are all candidates for the records.
func (f *filler) sets(s *scope, w *want, item *jsonschema.Node) []recordSet {
	var out []recordSet
	for _, thing := range s.items() {
		if set := f.ofItem(thing, w); len(set.scopes) > 0 {
			out = append(out, set)
		}
	}
	if s.isPage {
		out = append(out, f.ofTypes(w)...)
		out = append(out, f.ofTables(w)...)
	}
	if s.facts != nil {
		out = append(out, f.ofPairs(s, w, item)...)
		out = append(out, f.ofCards(s, w)...)
	}
	return out
}

// ofItem are the items that an item has under the list's name.
func (f *filler) ofItem(thing *extract.Item, w *want) recordSet {
	set := recordSet{said: 0.5, least: 1}
	best := 0.0
	for _, found := range itemFinds(thing, w) {
		if best != 0 && found.trust != best {
			continue
		}
		inner, ok := found.value.(*extract.Item)
		if !ok {
			continue
		}
		best = found.trust
		set.scopes = append(set.scopes, f.unwrap(inner)...)
	}
	return set
}

// unwrap replaces list items and lists by their contents.
func (f *filler) unwrap(item *extract.Item) []*scope {
	if list := item.Properties["itemListElement"]; len(list) > 0 {
		var out []*scope
		for _, value := range list[:min(len(list), recordsMax)] {
			if inner, ok := value.(*extract.Item); ok {
				out = append(out, f.unwrap(inner)...)
			}
		}
		return out
	}
	if inner, ok := firstItem(item.Properties["item"]); ok && slices.Contains(item.Types, "ListItem") {
		return []*scope{{filler: f, item: inner, second: []*extract.Item{item}}}
	}
	return []*scope{{filler: f, item: item}}
}

// ofTypes are the page's items by type, and its lists.
func (f *filler) ofTypes(w *want) []recordSet {
	byType := map[string]*recordSet{}
	var order []string
	for _, item := range f.things() {
		if slices.Contains(item.Types, "BreadcrumbList") && !strings.Contains(strings.Join(w.names[0], ""), "crumb") {
			continue
		}
		kind := strings.Join(item.Types, " ")
		if isStructural(item) && kind != "ItemList" && kind != "BreadcrumbList" && kind != "Offer" && kind != "Review" {
			continue
		}
		set := byType[kind]
		if set == nil {
			set = &recordSet{least: 2}
			if w.match(words(kind)) > 0 || slices.ContainsFunc(w.names, func(name []string) bool { return key(name) == key(words(kind)) }) || w.means("items") {
				set.said = 0.4
			}
			byType[kind] = set
			order = append(order, kind)
		}
		set.scopes = append(set.scopes, f.unwrap(item)...)
	}
	var out []recordSet
	for _, kind := range order {
		out = append(out, *byType[kind])
	}
	return out
}

// ofTables are the rows of tables with headers.
func (f *filler) ofTables(w *want) []recordSet {
	if f.document.Structured == nil {
		return nil
	}
	var out []recordSet
	for _, table := range f.document.Structured.Tables {
		if len(table.Header) == 0 {
			continue
		}
		set := recordSet{least: 1, said: 0.05}
		if w.match(words(table.Caption)) > 0 {
			set.said = 0.3
		}
		for _, row := range table.Rows[:min(len(table.Rows), recordsMax)] {
			record := &scope{filler: f}
			for i, cell := range row[:min(len(row), len(table.Header))] {
				if label, unit := labelOf(table.Header[i]); len(label) > 0 && strings.TrimSpace(cell) != "" {
					record.row = append(record.row, fact{label: label, unit: unit, text: fold(cell), trust: 1})
				}
			}
			set.scopes = append(set.scopes, record)
		}
		out = append(out, set)
	}
	return out
}

// ofPairs are the pairs of label and value themselves, for lists of names with values: technical data, or questions with
// answers.
func (f *filler) ofPairs(s *scope, w *want, item *jsonschema.Node) []recordSet {
	if len(item.Properties) != 2 {
		return nil
	}
	first, second := newWant(item.Properties[0].Name, item.Properties[0].Node, nil), newWant(item.Properties[1].Name, item.Properties[1].Node, nil)
	isPair := pairNames[strings.Join(first.names[0], "")] && pairValues[strings.Join(second.names[0], "")]
	isFAQ := first.means("question") && second.means("answer")
	if !isPair && !isFAQ {
		return nil
	}
	var out []recordSet
	add := func(said float64, label, value string, set *recordSet) {
		set.said, set.least = said, 2
		set.scopes = append(set.scopes, &scope{filler: f, row: []fact{{label: first.names[0], text: label}, {label: second.names[0], text: value}}})
	}
	if isPair && !w.means("specs") {
		return nil
	}
	var set recordSet
	for n := range s.facts.root.Descendants() {
		label, value, ok := pairOf(n, isFAQ)
		if ok {
			add(0.2, label, value, &set)
		}
	}
	if isFAQ && len(set.scopes) == 0 {
		for _, section := range s.facts.sections {
			if prose, ok := section.prose(); ok && section.isQuestion() {
				add(0.2, section.title, prose, &set)
			}
		}
	}
	return append(out, set)
}

var (
	pairNames  = set("name key label property attribute spec title feature parameter")
	pairValues = set("value val text data content")
)

// pairOf reads a dt with its dd, a row of two cells, or details with their summary.
func pairOf(n *html.Node, isFAQ bool) (string, string, bool) {
	switch n.DataAtom {
	case atom.Dt:
		label, ok := text(n, 300)
		next := n.NextSibling
		for next != nil && !isElement(next) {
			next = next.NextSibling
		}
		if next == nil || next.DataAtom != atom.Dd || !ok {
			return "", "", false
		}
		value, ok := text(next, valueBytesMax)
		return label, value, ok
	case atom.Tr:
		cells := children(n)
		if isFAQ || len(cells) != 2 || cells[1].DataAtom != atom.Td || cells[0].DataAtom != atom.Th {
			return "", "", false
		}
		label, ok1 := text(cells[0], 100)
		value, ok2 := text(cells[1], valueBytesMax)
		return strings.TrimRight(label, " :"), value, ok1 && ok2
	case atom.Summary:
		if !isElement(n.Parent) || n.Parent.DataAtom != atom.Details || !isFAQ {
			return "", "", false
		}
		label, ok1 := text(n, 300)
		whole, ok2 := text(n.Parent, valueBytesMax)
		return label, strings.TrimSpace(strings.TrimPrefix(whole, label)), ok1 && ok2
	}
	return "", "", false
}

// group are siblings of one make: cards.
type group struct {
	cards []*html.Node
	label []string // the words of their class, and of that of their parent
}

// ofCards are the groups of similar elements within a scope.
func (f *filler) ofCards(s *scope, w *want) []recordSet {
	var groups []group
	if s.isPage {
		if !f.grouped {
			f.groups, f.grouped = findGroups(f.root), true
		}
		groups = f.groups
	} else {
		groups = findGroups(s.facts.root)
	}
	var named []section
	for _, section := range s.facts.sections {
		if w.matchKey(section.label, section.key) > 0 {
			named = append(named, section)
		}
	}
	var out []recordSet
	for _, g := range groups {
		set := recordSet{least: 2, said: saysOf(named, g, w)}
		for _, card := range g.cards[:min(len(g.cards), cardsMax)] {
			facts := f.inCard[card]
			if facts == nil {
				var err error
				if facts, err = collect(f.ctx, card, false); err != nil {
					return nil
				}
				f.inCard[card] = facts
			}
			set.scopes = append(set.scopes, &scope{filler: f, facts: facts})
		}
		out = append(out, set)
	}
	return out
}

// saysOf is how well a group of cards is named like the list: by their class, or the heading above them.
func saysOf(named []section, g group, w *want) float64 {
	if slices.ContainsFunc(w.names, func(name []string) bool {
		return slices.ContainsFunc(g.label, func(word string) bool { return singular(word) == singular(name[len(name)-1]) })
	}) {
		return 0.3
	}
	if slices.ContainsFunc(g.label, func(word string) bool { return w.match([]string{word}) > 0 && !vague[word] }) {
		return 0.25
	}
	for _, section := range named {
		if slices.ContainsFunc(section.nodes, func(n *html.Node) bool { return n == g.cards[0] || n == g.cards[0].Parent }) {
			return 0.3
		}
	}
	return 0
}

// findGroups finds elements that have two or more children of one make with several parts each.
func findGroups(root *html.Node) []group {
	var out []group
	seen := 0
	for n := range root.Descendants() {
		if seen++; seen > nodesMax || len(out) >= groupsMax {
			break
		}
		if !isElement(n) || !isListOf(n) || hidden(n) || inFrame(n, root) {
			continue
		}
		byMake := map[string][]*html.Node{}
		var order []string
		for _, child := range children(n) {
			m := makeOf(child)
			if m == "" || len(byMake[m]) == 0 && len(order) > 20 {
				continue
			}
			if len(byMake[m]) == 0 {
				order = append(order, m)
			}
			byMake[m] = append(byMake[m], child)
		}
		for _, m := range order {
			if cards := byMake[m]; len(cards) >= 2 && parts(cards[0]) >= 2 {
				out = append(out, group{cards: cards, label: words(attr(cards[0], "class") + " " + attr(n, "class") + " " + attr(n, "id"))})
			}
		}
	}
	return out
}

func inFrame(n, root *html.Node) bool {
	for ; isElement(n) && n != root; n = n.Parent {
		if frame(n) {
			return true
		}
	}
	return false
}

// makeOf is what an element has in common with others of its kind: its name and first class.
func makeOf(n *html.Node) string {
	switch n.DataAtom {
	case atom.Li, atom.Article, atom.Div, atom.Section, atom.Tr, atom.A, atom.Details, atom.Figure:
	default:
		return ""
	}
	class := ""
	for name := range strings.FieldsSeq(attr(n, "class")) {
		class = name
		break
	}
	return n.Data + "." + class
}

// parts is how many pieces of text n has, up to a few.
func parts(n *html.Node) int {
	count := 0
	for child := range n.Descendants() {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			if count++; count > 3 {
				break
			}
		}
	}
	return count
}
