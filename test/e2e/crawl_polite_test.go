//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"
)

var (
	politeHosts   = flag.Int("polite-hosts", 10, "how many hosts TestCrawlsArePolite crawls")
	politeRate    = flag.Float64("polite-rate", 2, "how often a host may be asked, in requests a second")
	politeShare   = flag.Float64("polite-share", 0.5, "what part of so many times one host's rate hosts must be asked together; or so much of what the machine gives without a limit")
	politeSlots   = flag.Int("polite-slots", 4, "how many slots each of the two workers has")
	politeRunning = flag.Int("polite-running", 12, "how many pages of a team are under way at once")
	politeFor     = flag.Duration("polite-for", 8*time.Second, "for how long it does, once each host has been asked")
)

const (
	// politeAtOnce is the service's default.
	politeAtOnce = 2
	// After politeWarm a host's initial burst is over; politePause is the Retry-After that a host asks for.
	politeWarm, politePause = 3 * time.Second, 3 * time.Second
)

// TestCrawlsArePolite has two workers crawl one host, and then many at once. By the sites' own log, no host gets more
// requests per second, or at the same time, than allowed. Many hosts together get that many times the rate of one host,
// or what the machine can do. A host that asks for a pause gets it, while the others are crawled on.
func TestCrawlsArePolite(t *testing.T) { //nolint:paralleltest // it measures request rates, and other tests would slow it
	site := newPoliteSite(t, *politeHosts)
	names := newToyNames(t, politeNamesAddress, site.answers())
	if names == nil {
		t.Skip("hosts on loopback need names of their own")
	}
	c := newCrew(t, setup(t).withDatabase(t), &shelf{port: site.port}, 0,
		fmt.Sprintf("TURNPIKE_JOB_SLOTS=%d", *politeSlots), fmt.Sprintf("TURNPIKE_TEAM_RUNNING=%d", *politeRunning),
		fmt.Sprintf("TURNPIKE_HOST_RATE=%g", *politeRate))
	c.place.Under = names.wrap(t, t.TempDir())
	for range 2 {
		c.workers = append(c.workers, c.start(t.Context(), t, "worker"))
	}
	p := c.purse(t, 100_000)

	one := c.crawlFor(t, p, site.url("lone.test", "/"), site.hostsAsked("lone.test"), nil)
	alone := paceOf(within(site.asked("lone.test"), one))
	many := make([]string, *politeHosts)
	for i := range many {
		many[i] = politeHost(i + 1)
	}
	span := c.crawlFor(t, p, site.url(politeDomain, "/"), site.hostsAsked(many...), func() {
		site.refuse(many[0], politePause)
	})
	together := site.paceOfMany(many[1:], span) * float64(len(many)) / float64(len(many)-1) // the first host had its pause
	ratio := together / alone / float64(len(many))
	t.Logf("at most %g requests/s: one host: %.2f pages/s; %d hosts: %.1f pages/s, which is %.2f of %d times as often", *politeRate, alone, len(many), together, ratio, len(many))
	for _, host := range many {
		site.wantPolite(t, host)
	}
	site.wantPolite(t, "lone.test")
	site.wantLeftAlone(t, many[0], many[1:])
	if ratio >= *politeShare {
		return
	}
	// A busy machine may be too slow for the rate. Crawling without a limit shows what it can do.
	for _, worker := range c.workers {
		_ = worker.Kill()
	}
	c.place.Env = append(c.place.Env, "TURNPIKE_HOST_RATE=off")
	for range c.workers {
		c.start(t.Context(), t, "worker")
	}
	span = c.crawlFor(t, p, site.url(politeDomain, "/"), site.hostsAsked(many...), nil)
	unlimited := site.paceOfMany(many, span)
	t.Logf("without a limit: %d hosts: %.1f pages/s", len(many), unlimited)
	if together < *politeShare*unlimited {
		t.Errorf("hosts together: got %.2f of %d times one host's rate, and %.2f of what there is without a limit; want %.2f of either",
			ratio, len(many), together/unlimited, *politeShare)
	}
}

// span is a period in which a site was crawled.
type span struct{ begun, over time.Time }

// crawlFor crawls for as long as the flag says, counted from when ready reports true and the initial burst is over. It
// calls halfway, if given, during the crawl.
func (c *crew) crawlFor(t *testing.T, p *purse, start string, ready func() bool, halfway func()) (s span) {
	t.Helper()
	made := c.crawl(t, p, crawlOf(start, 20_000, map[string]any{
		"include_subdomain": true, "scrape_options": map[string]any{"formats": []string{}},
	}))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for !ready() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s: not all hosts are asked within two minutes", start)
		}
	}
	<-time.After(politeWarm)
	s.begun = time.Now()
	<-time.After(*politeFor / 4)
	if halfway != nil {
		halfway()
	}
	<-time.After(*politeFor * 3 / 4)
	s.over = time.Now()
	got := call{method: http.MethodDelete, url: c.edge.URL("/v1/crawls/" + made.ID)}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var over crawl
	got.json(t, &over)
	if over.Failed > 0 {
		t.Errorf("%s: got %d failures, want none", start, over.Failed)
	}
	c.wantCaptured(t, made.ID, over.Pages, over.MaxPages)
	return s
}

// hostsAsked returns a function that reports whether each host has since been asked for more than its robots.txt.
func (s *politeSite) hostsAsked(hosts ...string) func() bool {
	from := time.Now()
	return func() bool {
		return !slices.ContainsFunc(hosts, func(host string) bool { return len(within(s.asked(host), span{from, time.Now()})) < 2 })
	}
}

// within returns the times that lie in a span.
func within(times []time.Time, s span) []time.Time {
	return slices.DeleteFunc(slices.Clone(times), func(at time.Time) bool { return at.Before(s.begun) || at.After(s.over) })
}

// paceOfMany returns the rate of requests to all these hosts in a span, per second.
func (s *politeSite) paceOfMany(hosts []string, span span) float64 {
	total := 0
	for _, host := range hosts {
		total += len(within(s.asked(host), span))
	}
	return float64(total) / span.over.Sub(span.begun).Seconds()
}

// paceOf returns the rate of events at these times, per second.
func paceOf(times []time.Time) float64 {
	if len(times) < 2 {
		return 0
	}
	return float64(len(times)-1) / times[len(times)-1].Sub(times[0]).Seconds()
}

// wantPolite checks a host's limits: in any second at most the burst plus one second's requests, in the long run at most
// its rate, and never more than politeAtOnce at once.
func (s *politeSite) wantPolite(t *testing.T, host string) {
	t.Helper()
	times, burst := s.asked(host), math.Ceil(*politeRate)
	for i := range times {
		last := i
		for last+1 < len(times) && times[last+1].Sub(times[i]) <= time.Second {
			last++
		}
		if n := last - i + 1; float64(n) > burst+*politeRate {
			t.Errorf("%s: got %d requests within a second, want %g at most", host, n, burst+*politeRate)
		}
	}
	if len(times) > 1 {
		all := times[len(times)-1].Sub(times[0]).Seconds()
		if most := burst + all**politeRate; float64(len(times)) > most+0.5 {
			t.Errorf("%s: got %d requests in %.1f s, want %.1f at most", host, len(times), all, most)
		}
	}
	if n := s.atOnce(host); n > politeAtOnce {
		t.Errorf("%s: got %d requests at once, want %d at most", host, n, politeAtOnce)
	}
}

// wantLeftAlone checks that a host that refused got no requests during its pause, except those already under way, while
// the others were crawled on.
func (s *politeSite) wantLeftAlone(t *testing.T, host string, others []string) {
	t.Helper()
	refused := s.refusedAt()
	if refused.IsZero() {
		t.Fatalf("%s was not asked when it was to refuse", host)
	}
	pause := span{refused.Add(100 * time.Millisecond), refused.Add(politePause)}
	if n := len(within(s.asked(host), pause)); n > 0 {
		t.Errorf("%s: got %d requests while it was to be left alone, want none", host, n)
	}
	if n := len(within(s.asked(host), span{pause.over, time.Now()})); n == 0 {
		t.Errorf("%s: got no request when the time was over", host)
	}
	n := 0
	for _, other := range others {
		n += len(within(s.asked(other), pause))
	}
	if want := *politeRate * pause.over.Sub(pause.begun).Seconds() * float64(len(others)); float64(n) < want**politeShare**politeShare {
		t.Errorf("the others: got %d requests meanwhile, want about %.0f", n, want)
	}
}
