package firecrawl

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Prices returns the prices of the routes, for the price book: those of the features' own operations.
func Prices() []price.Rule {
	rules := []price.Rule{
		quoted("/v2/scrape", "scrape", "One web page, at the price of POST /v1/scrapes", 130),
		quoted("/v2/crawl", "crawl", "The pages of a site, at the price of POST /v1/crawls", 60),
		quoted("/v2/batch/scrape", "batch", "Many web pages, at the price of POST /v1/batches", 60),
		quoted("/v2/map", "map", "The URLs of a site, at the price of POST /v1/maps", 130),
		quoted("/v2/search", "search", "Links for a query, at the price of POST /v1/searches", 120),
		quoted("/v2/extract", "scrape", "JSON of a web page, at the price of POST /v1/scrapes with llm_extract", 130),
		quoted("/v2/agent", "answer", "A task answered from the web, at the price of POST /v1/answers", 70),
		price.FreeRule("read", "/v2/*"),
	}
	for _, path := range formerPaths {
		rules = append(rules, price.FreeRule("read", path))
	}
	return rules
}

func quoted(path, operation, description string, timeoutSeconds int) price.Rule {
	return price.Rule{
		Methods: []string{http.MethodPost}, Path: path, Unit: edgewire.UnitCredit, Price: price.Quoted(), Operation: operation,
		Description: description, TimeoutSeconds: timeoutSeconds, BodyBytesMax: bodyMax[path], DryRun: true,
	}
}

// bodyMaxDefault is the largest body of the other paths.
const bodyMaxDefault = 1 << 20

// bodyMax is the largest body of a path that takes more than usual.
var bodyMax = map[string]int64{"/v2/batch/scrape": batches.BodyBytesMax}
