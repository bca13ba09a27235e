package markdown

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// A settled reference to a footnote is an element whose name and attribute no page can write.
const (
	noteElement = "\x00note"
	noteLabel   = "\x00label"
	// notesMax bounds the references to footnotes of a page, and noteNodesMax the nodes of their copies.
	notesMax     = 2000
	noteNodesMax = 100_000
)

func isNote(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == noteElement }

// footnotes are those of a page.
type footnotes struct {
	// references are the links to notes, in the order of the page.
	references []reference
	list       []*footnote
}

// reference is a link to a note.
type reference struct {
	link *html.Node
	note *footnote
}

// footnote is a note: its place, and a copy of its content, since it may be outside of what is kept.
type footnote struct {
	at   *html.Node
	body *html.Node
	// label is its name in markdown; empty while nothing that is kept refers to it.
	label string
	// mark is its name on the page.
	mark string
	// kept reports that the note itself is part of what is kept.
	kept bool
}

// written are the notes with references, in the order of the references.
func (f *footnotes) written() []*footnote {
	if f == nil {
		return nil
	}
	var list []*footnote
	for _, note := range f.list {
		if note.label != "" {
			list = append(list, note)
		}
	}
	return list
}

// findNotes finds the page's footnotes: links that look like references and whose targets exist.
func (p *Page) findNotes() *footnotes {
	f := &footnotes{}
	links := map[string][]*html.Node{}
	var order []string
	count := 0
	for n := range p.Root.Descendants() {
		if n.DataAtom != atom.A || count >= notesMax {
			continue
		}
		if id := p.references.Fragment(n); id != "" && looksLikeNoteReference(n, id) {
			if links[id] == nil {
				order = append(order, id)
			}
			links[id] = append(links[id], n)
			count++
		}
	}
	if count == 0 {
		return f
	}
	targets := map[string]*html.Node{}
	position := map[*html.Node]int{} // of the links and targets, in the order of the page
	i := 0
	for n := range p.Root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		i++
		for _, name := range []string{"id", "name"} {
			if id := dom.Attr(n, name); id != "" && links[id] != nil && targets[id] == nil {
				targets[id] = n
				position[n] = i
			}
		}
		if n.DataAtom == atom.A {
			position[n] = i
		}
	}
	seen := map[*html.Node]*footnote{}
	for _, id := range order {
		at := noteBody(targets[id])
		if at == nil {
			continue
		}
		note := seen[at]
		if note == nil {
			note = &footnote{at: at}
			seen[at] = note
			f.list = append(f.list, note)
		}
		for _, link := range links[id] {
			// Notes come after their references: a link backwards, or within the note itself, is not one.
			if position[link] < position[targets[id]] && !within(link, at) {
				f.references = append(f.references, reference{link: link, note: note})
			}
		}
	}
	sortByPosition(f.references, position)
	return f
}

// noteNames are the prefixes of notes' identifiers, as wikis and markdown processors write them.
var noteNames = []string{"fn", "footnote", "cite_note", "note", "endnote", "_ftn", "ftnt", "user-content-fn", "_edn", "sdfootnote", "easy-footnote", "ref-", "bib", "cite_note-"}

var noteClasses = dom.Words("footnote-ref footnoteref footnote-reference footnote-link footnote-anchor footnote fn-ref fnref note-ref simple-footnote easy-footnote")

// looksLikeNoteReference reports whether a link within its page refers to a footnote: it is marked as such, or is a small
// mark whose target has a typical name.
func looksLikeNoteReference(a *html.Node, id string) bool {
	if strings.Contains(dom.Attr(a, "role"), "backlink") || dom.HasAttr(a, "data-footnote-backref") || strings.Contains(dom.Attr(a, "class"), "back") {
		return false
	}
	if dom.HasAttr(a, "data-footnote-ref") || dom.Attr(a, "role") == "doc-noteref" || dom.Attr(a, "epub:type") == "noteref" {
		return true
	}
	text := strings.Trim(dom.Fold(dom.Visible(dom.Text(a))), "[]()")
	if text == "" || len(text) > 12 || strings.ContainsAny(text, "^↩↑←⏎ ") {
		return false
	}
	named := false
	lower := strings.ToLower(id)
	if !strings.Contains(lower, "ref") || strings.HasPrefix(lower, "ref-") {
		for _, name := range noteNames {
			named = named || strings.HasPrefix(lower, name)
		}
	}
	raised := false
	for n, level := a, 0; n != nil && level < 3; n, level = n.Parent, level+1 {
		raised = raised || n.DataAtom == atom.Sup || dom.HasClass(n, noteClasses)
	}
	for child := range a.Descendants() {
		raised = raised || child.DataAtom == atom.Sup
	}
	return raised && (named || isNoteMark(text))
}

// isNoteMark reports whether text is a usual mark of notes.
func isNoteMark(text string) bool {
	return strings.Trim(text, "0123456789") == "" && len(text) < 5 || strings.Trim(text, "*†‡§¶") == "" || len(text) == 1
}

// noteBody is the block that a note's target is, or is at the beginning of.
func noteBody(target *html.Node) *html.Node {
	for n, level := target, 0; n != nil && level < 4; n, level = n.Parent, level+1 {
		switch n.DataAtom {
		case atom.Li, atom.P, atom.Dd, atom.Td, atom.Tr, atom.Aside, atom.Div, atom.Blockquote:
			if level > 0 && n.DataAtom == atom.Div && !startsWith(n, target) {
				return nil
			}
			if containsHeading(n) {
				return nil
			}
			return n
		case atom.Dt:
			for next := n.NextSibling; next != nil; next = next.NextSibling {
				if next.DataAtom == atom.Dd {
					return next
				}
			}
			return nil
		case atom.Body, atom.Html, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Main, atom.Article, atom.Section, atom.Table, atom.Ul, atom.Ol:
			return nil
		}
	}
	return nil
}

// startsWith reports whether target is the first content of n.
func startsWith(n, target *html.Node) bool {
	for child := range n.Descendants() {
		if child == target {
			return true
		}
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			return false
		}
	}
	return false
}

func containsHeading(n *html.Node) bool {
	for child := range n.Descendants() {
		if dom.IsHeading(child) {
			return true
		}
	}
	return false
}

func within(n, outer *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// copyNotes copies the notes' contents, before what is around them may be removed.
func (p *Page) copyNotes(f *footnotes) {
	back := map[string]bool{}
	for _, r := range f.references {
		for n, level := r.link, 0; n != nil && level < 3; n, level = n.Parent, level+1 {
			if id := dom.Attr(n, "id"); id != "" {
				back[id] = true
			}
		}
	}
	left := noteNodesMax
	for _, note := range f.list {
		note.body = p.copyNote(note.at, back, &left)
	}
}

var backClasses = dom.Words("mw-cite-backlink footnote-backref footnote-back footnote-return backlink reversefootnote fn-backref fn-backref-list data-footnote-backref")

// copyNote copies a tree without the links that lead back to the text and without the note's own number.
func (p *Page) copyNote(n *html.Node, back map[string]bool, left *int) *html.Node {
	clone := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	p.references.Copied(n, clone)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if *left--; *left < 0 {
			break // notes within notes, each of which contains all that follow
		}
		if !p.isBackLink(child, back) {
			clone.AppendChild(p.copyNote(child, back, left))
		}
	}
	return clone
}

func (p *Page) isBackLink(n *html.Node, back map[string]bool) bool {
	if n.Type != html.ElementNode {
		return false
	}
	if dom.HasClass(n, backClasses) || strings.Contains(dom.Attr(n, "role"), "doc-backlink") || dom.HasAttr(n, "data-footnote-backref") {
		return true
	}
	if n.DataAtom == atom.Span && dom.HasClass(n, map[string]bool{"label": true, "fn-bracket": true}) {
		return true
	}
	if n.DataAtom == atom.Sup && len(dom.Text(n)) < 6 && n.PrevSibling == nil && isNoteMark(strings.Trim(dom.Fold(dom.Text(n)), "[].")) {
		return true
	}
	return n.DataAtom == atom.A && back[p.references.Fragment(n)] && len(dom.Text(n)) < 40
}

// forget drops notes that are no longer under root: the client had them removed.
func (f *footnotes) forget(root *html.Node) {
	f.references = slices.DeleteFunc(f.references, func(r reference) bool { return !within(r.note.at, root) })
	f.list = slices.DeleteFunc(f.list, func(note *footnote) bool { return !within(note.at, root) })
}

// sortByPosition puts references into the order of the page.
func sortByPosition(references []reference, position map[*html.Node]int) {
	slices.SortStableFunc(references, func(a, b reference) int { return position[a.link] - position[b.link] })
}
