package scrapes

import (
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// What a scrape costs (service contract, "Prices").
const (
	credits                        = 1
	extractCredits                 = 20 // with llm_extract
	walletPrice    money.MicroUSDC = 10_000
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodPost}, Path: "/v1/scrapes", Unit: edgewire.UnitCredit,
			Price: price.Expression(fmt.Sprintf("body.?llm_extract.orValue(null) != null ? %d : %d", extractCredits, credits)), Operation: "scrape",
			Description:    fmt.Sprintf("One web page as HTML, markdown, text, JSON, PDF or image: %d, or %d with llm_extract", credits, extractCredits),
			TimeoutSeconds: 130, DryRun: true,
		},
		{
			Methods: []string{http.MethodPost}, Path: "/x402/v1/scrapes", Unit: edgewire.UnitUSDC,
			Price: price.Fixed(int64(walletPrice)), Operation: "scrape",
			Description: "One web page as HTML, markdown, text, JSON, PDF or image",
			Settle:      price.SettleAfter, TimeoutSeconds: 130, DryRun: true,
		},
		price.FreeRule("read", "/v1/scrapes/*", http.MethodGet),
		price.FreeRule("read", "/v1/retrieve", http.MethodGet),
	}
}

// ReadPrices returns the prices of reading a page with a GET request.
func ReadPrices() []price.Rule {
	return []price.Rule{
		{
			Methods: []string{http.MethodGet}, Path: "/v1/read/*", Unit: edgewire.UnitCredit,
			Price: price.Fixed(credits), Operation: "scrape",
			Description:    "One web page as markdown, with a GET request",
			TimeoutSeconds: 130,
		},
		{
			Methods: []string{http.MethodGet}, Path: "/x402/v1/read/*", Unit: edgewire.UnitUSDC,
			Price: price.Fixed(int64(walletPrice)), Operation: "scrape",
			Description: "One web page as markdown, with a GET request",
			Settle:      price.SettleAfter, TimeoutSeconds: 130,
		},
	}
}
