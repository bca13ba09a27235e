package rules

import (
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// silent are elements with invisible text.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Head: true, atom.Iframe: true,
}

// blocks are elements that start and end a line.
var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Br: true, atom.Dd: true, atom.Div: true,
	atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hr: true,
	atom.Li: true, atom.Main: true, atom.Nav: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Table: true,
	atom.Td: true, atom.Th: true, atom.Tr: true, atom.Ul: true, atom.Option: true, atom.Caption: true,
}

// take returns an attribute of n, or n in one of the take forms.
func (r *run) take(n *html.Node, attr, take string) (any, error) {
	if attr != "" {
		value := strings.TrimSpace(attrOf(n, attr))
		return value, r.budget.take(len(value))
	}
	switch take {
	case takeLines:
		text, err := r.lines(n)
		return text, err
	case takeHTML, takeOuterHTML:
		return r.markup(n, take == takeOuterHTML)
	}
	text, err := r.lines(n)
	return strings.ReplaceAll(text, "\n", " "), err
}

// lines is the text of n, with a line for each block and collapsed white space.
func (r *run) lines(n *html.Node) (string, error) {
	if n.DataAtom == atom.Input || n.DataAtom == atom.Meta || n.DataAtom == atom.Data {
		if value := attrOf(n, "value") + attrOf(n, "content"); value != "" {
			return fold(value), r.budget.take(len(value))
		}
	}
	w := &lineWriter{run: r}
	if silent[n.DataAtom] { // explicitly selected
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if err := w.write(child); err != nil {
				return "", err
			}
		}
	} else if err := w.write(n); err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.SplitSeq(w.out.String(), "\n") {
		if line = fold(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), nil
}

type lineWriter struct {
	run *run
	out strings.Builder
}

func (w *lineWriter) write(n *html.Node) error {
	if err := w.run.budget.step(1); err != nil {
		return err
	}
	switch n.Type {
	case html.TextNode:
		// A line break in the source counts as a space: only visible lines count.
		for _, c := range n.Data {
			if c == '\n' || c == '\r' {
				c = ' '
			}
			w.out.WriteRune(c)
		}
		return w.run.budget.take(len(n.Data))
	case html.ElementNode, html.DocumentNode:
	default:
		return nil
	}
	if silent[n.DataAtom] && n.Namespace == "" {
		return nil
	}
	isBlock := blocks[n.DataAtom]
	if isBlock {
		w.out.WriteByte('\n')
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if err := w.write(child); err != nil {
			return err
		}
	}
	if isBlock {
		w.out.WriteByte('\n')
	}
	return nil
}

func (r *run) markup(n *html.Node, outer bool) (string, error) {
	size := 0
	for d := range n.Descendants() {
		size += len(d.Data) + 5
		for _, a := range d.Attr {
			size += len(a.Key) + len(a.Val) + 4
		}
		if err := r.budget.step(1); err != nil {
			return "", err
		}
	}
	if err := r.budget.take(size); err != nil {
		return "", err
	}
	var out strings.Builder
	if outer {
		err := html.Render(&out, n)
		return out.String(), err
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if err := html.Render(&out, child); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(out.String()), nil
}

// fold collapses each run of white space to one space and trims both ends.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// baseOf is the base URL of references (HTML standard 4.2.3); nil if it is not known.
func baseOf(root *html.Node, address string) *whatwg.Url {
	base, err := whatwg.Parse(address)
	if err != nil {
		base = nil
	}
	if root == nil {
		return base
	}
	for n := range root.Descendants() {
		href := attrOf(n, "href")
		if n.DataAtom != atom.Base || href == "" {
			continue
		}
		var said *whatwg.Url
		if base != nil {
			said, err = base.Parse(href)
		} else {
			said, err = whatwg.Parse(href)
		}
		if err == nil && (said.Scheme() == "http" || said.Scheme() == "https") {
			return said
		}
		break
	}
	return base
}

const referenceBytesMax = 8192

// absolute resolves a reference; false if it is not a URL.
func (r *run) absolute(ref string) (string, bool) {
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > referenceBytesMax {
		return "", false
	}
	var u *whatwg.Url
	var err error
	if r.base != nil {
		u, err = r.base.Parse(ref)
	} else {
		u, err = whatwg.Parse(ref)
	}
	if err != nil {
		return "", false
	}
	return u.Href(false), true
}
