package schedules

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the feature's operations, for the price book.
func Prices() []price.Rule {
	return []price.Rule{
		price.FreeRule("schedules", "/v1/schedules", http.MethodGet, http.MethodPost),
		price.FreeRule("schedules", "/v1/schedules/*", http.MethodGet, http.MethodDelete),
	}
}
