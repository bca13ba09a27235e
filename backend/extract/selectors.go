package extract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	selectorsMax     = 200
	selectorBytesMax = 1000
	// ctxEvery is how many elements are matched between two looks at the context: a selector with :has or ~ may look
	// at the whole tree for each.
	ctxEvery = 64
)

// plan is Options, checked and compiled.
type plan struct {
	selectors    []cascadia.Sel
	classes      []string
	removeImages bool
	mainContent  bool
	base         *whatwg.Url
	nodesMax     int
}

// compile reports all faults.
func (o Options) compile() (*plan, error) {
	p := &plan{classes: o.RemoveClassNames, removeImages: o.RemoveImages, nodesMax: o.NodesMax}
	if p.nodesMax <= 0 {
		p.nodesMax = nodesMaxDefault
	}
	var errs []error
	switch o.Transformer {
	case "", TransformerNone:
	case TransformerPostlight:
		p.mainContent = true
	default:
		errs = append(errs, fmt.Errorf("%w: transformer %.40q is not one of none, postlight", ErrInvalidOption, o.Transformer))
	}
	if o.BaseURL != "" {
		base, err := whatwg.Parse(o.BaseURL)
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: base URL %.200q: %w", ErrInvalidOption, o.BaseURL, err))
		}
		p.base = base
	}
	selectors := o.RemoveSelectors
	if selectors == nil && !p.mainContent {
		selectors = DefaultSelectors()
	}
	if len(selectors) > selectorsMax {
		errs = append(errs, fmt.Errorf("%w: %d selectors, at most %d", ErrInvalidOption, len(selectors), selectorsMax))
		selectors = nil
	}
	for _, selector := range selectors {
		sels, err := compileSelector(selector)
		if err != nil {
			errs = append(errs, &SelectorError{Selector: selector, Err: err})
		}
		p.selectors = append(p.selectors, sels...)
	}
	return p, errors.Join(errs...)
}

// CheckSelectors reports which of selectors are not valid, without a page, each as a *SelectorError.
func CheckSelectors(selectors []string) error {
	_, err := Options{RemoveSelectors: append([]string{}, selectors...)}.compile()
	return err
}

func compileSelector(selector string) ([]cascadia.Sel, error) {
	if strings.TrimSpace(selector) == "" {
		return nil, errors.New("it is empty")
	}
	if len(selector) > selectorBytesMax {
		return nil, fmt.Errorf("it is longer than %d bytes", selectorBytesMax)
	}
	return cascadia.ParseGroup(selector)
}

// remove takes out what the options name. The root and body stay: a selector that matches them empties them.
func (p *page) remove(*Document) error {
	if len(p.plan.selectors) == 0 && len(p.plan.classes) == 0 && !p.plan.removeImages {
		return nil
	}
	var doomed []*html.Node
	seen := 0
	for n := p.root; n != nil; {
		if seen++; seen%ctxEvery == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		if n.Type == html.ElementNode && p.isDoomed(n) {
			doomed = append(doomed, n)
			n = afterNode(n, p.root)
			continue
		}
		n = nextNode(n, p.root)
	}
	for _, n := range doomed {
		if n.DataAtom == atom.Html || n.DataAtom == atom.Body {
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
			continue
		}
		n.Parent.RemoveChild(n)
	}
	return nil
}

func (p *page) isDoomed(n *html.Node) bool {
	if p.plan.removeImages {
		switch n.DataAtom {
		case atom.Img, atom.Picture, atom.Svg:
			return true
		}
	}
	if len(p.plan.classes) > 0 {
		for class := range strings.FieldsSeq(attr(n, "class")) {
			if slices.Contains(p.plan.classes, class) {
				return true
			}
		}
	}
	for _, selector := range p.plan.selectors {
		if selector.Match(n) {
			return true
		}
	}
	return false
}

// nextNode is the node after n in the order of the document, within root.
func nextNode(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return afterNode(n, root)
}

// afterNode is the node after n and all that it contains, within root.
func afterNode(n, root *html.Node) *html.Node {
	for ; n != nil && n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

func setAttr(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Namespace == "" && n.Attr[i].Key == name {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func removeAttr(n *html.Node, name string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Namespace == "" && a.Key == name })
}
