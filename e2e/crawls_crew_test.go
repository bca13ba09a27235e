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

// crawl is what tests look at of one.
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

// crawledPage is a page as a crawl lists it.
type crawledPage struct {
	URL        string `json:"url"`
	RetrieveID string `json:"retrieve_id"`
	Depth      int    `json:"depth"`
}

// crawlOf is the body that asks for a crawl from a URL on. more are further members of it.
func crawlOf(start string, pages int, more map[string]any) string {
	body := map[string]any{"start_url": start, "max_pages": pages, "scrape_options": map[string]any{"formats": []string{"markdown"}}}
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // texts, numbers and lists of them
	}
	return string(text)
}

// crawl asks for one with a team's key.
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

// awaitCrawl reads a crawl until done, or for as long as limit.
func (c *crew) awaitCrawl(t *testing.T, p *purse, id string, limit time.Duration, done func(crawl) bool) crawl {
	t.Helper()
	return awaits(t, limit, func(ctx context.Context) (seen crawl, err error) {
		return seen, c.read(ctx, p, "/v1/crawls/"+id, &seen)
	}, done)
}

func crawlEnded(c crawl) bool { return c.Status == "completed" }

// listed reads the pages of a crawl by its cursors as customers do.
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

// wantCrawlBilled wants a crawl to have cost as many credits as there are pages, and nothing held of it any more.
func (c *crew) wantCrawlBilled(t *testing.T, p *purse, made crawl) {
	t.Helper()
	if made.Credits == nil || *made.Credits != int64(made.Pages) || made.Completed != made.Pages {
		t.Errorf("credits_consumed: got %+v, want as many as there are pages", made)
	}
	p.wantSpent(t, money.Credits(made.Pages))
	c.wantCaptured(t, made.ID, made.Pages, made.MaxPages)
}
