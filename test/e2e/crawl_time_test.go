//go:build linux

package e2e

import (
	"testing"
	"time"
)

const (
	// usualPages is the size of the crawl. At the rate allowed for one host it takes a little over a minute.
	usualPages = 330
	// usualNamesAddress is the address of this test's name server.
	usualNamesAddress = "127.0.53.81"
)

// TestCrawlTakesMinutes shows that crawling a usual site with default settings takes one to ten minutes: the host's rate
// limits it.
func TestCrawlTakesMinutes(t *testing.T) {
	t.Parallel()
	site := newPoliteSite(t, 0)
	names := newToyNames(t, usualNamesAddress, site.answers())
	if names == nil {
		t.Skip("hosts on loopback need names of their own")
	}
	c := newCrew(t, setup(t).withDatabase(t), &shelf{port: site.port}, 0)
	c.place.Under = names.wrap(t, t.TempDir())
	c.workers = append(c.workers, c.start(t.Context(), t, "worker"))
	p := c.purse(t, usualPages)
	begun := time.Now()
	made := c.crawl(t, p, crawlOf(site.url("lone.test", "/"), usualPages, nil))
	ended := c.awaitCrawl(t, p, made.ID, 9*time.Minute+30*time.Second, func(x crawl) bool { return x.Status == "completed" })
	took := time.Since(begun)
	t.Logf("%d pages took %s", ended.Pages, took.Round(time.Second))
	if ended.Pages != usualPages || took < time.Minute || took > 10*time.Minute {
		t.Errorf("got %+v after %s, want all %d pages within one minute to ten", ended, took, usualPages)
	}
}
