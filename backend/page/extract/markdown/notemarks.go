package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// settle turns the links with notes into references, and removes the notes from their places.
func (f *footnotes) settle(root *html.Node) {
	if f == nil {
		return
	}
	if len(f.references) == 0 {
		f.list = nil
		return
	}
	kept := map[*html.Node]bool{}
	for n := range root.Descendants() {
		kept[n] = true
	}
	var order []*footnote
	labels := map[string]bool{}
	for _, r := range f.references {
		if !kept[r.link] || r.link.Parent == nil {
			continue
		}
		text := strings.Trim(dom.Fold(dom.Visible(dom.Text(r.link))), "[]() ")
		if r.note.label == "" {
			order = append(order, r.note)
			r.note.mark = text
			r.note.label = text
			if !isLabel(text) || labels[text] {
				r.note.label = freeLabel(labels, len(order))
			}
			labels[r.note.label] = true
			dropMark(r.note.body, text)
		}
		mark := &html.Node{Type: html.ElementNode, Data: noteElement, Attr: []html.Attribute{{Key: noteLabel, Val: r.note.label}}}
		mark.AppendChild(&html.Node{Type: html.TextNode, Data: "[" + text + "]"})
		at := r.link
		for at.Parent.DataAtom == atom.Sup || at.Parent.DataAtom == atom.Span && at.Parent != root && isOnly(at) {
			if !isOnly(at) {
				break
			}
			at = at.Parent
		}
		at.Parent.InsertBefore(mark, at)
		at.Parent.RemoveChild(at)
	}
	f.list = order
	for _, note := range order {
		if kept[note.at] && note.at != root {
			note.kept = true
			removeWithWrapper(note.at, root)
		}
	}
}

// dropMark removes a note's mark from the beginning of its content.
func dropMark(body *html.Node, mark string) {
	for n := range body.Descendants() {
		if n.Type != html.TextNode || strings.TrimSpace(n.Data) == "" {
			continue
		}
		text := strings.TrimLeft(n.Data, " \t\r\n[(")
		if rest, found := strings.CutPrefix(text, mark); found && mark != "" && (rest == "" || strings.ContainsRune(" \t\n.)]:", rune(rest[0]))) {
			n.Data = strings.TrimLeft(rest, ".)]: \t\n")
		}
		return
	}
}

// isLabel reports whether s is a valid label for a footnote in markdown.
func isLabel(s string) bool {
	for i := range len(s) {
		if !dom.IsLetter(s[i]) && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 12
}

// freeLabel is a number that no footnote has yet.
func freeLabel(taken map[string]bool, from int) string {
	for taken[strconv.Itoa(from)] {
		from++
	}
	return strconv.Itoa(from)
}

// isOnly reports whether n is the only visible content of its parent.
func isOnly(n *html.Node) bool {
	for child := n.Parent.FirstChild; child != nil; child = child.NextSibling {
		if child == n || child.Type == html.CommentNode {
			continue
		}
		if child.Type != html.TextNode || strings.Trim(dom.Fold(child.Data), "[]() ") != "" {
			return false
		}
	}
	return true
}

// removeWithWrapper removes n, and empty elements that are left around it with their heading.
func removeWithWrapper(n, root *html.Node) {
	for {
		parent := n.Parent
		if parent == nil {
			return
		}
		parent.RemoveChild(n)
		if parent == root || parent.DataAtom == atom.Body {
			return
		}
		if hasContent(parent) {
			return
		}
		dropHeading(parent, root)
		n = parent
	}
}

// hasContent reports whether n has anything but headings and lines.
func hasContent(n *html.Node) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) != "":
			return true
		case child.Type != html.ElementNode, dom.IsHeading(child), child.DataAtom == atom.Hr, dom.HasClass(child, headingClasses):
		case child.DataAtom == atom.Img, isMath(child):
			return true
		case hasContent(child):
			return true
		}
	}
	return false
}

var headingClasses = dom.Words("mw-heading footnotes-title footnote-title sr-only")

var navigationClasses = dom.Words("navbox navbox-styles catlinks printfooter authority-control")

// dropHeading removes the heading and the line before a list of notes that is now empty, unless more follows there.
func dropHeading(list, root *html.Node) {
	for after := list.NextSibling; after != nil; after = after.NextSibling {
		if after.Type == html.TextNode && strings.TrimSpace(after.Data) != "" {
			return
		}
		if after.Type == html.ElementNode && !dom.IsInvisible(after) && !dom.HasClass(after, navigationClasses) {
			if dom.IsHeading(after) || dom.HasClass(after, headingClasses) {
				break
			}
			if dom.HasText(after) {
				return
			}
		}
	}
	for before := list.PrevSibling; before != nil; {
		previous := before.PrevSibling
		switch {
		case before.Type == html.TextNode && strings.TrimSpace(before.Data) != "":
			return
		case before.Type != html.ElementNode:
		case dom.IsHeading(before), dom.HasClass(before, headingClasses):
			if before != root {
				before.Parent.RemoveChild(before)
			}
			return
		case before.DataAtom == atom.Hr:
			before.Parent.RemoveChild(before)
		case dom.HasText(before):
			return
		}
		before = previous
	}
}
