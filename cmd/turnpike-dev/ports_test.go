package main

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// A part whose port is taken uses another and says so, and returns to its own port once that is free. So several dev servers
// can run at once.
func TestDevPortsThatAreTaken(t *testing.T) {
	t.Parallel()
	c := newCheckout(t).with("DATABASE_URL=" + pgtest.URL(t))
	data := filepath.Join(c.Dir, "data")
	first := c.startDev(t, "--data", data, "--port", "0")
	other := filepath.Join(c.Dir, "other")
	beside := c.with("DATABASE_URL="+pgtest.URL(t)).startDev(t, "--data", other, "--port", "0")
	if beside.sample == first.sample || beside.chain == first.chain {
		t.Errorf("two at once: got both at %s and %s", first.sample, first.chain)
	}
	readScrape(t, beside.scrapePage(t, beside.sample).Text)
	beside.stopsWithoutTrace(t, other)
	first.stopsWithoutTrace(t, data)

	u, err := url.Parse(first.sample)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	second := c.startDev(t, "--data", data, "--port", "0")
	if second.sample == first.sample || second.chain != first.chain {
		t.Errorf("got the sample site at %s and the chain at %s, want another site than %s and the chain at %s", second.sample, second.chain, first.sample, first.chain)
	}
	if want := "Port " + u.Port() + " of the sample site is taken"; !strings.Contains(second.Stderr.String(), want) {
		t.Errorf("got %q, want %q", second.Stderr, want)
	}
	readScrape(t, second.scrapePage(t, second.sample).Text)
	second.stopsWithoutTrace(t, data)
	taken.Close()

	third := c.startDev(t, "--data", data, "--port", "0")
	if third.sample != first.sample || third.Stderr.String() != "" {
		t.Errorf("got the sample site at %s and %q, want it at %s again", third.sample, third.Stderr, first.sample)
	}
	third.stopsWithoutTrace(t, data)
}
