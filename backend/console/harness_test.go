package console_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/console"
)

func readAll(r *http.Request) string {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	return string(text)
}

// clock is the time of a test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bench is a console in front of a double of the API, and a browser without scripts.
type bench struct {
	t      *testing.T
	double *double
	url    string
	clock  *clock
	client *http.Client
}

const secret = "a-secret-of-the-tests-of-the-console-32-bytes"

func setup(t *testing.T, change func(*console.Config)) *bench {
	t.Helper()
	b := &bench{t: t, double: newDouble(t), clock: &clock{at: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}}
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	b.url = server.URL
	config := console.Config{
		PublicURL: server.URL, APIURL: b.double.URL, Secret: []byte(secret), Logger: slog.New(slog.DiscardHandler), Now: b.clock.now,
	}
	if change != nil {
		change(&config)
	}
	c, err := console.New(config)
	if err != nil {
		t.Fatal(err)
	}
	handler = c
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b.client = &http.Client{Jar: jar}
	return b
}

// page is the response to a request, after redirects.
type page struct {
	t      *testing.T
	status int
	path   string // where the redirects ended
	body   string
	header http.Header
}

func (b *bench) get(path string) *page {
	b.t.Helper()
	return b.do(http.MethodGet, path, nil, nil)
}

func (b *bench) post(path string, form url.Values) *page {
	b.t.Helper()
	return b.do(http.MethodPost, path, form, map[string]string{"Sec-Fetch-Site": "same-origin"})
}

func (b *bench) do(method, path string, form url.Values, header map[string]string) *page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil || method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return &page{t: b.t, status: resp.StatusCode, path: resp.Request.URL.RequestURI(), body: string(text), header: resp.Header}
}

func (b *bench) signIn() *bench {
	b.t.Helper()
	b.post("/console/sign-in", url.Values{"key": {goodKey}}).want(200, "Overview", "123,456")
	return b
}

func (p *page) want(status int, texts ...string) *page {
	p.t.Helper()
	if p.status != status {
		p.t.Errorf("%s: got status %d, want %d:\n%s", p.path, p.status, status, p.main())
	}
	for _, text := range texts {
		if !strings.Contains(p.body, text) {
			p.t.Errorf("%s: got no %q in\n%s", p.path, text, p.main())
		}
	}
	return p
}

func (p *page) wantNot(texts ...string) *page {
	p.t.Helper()
	for _, text := range texts {
		if strings.Contains(p.body, text) {
			p.t.Errorf("%s: got %q in\n%s", p.path, text, p.main())
		}
	}
	return p
}

func (p *page) wantPath(path string) *page {
	p.t.Helper()
	if p.path != path {
		p.t.Errorf("got to %s, want %s", p.path, path)
	}
	return p
}

func (p *page) main() string {
	_, text, _ := strings.Cut(p.body, "<main")
	return text
}

var onceField = regexp.MustCompile(`name="once" value="(console-[^"]+)"`)

// once is the Idempotency-Key of the page's first form that has one.
func (p *page) once() string {
	p.t.Helper()
	m := onceField.FindStringSubmatch(p.body)
	if m == nil {
		p.t.Fatalf("%s: no form has an Idempotency-Key:\n%s", p.path, p.main())
	}
	return m[1]
}
