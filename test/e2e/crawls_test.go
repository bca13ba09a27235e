//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// market is a small site: its pages link to each other, to a missing page, and to one that robots.txt disallows.
func market(path string) string {
	links, ok := map[string][]string{
		"/":            {"/stalls/fish", "/stalls/rope?utm_source=here", "/stalls/rope#top", "/gone", "/private/stripeFake", "/office/prices"},
		"/stalls/fish": {"/", "/stalls/rope", "/stalls/fish/cod"}, "/stalls/rope": {"/stalls/fish"}, "/stalls/fish/cod": {"/stalls/rope"},
		"/private/stripeFake": {"/"}, "/office/prices": {"/"}, "/robots.txt": nil, "/pier": {"/pier/late", "/stalls/rope"}, "/pier/late": nil,
	}[path]
	switch {
	case path == "/robots.txt":
		return "User-agent: *\nDisallow: /private/\n"
	case !ok:
		return ""
	}
	var list strings.Builder
	for _, link := range links {
		fmt.Fprintf(&list, `<li><a href="%s">To %s</a></li>`, link, link)
	}
	return fmt.Sprintf("<!doctype html><html><head><title>Market %[1]s</title></head><body><main><h1>Market %[1]s</h1><p>What is sold at %[1]s is "+
		"weighed at nine, and again at noon, when the boats have come in and the tide is right for them.</p><ul>%[2]s</ul></main></body></html>", path, &list)
}

// retrieved holds the fields of content that tests check.
type retrieved struct {
	RetrieveID string  `json:"retrieve_id"`
	HTML       *string `json:"html_content"`
	Markdown   *string `json:"markdown_content"`
	Text       *string `json:"text_content"`
	JSON       *string `json:"json_content"`
}

// TestCrawl follows a crawl as a customer sees it, from its creation to its pages' content and the content's expiry.
func TestCrawl(t *testing.T) {
	t.Parallel()
	shelf := newShelf(t, func(path string) time.Duration {
		if path == "/pier/late" {
			return time.Minute
		}
		return 0
	})
	shelf.html = market
	c := newCrew(t, setup(t).withDatabase(t), shelf, 1)
	p := c.purse(t, 1000)
	secret := c.webhookSecret(t, p)
	made := c.crawl(t, p, crawlOf(shelf.url+"/", 50, map[string]any{
		"webhook_url": shelf.url + "/hook", "exclude_urls": []string{"/office/**"}, "metadata": map[string]any{"order": 7},
	}))
	done := c.awaitCrawl(t, p, made.ID, time.Minute, crawlEnded)
	if done.Outcome != "succeeded" || done.Pages != 4 || done.Failed != 2 {
		t.Errorf("crawl: got %+v, want four pages, and two URLs that failed", done)
	}
	c.wantCrawlBilled(t, p, done)
	var told struct {
		ID        string            `json:"id"`
		Object    string            `json:"object"`
		Status    string            `json:"status"`
		StartURL  string            `json:"start_url"`
		URLsCount int               `json:"urls_count"`
		MaxPages  int               `json:"max_pages"`
		Depth     int               `json:"actual_max_depth"`
		Metadata  map[string]string `json:"metadata"`
	}
	c.readNotice(t, secret, "event.crawl.completed", &told)
	if told.ID != made.ID || told.Object != "crawl" || told.Status != "completed" || told.StartURL != shelf.url+"/" || told.URLsCount != 4 ||
		told.MaxPages != 50 || told.Depth != 2 || told.Metadata["order"] != "7" {
		t.Errorf("webhook: got %+v", told)
	}

	var paths []string
	pages := c.listed(t, p, made.ID)
	for _, page := range pages {
		path := strings.TrimPrefix(page.URL, shelf.url)
		paths = append(paths, path)
		got := c.retrieve(t, p, page.RetrieveID)
		if got.Markdown == nil || !strings.Contains(*got.Markdown, "# Market "+path+"\n") || got.HTML != nil {
			t.Errorf("content of %s: got %+v, want markdown alone", path, got)
		}
		if n := shelf.asked(path); n != 1 {
			t.Errorf("%s was asked for %d times, want once", path, n)
		}
	}
	if want := []string{"/", "/stalls/fish", "/stalls/fish/cod", "/stalls/rope"}; !slices.Equal(slices.Sorted(slices.Values(paths)), want) {
		t.Errorf("pages: got %q, want %q", paths, want)
	}
	for _, path := range []string{"/private/stripeFake", "/office/prices"} {
		if n := shelf.asked(path); n != 0 {
			t.Errorf("%s was asked for %d times, want never", path, n)
		}
	}
	var beside struct {
		Metadata struct {
			Failed []struct{ URL, Reason string } `json:"failed_urls"`
		}
	}
	if err := c.read(t.Context(), p, "/v1/crawls/"+made.ID+"/pages", &beside); err != nil {
		t.Fatal(err)
	}
	failed := map[string]string{}
	for _, f := range beside.Metadata.Failed {
		failed[strings.TrimPrefix(f.URL, shelf.url)] = f.Reason
	}
	if len(failed) != 2 || failed["/gone"] != "not_found" || failed["/private/stripeFake"] != "robots_disallowed" {
		t.Errorf("failed_urls: got %v", failed)
	}

	// A crawl that reaches its timeout ends with the pages it has.
	began := time.Now()
	late := c.crawl(t, p, crawlOf(shelf.url+"/pier", 3, map[string]any{"timeout": 2, "exclude_urls": []string{"/stalls/fish/**", "/"}}))
	c.wantInTime(t, p, late.ID, began, 2*time.Second)

	// Content expires; the list stays.
	if _, err := c.pool.Exec(t.Context(), `update content set expires_at = now() - interval '1 second' where team_id = $1`, p.team); err != nil {
		t.Fatal(err)
	}
	call{method: http.MethodGet, url: c.edge.URL("/v1/retrieve?retrieve_id=" + pages[0].RetrieveID)}.with(p.bearer()...).do(t).
		refused(t, http.StatusNotFound, "not_found", "or it has expired")
	if again := c.listed(t, p, made.ID); !slices.Equal(again, pages) {
		t.Errorf("pages: got %+v, want them as before", again)
	}

	// A crawl that stores no content lists the same pages, at the same price.
	bare := c.crawl(t, p, crawlOf(shelf.url+"/", 50, map[string]any{"scrape_options": map[string]any{"formats": []string{}}, "exclude_urls": []string{"/office/**"}}))
	if bare = c.awaitCrawl(t, p, bare.ID, time.Minute, crawlEnded); bare.Pages != 4 || *bare.Credits != 4 {
		t.Errorf("crawl that keeps nothing: got %+v, want four pages", bare)
	}
	for _, page := range c.listed(t, p, bare.ID) {
		if got := c.retrieve(t, p, page.RetrieveID); got.HTML != nil || got.Markdown != nil || got.Text != nil || got.JSON != nil {
			t.Errorf("content of %s: got %+v, want none", page.URL, got)
		}
	}
}

// wantInTime checks that a crawl ended by itself, soon after its timeout.
func (c *crew) wantInTime(t *testing.T, p *purse, id string, began time.Time, timeout time.Duration) {
	t.Helper()
	done := c.awaitCrawl(t, p, id, time.Minute, crawlEnded)
	var at struct {
		Ended time.Time `json:"completed_at"`
	}
	if err := c.read(t.Context(), p, "/v1/crawls/"+id, &at); err != nil {
		t.Fatal(err)
	}
	if over := at.Ended.Sub(began) - timeout; over < -time.Second || over > 10*time.Second || done.Outcome != "succeeded" || done.Pages != 2 || done.Failed != 1 {
		t.Errorf("crawl of %s: got %+v, %s over its time, want the two pages that were there in time", timeout, done, over)
	}
}

func (c *crew) retrieve(t *testing.T, p *purse, id string) (got retrieved) {
	t.Helper()
	if err := c.read(t.Context(), p, "/v1/retrieve?retrieve_id="+url.QueryEscape(id), &got); err != nil || got.RetrieveID != id {
		t.Fatalf("retrieving %s: got %+v, %v", id, got, err)
	}
	return got
}
