package scrapes

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
)

// linkFilter chooses and orders a page's links.
type linkFilter struct {
	asWritten bool
	orderBy   string
	keep      glob.Set
}

// ctxEvery is after how many links the context is checked.
const ctxEvery = 64

func newLinkFilter(in *page.LinksInput) (*linkFilter, []problem.Fault) {
	f := &linkFilter{
		asWritten: in.AbsoluteLinks != nil && !*in.AbsoluteLinks,
		orderBy:   in.OrderBy,
	}
	var faults, more []problem.Fault
	f.keep.Include, faults = glob.Compile(in.Include, "body", "links_on_page", "include_links")
	f.keep.Exclude, more = glob.Compile(in.Exclude, "body", "links_on_page", "exclude_links")
	return f, append(faults, more...)
}

// apply returns the links that the filter keeps, in its order, or the context's error.
func (f *linkFilter) apply(ctx context.Context, found []links.Link) ([]string, error) {
	var kept []links.Link
	for i, l := range found {
		if i%ctxEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u, _ := fetch.ParseURL(l.URL) // invalid URLs are the zero URL, which no glob matches
		if f.keep.Keeps(u) {
			kept = append(kept, l)
		}
	}
	if f.orderBy != "" {
		var err error
		if kept, err = links.Rank(ctx, kept, f.orderBy); err != nil {
			return nil, err
		}
	}
	out := make([]string, 0, len(kept))
	for _, l := range kept {
		if f.asWritten {
			out = append(out, l.Href)
		} else {
			out = append(out, l.URL)
		}
	}
	return out, nil
}
