package reader

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	// recordsMax is the greatest number of items in a list.
	recordsMax = 1000
	// coverageMin is the share of the properties that records must have; coverageSaid if a name tells that they are the wanted ones.
	coverageMin, coverageSaid = 0.6, 0.34
	// trialMax is how many records are filled to judge a set.
	trialMax = 20
)

// recordSet is a candidate for the items of a list of objects.
type recordSet struct {
	scopes []*scope
	// said is how well the set's name, caption or class is the list's, 0–1.
	said float64
	// least is the least number of records for a list.
	least int
}

// records fills a list of objects from the set of records that has most of their properties.
func (f *filler) records(s *scope, l *leaf, depth int) (any, bool) {
	if depth >= depthMax {
		return nil, false
	}
	item := l.node.Items.View()
	var best []*scope
	most := 0.0
	for _, set := range f.sets(s, l) {
		if len(set.scopes) < set.least {
			continue
		}
		columns := map[string]bool{}
		filled := 0
		trial := set.scopes[:min(len(set.scopes), trialMax)]
		for _, record := range trial {
			record.owner = l.names[0]
			value, _ := f.object(record, item, "", "", depthMax-1)
			for _, p := range item.Properties {
				if view := p.Node.View(); value[p.Name] != nil && !view.HasDefault && !view.Const {
					columns[p.Name] = true
					filled++
				}
			}
		}
		coverage, needed := float64(filled)/float64(len(trial)*len(item.Properties)), coverageMin
		if set.said > 0 {
			needed = coverageSaid
		}
		if coverage >= needed && (len(columns) > 1 || len(item.Properties) == 1) && coverage+set.said > most {
			best, most = set.scopes, coverage+set.said
		}
	}
	var out []any
	for _, record := range best[:min(len(best), recordsMax)] {
		record.owner = l.names[0]
		if value, ok := f.object(record, item, "", "", depth+1); ok {
			out = append(out, value)
		}
	}
	return out, len(out) > 0
}

// sets are all candidates for the records.
func (f *filler) sets(s *scope, l *leaf) []recordSet {
	var out []recordSet
	if s.item != nil {
		set := recordSet{said: 0.5, least: 1}
		for _, value := range l.in(s.item) {
			if inner, ok := value.(*extract.Item); ok {
				set.scopes = append(set.scopes, unwrap(inner)...)
			}
		}
		out = append(out, set)
	}
	if s.isPage {
		out = append(append(out, f.ofTypes(l)...), f.ofTables(l)...)
	}
	if s.isPage || s.card != nil {
		out = append(out, f.ofCards(s, l)...)
	}
	return out
}

// unwrap replaces list items and lists by their contents.
func unwrap(item *extract.Item) []*scope {
	var out []*scope
	for _, value := range item.Properties["itemListElement"][:min(len(item.Properties["itemListElement"]), recordsMax)] {
		if inner, ok := value.(*extract.Item); ok {
			out = append(out, unwrap(inner)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	if inner, ok := firstItem(item.Properties["item"]); ok && slices.Contains(item.Types, "ListItem") {
		item = inner
	}
	return []*scope{{item: item}}
}

// ofTypes are the page's items by type, and its lists.
func (f *filler) ofTypes(l *leaf) []recordSet {
	var kinds []string
	byKind := map[string]*recordSet{}
	for _, item := range f.page.items() {
		kind := strings.Join(item.Types, " ")
		if kind == "" || structural[kind] && kind != "ItemList" {
			continue
		}
		if byKind[kind] == nil {
			byKind[kind] = &recordSet{least: 2}
			if labelOf(kind) == l.names[0] {
				byKind[kind].said = 0.4
			}
			kinds = append(kinds, kind)
		}
		byKind[kind].scopes = append(byKind[kind].scopes, unwrap(item)...)
	}
	var out []recordSet
	for _, kind := range kinds {
		out = append(out, *byKind[kind])
	}
	return out
}

// labelUnit is a unit in the brackets of a label: "Area (km²)".
var labelUnit = regexp.MustCompile(`\(([^)]*)\)`)

// ofTables are the rows of tables with headers.
func (f *filler) ofTables(l *leaf) []recordSet {
	if f.document.Structured == nil {
		return nil
	}
	var out []recordSet
	for _, table := range f.document.Structured.Tables {
		set := recordSet{least: 1, said: 0.05}
		if strings.Contains(" "+labelOf(table.Caption)+" ", " "+l.names[0]+" ") {
			set.said = 0.3
		}
		var labels []fact
		for _, header := range table.Header {
			label := fact{label: labelOf(labelUnit.ReplaceAllString(header, ""))}
			if m := labelUnit.FindStringSubmatch(header); m != nil {
				label.unit = strings.ToLower(m[1])
			}
			labels = append(labels, label)
		}
		for _, row := range table.Rows[:min(len(table.Rows), recordsMax)] {
			record := &scope{}
			for i, cell := range row[:min(len(row), len(labels))] {
				if strings.TrimSpace(cell) != "" {
					record.row = append(record.row, fact{label: labels[i].label, unit: labels[i].unit, text: cell})
				}
			}
			set.scopes = append(set.scopes, record)
		}
		if len(labels) > 0 {
			out = append(out, set)
		}
	}
	return out
}

// ofCards are the groups of similar elements within a scope.
func (f *filler) ofCards(s *scope, l *leaf) []recordSet {
	root := f.page.root
	groups := f.groups
	switch {
	case s.card != nil:
		groups = groupsIn(s.card.root)
	case root == nil:
		return nil
	case groups == nil:
		groups = groupsIn(root)
		f.groups = groups
	}
	var out []recordSet
	for _, g := range groups {
		set := recordSet{least: 2}
		if strings.Contains(" "+g.label+" ", " "+l.names[0]+" ") {
			set.said = 0.3
		}
		for i := range g.cards {
			set.scopes = append(set.scopes, &scope{card: &g.cards[i]})
		}
		out = append(out, set)
	}
	return out
}
