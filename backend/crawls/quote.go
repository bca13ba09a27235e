package crawls

import (
	"context"
	"net/http"
	"net/url"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Quote implements httpapi.Quoter. It returns the maximum price of a crawl; a wallet pays exactly that. It refuses every
// request that Create would refuse, so that no wallet pays for a refused request.
func (s *Service) Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, err := url.ParseRequestURI(r.URI)
	if err != nil || r.Method != http.MethodPost || target.Path != path {
		return 0, problem.Wrap(problem.NotFound, "This installation does not offer this operation.", err)
	}
	request, err := s.bodies.Decode(r.Body)
	if err != nil {
		return 0, err
	}
	o, err := s.order(ctx, c.TeamID, request)
	if err != nil {
		return 0, err
	}
	if r.Unit == edgewire.UnitUSDC {
		total, err := pagePrice.Mul(int64(o.MaxPages))
		return int64(max(total, priceMin)), err
	}
	each, err := s.config.Pages.Price(ctx, c.TeamID, o.Spec.Options)
	if err != nil {
		return 0, problem.From(err)
	}
	total, err := each.Mul(int64(o.MaxPages))
	return int64(total), err
}
