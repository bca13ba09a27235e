package parsers

import (
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Credits is the price of a scrape with a parser, whichever it is: the same as without one.
const Credits money.Credits = 1

// walletPrice is what a wallet pays for a test on a page: 0.01 USD.
const walletPrice money.MicroUSDC = 10_000

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/parsers/test", Unit: edgewire.UnitCredit,
			Price: price.Expression(fmt.Sprintf("body.?url.orValue(null) != null ? %d : 0", Credits)), Operation: "parser_test",
			Description:    "A parser tested on one web page: 1; free on HTML in the request",
			TimeoutSeconds: 70, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/parsers/test", Unit: edgewire.UnitUSDC,
			Price: price.Fixed(int64(walletPrice)), Operation: "parser_test",
			Description: "A parser tested on one web page",
			Settle:      price.SettleAfter, TimeoutSeconds: 70, DryRun: true,
		},
		price.FreeRule("parsers", "/v1/parsers", http.MethodGet, http.MethodPost),
		price.FreeRule("parsers", "/v1/parsers/*", http.MethodGet, http.MethodDelete),
	}
}
