package monitors

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		price.FreeRule("monitors", "/v1/monitors", http.MethodGet, http.MethodPost),
		price.FreeRule("monitors", "/v1/monitors/*", http.MethodGet, http.MethodPost, http.MethodDelete),
	}
}
