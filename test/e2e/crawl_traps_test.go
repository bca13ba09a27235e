//go:build linux

package e2e

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/trapsite"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	// trapPages is far above the number of pages to be found, trapFew below it.
	trapPages, trapFew = 1000, 30
	trapLimit          = 5 * time.Minute
)

// trapServer serves trap sites on one port, each at its own address.
type trapServer struct {
	port  string
	sites []*trapsite.Site
}

// newTrapServer starts a server with that many sites.
func newTrapServer(t *testing.T, sites int) *trapServer {
	t.Helper()
	s := &trapServer{port: "0"}
	for n := range sites {
		l, err := net.Listen("tcp", s.host(n))
		if err != nil {
			t.Fatal(err)
		}
		_, s.port, _ = net.SplitHostPort(l.Addr().String())
		site := trapsite.New(trapsite.Options{Other: "http://127.0.0.199:" + s.port})
		s.sites = append(s.sites, site)
		server := &http.Server{Handler: site, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(l) }()
		t.Cleanup(func() { _ = server.Close() })
	}
	return s
}

// host returns the address of a site.
func (s *trapServer) host(n int) string {
	return net.JoinHostPort([]string{"127.0.0.181", "127.0.0.182", "127.0.0.183", "127.0.0.184"}[n], s.port)
}

// TestCrawlTraps crawls a site full of traps. Each page must be crawled, listed and paid for once, whatever links to it.
// The crawl must stop in each trap at its limits and, if it follows robots.txt, never fetch what that disallows.
func TestCrawlTraps(t *testing.T) {
	t.Parallel()
	sites := newTrapServer(t, 4)
	c := newCrew(t, setup(t).withDatabase(t), &shelf{url: "http://" + sites.host(0), port: sites.port}, 1)
	t.Run("each", func(t *testing.T) {
		for n, tt := range []struct {
			name   string
			pages  int
			robots bool
		}{
			{"robots.txt is obeyed", trapPages, true},
			{"robots.txt is not obeyed", trapPages, false},
			{"fewer pages than there are", trapFew, true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				site := sites.sites[n]
				p := c.purse(t, money.Credits(tt.pages))
				made := c.crawl(t, p, crawlOf("http://"+sites.host(n)+"/", tt.pages, map[string]any{"follow_robots_txt": tt.robots}))
				over := c.awaitCrawl(t, p, made.ID, trapLimit, crawlEnded)
				var listed []string
				for _, page := range c.listed(t, p, made.ID) {
					u, err := url.Parse(page.URL)
					if err != nil || u.Host != sites.host(n) {
						t.Errorf("listed: got %s, want pages of the site", page.URL)
						continue
					}
					listed = append(listed, u.RequestURI())
				}
				c.wantCrawlBilled(t, p, over)
				if trespasses := site.Trespasses(); tt.robots && len(trespasses) > 0 {
					t.Errorf("fetched: got %q, which robots.txt disallows", trespasses)
				}
				if over.Outcome != "succeeded" || over.Pages != len(listed) {
					t.Errorf("crawl: got %+v, want the %d pages that are listed", over, len(listed))
				}
				if tt.pages == trapFew {
					if over.Pages != trapFew {
						t.Errorf("pages: got %d, want exactly %d", over.Pages, trapFew)
					}
					return
				}
				for _, fault := range site.Faults(listed, tt.robots) {
					t.Error(fault)
				}
				t.Logf("%d pages listed of the site's %d; %d URLs failed; %d requests, of these in traps: %v",
					len(listed), len(site.Pages()), over.Failed, len(site.Log()), site.Caught())
				if t.Failed() {
					slices.Sort(listed)
					t.Logf("listed:\n%s", strings.Join(listed, "\n"))
				}
			})
		}
		t.Run("map", func(t *testing.T) {
			t.Parallel()
			p := c.purse(t, 100)
			start := "http://" + sites.host(3)
			got := call{url: c.edge.URL("/v1/maps"), body: `{"url":"` + start + `/"}`}.with(p.bearer()...).do(t)
			if got.status != http.StatusOK {
				t.Fatalf("POST /v1/maps: got %d %.500s", got.status, got.body)
			}
			var found struct {
				URLs []string `json:"urls"`
			}
			got.json(t, &found)
			for _, path := range sites.sites[3].Listed() {
				if !slices.Contains(found.URLs, start+path) {
					t.Errorf("map: got no %s, which a sitemap lists", path)
				}
			}
			if hits := sites.sites[3].Hits("/sitemaps/articles.xml.gz"); len(hits) != 1 {
				t.Errorf("the zipped sitemap: got %d requests, want 1", len(hits))
			}
			if trespasses := sites.sites[3].Trespasses(); len(trespasses) > 0 {
				t.Errorf("fetched: got %q, which robots.txt disallows", trespasses)
			}
		})
	})
}
