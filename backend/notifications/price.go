package notifications

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		price.FreeRule("notifications", "/v1/notifications/*", http.MethodGet),
	}
}
