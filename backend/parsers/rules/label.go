package rules

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/clip"
)

// labelSource finds the value beside a visible label: the dd of a dt, the next cell, the next element, or the text after
// a colon in the same line.
type labelSource string

const (
	labelBytesMax = 100
	// labelledBytesMax is the maximum length of a value beside a label.
	labelledBytesMax = 2000
)

// foldLabel normalizes a label for comparison.
func foldLabel(s string) string {
	return strings.TrimSpace(strings.TrimRight(strings.ToLower(fold(s)), ":： "))
}

func (s labelSource) find(r *run, scope any, all bool) ([]any, error) {
	root := r.element(scope)
	if root == nil || s == "" {
		return nil, nil
	}
	var found []any
	for n := range root.Descendants() {
		if err := r.budget.step(1); err != nil {
			return nil, err
		}
		if n.Type != html.TextNode || n.Parent == nil || silent[n.Parent.DataAtom] {
			continue
		}
		if err := r.budget.look(len(n.Data)); err != nil {
			return nil, err
		}
		text := strings.ToLower(fold(n.Data))
		if !strings.HasPrefix(text, string(s)) {
			continue
		}
		value, err := s.beside(r, n, strings.TrimSpace(text[len(s):]))
		if err != nil {
			return nil, err
		}
		if value == "" {
			continue
		}
		if found = append(found, value); !all {
			break
		}
	}
	return found, nil
}

// beside returns the value of the label in text, whose remaining text is rest.
func (s labelSource) beside(r *run, text *html.Node, rest string) (string, error) {
	if rest != "" && !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "：") {
		return "", nil // another label with the same start
	}
	// The original text is used, because the folded text is in lower case.
	if _, value, ok := strings.Cut(strings.ReplaceAll(text.Data, "：", ":"), ":"); ok && fold(value) != "" {
		return clip.Bytes(fold(value), labelledBytesMax), nil
	}
	for n := text; n.Parent != nil; n = n.Parent {
		for next := n.NextSibling; next != nil; next = next.NextSibling {
			if err := r.budget.step(1); err != nil {
				return "", err
			}
			value, err := r.besideText(next)
			if err != nil || value != "" {
				return value, err
			}
		}
		if n.Type == html.ElementNode && (blocks[n.DataAtom] || n.DataAtom == atom.Body) {
			// Do not search beyond the label's own block, unless it fills a cell or term.
			break
		}
	}
	return "", nil
}

func (r *run) besideText(n *html.Node) (string, error) {
	switch n.Type {
	case html.TextNode:
		return strings.TrimSpace(strings.TrimLeft(clip.Bytes(fold(n.Data), labelledBytesMax), ":： ")), r.budget.look(len(n.Data))
	case html.ElementNode:
		text, err := r.lines(n)
		return strings.TrimSpace(strings.TrimLeft(clip.Bytes(strings.ReplaceAll(text, "\n", " "), labelledBytesMax), ":： ")), err
	}
	return "", nil
}
