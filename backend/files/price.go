package files

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		price.FreeRule("files", "/v1/files", http.MethodGet, http.MethodPost),
		price.FreeRule("files", "/v1/files/*", http.MethodGet, http.MethodDelete),
		price.FreeRule("files", "/v1/files/*/complete", http.MethodPost),
	}
}
