package fill

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// list fills a list of texts, numbers or truth values: from the values of an item, the items under a label or heading, or
// a text that lists them.
func (f *filler) list(s *scope, w *want) (any, bool) {
	item := *w
	item.node = w.node.Items.View()
	for _, candidates := range [][]find{f.ofThings(s, w), f.ofLabels(s, w), f.ofSections(s, w), f.ofForm(s, &item)} {
		var out []any
		for _, found := range candidates[:min(len(candidates), recordsMax)] {
			if value, ok := f.value(&item, found); ok && !slices.Contains(out, value) {
				out = append(out, value)
			}
		}
		if len(out) > 0 {
			return out, true
		}
	}
	return nil, false
}

// ofThings are the values that structured data has for the best of the names.
func (f *filler) ofThings(s *scope, w *want) []find {
	var out []find
	for _, item := range s.items() {
		best := 0.0
		for _, found := range itemFinds(item, w) {
			if best == 0 || found.trust == best {
				best = found.trust
				out = append(out, f.parts(w, found)...)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return out
}

// parts are the items that a value lists: those of its element, or of its text.
func (f *filler) parts(w *want, found find) []find {
	if found.node != nil {
		if list := firstList(found.node, 3); list != nil {
			return nodeFinds(items(list))
		}
		if inner := children(found.node); len(inner) > 1 && ownText(found.node) == "" && alikeElements(inner) {
			return nodeFinds(inner)
		}
	}
	switch v := found.value.(type) {
	case *extract.Item:
		if list := v.Properties["itemListElement"]; len(list) > 0 {
			return valueFinds(list, found.trust)
		}
	case string:
		if isReference(w) || w.means("instructions", "comments", "reviews") || strings.HasPrefix(w.node.Items.Format, "date") {
			return []find{found}
		}
		return splitFinds(v, found)
	}
	return []find{found}
}

// alikeElements reports whether elements are of one kind, such as tags in a row.
func alikeElements(list []*html.Node) bool {
	return !slices.ContainsFunc(list, func(n *html.Node) bool { return n.DataAtom != list[0].DataAtom })
}

func nodeFinds(nodes []*html.Node) []find {
	var out []find
	for _, n := range nodes {
		if value, ok := text(n, valueBytesMax); ok && (value != "" || reference(n) != "") {
			out = append(out, find{value: value, node: n, trust: 1})
		}
	}
	return out
}

// splitFinds splits a text that lists things. It does not split sentences.
func splitFinds(text string, found find) []find {
	for _, mark := range []string{"\n", ";", "|", "•", "·", ","} {
		parts := strings.Split(text, mark)
		if len(parts) < 2 {
			continue
		}
		if mark == "," && (len(text)/len(parts) > 40 || strings.HasSuffix(strings.TrimSpace(text), ".")) {
			break
		}
		var out []find
		for _, part := range parts {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, find{value: part, trust: found.trust})
			}
		}
		return out
	}
	return []find{found}
}

// ofLabels are the values under the best label, or all that have the same class.
func (f *filler) ofLabels(s *scope, w *want) []find {
	var cells []find
	for _, cell := range s.row {
		if w.match(cell.label) >= leastTrust {
			cells = append(cells, f.parts(w, find{value: cell.text, trust: 1})...)
		}
	}
	if s.facts == nil || len(cells) > 0 {
		return cells
	}
	best := 0.0
	var out []find
	for _, fact := range s.facts.pairs {
		trust := w.matchKey(fact.label, fact.key) * fact.trust
		if trust < leastTrust || trust < best || fact.text == "-" && !isReference(w) {
			continue
		}
		if trust > best {
			out, best = nil, trust
		}
		if len(fact.more) > 0 {
			out = append(out, nodeFinds(append([]*html.Node{fact.node}, fact.more...))...)
			continue
		}
		out = append(out, f.parts(w, find{value: fact.text, node: fact.node, trust: trust})...)
	}
	return out
}

func (f *filler) ofSections(s *scope, w *want) []find {
	if s.facts == nil {
		return nil
	}
	for _, section := range s.facts.sections {
		if w.matchKey(section.label, section.key) >= almost {
			if list := section.list(); len(list) > 0 {
				return nodeFinds(list)
			}
		}
	}
	return nil
}

// ofForm are lists that need no label: mail addresses, telephone numbers, the page's keywords and images.
func (f *filler) ofForm(s *scope, item *want) []find {
	var out []find
	if s.facts != nil && item.means("email", "phone") || s.facts != nil && len(item.concepts) > 0 && social[item.concepts[0]] != nil {
		out = s.byForm(item)
	}
	if !s.isPage {
		// A card's only list is taken as its features.
		if s.facts != nil && item.means("features", "benefits", "specs") {
			if list := firstList(s.facts.root, 4); list != nil {
				out = append(out, nodeFinds(items(list))...)
			}
		}
		return out
	}
	for _, meta := range f.metas {
		switch {
		case item.means("tags") && (meta.name == "article:tag" || meta.name == "og:video:tag"):
			out = append(out, find{value: meta.content, trust: 0.5})
		case item.means("tags") && meta.name == "keywords":
			out = append(out, splitFinds(meta.content, find{value: meta.content})...)
		case item.means("image") && meta.name == "og:image":
			out = append(out, find{value: meta.content, trust: 0.5})
		}
	}
	return out
}

// isListOf reports whether n is an element that may contain records.
func isListOf(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Main, atom.Article, atom.Tbody, atom.Body, atom.Dl, atom.Form, atom.Td:
		return true
	}
	return false
}
