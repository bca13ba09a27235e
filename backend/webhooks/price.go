package webhooks

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		price.FreeRule("webhooks", "/v1/webhooks/*", http.MethodGet),
		price.FreeRule("webhooks", "/v1/webhooks/deliveries/*/redeliver", http.MethodPost),
		price.FreeRule("webhooks", "/v1/webhooks/secret", http.MethodPost),
	}
}
