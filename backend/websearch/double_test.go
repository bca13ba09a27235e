package websearch

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// Keys that must be in no error and no log.
const (
	braveKey  = "brave-key-5f2a91c0d7"
	serperKey = "serper-key-77b1e0aa42"
)

// today is the time of the tests' clock.
var today = time.Date(2025, time.June, 17, 14, 20, 5, 0, time.UTC)

func fixed() time.Time { return today }

// recording is a provider's response as documented or observed.
type recording struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   json.RawMessage   `json:"body"`
	Text   string            `json:"text"`
}

func recorded(t testing.TB, name string) recording {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func (r recording) bytes() []byte {
	if r.Text != "" {
		return []byte(r.Text)
	}
	return r.Body
}

func (r recording) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, value := range r.Header {
		w.Header()[name] = []string{value} // in the provider's spelling
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.bytes())
}

// double stands in for a provider. It refuses what the real one would refuse, and records requests.
type double struct {
	*httptest.Server

	t        *testing.T
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func newDouble(t *testing.T, check func(*http.Request, string) string, answer http.Handler) *double {
	t.Helper()
	d := &double{t: t}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		d.requests, d.bodies = append(d.requests, r), append(d.bodies, string(body))
		d.mu.Unlock()
		if fault := check(r, string(body)); fault != "" {
			t.Errorf("the request is wrong: %s", fault)
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

// asked is the only request.
func (d *double) asked() (*http.Request, string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.requests) != 1 {
		d.t.Fatalf("got %d requests, want 1", len(d.requests))
	}
	return d.requests[0], d.bodies[0]
}

func options() Options { return Options{Now: fixed, Timeout: 10 * time.Second} }

// kind is a provider: how its double checks requests, and how the provider is made.
type kind struct {
	name  string
	check func(*http.Request, string) string
	make  func(address string, o Options) Provider
}

var kinds = []kind{
	{NameSearXNG, checkSearXNG, func(address string, o Options) Provider { return NewSearXNG(address+"/base/", o) }},
	{NameBrave, checkBrave, func(address string, o Options) Provider { return newBrave(address+"/res/v1/web/search", braveKey, o) }},
	{NameSerper, checkSerper, func(address string, o Options) Provider { return newSerper(address+"/search", serperKey, o) }},
}

// each runs a test with every provider.
func each(t *testing.T, run func(t *testing.T, k kind)) {
	t.Helper()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			run(t, k)
		})
	}
}

func kindOf(t *testing.T, name string) kind {
	t.Helper()
	for _, k := range kinds {
		if strings.HasPrefix(name, k.name) {
			return k
		}
	}
	t.Fatalf("%s is of no service", name)
	return kind{}
}

// with returns a provider whose server is answer.
func (k kind) with(t *testing.T, answer http.Handler) (Provider, *double) {
	t.Helper()
	d := newDouble(t, k.check, answer)
	return k.make(d.URL, options()), d
}

func checkAll(r *http.Request, method, path string) string {
	switch {
	case r.Method != method || r.URL.Path != path:
		return r.Method + " " + r.URL.Path
	case r.Header.Get("Accept") != "application/json":
		return "accepts " + r.Header.Get("Accept")
	case r.UserAgent() != "turnpike":
		return "is of " + r.UserAgent()
	}
	return ""
}

func checkSearXNG(r *http.Request, _ string) string {
	if r.URL.Query().Get("format") != "json" || r.URL.Query().Get("q") == "" {
		return "the parameters " + r.URL.RawQuery
	}
	return checkAll(r, http.MethodGet, "/base/search")
}

func checkBrave(r *http.Request, _ string) string {
	q := r.URL.Query().Get("q")
	switch {
	case r.Header.Get("X-Subscription-Token") != braveKey:
		return "has no key"
	case q == "" || utf8.RuneCountInString(q) > 400 || len(strings.Fields(q)) > 50:
		return "the query is empty or too long: " + q
	}
	return checkAll(r, http.MethodGet, "/res/v1/web/search")
}

func checkSerper(r *http.Request, body string) string {
	var asked struct {
		Q   string
		Num int
	}
	switch err := json.Unmarshal([]byte(body), &asked); {
	case err != nil || asked.Q == "" || asked.Num%10 != 0 || asked.Num < 10 || asked.Num > 30:
		return "the body " + body
	case r.Header.Get("X-Api-Key") != serperKey || r.Header.Get("Content-Type") != "application/json":
		return "has no key, or no type"
	}
	return checkAll(r, http.MethodPost, "/search")
}

// wantReason returns the error, which must have the reason and be safe to log.
func wantReason(t *testing.T, err error, want Reason) *Error {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) || failure.Reason != want {
		t.Fatalf("got error %v, want one with reason %s", err, want)
	}
	wantNoSecret(t, err)
	return failure
}

// secrets must be in no error and no log: keys, and the query.
var secrets = []string{braveKey, serperKey, braveKey[:14], serperKey[:15], secretWord}

const secretWord = "xylophone-tuning"

func wantNoSecret(t *testing.T, err error) {
	t.Helper()
	for e := range tree(err) {
		for _, secret := range secrets {
			if strings.Contains(e.Error(), secret) {
				t.Errorf("the error holds %q: %v", secret, e)
			}
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r\x00") || !utf8.ValidString(err.Error()) {
		t.Errorf("the error is not fit for a log: %q", err)
	}
}

// tree yields an error and all errors that it wraps.
func tree(err error) func(func(error) bool) {
	return func(yield func(error) bool) { walk(err, yield) }
}

func walk(err error, yield func(error) bool) bool {
	if err == nil {
		return true
	}
	if !yield(err) {
		return false
	}
	switch e := err.(type) { //nolint:errorlint // it is the tree itself that is walked
	case interface{ Unwrap() error }:
		return walk(e.Unwrap(), yield)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if !walk(inner, yield) {
				return false
			}
		}
	}
	return true
}

func query() Query { return Query{TeamID: "team_1", Text: secretWord + " river tolls", Limit: 12} }
