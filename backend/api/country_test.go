package api_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// countryProxy accepts CONNECT and records the targets.
type countryProxy struct {
	mu      sync.Mutex
	targets []string
}

func (p *countryProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.targets = append(p.targets, r.RequestURI)
	p.mu.Unlock()
	target, err := net.Dial("tcp", r.RequestURI)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer target.Close()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(target, conn) }()
	_, _ = io.Copy(conn, target)
}

// withFetcher replaces the fetcher with one that change configures.
func withFetcher(t *testing.T, change func(*fetch.Config)) options {
	t.Helper()
	config := fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true}
	change(&config)
	client, err := fetch.New(config)
	must(t, err)
	t.Cleanup(client.Close)
	return options{scrapes: func(c *scrapes.Config) { c.Fetcher = client }}
}

func TestScrapeByCountry(t *testing.T) {
	t.Parallel()
	proxy := &countryProxy{}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	s := setup(t, withFetcher(t, func(c *fetch.Config) {
		proxies, err := fetch.ParseProxies("DE=" + server.URL + ",FR=http://127.0.0.1:1")
		must(t, err)
		c.Proxies, c.RetriesMax = proxies, -1
	}))
	site := newTarget(t, servePage)
	for _, country := range []string{"de", "DE"} {
		w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"country":"`+country+`"`))
		wantStatus(t, w, http.StatusOK)
		wantCost(t, w, "1")
	}
	if len(proxy.targets) == 0 || proxy.targets[0] != site.Listener.Addr().String() {
		t.Errorf("the proxy was asked for %v, want %s", proxy.targets, site.Listener.Addr())
	}
	w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"country":"US"`))
	wantRefusal(t, w, problem.ProviderNotConfigured, "no proxy is configured for the country US; available countries: DE, FR")
	for _, country := range []string{"Germany", "DEU", "XX", "d"} {
		w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"country":"`+country+`"`))
		wantRefusal(t, w, problem.ValidationError, "body.country: must be a two-letter country code of ISO 3166-1, such as DE, or RANDOM")
	}
	w = s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"country":"FR"`))
	wantRefusal(t, w, problem.FetchFailed, `"reason":"proxy"`)
	before := len(proxy.targets)
	wantStatus(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)), http.StatusOK)
	if len(proxy.targets) != before {
		t.Error("a scrape of no country went through a proxy")
	}
}

type stubbornGate struct{ err error }

func (g stubbornGate) Enter(context.Context, string) (func(fetch.Outcome), error) { return nil, g.err }

// A busy host is not the client's fault, and costs nothing. The same holds for a failing gate.
func TestScrapeOfABusyHost(t *testing.T) {
	t.Parallel()
	site := newTarget(t, servePage)
	for _, tt := range []struct {
		err        error
		want       problem.Code
		text       string
		retryAfter string
	}{
		{&fetch.BusyError{RetryAfter: 90 * time.Second}, problem.Overloaded, "rate_limited", "90"},
		{&fetch.BusyError{RetryAfter: time.Millisecond}, problem.Overloaded, "Nothing was charged", "2"},
		{errors.New("disk full"), problem.InternalServerError, "our side", ""},
	} {
		s := setup(t, withFetcher(t, func(c *fetch.Config) { c.Gate = stubbornGate{tt.err} }))
		w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL))
		wantRefusal(t, w, tt.want, tt.text)
		if got := w.Header().Get("Retry-After"); got != tt.retryAfter {
			t.Errorf("%v: got Retry-After %q, want %q", tt.err, got, tt.retryAfter)
		}
	}
}

func wantRefusal(t *testing.T, w *httptest.ResponseRecorder, code problem.Code, text string) {
	t.Helper()
	wantError(t, w, code)
	if !strings.Contains(w.Body.String(), text) {
		t.Errorf("got %s, want it to say %q", w.Body, text)
	}
}
