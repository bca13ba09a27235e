package crawls_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/trapsite"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// agent is the crawler's product token in robots.txt.
const agent = "TurnpikeBot"

// book prices every page at one credit.
type book struct{}

func (book) Quote(context.Context, *price.Request, edgewire.Unit) (price.Quote, error) {
	return price.Quote{Amount: 1}, nil
}

// realRobots fetches robots.txt from sites.
type realRobots struct{ rules *hostlimits.Robots }

func (r realRobots) Allowed(ctx context.Context, address string) (bool, error) {
	u, err := fetch.ParseURL(address)
	if err != nil {
		return false, err
	}
	rules, err := r.rules.For(ctx, u)
	if err != nil {
		return false, err
	}
	return rules.For(agent).Allowed(address), nil
}

// realPlace is a place whose crawls fetch from this machine as if it were the web, and the service that reads what they kept.
func realPlace(t *testing.T) (*place, *scrapes.Service) {
	t.Helper()
	client, err := fetch.New(fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true})
	workshop.Must(t, err)
	t.Cleanup(client.Close)
	store, err := blob.Open(t.Context(), "mem://")
	workshop.Must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	signer, err := blob.NewSigner(blob.SignerConfig{Secret: bytes.Repeat([]byte("s"), 32), BaseURL: "https://api.example.com", Now: time.Now})
	workshop.Must(t, err)
	p := newPlace(t)
	s, err := scrapes.New(scrapes.Config{
		Queries: db.New(p.Pool), Fetcher: client, Blobs: store, Book: book{}, Signer: signer, Memory: membudget.NewBudget(0), Logger: workshop.Logger(), Now: time.Now,
	})
	workshop.Must(t, err)
	rules, err := hostlimits.NewRobots(hostlimits.RobotsConfig{Queries: db.New(p.Pool), Fetcher: client, Agent: agent, Now: time.Now})
	workshop.Must(t, err)
	p.change = append(p.change, func(c *crawls.Config) {
		c.Pages, c.Robots, c.Score = s.Engine(), realRobots{rules}, scrapes.ScoreLinks
		c.Seen = urlfilter.NewSeen(1 << 20) // production's size: forgotten URLs look new
	})
	return p, s
}

// listed are the paths of a crawl's URLs in a state.
func (p *place) listed(id, state string) []string {
	p.T.Helper()
	rows, err := p.Pool.Query(context.Background(), `select url from crawl_url where crawl_id = $1 and state = $2 order by n`, id, state)
	workshop.Must(p.T, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var text string
		workshop.Must(p.T, rows.Scan(&text))
		u, err := url.Parse(text)
		workshop.Must(p.T, err)
		out = append(out, u.RequestURI())
	}
	workshop.Must(p.T, rows.Err())
	return out
}

// A site full of crawler traps: each real page is fetched once, no trap is followed beyond the limits, and the crawl
// ends by itself.
func TestTraps(t *testing.T) {
	t.Parallel()
	for name, robots := range map[string]bool{"robots.txt is obeyed": true, "robots.txt is not obeyed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := realPlace(t)
			tm := p.NewTeam(100_000)
			site := trapsite.New(trapsite.Options{Slow: 300 * time.Millisecond, RetryAfter: time.Second})
			server := httptest.NewServer(site)
			t.Cleanup(server.Close)
			p.work(func(q *jobs.Queue) { q.Lease = 0 }) // as in production: a page of 20,000 links takes longer than a test's lease on a busy machine
			c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{StartURL: server.URL + "/", MaxPages: 2000, Spec: crawls.Spec{
				IgnoreRobots: !robots, Options: page.Options{Formats: []page.Format{page.FormatMarkdown}},
			}}).ID)
			listed := p.listed(c.ID, "done")
			for _, fault := range site.Faults(listed, robots) {
				t.Error(fault)
			}
			if trespasses := site.Trespasses(); robots && len(trespasses) > 0 {
				t.Errorf("got %q fetched, which robots.txt disallows", trespasses)
			}
			t.Logf("%d pages listed of %d, %d URLs failed, and in traps: %v", len(listed), len(site.Pages()), c.Failed, site.Caught())
			p.settled()
			p.WantBalance(tm, 100_000-money.Credits(c.PagesCount), 0)
			if t.Failed() {
				slices.Sort(listed)
				t.Logf("listed:\n%s", strings.Join(listed, "\n"))
			}
		})
	}
}

// A crawl may start at a sitemap or a sitemap index. The listed URLs are fetched, and a crawl without content formats
// still lists its pages.
func TestFromSitemap(t *testing.T) {
	t.Parallel()
	p, contents := realPlace(t)
	tm := p.NewTeam(1000)
	site := trapsite.New(trapsite.Options{})
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	p.work()
	c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{
		StartURL: server.URL + "/sitemap-index.xml", MaxPages: 100, MaxDepth: new(int32(2)), Spec: crawls.Spec{Bare: true},
	}).ID)
	listed := p.listed(c.ID, "done")
	for _, path := range site.Listed() {
		if strings.HasPrefix(path, "/unlinked/") && !slices.Contains(listed, path) {
			t.Errorf("got %q, want %s among them", listed, path)
		}
	}
	var retrieveID string
	workshop.Must(t, p.Pool.QueryRow(t.Context(), `select retrieve_id from crawl_url where crawl_id = $1 and state = 'done' order by n desc limit 1`, c.ID).Scan(&retrieveID))
	kept, err := contents.Retrieve(t.Context(), tm.Reader(), retrieveID, nil)
	workshop.Must(t, err)
	if kept.PageMetadata.StatusCode != http.StatusOK || kept.HTML != nil || kept.Markdown != nil || kept.MarkdownHostedURL != nil {
		t.Errorf("kept of a page of which nothing is wanted: got %+v, want what is known of it, and no content", kept)
	}
	p.settled()
}

// The relevance of a page is its own, whatever the links to it say.
func TestRelevance(t *testing.T) {
	t.Parallel()
	p, _ := realPlace(t)
	tm := p.NewTeam(1000)
	site := trapsite.New(trapsite.Options{Slow: time.Millisecond, RetryAfter: time.Second})
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	p.work()
	c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{
		StartURL: server.URL + "/docs/", MaxPages: 12, Spec: crawls.Spec{SearchQuery: "upgrades", Options: page.Options{Formats: []page.Format{page.FormatText}}},
	}).ID)
	var best string
	workshop.Must(t, p.Pool.QueryRow(t.Context(), `select url from crawl_url where crawl_id = $1 and state = 'done' order by relevance desc nulls last limit 1`, c.ID).Scan(&best))
	if !strings.EqualFold(best, server.URL+"/docs/upgrades") {
		t.Errorf("most relevant: got %s, want the page about upgrades", best)
	}
	p.settled()
}
