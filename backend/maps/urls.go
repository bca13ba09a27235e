package maps

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Cost returns the price of a list of n URLs.
func Cost(n int) money.Credits { return cost(n) }

// Gate restricts further what may be fetched, beyond robots.txt. A nil field allows everything. It is also asked before
// each redirect.
type Gate struct {
	// Page is for pages that are read for their links, List for sitemaps and feeds. Their errors say why a URL is refused.
	Page, List func(u fetch.URL) error
}

// URLs lists the first limit URLs of a site, as a map of r would, for features that then read the pages. It stores and
// charges nothing, fetches only what gate allows, and waits for a place among the maps. Errors are problems.
func (s *Service) URLs(ctx context.Context, r *Request, gate Gate, limit int) ([]string, error) {
	p, err := s.plan(r)
	if err != nil {
		return nil, err
	}
	p.gate = gate
	place, err := s.config.Places.Acquire(ctx, 1)
	if err != nil {
		return nil, problem.Wrap(problem.RequestTimeout, "The site was not listed in time: too many other sites are being listed.", err)
	}
	defer place.Release()
	hold := s.config.Memory.Hold()
	defer hold.Release()
	if err := hold.Set(ctx, baseBytes); err != nil {
		return nil, noRoom(err)
	}
	urls, _, err := s.collect(ctx, p, &room{hold: hold})
	if err != nil {
		return nil, err
	}
	return urls[:min(len(urls), max(limit, 0))], nil
}
