package accounts

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		price.FreeRule("read", "/user/credits/info", http.MethodGet),
		price.FreeRule("read", "/user/usage", http.MethodGet),
		price.FreeRule("keys", "/user/keys", http.MethodGet, http.MethodPost),
		price.FreeRule("keys", "/user/keys/*", http.MethodDelete),
		price.FreeRule("keys", "/user/keys/*/rotate", http.MethodPost),
	}
}
