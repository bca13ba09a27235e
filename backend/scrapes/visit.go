package scrapes

import (
	"context"
	"net/http"

	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/memory"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/problem"
)

// Visit is a page that is looked at again and again by somebody who keeps what it said.
type Visit struct {
	URL string
	// ETag and LastModified are what the page had the last time (RFC 9110 section 8.8). With either of them the host may
	// answer 304, and then there is no body. Without them the page comes whole.
	ETag, LastModified string
	// Follow is asked before each redirect is followed, with the URL that it leads to. Its error ends the visit, and is
	// wrapped. Where a browser is needed it is asked of where the page ended up. Nil: redirects are followed.
	Follow func(ctx context.Context, url string) error
}

// Visit comes by a page as [Engine.Page] does, of which the visitor has a copy, so that the team's are not used. Nothing of it is
// kept, and hold is the caller's to release. Errors are problems.
func (e *Engine) Visit(ctx context.Context, teamID string, v Visit, hold *memory.Hold) (extract.Source, error) {
	u, err := fetch.ParseURL(v.URL)
	if err != nil {
		return extract.Source{}, problem.Validation(problem.BodyFault("url", innermost(err)))
	}
	p, faults := planOf(&page.Options{})
	if len(faults) > 0 {
		return extract.Source{}, problem.Validation(faults...)
	}
	p.url, p.hold, p.conditions = u, hold, http.Header{}
	for name, value := range map[string]string{"If-None-Match": v.ETag, "If-Modified-Since": v.LastModified} {
		if value != "" {
			p.conditions.Set(name, value)
		}
	}
	if v.Follow != nil {
		p.follow = func(ctx context.Context, u fetch.URL) error { return v.Follow(ctx, u.String()) }
	}
	if err := e.prepare(ctx, teamID, p); err != nil {
		return extract.Source{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	c, err := e.obtain(ctx, teamID, p)
	if err != nil {
		return extract.Source{}, err
	}
	if v.Follow != nil && c.browsed {
		if err := v.Follow(ctx, c.source.URL); err != nil {
			return extract.Source{}, err
		}
	}
	return c.source, nil
}
