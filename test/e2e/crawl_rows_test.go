package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// onePage returns the body of a crawl of a single page.
func onePage(page string) string {
	return fmt.Sprintf(`{"start_url": %q, "max_pages": 1, "max_depth": 0}`, page)
}

func crawlThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"crawl_id": creates(t, p, "/v1/crawls", onePage(s.pages.fresh()), "id")[0]}}
}

func recordedCrawlThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	body := strings.Replace(onePage(s.pages.fresh()), "{", `{"record": true, `, 1)
	return []thing{{"crawl_id": creates(t, p, "/v1/crawls", body, "id")[0]}}
}

func newCrawl(_ *testing.T, s *stack, _ *purse) (path, body string) {
	return "/v1/crawls", onePage(s.pages.fresh())
}
