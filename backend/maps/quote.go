package maps

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Quote implements httpapi.Quoter. It returns the maximum price of a response: the price of the largest one, or the team's
// balance if that is less; the response then ends there, with a cursor. A team without balance is quoted the minimum, and
// the edge refuses it.
func (s *Service) Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, err := url.ParseRequestURI(r.URI)
	if err != nil || r.Method != http.MethodPost || target.Path != path || r.Unit != edgewire.UnitCredit {
		return 0, problem.Wrap(problem.NotFound, "This operation is not offered by this server.", err)
	}
	request, err := s.bodies.Decode(r.Body)
	if err != nil {
		return 0, err
	}
	if _, err := s.plan(request); err != nil {
		return 0, err
	}
	switch {
	case c.Covered > 0: // the request itself: its hold is the limit
		return min(creditsMax, c.Covered), nil
	case c.Kind != edgewire.PayerTeam:
		return creditsMax, nil
	}
	available, err := s.config.Available(ctx, c.TeamID)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("reading the balance of %s: %w", c.TeamID, err)
	}
	if err != nil {
		return 0, problem.Internal(err)
	}
	return int64(min(max(available, 1), creditsMax)), nil
}
