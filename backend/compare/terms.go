package compare

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pair returns the two parts of an element that says something and what it is: <div><div>Stock</div><div>12</div></div>.
func (r *reader) pair(n *html.Node) (term, value *html.Node, ok bool) {
	f := r.facts[n]
	if f.leaves != 2 || f.bytes > 160 {
		return nil, nil, false
	}
	var parts []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return nil, nil, false
		case c.Type == html.ElementNode && !isDropped(c) && r.facts[c].bytes > 0:
			if r.facts[c].leaves != 1 || headingLevel(c) > 0 || len(parts) == 2 {
				return nil, nil, false
			}
			parts = append(parts, c)
		}
	}
	if len(parts) != 2 || r.facts[parts[0]].bytes > 40 || r.facts[parts[0]].linked {
		return nil, nil, false
	}
	if strings.ContainsAny(textOf(parts[0]), "0123456789.!?") {
		return nil, nil, false
	}
	return parts[0], parts[1], true
}

func (r *reader) term(term, value *html.Node, at around) {
	at.kind, at.label = KindTerm, labelOf(textOf(term))
	if r.facts[value].blocky {
		r.block(value, at)
	} else {
		r.inline(value, at)
	}
	r.flush(at)
}

// terms makes the blocks of a description list, whose parts may be in div elements.
func (r *reader) terms(n *html.Node, at around, label *string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || isDropped(c) {
			continue
		}
		switch c.DataAtom {
		case atom.Dt:
			*label = labelOf(textOf(c))
		case atom.Dd:
			in := r.enter(c, at)
			in.kind, in.label = KindTerm, *label
			r.walk(c, in)
			r.flush(in)
		case atom.Div:
			r.terms(c, r.enter(c, at), label)
		}
	}
}

// code makes a block of each line.
func (r *reader) code(n *html.Node, at around) {
	at.kind = KindCode
	r.groups++
	at.group = r.groups
	for line := range strings.SplitSeq(rawText(n), "\n") {
		r.run.add(line)
		r.flush(at)
	}
}
