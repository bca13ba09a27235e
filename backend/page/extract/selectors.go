package extract

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/selector"
)

const (
	selectorsMax = 200
	// selectorStepsMax bounds the time for matching all selectors to a second or so. The default ones take one to ten
	// steps for each element.
	selectorStepsMax = 50_000_000
	// ctxEvery is how many steps are taken between two checks of the context.
	ctxEvery = 4096
)

// plan is Options, checked and compiled.
type plan struct {
	selectors    *selector.List // nil: none
	classes      []string
	removeImages bool
	mainContent  bool
	structured   bool
	named        bool // the client named what to remove
	base         *whatwg.Url
	header       http.Header
	nodesMax     int
}

// compile reports all faults.
func (o Options) compile() (*plan, error) {
	p := &plan{classes: o.RemoveClassNames, removeImages: o.RemoveImages, structured: o.Structured, header: o.header, nodesMax: o.NodesMax}
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
	p.named = len(selectors) > 0 || len(o.RemoveClassNames) > 0
	if selectors == nil && !p.mainContent {
		p.selectors = defaultList()
	}
	if len(selectors) > selectorsMax {
		errs = append(errs, fmt.Errorf("%w: %d selectors, at most %d", ErrInvalidOption, len(selectors), selectorsMax))
		selectors = nil
	}
	if len(selectors) > 0 {
		list, faults := compileSelectors(selectors)
		p.selectors, errs = list, append(errs, faults...)
	}
	return p, errors.Join(errs...)
}

func compileSelectors(selectors []string) (*selector.List, []error) {
	var errs []error
	lists := make([]*selector.List, 0, len(selectors))
	for _, text := range selectors {
		list, err := selector.Compile(text)
		if err != nil {
			errs = append(errs, &SelectorError{Selector: text, Err: err})
			continue
		}
		lists = append(lists, list)
	}
	return selector.Join(lists...), errs
}

// defaultList is that of DefaultSelectors, which are valid.
var defaultList = sync.OnceValue(func() *selector.List {
	list, _ := compileSelectors(DefaultSelectors())
	return list
})

// CheckSelectors reports which of selectors are not valid, without a page, each as a *SelectorError.
func CheckSelectors(selectors []string) error {
	_, err := Options{RemoveSelectors: append([]string{}, selectors...)}.compile()
	return err
}

// remove removes what the options name. The root and body stay: a selector that matches them empties them.
func (p *page) remove(*Document) error {
	doomed, err := p.selected()
	if err != nil {
		return err
	}
	if len(p.plan.classes) > 0 || p.plan.removeImages {
		for n := range p.tree.Root.Descendants() {
			if n.Type == html.ElementNode && p.isDoomed(n) {
				doomed = append(doomed, n)
			}
		}
	}
	for _, n := range doomed {
		switch {
		case n.DataAtom == atom.Html || n.DataAtom == atom.Body:
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
		case n.Parent != nil: // not removed for another reason already
			n.Parent.RemoveChild(n)
		}
	}
	return nil
}

// selected returns the elements that the selectors select.
func (p *page) selected() ([]*html.Node, error) {
	if p.plan.selectors == nil {
		return nil, nil
	}
	left, untilCtx := selectorStepsMax, 0
	return p.plan.selectors.Match(p.tree.Root, selector.Outermost, func(steps int) error {
		if left -= steps; left < 0 {
			return fmt.Errorf("%w: matching the selectors to remove takes more than %d steps", ErrTooComplex, selectorStepsMax)
		}
		if untilCtx -= steps; untilCtx <= 0 {
			untilCtx = ctxEvery
			return p.ctx.Err()
		}
		return nil
	})
}

func (p *page) isDoomed(n *html.Node) bool {
	if p.plan.removeImages {
		switch n.DataAtom {
		case atom.Img, atom.Picture, atom.Svg:
			return true
		}
	}
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		if slices.Contains(p.plan.classes, class) {
			return true
		}
	}
	return false
}
