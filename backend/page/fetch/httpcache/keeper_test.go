package httpcache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// memory is blob storage that tests can break.
type memory struct {
	mu     sync.Mutex
	bodies map[string][]byte
	broken bool
}

var errBroken = errors.New("the disk is broken")

func (m *memory) Put(_ context.Context, key, _ string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return errBroken
	}
	m.bodies[key] = data
	return nil
}

func (m *memory) Read(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if data, ok := m.bodies[key]; ok && !m.broken {
		return data, nil
	}
	return nil, errBroken
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.bodies, key)
	return nil
}

type bundle struct {
	*Keeper

	t      *testing.T
	client *fetch.Client
	clock  *clocktest.Clock
	blobs  *memory
	u      fetch.URL
	asked  atomic.Int32
}

// setup serves handler, which gets the number of requests so far, and makes a keeper for two teams.
func setup(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, serial int32)) *bundle {
	t.Helper()
	return setupIn(t, newQueries(t), handler)
}

func newQueries(t *testing.T) *db.Queries {
	t.Helper()
	pool := pgtest.Open(t, pgtest.New(t, migrate), nil)
	for _, team := range []string{"team_a", "team_b"} {
		if _, err := pool.Exec(t.Context(), "insert into team (id, name) values ($1, $1)", team); err != nil {
			t.Fatal(err)
		}
	}
	return db.New(pool)
}

// setupIn is setup with a database that cases share. t must be the parent test: otherwise another case could reuse the
// port of a closed server, and so find its copies.
func setupIn(t *testing.T, queries *db.Queries, handler func(w http.ResponseWriter, r *http.Request, serial int32)) *bundle {
	t.Helper()
	b := &bundle{t: t, clock: clocktest.New(), blobs: &memory{bodies: map[string][]byte{}}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler(w, r, b.asked.Add(1)) }))
	t.Cleanup(server.Close)
	var err error
	if b.client, err = fetch.New(fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.client.Close)
	if b.Keeper, err = New(Config{
		Queries: queries, Fetcher: b.client, Blobs: b.blobs, Logger: slog.New(slog.DiscardHandler), Now: b.clock.Now,
	}); err != nil {
		t.Fatal(err)
	}
	if b.u, err = fetch.ParseURL(server.URL + "/page?x=1#part"); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle) get(team string, change ...func(*fetch.Request)) *fetch.Response {
	b.t.Helper()
	r := fetch.Request{URL: b.u}
	for _, f := range change {
		f(&r)
	}
	response, err := b.Get(b.t.Context(), team, r)
	if err != nil {
		b.t.Fatal(err)
	}
	return response
}

// page responds with the given validators, and with 304 to a request that sends one of them back.
func page(header http.Header) func(http.ResponseWriter, *http.Request, int32) {
	return func(w http.ResponseWriter, r *http.Request, serial int32) {
		maps.Copy(w.Header(), header)
		w.Header().Set("X-Serial", fmt.Sprint(serial))
		etag, modified := r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")
		if (etag != "" && etag == header.Get("Etag")) || (etag == "" && modified != "" && modified == header.Get("Last-Modified")) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		fmt.Fprintf(w, "<p>caf\xe9 %d", serial)
	}
}

func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	queries := newQueries(t)
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, tt := range []struct {
		name   string
		header http.Header
		kept   bool
	}{
		{"an ETag", http.Header{"Etag": {`"a"`}}, true},
		{"a weak one", http.Header{"Etag": {`W/"a"`}}, true},
		{"a date", http.Header{"Last-Modified": {date}}, true},
		{"both", http.Header{"Etag": {`"a"`}, "Last-Modified": {date}}, true},
		{"private", http.Header{"Etag": {`"a"`}, "Cache-Control": {"private, no-cache"}}, true},
		{"neither", http.Header{}, false},
		{"no-store", http.Header{"Etag": {`"a"`}, "Cache-Control": {"max-age=60, No-Store"}}, false},
		{"varies by everything", http.Header{"Etag": {`"a"`}, "Vary": {"Accept, *"}}, false},
		{"no end", http.Header{"Etag": {`"` + strings.Repeat("a", 2000) + `"`}}, false},
		{"not ASCII", http.Header{"Etag": {"\"\xff\""}}, false},
	} {
		b := setupIn(t, queries, page(tt.header))
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first, second := b.get("team_a"), b.get("team_a")
			same := string(first.Body) == string(second.Body)
			if same != tt.kept {
				t.Errorf("got %q and %q, want the same: %t", first.Body, second.Body, tt.kept)
			}
			if got := second.Header.Get("X-Serial"); got != "2" {
				t.Errorf("got X-Serial %q, want the header of the second answer", got)
			}
			if second.StatusCode != http.StatusOK || second.MediaType != "text/html" || second.Charset != "windows-1252" ||
				!strings.HasPrefix(string(second.Body), "<p>café ") || second.URL.String() != b.u.String() {
				t.Errorf("got %+v, want the page", second)
			}
		})
	}
}

func TestCopiesAreATeamsOwnAndLastADay(t *testing.T) {
	t.Parallel()
	b := setup(t, page(http.Header{"Etag": {`"a"`}}))
	first := string(b.get("team_a").Body)
	if got := string(b.get("team_b").Body); got == first {
		t.Errorf("another team: got %q, want its own", got)
	}
	b.clock.Advance(24*time.Hour - time.Second)
	if got := string(b.get("team_a").Body); got != first {
		t.Errorf("within a day: got %q, want %q", got, first)
	}
	b.clock.Advance(time.Second)
	if n, err := b.Purge(t.Context(), 1); err != nil || n != 0 {
		t.Errorf("got %d purged, %v, want none before its time", n, err)
	}
	if got := string(b.get("team_a").Body); got == first {
		t.Errorf("after a day: got %q, want it fetched anew", got)
	}
	b.clock.Advance(48 * time.Hour)
	for _, want := range []int64{1, 1, 0} {
		if n, err := b.Purge(t.Context(), 1); err != nil || n != want {
			t.Errorf("got %d purged, %v, want %d", n, err, want)
		}
	}
	if len(b.blobs.bodies) != 0 {
		t.Errorf("got %d bodies left, want none", len(b.blobs.bodies))
	}
}

// Requests whose response may depend on more than the URL neither use a copy nor make one.
func TestWhatCopiesAreNotFor(t *testing.T) {
	t.Parallel()
	b := setup(t, page(http.Header{"Etag": {`"a"`}, "Set-Cookie": {"seen=1"}}))
	session, err := b.client.NewSession("")
	if err != nil {
		t.Fatal(err)
	}
	inSession := func(r *fetch.Request) { r.Session = session }
	first := string(b.get("team_a", inSession).Body) // sets a cookie
	for name, change := range map[string]func(*fetch.Request){
		"a session with cookies": inSession,
		"credentials":            func(r *fetch.Request) { r.Header = http.Header{"Authorization": {"x"}} },
		"the head alone":         func(r *fetch.Request) { r.HeadBytes = 100 },
	} {
		if got := string(b.get("team_a", change).Body); got == first {
			t.Errorf("%s: got the copy %q", name, got)
		}
	}
	if got := string(b.get("team_a").Body); got != first {
		t.Errorf("got %q, want the copy as it was: %q", got, first)
	}
}

// A validator is sent only to the URL that gave it, not to the target of a later redirect.
func TestValidatorsDoNotFollowRedirects(t *testing.T) {
	t.Parallel()
	moved := atomic.Bool{}
	serve := page(http.Header{"Etag": {`"a"`}})
	b := setup(t, func(w http.ResponseWriter, r *http.Request, serial int32) {
		if moved.Load() && r.URL.Path == "/page" {
			http.Redirect(w, r, "/new", http.StatusFound)
			return
		}
		serve(w, r, serial)
	})
	first := string(b.get("team_a").Body)
	moved.Store(true)
	for range 2 {
		if got := b.get("team_a"); string(got.Body) == first || got.URL.PathAndQuery() != "/new" || got.StatusCode != http.StatusOK {
			t.Errorf("got %s with %q, want the new page", got.URL, got.Body)
		}
	}
}

// Copies that are broken, gone or replaced cost a second request, and nothing else.
func TestBrokenCopies(t *testing.T) {
	t.Parallel()
	b := setup(t, page(http.Header{"Etag": {`"a"`}}))
	first := string(b.get("team_a").Body)
	for name, harm := range map[string]func(){
		"broken": func() { b.blobs.broken = true },
		"gone":   func() { clear(b.blobs.bodies) },
		"replaced": func() {
			for key := range b.blobs.bodies {
				b.blobs.bodies[key] = []byte("other")
			}
		},
	} {
		harm()
		got := b.get("team_a")
		if got.StatusCode != http.StatusOK || string(got.Body) == first || !strings.HasPrefix(string(got.Body), "<p>café ") {
			t.Errorf("%s: got %d %q, want the page, whole", name, got.StatusCode, got.Body)
		}
		b.blobs.broken = false
		first = string(b.get("team_a").Body)
	}
	if _, err := New(Config{}); err == nil {
		t.Error("got a keeper without a database, want an error")
	}
}

// A failed fetch fails as it does without copies.
func TestFetchFails(t *testing.T) {
	t.Parallel()
	b := setup(t, func(http.ResponseWriter, *http.Request, int32) { panic(http.ErrAbortHandler) })
	if _, err := b.Get(t.Context(), "team_a", fetch.Request{URL: b.u}); fetch.ReasonOf(err) != fetch.ReasonReset {
		t.Errorf("got %v, want the connection's end", err)
	}
}
