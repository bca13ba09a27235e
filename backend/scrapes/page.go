package scrapes

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

// Page fetches a page like a scrape without options, for features that read it in their own way. Nothing is stored, and
// the caller must release hold. Errors are problems; an invalid URL is a fault of the field url.
func (e *Engine) Page(ctx context.Context, teamID, address string, hold *membudget.Hold) (extract.Source, error) {
	u, err := fetch.ParseURL(address)
	if err != nil {
		return extract.Source{}, problem.Validation(problem.BodyFault("url", innermost(err)))
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
