// Package pricebook puts the prices of all features together in one price book.
package pricebook

import (
	"slices"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/backend/firecrawl"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// New returns the prices of the web data API. Lists of prices show them in this order. A new feature needs a line here.
func New() (*price.Book, error) {
	rules := slices.Concat(
		scrapes.Prices(),
		parsers.Prices(),
		batches.Prices(),
		crawls.Prices(),
		maps.Prices(),
		searches.Prices(),
		scrapes.ReadPrices(),
		answers.Prices(),
		monitors.Prices(),
		files.Prices(),
		schedules.Prices(),
		webhooks.Prices(),
		notifications.Prices(),
		accounts.Prices(),
		firecrawl.Prices(),
	)
	return price.New(append(rules, toolRules(rules)...))
}
