package answers

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// What an answer costs (service contract, "Prices").
const (
	credits                     = 20
	walletPrice money.MicroUSDC = 50_000
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/answers", Unit: edgewire.UnitCredit,
			Price: price.Fixed(credits), Operation: "answer",
			Description:    "A task answered from the web as JSON, with sources",
			TimeoutSeconds: 70, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/answers", Unit: edgewire.UnitUSDC,
			Price: price.Fixed(int64(walletPrice)), Operation: "answer",
			Description: "A task answered from the web as JSON, with sources",
			Settle:      price.SettleAfter, TimeoutSeconds: 70, DryRun: true,
		},
		price.FreeRule("read", "/v1/answers/*", http.MethodGet),
	}
}
