package maps_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
)

// named is a fetcher that serves every host from one site.
type named struct {
	maps.Fetcher

	site *site
}

func (n *named) Check(fetch.URL) error { return nil }

func (n *named) Get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	asked := r.URL
	var err error
	if r.URL, err = fetch.ParseURL(n.site.server.URL + asked.PathAndQuery()); err != nil {
		return nil, err
	}
	response, err := n.Fetcher.Get(ctx, r)
	if err == nil {
		response.URL = asked
	}
	return response, err
}

func TestSubdomains(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.has("/robots.txt", "text/plain", "Sitemap: https://cdn.example.net/sitemap.xml")
	s.has("/sitemap.xml", "text/xml", urlset(
		"https://www.example.co.uk/1", "https://shop.example.co.uk/2", "https://example.co.uk/3", "https://other.co.uk/4",
		"https://www.example.co.uk:8443/5", "https://notexample.co.uk/6",
	))
	p := newPlace(t, func(c *maps.Config) {
		fetcher := &named{Fetcher: c.Fetcher, site: s}
		robots, err := hostlimits.NewRobots(hostlimits.RobotsConfig{Queries: c.Queries, Fetcher: fetcher, Agent: agent, Now: c.Now})
		must(t, err)
		c.Fetcher, c.Robots = fetcher, robots
	})
	yes, no := true, false
	one := []string{"https://www.example.co.uk/1"}
	all := []string{
		"https://example.co.uk/3", "https://shop.example.co.uk/2", "https://www.example.co.uk/1", "https://www.example.co.uk:8443/5",
	}
	for name, tt := range map[string]struct {
		subdomains *bool
		want       []string
	}{"by default": {nil, all}, "with": {&yes, all}, "without": {&no, one}} {
		m := p.make(p.subscriber(1), maps.Request{URL: "https://www.example.co.uk/start", IncludeSubdomain: tt.subdomains})
		if !slices.Equal(m.URLs, tt.want) {
			t.Errorf("%s: got %s, want %s", name, strings.Join(m.URLs, " "), strings.Join(tt.want, " "))
		}
	}
}
