package crawls

import (
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// What a crawl costs a wallet (service contract, "Prices").
const (
	pagePrice money.MicroUSDC = 5_000 // for each page of max_pages
	priceMin  money.MicroUSDC = 10_000
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/crawls", Unit: edgewire.UnitCredit,
			Price: price.Quoted(), Operation: "crawl",
			Description:    "The pages of a site: 1 for each that was fetched, as a scrape; the cost of max_pages is held",
			TimeoutSeconds: 60, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/crawls", Unit: edgewire.UnitUSDC,
			Price: price.Quoted(), Operation: "crawl",
			Description: fmt.Sprintf("%s USD for each page of max_pages, at least %s; refunded in full if no page could be fetched, never in part",
				pagePrice, priceMin),
			Settle: price.SettleBefore, TimeoutSeconds: 60, DryRun: true,
		},
		price.FreeRule("read", "/v1/crawls", http.MethodGet),
		price.FreeRule("crawls", "/v1/crawls/*", http.MethodDelete),
		price.FreeRule("read", "/v1/crawls/*", http.MethodGet),
	}
}
