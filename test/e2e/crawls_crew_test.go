//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// crawl holds the fields of a crawl that tests check.
type crawl struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Outcome   string `json:"outcome"`
	MaxPages  int    `json:"max_pages"`
	Pages     int    `json:"pages_count"`
	Completed int    `json:"completed"`
	Failed    int    `json:"failed"`
	Credits   *int64 `json:"credits_consumed"`
}

// crawledPage is an entry of a crawl's page list.
type crawledPage struct {
	URL        string `json:"url"`
	RetrieveID string `json:"retrieve_id"`
	Depth      int    `json:"depth"`
}

// crawlOf returns a crawl request that begins at a URL; more holds further members of the body.
func crawlOf(start string, pages int, more map[string]any) string {
	body := map[string]any{"start_url": start, "max_pages": pages, "scrape_options": map[string]any{"formats": []string{"markdown"}}}
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings, numbers and lists always encode
	}
	return string(text)
}

// crawl creates a crawl with a team's key.
func (c *crew) crawl(t *testing.T, p *purse, body string) crawl {
	t.Helper()
	got := call{url: c.edge.URL("/v1/crawls"), body: body}.with(p.bearer()...).do(t)
	if got.status != http.StatusOK {
		t.Fatalf("POST /v1/crawls: got %d %.500s", got.status, got.body)
	}
	var made crawl
	got.json(t, &made)
	return made
}

// awaitCrawl reads a crawl until done reports true, for at most limit.
func (c *crew) awaitCrawl(t *testing.T, p *purse, id string, limit time.Duration, done func(crawl) bool) crawl {
	t.Helper()
	return awaits(t, limit, func(ctx context.Context) (seen crawl, err error) {
		return seen, c.read(ctx, p, "/v1/crawls/"+id, &seen)
	}, done)
}

func crawlEnded(c crawl) bool { return c.Status == "completed" }

// listed reads a crawl's pages by cursor, as a customer does.
func (c *crew) listed(t *testing.T, p *purse, id string) (pages []crawledPage) {
	t.Helper()
	path := "/v1/crawls/" + id + "/pages?limit=100"
	for cursor := ""; ; {
		var answer struct {
			Pages  []crawledPage `json:"pages"`
			Cursor *json.Number  `json:"cursor"`
		}
		if err := c.read(t.Context(), p, path+cursor, &answer); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, answer.Pages...)
		if answer.Cursor == nil {
			return pages
		}
		cursor = "&cursor=" + answer.Cursor.String()
	}
}

// wantCrawlBilled checks that a crawl cost one credit per page, and that nothing is held for it any more.
func (c *crew) wantCrawlBilled(t *testing.T, p *purse, made crawl) {
	t.Helper()
	if made.Credits == nil || *made.Credits != int64(made.Pages) || made.Completed != made.Pages {
		t.Errorf("credits_consumed: got %+v, want as many as there are pages", made)
	}
	p.wantSpent(t, money.Credits(made.Pages))
	c.wantCaptured(t, made.ID, made.Pages, made.MaxPages)
}
