package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// raw is a record in the form of other writers.
func raw(version, kind, block string, fields ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WARC/%s\r\nWARC-Type: %s\r\n", version, kind)
	for _, f := range fields {
		b.WriteString(f + "\r\n")
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
	return b.String()
}

func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

const (
	http10 = "Content-Type: application/http; msgtype=response"
	asked  = "Content-Type: application/http; msgtype=request"
)

// likeWget imitates GNU Wget: version 1.0, URLs in angle brackets, requests first, bodies as they were sent.
func likeWget() []string {
	return []string{
		raw("1.0", "warcinfo", "software: Wget/1.21 (linux-gnu)\r\nformat: WARC File Format 1.0\r\n", "Content-Type: application/warc-fields",
			"WARC-Date: 2024-01-02T03:04:05Z", "WARC-Record-ID: <urn:uuid:00>", "WARC-Filename: a.warc.gz"),
		raw("1.0", "request", "GET / HTTP/1.1\r\nUser-Agent: Wget\r\nHost: a.example\r\n\r\n", asked, "WARC-Target-URI: <http://a.example/>",
			"WARC-Date: 2024-01-02T03:04:05Z", "WARC-Record-ID: <urn:uuid:01>", "WARC-IP-Address: 192.0.2.1"),
		raw("1.0", "response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ch\r\n6\r\nunked!\r\n0\r\n\r\n", http10,
			"WARC-Target-URI: <http://a.example/>", "WARC-Concurrent-To: <urn:uuid:01>", "WARC-Date: 2024-01-02T03:04:05Z", "WARC-Record-ID: <urn:uuid:02>",
			"WARC-Payload-Digest: sha1:KXA75HFDA5M5CMLU5DPUXRMXYX7SLYQK"),
		raw("1.0", "metadata", "http://a.example/ 1\n", "WARC-Record-ID: <urn:uuid:03>", "WARC-Date: 2024-01-02T03:04:06Z", "Content-Type: text/plain"),
	}
}

// likeBrowsertrix imitates warcio.js: version 1.1, responses first, decoded bodies with renamed header fields, revisits.
func likeBrowsertrix() []string {
	const payload = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of "hello"
	return []string{
		raw("1.1", "response", "HTTP/1.1 200\r\ncontent-type: text/html; charset=utf-8\r\nx-archive-orig-content-encoding: br\r\ncontent-length: 5\r\n\r\nhello", http10,
			"WARC-Target-URI: https://b.example/one", "WARC-Date: 2024-02-03T00:00:00.123Z", "WARC-Record-ID: <urn:uuid:10>",
			"WARC-Payload-Digest: "+payload, "WARC-Page-ID: p", `WARC-JSON-Metadata: {"cert":{}}`),
		raw("1.1", "request", "GET /one HTTP/1.1\r\nhost: b.example\r\n\r\n", asked, "WARC-Target-URI: https://b.example/one",
			"WARC-Concurrent-To: <urn:uuid:10>", "WARC-Date: 2024-02-03T00:00:00.123Z", "WARC-Record-ID: <urn:uuid:11>"),
		raw("1.1", "revisit", "HTTP/1.1 203\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\n\r\n", http10, "WARC-Target-URI: https://b.example/two",
			"WARC-Date: 2024-02-03T00:00:01Z", "WARC-Record-ID: <urn:uuid:12>", "WARC-Payload-Digest: "+payload,
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Refers-To-Target-URI: https://b.example/one"),
		raw("1.1", "revisit", "HTTP/1.1 304 Not Modified\r\n\r\n", http10, "WARC-Target-URI: https://b.example/one", "WARC-Date: 2024-02-04T00:00:01Z",
			"WARC-Record-ID: <urn:uuid:13>", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"),
		raw("1.1", "response", "HTTP/1.1 200 OK\r\n\r\nposted", http10, "WARC-Target-URI: https://b.example/form",
			"WARC-Date: 2024-02-03T00:00:02Z", "WARC-Record-ID: <urn:uuid:14>"),
		raw("1.1", "request", "POST /form HTTP/1.1\r\nhost: b.example\r\n\r\na=b", asked, "WARC-Target-URI: https://b.example/form",
			"WARC-Concurrent-To: <urn:uuid:14>", "WARC-Date: 2024-02-03T00:00:02Z", "WARC-Record-ID: <urn:uuid:15>"),
		raw("1.1", "resource", "a file", "Content-Type: text/plain", "WARC-Target-URI: https://b.example/file", "WARC-Date: 2024-02-03T00:00:03Z", "WARC-Record-ID: <urn:uuid:16>"),
		raw("1.1", "resource", "text", "Content-Type: text/plain", "WARC-Target-URI: urn:text:https://b.example/", "WARC-Date: 2024-02-03T00:00:03Z", "WARC-Record-ID: <urn:uuid:17>"),
		raw("1.1", "response", "20240203 answer", "Content-Type: text/dns", "WARC-Target-URI: dns:b.example", "WARC-Date: 2024-02-03T00:00:03Z", "WARC-Record-ID: <urn:uuid:18>"),
		raw("1.1", "revisit", "", http10, "WARC-Target-URI: https://b.example/three", "WARC-Date: 2024-02-03T00:00:01Z", "WARC-Record-ID: <urn:uuid:19>",
			"WARC-Payload-Digest: "+payload, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
		raw("1.1", "revisit", "", http10, "WARC-Target-URI: https://b.example/lost", "WARC-Date: 2024-02-03T00:00:01Z", "WARC-Record-ID: <urn:uuid:20>",
			"WARC-Payload-Digest: sha1:NOTHERE", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
	}
}

func saved(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.warc.gz")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t testing.TB, paths ...string) *Archive {
	t.Helper()
	a, err := OpenArchive(t.Context(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func mustParse(t testing.TB, text string) fetch.URL {
	t.Helper()
	u, err := fetch.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Files of every shape give the same records.
func TestShapesOfFiles(t *testing.T) {
	t.Parallel()
	records := append(likeWget(), likeBrowsertrix()...)
	whole := strings.Join(records, "")
	var want []string
	for record, err := range Records(strings.NewReader(whole)) {
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(record.Block)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(record.Type, record.ID(), record.TargetURI(), record.Length, string(block)))
	}
	if len(want) != len(records) {
		t.Fatalf("got %d records, want %d", len(want), len(records))
	}
	for name, data := range map[string][]byte{
		"a member each":   zipped(t, records...),
		"one member":      zipped(t, whole),
		"members of some": zipped(t, strings.Join(records[:5], ""), strings.Join(records[5:], "")),
		"half compressed": slices.Concat([]byte(strings.Join(records[:3], "")), zipped(t, records[3:]...)),
		"LF and no lines": []byte(strings.Join(records, "\n\n\n")),
	} {
		var got []string
		for record, err := range Records(bytes.NewReader(data)) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			block, err := io.ReadAll(record.Block)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, fmt.Sprint(record.Type, record.ID(), record.TargetURI(), record.Length, string(block)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		a := opened(t, saved(t, data))
		for i, at := range []string{"http://a.example/", "https://b.example/two", "https://b.example/file"} {
			if _, body := recorded(t, a, at); body != []string{"<p>chunked!", "hello", "a file"}[i] {
				t.Errorf("%s: at %s got %q", name, at, body)
			}
		}
	}
}

// replayed is the head of a response from an archive.
type replayed struct {
	StatusCode int
	Header     http.Header
}

func recorded(t testing.TB, a *Archive, at string) (replayed, string) {
	t.Helper()
	response, err := a.Recorded(t.Context(), http.MethodGet, mustParse(t, at))
	if err != nil {
		t.Fatalf("at %s: %v", at, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("at %s: %v", at, err)
	}
	return replayed{response.StatusCode, response.Header}, string(body)
}

func TestArchiveOfOthers(t *testing.T) {
	t.Parallel()
	a := opened(t, saved(t, zipped(t, likeWget()...)), saved(t, zipped(t, likeBrowsertrix()...)))
	if got := a.Len(); got != 6 || len(a.Faults()) != 0 {
		t.Errorf("got %d URLs and %v, want 6", got, a.Faults())
	}
	for _, tt := range []struct {
		at     string
		status int
		media  string
		body   string
	}{
		{"http://a.example", 200, "text/html", "<p>chunked!"},
		{"http://A.example/#part", 200, "text/html", "<p>chunked!"},
		{"https://b.example/one", 200, "text/html; charset=utf-8", "hello"},
		{"https://b.example/two", 203, "text/plain", "hello"},
		{"https://b.example/three", 200, "text/html; charset=utf-8", "hello"},
		{"https://b.example/file", 200, "text/plain", "a file"},
	} {
		response, body := recorded(t, a, tt.at)
		if response.StatusCode != tt.status || response.Header.Get("Content-Type") != tt.media || body != tt.body || response.Header.Get("Content-Encoding") != "" {
			t.Errorf("at %s: got %d %v %q, want %d %s %q", tt.at, response.StatusCode, response.Header, body, tt.status, tt.media, tt.body)
		}
	}
	for _, absent := range []struct{ method, at string }{
		{"GET", "http://a.example/other"}, {"GET", "https://b.example/form"}, {"POST", "https://b.example/one"}, {"GET", "https://b.example/lost"},
	} {
		if _, err := a.Recorded(t.Context(), absent.method, mustParse(t, absent.at)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s %s: got %v, want that there is none", absent.method, absent.at, err)
		}
	}
	head, err := a.Recorded(t.Context(), http.MethodHead, mustParse(t, "https://b.example/one"))
	if err != nil || head.Body != http.NoBody {
		t.Errorf("HEAD: got %v, %v, want no body", head, err)
	}
}

// Of several responses for a URL the latest is used, wherever it is in the file.
func TestLatestAnswerCounts(t *testing.T) {
	t.Parallel()
	at := func(date, body string) string {
		return raw("1.1", "response", "HTTP/1.1 200 OK\r\n\r\n"+body, http10, "WARC-Target-URI: http://a.example/", "WARC-Date: "+date, "WARC-Record-ID: <urn:x:"+body+">")
	}
	for _, tt := range []struct {
		records []string
		want    string
	}{
		{[]string{at("2024-01-01T00:00:00Z", "old"), at("2024-01-02T00:00:00Z", "new")}, "new"},
		{[]string{at("2024-01-02T00:00:00Z", "new"), at("2024-01-01T00:00:00Z", "old")}, "new"},
		{[]string{at("2024-01-01T00:00:00Z", "first"), at("2024-01-01T00:00:00Z", "second")}, "second"},
		{[]string{at("2024-01-01T00:00:00Z", "dated"), at("yesterday", "undated")}, "dated"},
	} {
		if _, body := recorded(t, opened(t, saved(t, zipped(t, tt.records...))), "http://a.example/"); body != tt.want {
			t.Errorf("got %q, want %q", body, tt.want)
		}
	}
}

// A written response is replayed exactly.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("", 3600))
	exchanges := []fetch.Exchange{
		{
			Method: "GET", URL: mustParse(t, "https://a.example/from?q=1#part"), RequestHeader: http.Header{"Accept": {"*/*"}},
			Proto: "HTTP/1.1", Status: "302 Found", StatusCode: 302, Header: http.Header{"Location": {"/to"}, "Content-Length": {"120"}},
		},
		{
			Method: "GET", URL: mustParse(t, "https://a.example/to"), Proto: "HTTP/2.0", Status: "200 OK", StatusCode: 200,
			Header: http.Header{"Content-Type": {"text/html; charset=iso-8859-1"}, "Content-Encoding": {"gzip"}, "Content-Length": {"9"}, "Set-Cookie": {"a=1", "b=2"}},
			Body:   []byte("caf\xe9 \r\n\r\nWARC/1.1\r\n\x1f\x8b\x08\x00"),
		},
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	if err := w.Info(at, Fields{{"software", "turnpike"}, {"description", "two\r\nlines"}}); err != nil {
		t.Fatal(err)
	}
	for i := range exchanges {
		if err := w.Exchange(&exchanges[i], at); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Metadata(at, "", Fields{{"pages", "1"}}); err != nil {
		t.Fatal(err)
	}
	var types []string
	ids := map[string]bool{}
	for record, err := range Records(bytes.NewReader(b.Bytes())) {
		if err != nil {
			t.Fatal(err)
		}
		types, ids[record.ID()] = append(types, string(record.Type)), true
		if record.Version != "1.1" || record.Place.Inner != 0 || !record.Date().Equal(at.Truncate(time.Microsecond)) {
			t.Errorf("got version %s at %+v of %s", record.Version, record.Place, record.Date())
		}
		if checked, err := record.Verify(); checked == 0 || err != nil {
			t.Errorf("%s: got %d digests, %v", record.Type, checked, err)
		}
	}
	if want := []string{"warcinfo", "response", "request", "response", "request", "metadata"}; !slices.Equal(types, want) || len(ids) != len(want) {
		t.Errorf("got %q of %d IDs, want %q", types, len(ids), want)
	}
	a := opened(t, saved(t, b.Bytes()))
	redirect, _ := recorded(t, a, "https://a.example/from?q=1")
	if redirect.StatusCode != 302 || redirect.Header.Get("Location") != "/to" {
		t.Errorf("got %d %v, want the redirect", redirect.StatusCode, redirect.Header)
	}
	response, body := recorded(t, a, "https://a.example/to")
	if body != string(exchanges[1].Body) || response.StatusCode != 200 || len(response.Header["Set-Cookie"]) != 2 || response.Header.Get("Content-Encoding") != "" {
		t.Errorf("got %v %q, want what was recorded", response, body)
	}
	client, err := fetch.New(fetch.Config{Archive: a})
	if err != nil {
		t.Fatal(err)
	}
	page, err := client.Get(t.Context(), fetch.Request{URL: exchanges[0].URL})
	if err != nil || !strings.HasPrefix(string(page.Body), "café ") || page.Redirects != 1 || page.URL.String() != "https://a.example/to#part" && page.URL.String() != "https://a.example/to" {
		t.Errorf("got %+v, %v, want the page by way of its redirect", page, err)
	}
}

func TestRecordedUnderAnEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	path := saved(t, zipped(t, likeWget()...))
	a := opened(t, path)
	cancel()
	if _, err := a.Recorded(ctx, http.MethodGet, mustParse(t, "http://a.example/")); !errors.Is(err, context.Canceled) {
		t.Errorf("Recorded: got %v", err)
	}
	if _, err := OpenArchive(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("OpenArchive: got %v", err)
	}
	if _, err := OpenArchive(t.Context(), path+".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenArchive of nothing: got %v", err)
	}
}
