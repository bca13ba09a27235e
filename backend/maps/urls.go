package maps

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Cost is what a list of n URLs costs.
func Cost(n int) money.Credits { return cost(n) }

// Gate says what may be fetched of what robots.txt allows. A field that is nil lets everything through. It is asked before each
// redirect, too.
type Gate struct {
	// Page is for pages, which are read for their links, List for sitemaps and feeds. Their errors are why not.
	Page, List func(u fetch.URL) error
}

// URLs lists a site as a map of r does, for those who go on to read its pages: of its URLs the first limit, and nothing of it
// is kept or charged. It fetches what gate lets it. It waits for its turn among the maps. Errors are problems.
func (s *Service) URLs(ctx context.Context, r *Request, gate Gate, limit int) ([]string, error) {
	p, err := s.plan(r)
	if err != nil {
		return nil, err
	}
	p.gate = gate
	place, err := s.config.Places.Acquire(ctx, 1)
	if err != nil {
		return nil, problem.Wrap(problem.RequestTimeout, "The site was not listed in time: too many others are being listed.", err)
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
