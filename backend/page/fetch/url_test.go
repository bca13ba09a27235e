package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, problem string }{
		{name: "plain", in: "https://example.com", want: "https://example.com/"},
		{name: "case", in: "HTTPS://EXAMPLE.com/A", want: "https://example.com/A"},
		{name: "default port", in: "http://example.com:80/", want: "http://example.com/"},
		{name: "space around", in: "  https://example.com/a b \n", want: "https://example.com/a%20b"},
		{name: "back slashes", in: `https:\\example.com\a`, want: "https://example.com/a"},
		{name: "dot segments", in: "https://example.com/a/../b/%2e%2e/c", want: "https://example.com/c"},
		{name: "international", in: "https://bücher.example/ä", want: "https://xn--bcher-kva.example/%C3%A4"},
		{name: "decimal address", in: "http://2130706433/", want: "http://127.0.0.1/"},
		{name: "hexadecimal address", in: "http://0x7f.1/", want: "http://127.0.0.1/"},
		{name: "full-width address", in: "http://①②⑦.⓪.⓪.①/", want: "http://127.0.0.1/"},
		{name: "IPv6", in: "http://[0:0:0:0:0:0:0:1]/", want: "http://[::1]/"},
		{name: "underscore", in: "http://a_b.example.com/", want: "http://a_b.example.com/"},
		{name: "empty", in: " ", problem: "is empty"},
		{name: "relative", in: "/a/b", problem: "not absolute"},
		{name: "no scheme", in: "example.com/a", problem: "not absolute"},
		{name: "scheme-relative", in: "//example.com", problem: "not absolute"},
		{name: "file", in: "file:///etc/passwd", problem: `scheme "file"`},
		{name: "script", in: "javascript:alert(1)", problem: `scheme "javascript"`},
		{name: "ftp", in: "ftp://example.com/", problem: `scheme "ftp"`},
		{name: "no host", in: "http://", problem: "no host"},
		{name: "credentials", in: "https://user:secret@example.com/", problem: "credentials"},
		{name: "user alone", in: "https://user@example.com/", problem: "credentials"},
		{name: "bad port", in: "http://example.com:99999/", problem: "not valid"},
		{name: "bad address", in: "http://1.2.3.400/", problem: "not valid"},
		{name: "bad IPv6", in: "http://[::1/", problem: "not valid"},
		{name: "zone", in: "http://[fe80::1%25eth0]/", problem: "not valid"},
		{name: "credentials in what is no URL", in: "http://user:secret@exa mple.com/", problem: "not valid: the host contains"},
		{name: "null in host", in: "http://exa%00mple.com/", problem: "not valid"},
		{name: "space in host", in: "http://exa mple.com/", problem: "not valid"},
		{name: "long", in: "http://example.com/" + strings.Repeat("a", urlBytesMax), problem: "longer than"},
		{name: "long once encoded", in: "http://example.com/" + strings.Repeat("ä", urlBytesMax/3), problem: "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := ParseURL(tt.in)
			if tt.problem == "" {
				if err != nil || u.String() != tt.want {
					t.Fatalf("got %q, %v, want %q", u, err, tt.want)
				}
				return
			}
			wantReason(t, err, ReasonInvalidURL)
			if !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("got %q, want it to say %q", err, tt.problem)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("got %q, want the password left out", err)
			}
		})
	}
}

func TestURLParts(t *testing.T) {
	t.Parallel()
	u := mustParse(t, "https://example.com:8443/a/b?c=d#e")
	for _, tt := range [][2]string{
		{u.Scheme(), "https"},
		{u.Hostname(), "example.com"},
		{u.Host(), "example.com:8443"},
		{u.Origin(), "https://example.com:8443"},
		{u.PathAndQuery(), "/a/b?c=d"},
		{u.WithoutFragment(), "https://example.com:8443/a/b?c=d"},
		{URL{}.String(), ""},
	} {
		if tt[0] != tt[1] {
			t.Errorf("got %q, want %q", tt[0], tt[1])
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	base := mustParse(t, "https://example.com/a/b?c")
	for _, tt := range [][2]string{
		{"d", "https://example.com/a/d"},
		{"/d", "https://example.com/d"},
		{"?d", "https://example.com/a/b?d"},
		{"//other.example/d", "https://other.example/d"},
		{"http://user:pw@other.example/", "http://other.example/"},
		{"", "https://example.com/a/b?c"},
		{"mailto:a@b.example", ""},
		{"javascript:0", ""},
		{"http://[", ""},
	} {
		got, err := base.Resolve(tt[0])
		if got.String() != tt[1] || (err != nil) != (tt[1] == "") {
			t.Errorf("%q: got %q, %v, want %q", tt[0], got, err, tt[1])
		}
	}
}

func TestPlainlyPrivate(t *testing.T) {
	t.Parallel()
	for rawURL, want := range map[string]bool{
		"http://127.1/": true, "http://0x7f000001/": true, "http://017700000001/": true, "http://[::ffff:10.0.0.1]/": true,
		"http://localhost/": true, "http://LOCALHOST./": true, "http://a.localhost/": true, "http://printer.local/": true,
		"http://metadata.google.internal/": true, "http://router.home.arpa/": true, "http://169.254.169.254/": true,
		"http://example.com/": false, "http://8.8.8.8/": false, "http://[2606:4700::1111]/": false,
		"http://localhost.example.com/": false, "http://internal.example.com/": false, "http://mylocal/": false,
	} {
		if got := mustParse(t, rawURL).PlainlyPrivate(); got != want {
			t.Errorf("%s: got %v, want %v", rawURL, got, want)
		}
	}
}

var errDialled = errors.New("dialled")

// FuzzParseURL compares the guard with reality: for a URL that ParseURL and Check accept, net/http must dial the
// checked host. If that is an address, it must be public, on an allowed port.
func FuzzParseURL(f *testing.F) {
	for _, host := range spellings {
		f.Add("http://" + host + "/")
	}
	for _, seed := range []string{
		"https://example.com/a?b#c", "http://user:pw@127.0.0.1/", `http:\\127.0.0.1`, "http://127.0.0.1#@example.com",
		"http://example.com%40127.0.0.1", "http://1.2.3.4.5/", "http://0x.0x.0/", "http://[::%31]/", "http://8.8.8.8//a",
		"http://\u00ad127.0.0.1/", "http://xn--/", "http://xn--127-.0.0.1/", "http://a..b/",
	} {
		f.Add(seed)
	}
	client, err := New(Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw)
		if err != nil {
			wantReason(t, err, ReasonInvalidURL)
			return
		}
		if again, err := ParseURL(u.String()); err != nil || again.Host() != u.Host() {
			t.Fatalf("%q: reparsing %s gives %q, %v", raw, u, again, err)
		}
		if client.Check(u) != nil {
			return
		}
		var dialled string
		transport := &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = address
			return nil, errDialled
		}}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://placeholder.example/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.URL, request.Host = u.forRequest(), u.Host()
		response, err := transport.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if dialled == "" {
			return // net/http refused it, and did not connect
		}
		host, port, err := net.SplitHostPort(dialled)
		if err != nil {
			t.Fatalf("%q: dials %q: %v", raw, dialled, err)
		}
		if want := strings.Trim(u.Hostname(), "[]"); host != want {
			t.Fatalf("%q: dials %q, but %q was checked", raw, host, want)
		}
		if port != "80" && port != "443" {
			t.Fatalf("%q: dials port %s", raw, port)
		}
		if addr, err := netip.ParseAddr(host); err == nil && deniedRange(addr) != "" {
			t.Fatalf("%q: dials %s, %s", raw, addr, deniedRange(addr))
		}
	})
}
