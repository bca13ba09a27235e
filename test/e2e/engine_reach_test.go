//go:build linux

package e2e

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// field is a field of the API that takes a URL, together with a way to use it.
type field struct {
	name, path, member string
	more               map[string]any
	// timeout is the route's, in seconds, for the payment of a wallet. 0: a key pays.
	timeout int
}

var rendered = map[string]any{"render": "always"}

// fields returns all of them.
func (e *engine) fields() []field {
	trial := map[string]any{"parser": "@turnpike/metadata"}
	return []field{
		{name: "a scrape", path: "/v1/scrapes", member: "url_to_scrape"},
		{name: "a scrape by a proxy", path: "/v1/scrapes", member: "url_to_scrape", more: map[string]any{"country": "DE"}},
		{name: "a scrape by a wallet", path: "/x402/v1/scrapes", member: "url_to_scrape", timeout: 190},
		{name: "a render", path: "/v1/scrapes", member: "url_to_scrape", more: rendered},
		{name: "a render by a proxy", path: "/v1/scrapes", member: "url_to_scrape", more: map[string]any{"render": "always", "country": "DE"}},
		{name: "a trial of a parser", path: "/v1/parsers/test", member: "url", more: trial},
		{name: "a trial of a parser by a wallet", path: "/x402/v1/parsers/test", member: "url", more: trial, timeout: 130},
	}
}

// payer returns the headers of the payer; none for the engine's own team.
func (f field) payer(t *testing.T, w *wallet) []string {
	t.Helper()
	if f.timeout == 0 {
		return nil
	}
	return w.payment(t, 2).accepted("maxTimeoutSeconds", f.timeout).headers(t)
}

// try sends a URL in the field.
func (f field) try(ctx context.Context, e *engine, address string, payer []string) (scraped, error) {
	body := map[string]any{f.member: address}
	maps.Copy(body, f.more)
	return e.scrape(ctx, f.path, body, payer...)
}

// refusals are the codes that refuse an address. fetch_failed is one of them, for a name that no server knows.
var refusals = []string{"validation_error", "blocked_address", "fetch_failed"}

// TestEngineReach shows that no field of the API leads the service into its own network: not by its spelling, not by a
// redirect, not by DNS, and not by anything that the rendered page does.
func TestEngineReach(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	proxy := newToyProxy(t)
	names := newToyNames(t, toyNamesAddress, map[string][]string{
		"site.test":   {siteHost},
		"rebind.test": {siteHost, "127.0.0.1"},
		"inside.test": {"127.0.0.1 ::1"},
		"mapped.test": {"::ffff:127.0.0.1 64:ff9b::7f00:1"},
		"two.test":    {"127.0.0.1 " + siteHost, siteHost + " 127.0.0.1"},
		"cloud.test":  {metadataAddress},
	})
	e := newEngine(t, names, "TURNPIKE_HOST_RATE=off", proxy.setting())
	newCanary(t, e.site.port)
	w := e.wallet(t)
	for _, f := range e.fields() {
		t.Run(f.name, func(t *testing.T) {
			control, err := f.try(t.Context(), e, e.site.url+"/article/control", f.payer(t, w))
			if err != nil || control.Status != http.StatusOK {
				t.Fatalf("an address that may be reached: got %s, %v", control, err)
			}
			if f.more["country"] != nil {
				proxy.wantAsked(t)
			}
			all := spellings(e.site.port)
			all = append(all, redirectsInside(e, f)...)
			t.Logf("%d addresses", len(all))
			refuse(t, e, w, f, all)
		})
	}
	t.Run("names", func(t *testing.T) {
		if names == nil {
			t.Skip("there is no name server of our own here (said above)")
		}
		for _, f := range e.fields()[:5] {
			inside := []string{"inside.test", "mapped.test", "cloud.test"}
			var all []string
			for _, name := range inside {
				all = append(all, "http://"+name+":"+e.site.port+"/", "http://"+name+"/", e.site.redirecting(http.StatusFound, "http://"+name+"/"))
			}
			refuse(t, e, w, f, all)
			// Some of these addresses may be reached and some not. What counts is what the canary saw.
			for i := range 4 {
				for _, name := range []string{"rebind.test", "two.test"} {
					got, err := f.try(t.Context(), e, fmt.Sprintf("http://%s/article/%d", net.JoinHostPort(name, e.site.port), i), f.payer(t, w))
					if err != nil {
						t.Fatal(err)
					}
					if got.Status != http.StatusOK && !slices.Contains(refusals, got.Code) {
						t.Errorf("%s of %s: got %s", f.name, name, got)
					}
				}
			}
		}
		if got := e.page(t, "http://site.test:"+e.site.port+"/article/named", map[string]any{"country": "DE"}); !strings.Contains(got.Result.Markdown, "Tides") {
			t.Errorf("a name that may be reached: got %s", got)
		}
	})
	t.Run("references of schemas", func(t *testing.T) {
		inside := "http://127.0.0.1:" + e.site.port + "/schema.json"
		for _, schema := range []map[string]any{
			{"$ref": inside},
			{"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": inside + "#/a"}}},
			{"$schema": inside, "type": "object"},
			{"$id": inside, "type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "other.json"}}},
			{"$ref": "file:///etc/passwd"},
		} {
			got, err := e.scrape(t.Context(), "/v1/scrapes", map[string]any{
				"url_to_scrape": e.site.url + "/article/schema", "formats": []string{"json"}, "llm_extract": map[string]any{"schema": schema},
			})
			if err != nil || got.Status >= http.StatusInternalServerError && got.Status != http.StatusNotImplemented {
				t.Errorf("%v: got %s, %v", schema, got, err)
			}
		}
	})
	t.Run("pages", func(t *testing.T) { renderedPagesStayOutside(t, e) })
	proxy.wantOnly(t, siteHost+":"+e.site.port)
}

// refuse checks that every address is refused.
func refuse(t *testing.T, e *engine, w *wallet, f field, addresses []string) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for _, address := range addresses {
		payer := f.payer(t, w)
		group.Go(func() error {
			got, err := f.try(t.Context(), e, address, payer)
			switch {
			case err != nil:
				t.Errorf("%q: %v", address, err)
			case !slices.Contains(refusals, got.Code):
				t.Errorf("%q: got %s, want it refused", address, got)
			case strings.Contains(got.Detail, "127.0.0.1") || strings.Contains(got.Detail, "secret"):
				t.Errorf("%q: got %s, which tells what is inside", address, got)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// redirectsInside returns URLs of the site that redirect to forbidden addresses.
func redirectsInside(e *engine, f field) []string {
	inside := "http://127.0.0.1:" + e.site.port + "/secret"
	var all []string
	for _, status := range []int{301, 302, 303, 307, 308} {
		all = append(all, e.site.redirecting(status, inside))
	}
	for _, to := range []string{
		"//127.0.0.1:" + e.site.port + "/", "http:\\\\127.0.0.1:" + e.site.port, "http://[::1]:" + e.site.port + "/", "http://2130706433/", "http://localhost/",
		"http://user@127.0.0.1/", "HTTP://0x7f.1:" + e.site.port, "http://169.254.169.254/latest/meta-data/", "\thttp://127.0.0.1:" + e.site.port + "/",
		"https://127.0.0.1/", "http://[::ffff:127.0.0.1]:" + e.site.port + "/",
	} {
		all = append(all, e.site.redirecting(http.StatusFound, to))
	}
	all = append(all,
		fmt.Sprintf("%s/chain?left=5&to=%s", e.site.url, url.QueryEscape(inside)),
		fmt.Sprintf("%s/chain?left=10000&to=%s", e.site.url, url.QueryEscape(inside)))
	if f.more["render"] == "always" {
		for _, html := range []string{
			`<meta http-equiv="refresh" content="0;url=` + inside + `">`,
			`<script>location = "` + inside + `"</script>`,
			`<form action="` + inside + `" method="post"></form><script>document.forms[0].submit()</script>`,
			`<a href="` + inside + `" ping="` + inside + `/ping">x</a><script>document.querySelector("a").click()</script>`,
		} {
			all = append(all, e.site.holding(html))
		}
	}
	return all
}

// renderedPagesStayOutside renders pages that try every request a page can make.
func renderedPagesStayOutside(t *testing.T, e *engine) {
	t.Helper()
	base := func(host string) string { return "http://" + host + ":" + e.site.port }
	reach := func(bases ...string) string { return e.site.url + "/reach?" + url.Values{"to": bases}.Encode() }
	finished := []map[string]any{{"type": "click", "selector": "#finished"}}

	// The same page with a reachable host proves that it does try.
	control := e.page(t, reach(e.site.url+"/control"), map[string]any{"render": "always", "actions": finished})
	if !strings.Contains(control.Result.HTML, "peers: undefined") {
		t.Errorf("the page did not come to its end, or has RTCPeerConnection:\n%.1000s", control.Result.HTML)
	}
	for _, way := range []string{"img", "iframe", "script", "stylesheet", "object", "embed", "import", "background", "fetch", "xhr", "beacon", "form", "refresh", "redirected", "worker", "serviceworker", "eventsource", "websocket"} {
		if e.site.asked("/control/"+way) == 0 {
			t.Errorf("the page did not try %s: nothing is shown of it", way)
		}
	}
	var bases []string
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", metadataAddress, "inside.test", "rebind.test"} {
		bases = append(bases, base(host))
	}
	var group errgroup.Group
	group.SetLimit(4)
	for _, more := range []map[string]any{{"render": "always"}, {"render": "always", "country": "DE"}} {
		for some := range slices.Chunk(bases, 2) {
			group.Go(func() error {
				got := e.render(t, reach(some...), more, finished)
				if got.Status != http.StatusOK || strings.Contains(got.Result.HTML, "secret") {
					t.Errorf("%q: got %s", some, got)
				}
				return nil
			})
		}
		for _, to := range bases {
			group.Go(func() error {
				// Its Refresh header leads on, which ends in a refusal or in the page itself.
				got := e.render(t, e.site.url+"/reports?to="+url.QueryEscape(to), more, nil)
				if got.Status != http.StatusOK && !slices.Contains(refusals, got.Code) || strings.Contains(got.Result.HTML, "secret") {
					t.Errorf("reports to %s: got %s", to, got)
				}
				return nil
			})
		}
	}
	for _, address := range []string{"file:///etc/passwd", "chrome://version/", "view-source:file:///etc/passwd", "chrome-error://x/", "filesystem:file:///etc/passwd"} {
		group.Go(func() error {
			page := e.site.holding(`<p>before</p><iframe src="` + address + `"></iframe><script>setTimeout(() => { location = "` + address + `" }, 0)</script>`)
			got := e.render(t, page, rendered, nil)
			html := strings.ReplaceAll(got.Result.HTML, address, "")
			if got.Status == http.StatusOK && (!strings.Contains(html, "before") || strings.Contains(html, "root:")) {
				t.Errorf("%s: got %s\n%s", address, got, html)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// render scrapes a page and accepts any response, also in goroutines.
func (e *engine) render(t *testing.T, address string, more map[string]any, actions []map[string]any) scraped {
	t.Helper()
	body := map[string]any{"url_to_scrape": address}
	maps.Copy(body, more)
	if actions != nil {
		body["actions"] = actions
	}
	got, err := e.scrape(t.Context(), "/v1/scrapes", body)
	if err != nil {
		t.Errorf("%s: %v", address, err)
	}
	return got
}
