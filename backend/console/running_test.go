package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// The same against a running service, such as `turnpike dev --allow-loopback`, without doubles: a person signs in,
// makes a monitor, sees its plan and its first change. TURNPIKE_URL and TURNPIKE_KEY name the service and a key.
func TestRunningServiceInABrowser(t *testing.T) {
	t.Parallel()
	service, key := os.Getenv("TURNPIKE_URL"), os.Getenv("TURNPIKE_KEY")
	if service == "" || key == "" {
		t.Skip("TURNPIKE_URL and TURNPIKE_KEY name no running service")
	}
	var price atomic.Int64
	price.Store(49)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Plans</title><main><h1>Plans</h1><h2>Pro</h2><p>The Pro plan costs %d.00 EUR a month, `+
			`paid yearly, with everything that a small team needs.</p><h2>Basic</h2><p>The Basic plan costs 9.00 EUR a month.</p></main></html>`, price.Load())
	}))
	t.Cleanup(site.Close)

	b := setup(t, nil)
	b.url = service
	p := b.person()
	p.open("/console")
	p.reads("Use an API key of your team")
	p.types("key", key)
	p.press("Sign in")
	p.reads("Available credits")
	p.looks("real-overview")
	p.open("/console/monitors/new")
	p.types("query", "Tell me when the price of the Pro plan at "+site.URL+"/plans changes")
	p.press("Create monitor")
	p.reads("The monitor has been created", "active", "This is the first run")
	if got := evaluate[int](p, `document.querySelectorAll("svg.dag .step").length`); got < 3 {
		t.Errorf("got %d steps drawn, want a plan", got)
	}
	p.looks("real-monitor")
	price.Store(39)
	p.press("Run now")
	p.reads("View changes")
	p.press("View changes")
	p.reads("49.00", "39.00")
	if got := evaluate[string](p, `document.querySelector("del").innerText + " " + document.querySelector(".diff ins").innerText`); got != "struck through 39.00" {
		t.Errorf("got %q marked", got)
	}
	p.looks("real-event")
	for _, page := range [][2]string{{"/monitors", "real-monitors"}, {"/schedules", "real-schedules"}, {"/keys", "real-keys"}, {"/jobs", "real-jobs"}, {"/credits", "real-credits"}} {
		p.open("/console" + page[0])
		p.looks(page[1])
	}
	p.open("/console/schedules")
	p.do(chromedp.Click(chromedp.CSS("td.wide a")))
	p.reads("Events")
	p.press("Delete…")
	p.press("Delete monitor")
	p.reads("The monitor has been deleted")
	p.wantNothingRefused()
}
