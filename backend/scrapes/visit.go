package scrapes

import (
	"context"
	"net/http"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
)

// Visit is a page that is fetched repeatedly by a feature that keeps its content.
type Visit struct {
	URL string
	// ETag and LastModified are the page's from the last visit (RFC 9110 section 8.8). With either of them the host may
	// respond 304 without a body. Without them the whole page is fetched.
	ETag, LastModified string
	// Follow is called before each redirect, with its target URL. Its error ends the visit, and is wrapped. With a
	// browser it is called with the page's final URL. Nil: redirects are followed.
	Follow func(ctx context.Context, url string) error
}

// Visit fetches a page as [Engine.Page] does. The visitor has its own copy, so the team's HTTP cache is not used.
// Nothing is stored, and the caller must release hold. Errors are problems.
func (e *Engine) Visit(ctx context.Context, teamID string, v Visit, hold *membudget.Hold) (extract.Source, error) {
	u, err := fetch.ParseURL(v.URL)
	if err != nil {
		return extract.Source{}, problem.Validation(problem.BodyFault("url", failure.Message(err)))
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

// Page fetches a page like a scrape without options, for features that read it in their own way. Nothing is stored, and
// the caller must release hold. Errors are problems; an invalid URL is a fault of the field url.
func (e *Engine) Page(ctx context.Context, teamID, address string, hold *membudget.Hold) (extract.Source, error) {
	u, err := fetch.ParseURL(address)
	if err != nil {
		return extract.Source{}, problem.Validation(problem.BodyFault("url", failure.Message(err)))
	}
	p, faults := planOf(&page.Options{})
	if len(faults) > 0 {
		return extract.Source{}, problem.Validation(faults...)
	}
	p.url, p.hold = u, hold
	if err := e.prepare(ctx, teamID, p); err != nil {
		return extract.Source{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	c, err := e.obtain(ctx, teamID, p)
	if err != nil {
		return extract.Source{}, err
	}
	return c.source, nil
}
