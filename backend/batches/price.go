package batches

import (
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// itemPrice is what a wallet pays for each item (service contract, "Prices").
const itemPrice money.MicroUSDC = 10_000

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/batches", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "batch",
			Description:    "Up to 10,000 web pages, each as a scrape; charged for those that were fetched",
			TimeoutSeconds: 60, BodyBytesMax: BodyBytesMax, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/v1/batches/*/retry", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "batch",
			Description:    "The failed items of a batch, retried at their former price",
			TimeoutSeconds: 60, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/batches", Unit: edgewire.UnitUSDC,
			Price: price.Quoted(), Operation: "batch",
			Description: fmt.Sprintf("Up to 10,000 web pages, %s USD for each requested; refunded in full if none could be fetched, never in part", itemPrice),
			Settle:      price.SettleBefore, TimeoutSeconds: 60, BodyBytesMax: BodyBytesMax, DryRun: true,
		},
		price.FreeRule("read", "/v1/batches", http.MethodGet),
		price.FreeRule("batches", "/v1/batches/*", http.MethodPatch, http.MethodDelete),
		price.FreeRule("read", "/v1/batches/*", http.MethodGet),
	}
}
