//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	crawlPages   = flag.Int("crawl-pages", 400, "how many pages the site of TestCrawlOfKilledWorkers has")
	crawlKills   = flag.Int("crawl-kills", 3, "how often TestCrawlOfKilledWorkers kills a worker")
	crawlRunning = flag.Int("crawl-running", 3, "how many of its pages are under way at once")
	crawlSeed    = flag.Uint64("crawl-seed", 0, "what its site is made of and who is killed; 0 draws one and prints it")
)

const (
	// crawlLease is how long a killed worker's pages stay leased. No page takes nearly as long.
	crawlLease = 3 * time.Second
	// crawlUnwritten is how long storing a sent page may take on a busy machine. Until then it counts as in flight.
	crawlUnwritten = 2 * time.Second
	// The time a page takes to respond.
	crawlPageMin, crawlPageMax = 5 * time.Millisecond, 40 * time.Millisecond
	crawlLimit                 = 10 * time.Minute
)

// TestCrawlOfKilledWorkers kills workers again and again during a crawl, and replaces each. Every page must be listed
// once and paid for once; only pages that were in flight at a kill may be fetched again.
func TestCrawlOfKilledWorkers(t *testing.T) {
	t.Parallel()
	seed := *crawlSeed
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	d := newCrawlDrill(t, seed)
	most := *crawlPages + *crawlPages/10 // more than the site has, so that part of the hold is released
	p := d.purse(t, money.Credits(most))
	secret := d.webhookSecret(t, p)
	made := d.crawl(t, p, crawlOf(d.shelf.url+"/", most, map[string]any{"webhook": d.shelf.url + "/hook"}))
	begun := time.Now()
	d.storm(t, p, made.ID)
	over := d.awaitCrawl(t, p, made.ID, crawlLimit, crawlEnded)
	took := time.Since(begun)

	if over.Pages != *crawlPages || over.Failed != 0 || over.Outcome != "succeeded" {
		t.Errorf("crawl: got %+v, want the %d pages", over, *crawlPages)
	}
	d.wantEachPageOnce(t, p, over)
	d.wantCrawlBilled(t, p, over)
	again := d.wantFetchedAgainOnlyAfterKills(t)
	var told struct {
		ID      string `json:"id"`
		Outcome string `json:"outcome"`
		Pages   int    `json:"urls_count"`
	}
	d.readNotice(t, secret, "event.crawl.completed", &told)
	if told.ID != made.ID || told.Outcome != "succeeded" || told.Pages != over.Pages {
		t.Errorf("webhook: got %+v, want the end of %+v", told, over)
	}
	t.Logf("%d pages in %s; %d workers killed; %d pages fetched again", over.Pages, took.Round(100*time.Millisecond), len(d.kills), again)
}

// crawlDrill is a crew that crawls a site whose pages link to each other.
type crawlDrill struct {
	*crew

	random *rand.Rand
	kills  []crawlKill
}

// crawlKill is the time of a kill: the worker was alive before begun, and dead after over.
type crawlKill struct{ begun, over time.Time }

func newCrawlDrill(t *testing.T, seed uint64) *crawlDrill {
	t.Helper()
	shelf := newShelf(t, func(path string) time.Duration {
		return crawlPageMin + time.Duration(rand.New(rand.NewPCG(seed, pageNumber(path))).Int64N(int64(crawlPageMax-crawlPageMin)))
	})
	shelf.html = func(path string) string { return linkedPage(path, *crawlPages, seed) }
	return &crawlDrill{
		random: rand.New(rand.NewPCG(seed, 0)),
		crew: newCrew(t, setup(t).withDatabase(t), shelf, drillCrew,
			fmt.Sprintf("TURNPIKE_JOB_LEASE=%s", crawlLease), fmt.Sprintf("TURNPIKE_TEAM_RUNNING=%d", *crawlRunning)),
	}
}

// pageNumber returns the number of the page at a path, 0 if there is none. / is page 1.
func pageNumber(path string) (n uint64) {
	if path == "/" {
		return 1
	}
	if _, err := fmt.Sscanf(path, "/page/%d", &n); err != nil || n < 2 || path != pagePath(n) {
		return 0
	}
	return n
}

func pagePath(n uint64) string {
	if n == 1 {
		return "/"
	}
	return fmt.Sprintf("/page/%d", n)
}

// linkedPage returns a page of a site of n pages. Each links to two children, and to random others.
func linkedPage(path string, n int, seed uint64) string {
	number := pageNumber(path)
	if number == 0 || number > uint64(n) {
		return ""
	}
	random := rand.New(rand.NewPCG(seed, number))
	to := []uint64{2 * number, 2*number + 1, number - 1}
	for range 8 {
		to = append(to, 1+random.Uint64N(uint64(n)))
	}
	var html strings.Builder
	fmt.Fprintf(&html, "<!doctype html><title>Page %[1]d</title><main><h1>Page %[1]d</h1>", number)
	for range 6 {
		html.WriteString("<p>")
		for range 20 {
			html.WriteString(word(random) + " ")
		}
		html.WriteString("</p>")
	}
	html.WriteString("<ul>")
	for _, other := range to {
		if other >= 1 && other <= uint64(n) {
			fmt.Fprintf(&html, `<li><a href="%s#part">Page %d</a>`, pagePath(other), other)
		}
	}
	html.WriteString("</ul></main>")
	return html.String()
}

func word(random *rand.Rand) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var text []byte
	for range 2 + random.IntN(2) {
		text = append(text, consonants[random.IntN(len(consonants))], vowels[random.IntN(len(vowels))])
	}
	return string(text)
}

// storm kills workers, spread evenly over the crawl.
func (d *crawlDrill) storm(t *testing.T, p *purse, id string) {
	t.Helper()
	for i := range *crawlKills {
		share := *crawlPages / (*crawlKills + 1)
		at := i*share + share/2 + d.random.IntN(share)
		seen := d.awaitCrawl(t, p, id, crawlLimit, func(c crawl) bool { return c.Pages >= at || crawlEnded(c) })
		if crawlEnded(seen) {
			t.Fatalf("the crawl ended at %d pages, before the worker was killed that was to be killed at %d", seen.Pages, at)
		}
		victim := d.random.IntN(len(d.workers))
		begun := time.Now()
		if err := d.workers[victim].Kill(); err != nil {
			t.Fatal(err)
		}
		d.kills = append(d.kills, crawlKill{begun, time.Now()})
		d.workers[victim] = d.start(t.Context(), t, "worker")
	}
}

// wantEachPageOnce checks that the list has each page once, with its own place and its own content.
func (d *crawlDrill) wantEachPageOnce(t *testing.T, p *purse, over crawl) {
	t.Helper()
	urls, contents := map[string]int{}, map[string]int{}
	for _, page := range d.listed(t, p, over.ID) {
		urls[page.URL]++
		contents[page.RetrieveID]++
	}
	for n := uint64(1); n <= uint64(*crawlPages); n++ {
		if times := urls[d.shelf.url+pagePath(n)]; times != 1 {
			t.Errorf("page %d: listed %d times, want once", n, times)
		}
	}
	if len(urls) != *crawlPages || len(contents) != *crawlPages {
		t.Errorf("list: got %d URLs with %d contents, want %d of each", len(urls), len(contents), *crawlPages)
	}
	rows, err := d.pool.Query(t.Context(), `select u.seq from crawl_url u join content c on c.retrieve_id = u.retrieve_id
		where u.crawl_id = $1 and u.state = 'done' order by u.seq`, over.ID)
	if err != nil {
		t.Fatal(err)
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int32, *crawlPages)
	for i := range want {
		want[i] = int32(i + 1)
	}
	if !slices.Equal(seqs, want) {
		t.Errorf("places in the list: got %v, want 1 to %d", seqs, *crawlPages)
	}
}

// wantFetchedAgainOnlyAfterKills compares the site's log with the kills, and returns how many visits were repeated. A
// repeated visit is right if the one before was in flight at a kill: requested before it, and not stored yet.
func (d *crawlDrill) wantFetchedAgainOnlyAfterKills(t *testing.T) (again int) {
	t.Helper()
	for n := uint64(1); n <= uint64(*crawlPages); n++ {
		visits := d.shelf.visitsOf(pagePath(n))
		if len(visits) == 0 {
			t.Errorf("page %d: never fetched", n)
		}
		for i := 1; i < len(visits); i++ {
			again++
			before, next := visits[i-1], visits[i]
			inFlight := func(k crawlKill) bool {
				return before.begun.Before(k.over) && k.begun.Before(next.begun) && (before.sent.IsZero() || k.begun.Before(before.sent.Add(crawlUnwritten)))
			}
			if !slices.ContainsFunc(d.kills, inFlight) {
				t.Errorf("page %d: fetched at %s (sent at %s) and again at %s, and no worker was killed meanwhile", n,
					before.begun.Format(time.StampMilli), before.sent.Format(time.StampMilli), next.begun.Format(time.StampMilli))
			}
		}
	}
	if most := len(d.kills) * *crawlRunning; again > most {
		t.Errorf("fetched again: got %d, want at most %d: what may be under way at %d kills", again, most, len(d.kills))
	}
	return again
}
