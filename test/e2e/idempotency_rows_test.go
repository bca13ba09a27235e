package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// postRow is a route that supports Idempotency-Key.
type postRow struct {
	// make prepares what the route needs, and returns its path and a body.
	make func(t *testing.T, s *stack, p *purse) (path, body string)
	cost int64
	// works is a query that counts what the route has created for team $1.
	works string
	// secret is a field that only the first response contains.
	secret string
}

// postRows has a row for each POST. TestEveryPostIsOnce fails for a route without one.
var postRows = map[string]postRow{
	"POST /v1/scrapes": {
		make: func(_ *testing.T, s *stack, _ *purse) (string, string) {
			return "/v1/scrapes", fmt.Sprintf(scrapeOutput, s.pages.fresh())
		},
		cost: 1, works: `select count(*) from scrape where team_id = $1`,
	},
	"POST /mcp": {
		make: func(_ *testing.T, s *stack, _ *purse) (string, string) {
			return "/mcp", fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "scrape", "arguments": {"url": %q}}}`, s.pages.fresh())
		},
		cost: 1, works: `select count(*) from scrape where team_id = $1`,
	},
	"POST /v1/parsers": {
		make:  func(*testing.T, *stack, *purse) (string, string) { return "/v1/parsers", parserDefinition },
		works: `select count(*) from parser_version where team_id = $1`,
	},
	"POST /v1/parsers/test": {
		make: func(_ *testing.T, s *stack, _ *purse) (string, string) {
			return "/v1/parsers/test", fmt.Sprintf(`{"parser": "@turnpike/links", "url": %q}`, s.pages.fresh())
		},
		cost: 1, works: `select count(*) from parser_trial where team_id = $1`,
	},
	"POST /v1/files": {
		make:  func(*testing.T, *stack, *purse) (string, string) { return "/v1/files", `{"filename": "a.json"}` },
		works: `select count(*) from file where team_id = $1`,
	},
	"POST /v1/files/{file_id}/complete": {
		make:  uploadedFile,
		works: `select count(*) from file where team_id = $1 and status = 'completed'`,
	},
	"POST /v1/batches":                  {make: newBatch, cost: 1, works: `select count(*) from batch where team_id = $1`},
	"POST /v1/batches/{batch_id}/retry": {make: retryOfBatch, works: `select sum(round) from batch where team_id = $1`},
	"POST /v1/crawls":                   {make: newCrawl, cost: 1, works: `select count(*) from crawl where team_id = $1`},
	"POST /v1/maps": {
		make: func(_ *testing.T, s *stack, _ *purse) (string, string) {
			return "/v1/maps", fmt.Sprintf(`{"url": %q}`, s.pages.fresh())
		},
		cost: 1, works: `select count(*) from map where team_id = $1`,
	},
	"POST /v1/schedules": {
		make: func(*testing.T, *stack, *purse) (string, string) {
			return "/v1/schedules", `{"method": "GET", "endpoint": "v1/files", "text": "every day"}`
		},
		works: `select count(*) from schedule where team_id = $1`,
	},
	"POST /v1/searches": {
		make:  func(*testing.T, *stack, *purse) (string, string) { return "/v1/searches", `{"query": "harbour"}` },
		cost:  searchPrice,
		works: `select count(*) from search where team_id = $1`,
	},
	"POST /v1/answers": {
		make: func(_ *testing.T, s *stack, _ *purse) (string, string) {
			return "/v1/answers", askAbout(s.pages.fresh())
		},
		cost: answerPrice, works: `select count(*) from answer where team_id = $1`,
	},
	"POST " + redeliverPath: {
		make:  redelivery,
		works: `select count(*) from webhook_delivery where team_id = $1 and redelivers is not null`,
	},
	"POST /v1/webhooks/secret": {
		make:  func(*testing.T, *stack, *purse) (string, string) { return "/v1/webhooks/secret", "" },
		works: `select version - 1 from webhook_key where team_id = $1`, secret: "secret",
	},
	"POST /user/keys": {
		make:  func(*testing.T, *stack, *purse) (string, string) { return "/user/keys", `{"name": "another"}` },
		works: `select count(*) - 1 from api_key where team_id = $1`, secret: "key",
	},
	"POST /user/keys/{key_id}/rotate": {
		make: func(_ *testing.T, _ *stack, p *purse) (string, string) {
			return "/user/keys/" + p.keyID + "/rotate", `{"overlap_seconds": 3600}`
		},
		works: `select count(*) from api_key where team_id = $1 and rotated_from is not null`, secret: "key",
	},
}

func uploadedFile(t *testing.T, s *stack, p *purse) (path, body string) {
	t.Helper()
	values := creates(t, p, "/v1/files", `{"filename": "a.json"}`, "id", "upload_url")
	target := s.edge + strings.TrimPrefix(values[1], "http://edge.example.test")
	call{method: http.MethodPut, url: target, body: `[1, 2]`}.do(t).wantStatus(t, http.StatusOK)
	return "/v1/files/" + values[0] + "/complete", ""
}
