package searches

import (
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// What a search costs (service contract, "Prices").
const (
	credits                     = 5
	walletPrice money.MicroUSDC = 30_000
)

// creditsExpression is the most that a search costs, for any limit: an invalid one is refused by the operation, not by the
// price.
func creditsExpression() string {
	return fmt.Sprintf("%[1]d + (body.?scrape_options.orValue(null) != null ? math.least(%[2]d, math.greatest(1, "+
		"(type(body.?limit.orValue(%[3]d)) == int ? body.?limit.orValue(%[3]d) : %[2]d))) : 0)", credits, websearch.LimitMax, limitDefault)
}

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/searches", Unit: edgewire.UnitCredit,
			Price: price.Expression(creditsExpression()), Operation: "search",
			Description:    fmt.Sprintf("Links for a query: %d, plus 1 for each link scraped with scrape_options; the cost of limit links is held", credits),
			TimeoutSeconds: 120, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/searches", Unit: edgewire.UnitUSDC,
			Price: price.Fixed(int64(walletPrice)), Operation: "search",
			Description: fmt.Sprintf("Up to %d links for a query, with their content", websearch.LimitMax),
			Settle:      price.SettleAfter, TimeoutSeconds: 120, DryRun: true,
		},
		price.FreeRule("read", "/v1/searches/*", http.MethodGet),
	}
}
