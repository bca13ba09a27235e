package maps

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

const (
	// URLsPerCredit: a response costs 1 credit, and 1 for each further 1,000 URLs (service contract, "Prices").
	URLsPerCredit = 1000
	// creditsMax is the price of the largest response.
	creditsMax = 1 + (PageURLsMax-1)/URLsPerCredit
	// walletPrice is what a wallet pays for a response: 0.01 USD.
	walletPrice money.MicroUSDC = 10_000
)

// cost returns the price of a response of n URLs.
func cost(n int) money.Credits { return money.Credits(1 + max(n-1, 0)/URLsPerCredit) }

// afforded returns how many URLs a response may have for c credits.
func afforded(c money.Credits) int { return int(min(max(c, 1), creditsMax)) * URLsPerCredit }

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/maps", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "map",
			Description:    "The URLs of a site: 1, plus 1 for each further 1,000 URLs in the response",
			TimeoutSeconds: 130, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/maps", Unit: edgewire.UnitUSDC,
			Price: price.Fixed(int64(walletPrice)), Operation: "map",
			Description: "The URLs of a site, up to 100,000 at once",
			Settle:      price.SettleAfter, TimeoutSeconds: 130, DryRun: true,
		},
		price.FreeRule("read", "/v1/maps/*", http.MethodGet),
	}
}

// Quote implements api.Quoter. It returns the maximum price of a response: the price of the largest one, or the team's
// balance if that is less; the response then ends there, with a cursor. A team without balance is quoted the minimum, and
// the edge refuses it.
func (s *Service) Quote(ctx context.Context, c *principal.Caller, r price.QuoteRequest) (int64, error) {
	target, err := url.ParseRequestURI(r.URI)
	if err != nil || r.Method != http.MethodPost || target.Path != path || r.Unit != edgewire.UnitCredit {
		return 0, problem.Wrap(problem.NotFound, "This operation is not offered by this server.", err)
	}
	request, err := decode.Request[Request](r.Body)
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
