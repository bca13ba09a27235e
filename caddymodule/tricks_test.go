//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
)

// tricked is a site that path tricks are tried on.
type tricked struct {
	site string
	// sold returns the price of a path in millionths of a USDC, after all decoding: 0 is free.
	sold func(method, p string) (units int64)
	// free are paths that need no payment, to show that the upstream is reachable.
	free []string
}

func under(p, folder string) bool { return len(p) > len(folder)+1 && strings.HasPrefix(p, folder+"/") }

var trickedSites = map[string]*tricked{
	// A free rule beside each kind of priced one, in front of a proxy that passes everything on.
	"fixed prices": {
		site: `
		x402 {
			price /dear 0.50
			price /dear/* 0.50
			price /reports 0.25
			price /reports/* 0.25
			price /files/*/preview free
			price /files/* 0.10
			price POST,PUT,PATCH,DELETE /jobs 0.05
			price GET /jobs free
			price /public free
			price /docs/* free
		}
		reverse_proxy UPSTREAM`,
		sold: func(method, p string) int64 {
			switch {
			case p == "/dear" || under(p, "/dear"):
				return 500_000
			case p == "/reports" || under(p, "/reports"):
				return 250_000
			case under(p, "/files") && !(strings.Count(p, "/") == 3 && strings.HasSuffix(p, "/preview")):
				return 100_000
			case p == "/jobs" && method != http.MethodGet && method != http.MethodHead:
				return 50_000
			}
			return 0
		},
		free: []string{"/docs/x", "/public", "/jobs", "/files/1/preview"},
	},
	// Wallets below a prefix, and keys everywhere else but on some paths, as the shipped Caddyfile has it.
	"wallets and keys": {
		site: `
		handle /x402/* {
			x402 {
				price /x402/dear/* 0.50
				price /x402/reports 0.25
				price /x402/docs/* free
			}
			uri strip_prefix /x402
			reverse_proxy UPSTREAM
		}
		handle {
			api_key {
				anonymous /files/*/preview
				public /docs/* /public
			}
			meter {
				price GET /files/*/preview free
				price /dear/* 50
				price /reports 25
			}
			reverse_proxy UPSTREAM
		}`,
		sold: func(_, p string) int64 {
			p = strings.TrimPrefix(p, "/x402")
			switch {
			case under(p, "/dear"):
				return 500_000
			case p == "/reports":
				return 250_000
			}
			return 0
		},
		free: []string{"/docs/x", "/public", "/files/1/preview", "/x402/docs/x"},
	},
}

// readings are all paths that an upstream may read a target as, if it decodes it, merges slashes, resolves dots, or
// ignores case, parameters and suffixes: one of these steps, or several, in any order.
func readings(target string) []string {
	steps := []func(string) string{
		decodeLeniently,
		func(p string) string { return strings.ReplaceAll(p, `\`, "/") },
		strings.NewReplacer("\xc0\xae", ".", "\xe0\x80\xae", ".", "\xc0\xaf", "/", "\xe0\x80\xaf", "/", "\xc1\x9c", `\`).Replace,
		func(p string) string { p, _, _ = strings.Cut(p, "?"); return p },
		func(p string) string { p, _, _ = strings.Cut(p, "#"); return p },
		func(p string) string { p, _, _ = strings.Cut(p, "\x00"); return p },
		func(p string) string {
			segments := strings.Split(p, "/")
			for i, s := range segments {
				segments[i], _, _ = strings.Cut(s, ";")
			}
			return strings.Join(segments, "/")
		},
		func(p string) string {
			for strings.Contains(p, "//") {
				p = strings.ReplaceAll(p, "//", "/")
			}
			return p
		},
		func(p string) string { return "/" + strings.TrimLeft(path.Clean("/"+p), "/") },
		strings.ToLower,
		func(p string) string { return strings.TrimRight(p, "/. \t") },
		func(p string) string { // the absolute form
			if u, err := url.Parse(p); err == nil && u.Host != "" {
				return u.EscapedPath()
			}
			return p
		},
	}
	target, _, _ = strings.Cut(target, "?")
	found := []string{target}
	for i := 0; i < len(found) && len(found) < 2000; i++ {
		for _, step := range steps {
			if next := step(found[i]); !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	return found
}

func decodeLeniently(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if decoded, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(decoded)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// overrides are the headers by which frameworks let a client choose another path or method, in CGI form, where a dash
// is an underscore.
var overrides = map[string][]string{
	"path":   {"X_ORIGINAL_URL", "X_REWRITE_URL", "X_ORIGINAL_URI", "X_FORWARDED_URI", "X_WAWS_UNENCODED_URL", "X_ENVOY_ORIGINAL_PATH"},
	"method": {"X_HTTP_METHOD_OVERRIDE", "X_HTTP_METHOD", "X_METHOD_OVERRIDE", "X_FORWARDED_METHOD"},
}

func overridden(h http.Header, kind string) []string {
	var values []string
	for name, sent := range h {
		if slices.Contains(overrides[kind], strings.ToUpper(strings.ReplaceAll(name, "-", "_"))) {
			values = append(values, sent...)
		}
	}
	return values
}

// dearest is the highest price of a request at the upstream, in any reading.
func (x *tricked) dearest(method, target string, header http.Header) (units int64, reading string) {
	targets := append([]string{target}, overridden(header, "path")...)
	methods := append([]string{method, strings.ToUpper(method)}, overridden(header, "method")...)
	for _, target := range targets {
		for _, read := range readings(target) {
			for _, method := range methods {
				if price := x.sold(method, read); price > units {
					units, reading = price, method+" "+read
				}
			}
		}
	}
	return units, reading
}

// spellings are ways to write a path that one server reads as the path itself and another does not.
func spellings(host string) []string {
	prefixes := []string{
		"", "/x402", "/x402/..", "/x402//", "/x402/docs/..", "/x402%2f", "/X402", "/x402;", "/docs/../x402", "/x402/x402", "/", "//", "/.", "/./", "/%2e", "/;x", "/%2f", "%2f", `/\`, `\`, "/%5c", "/docs/..", "/docs/x/../..", "/docs/%2e%2e", "/docs/..;",
		"/docs/..;x=y", "/docs/.%2e", "/docs/..%2f", "/docs/..%5c", `/docs/..\`, "/docs/%252e%252e", "/docs//..", "/docs/../..", "/docs/%c0%ae%c0%ae", "/docs/%e0%80%ae%e0%80%ae", "/docs%c0%af%c0%ae.",
		"/public/..", "/public;/..", "/public/.", "/public%00", "/public%3f", "/public%23", "/files/x/preview/../../..", "/files/..;/..",
		"/files/%2e%2e", "/nothing/..", "http://" + host, "https://" + host, "//" + host, "/docs/x%2f..%2f..", "/docs/\t..", "/docs/..%00", "/docs/..%20",
	}
	paths := []string{
		"/dear", "/dear/x", "/DEAR/x", "/Dear", "/d%65ar", "/d%2565ar", "/dear;x", "/dear;/x", "/%64%65%61%72/x", "/dear%2fx", "/dear%5cx", "/dear//x",
		"/reports", "/reports/1", "/rePorts/1", "/reports;a=b/1", "/files/1", "/files/1/preview", "/files/1/Preview", "/files/1/preview/x",
		"/files/preview", "/files//preview", "/files/dear/preview", "/files/a%2fb/preview", "/jobs", "/JOBS", "/docs/dear", "/docs/x",
	}
	suffixes := []string{
		"", "/", "//", "/.", "/..", "/../dear", "/..%2fdear", "%2f..%2f..%2fdear", ";x", ";.docs", ".", "%2e", "%20", " ", "%00", "%09", "?", "?x=/docs/y", "%3f", "%3fx", "#", "#x", "%23", "/%2e%2e/%2e%2e/dear",
		"/..;/..;/dear/x", `\..\dear`, "%zz", "%", "%2", "/*", "/preview", ";/preview", "%2fpreview", "/preview;x", "/x/../preview", "\x7f", "é", "%u002f",
	}
	var all []string
	for _, prefix := range prefixes {
		for _, p := range paths {
			all = append(all, prefix+p)
		}
	}
	for _, p := range paths {
		for _, suffix := range suffixes {
			all = append(all, p+suffix)
			all = append(all, "/docs/.."+p+suffix, "/public"+suffix+p)
		}
	}
	all = append(all, "*", "", "%zz", "/%zz", "/%zz/dear", "dear", "?/dear", "/", "//", "///dear", host+"/dear", ":/dear", "/docs", "/docs/", "/public", "/public/")
	slices.Sort(all)
	return slices.Compact(all)
}

// offered is the amount of a challenge.
func offered(t *testing.T, header http.Header) int64 {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(header.Get("Payment-Required"))
	var challenge struct {
		Accepts []struct {
			Amount json.Number `json:"amount"`
		} `json:"accepts"`
	}
	if err == nil {
		err = json.Unmarshal(text, &challenge)
	}
	if err != nil || len(challenge.Accepts) == 0 {
		t.Fatalf("offer %q: %v", header.Get("Payment-Required"), err)
	}
	units, err := challenge.Accepts[0].Amount.Int64()
	if err != nil {
		t.Fatal(err)
	}
	return units
}

const protocolsH2C = `servers {
			protocols h1 h2 h2c
		}`

// TestTricksInEveryReading sends paths in every spelling, by HTTP/1.1 and HTTP/2, to an edge whose upstream may read
// them in any way. Requests that reach it unpaid are free in every reading, and a challenge asks for the price of the
// dearest reading.
func TestTricksInEveryReading(t *testing.T) {
	for name, site := range trickedSites {
		t.Run(name, func(t *testing.T) { site.play(t) })
	}
}

// overriding are headers that name another method and path.
var overriding = map[string][]string{
	"":                nil,
	"with overrides":  {"X-HTTP-Method-Override", "POST", "X-Original-URL", "/dear/x", "X-Rewrite-URL", "/dear/x", "X-Method-Override", "PUT"},
	"with underlines": {"X_HTTP_Method_Override", "POST", "X_Original_URL", "/dear/x", "x_rewrite_url", "/reports", "X-Forwarded_Uri", "/reports"},
	"with forwarding": {
		"X-Forwarded-Uri", "/dear/x", "X-Original-Uri", "/reports", "X-Forwarded-Method", "POST", "X-Envoy-Original-Path", "/dear/x", "X-Waws-Unencoded-Url", "/reports",
	},
}

func (x *tricked) play(t *testing.T) {
	t.Helper()
	e := newEdgeWith(t, x.site, protocolsH2C)
	dial := func() (net.Conn, error) { return net.Dial("tcp", e.address) }
	wires := map[string]wire{"HTTP/1.1": &wire1{t: t, dial: dial}, "HTTP/2": &wire2{t: t, dial: dial, scheme: "http"}}
	all := spellings(e.address)
	for name, w := range wires {
		for _, target := range x.free {
			before := e.calls.Load()
			if status, _, err := w.send(http.MethodGet, e.address, target); status != http.StatusOK || e.calls.Load() != before+1 {
				t.Fatalf("%s %s: got %d, %v, want it served", name, target, status, err)
			}
		}
		count := tally{spellings: len(all)}
		for _, target := range all {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				x.trick(t, e, w, &count, method, target, nil)
			}
		}
		for _, target := range append([]string{"/dear/x", "/reports", "/files/1", "/jobs", "/x402/dear/x", "/x402/reports"}, x.free...) {
			for _, method := range []string{"get", "Get", "head", "PUT", "PATCH", "DELETE", "TRACE", "QUERY", "PRI", "PROPFIND", "OPTIONS"} {
				x.trick(t, e, w, &count, method, target, nil)
			}
		}
		for _, target := range x.free {
			for _, header := range overriding {
				x.trick(t, e, w, &count, http.MethodGet, target, header)
			}
		}
		t.Logf("%s: %+v", name, count)
		if count.free == 0 || count.offered == 0 || count.refused == 0 {
			t.Errorf("%s: got %+v, want some of each", name, count)
		}
	}
}

// tally counts the results of requests: forwarded as free, offered at a price, refused.
type tally struct{ spellings, requests, free, offered, refused int }

func (x *tricked) trick(t *testing.T, e *edge, w wire, count *tally, method, target string, header []string) {
	t.Helper()
	count.requests++
	before := e.calls.Load()
	status, got, err := w.send(method, e.address, target, header...)
	switch {
	case e.calls.Load() != before:
		count.free++
		last := e.last.Load()
		if worth, reading := x.dearest(last.method, last.uri, last.header); worth > 0 {
			t.Errorf("%T %s %q with %q: reached the upstream as %s %s, which may be %s at %d units",
				w, method, target, header, last.method, last.uri, reading, worth)
		}
	case err == nil && status == http.StatusPaymentRequired:
		count.offered++
		if worth, reading := x.dearest(method, target, nil); offered(t, got) < worth {
			t.Errorf("%T %s %q: offered at %d units, and may be %s at %d", w, method, target, offered(t, got), reading, worth)
		}
	case err == nil && status < http.StatusBadRequest && target != "*" && method != http.MethodOptions: // the edge answers preflights
		t.Errorf("%T %s %q: got %d, want it refused, offered or passed on", w, method, target, status)
	default:
		count.refused++
	}
}
