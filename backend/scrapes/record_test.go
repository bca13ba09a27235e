package scrapes

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// noBook has no prices: engines do not pay.
type noBook struct{}

func (noBook) Quote(context.Context, *price.Request, edgewire.Unit) (price.Quote, error) {
	return price.Quote{}, nil
}

func engineWith(t *testing.T, config fetch.Config) (*Engine, *blob.Store) {
	t.Helper()
	config.AllowPrivate, config.AllowAnyPort = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, true
	client, err := fetch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	store, err := blob.Open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	signer, err := blob.NewSigner(blob.SignerConfig{Secret: bytes.Repeat([]byte("s"), 32), BaseURL: "https://api.example.com", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{
		Queries: db.New(nil), Fetcher: client, Blobs: store, Book: noBook{}, Signer: signer, Memory: membudget.NewBudget(0),
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.Engine(), store
}

// recordedSite has pages in various charsets and encodings, redirects and errors.
func recordedSite(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/0":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, "/moved?to=here", http.StatusFound)
		case "/1":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			_, _ = io.WriteString(w, "<title>Caf\xe9</title><main><h1>Caf\xe9</h1><p>Th\xe9 et caf\xe9.</p></main>")
		case "/2":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, "<title>Zip</title><p>Compressed “text”, <a href='/3'>and a link</a>.</p>")
			_ = z.Close()
		case "/3":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<title>Not here</title><p>Gone.</p>")
		case "/4":
			w.Header().Set("Content-Type", "text/plain")
			for i := range 100_000 { // chunked, and above the memory threshold
				_, _ = fmt.Fprintf(w, "line %d\n", i)
			}
		default:
			_, _ = io.WriteString(w, "<title>Moved</title><p>Here now.</p>")
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// The record gives exactly the same content when the site is gone.
func TestReplay(t *testing.T) {
	t.Parallel()
	site := recordedSite(t)
	const pages = 5
	formats := []page.Format{page.FormatHTML, page.FormatMarkdown, page.FormatText}
	keep := func(e *Engine, i int) page.Kept {
		kept, err := e.Keep(t.Context(), page.Job{
			TeamID: "team", RetrieveID: "page" + strconv.Itoa(i), Attempt: 1, URL: site.URL + "/" + strconv.Itoa(i),
			Options: page.Options{Formats: formats}, Record: true,
		})
		if err != nil {
			t.Fatalf("page %d: %v", i, err)
		}
		return kept
	}
	live, liveBlobs := engineWith(t, fetch.Config{})
	var file bytes.Buffer
	var outcomes []string
	for i := range pages {
		outcomes = append(outcomes, string(keep(live, i).Outcome))
		if err := live.WriteRecord(t.Context(), &file, "page"+strconv.Itoa(i), 1); err != nil {
			t.Fatal(err)
		}
	}
	site.Close()
	path := filepath.Join(t.TempDir(), "site.warc.gz")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	archive, err := warc.OpenArchive(t.Context(), path)
	if err != nil || archive.Len() != pages+1 {
		t.Fatalf("got %v, %v, want the pages and where the redirect leads", archive, err)
	}
	t.Cleanup(func() { _ = archive.Close() })
	again, againBlobs := engineWith(t, fetch.Config{Archive: archive})
	for i := range pages {
		if got := string(keep(again, i).Outcome); got != outcomes[i] {
			t.Errorf("page %d: got %s, want %s", i, got, outcomes[i])
		}
		for _, format := range formats {
			name, _ := fileOf(format)
			key := contentKey("page"+strconv.Itoa(i), 1, name)
			want, err := liveBlobs.Read(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := againBlobs.Read(t.Context(), key); err != nil || !bytes.Equal(got, want) {
				t.Errorf("page %d as %s: got %.200q, %v, want %.200q", i, format, got, err, want)
			}
		}
	}
	_, err = again.Keep(t.Context(), page.Job{TeamID: "team", RetrieveID: "other", Attempt: 1, URL: site.URL + "/other"})
	failed, ok := errors.AsType[*page.Error](err)
	if !ok || failed.Class != page.ClassFinal || failed.Problem.Metadata["reason"] != string(fetch.ReasonNotArchived) {
		t.Errorf("a page that was not recorded: got %v, want that it is not in the archive", err)
	}
}

// Records exist only if requested, also for pages that keep nothing else, and are deleted with the content.
func TestRecordsGoWithTheContent(t *testing.T) {
	t.Parallel()
	site := recordedSite(t)
	engine, _ := engineWith(t, fetch.Config{})
	for i, job := range []page.Job{{}, {Record: true}, {Bare: true, Links: true}, {Bare: true, Links: true, Record: true}} {
		id := "page" + strconv.Itoa(i)
		job.TeamID, job.RetrieveID, job.Attempt, job.URL = "team", id, 1, site.URL+"/1"
		kept, err := engine.Keep(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		var records bytes.Buffer
		if err := engine.WriteRecord(t.Context(), &records, id, 1); errors.Is(err, page.ErrNoRecord) == job.Record || (records.Len() > 0) != job.Record {
			t.Errorf("with Record %t, Bare %t: got %d bytes and %v", job.Record, job.Bare, records.Len(), err)
		}
		if said := strings.Contains(string(kept.Outcome), `"has_record":true`); said != job.Record {
			t.Errorf("with Record %t, Bare %t: got outcome %s", job.Record, job.Bare, kept.Outcome)
		}
		if err := engine.Discard(t.Context(), id, 1); err != nil {
			t.Fatal(err)
		}
		if err := engine.WriteRecord(t.Context(), io.Discard, id, 1); !errors.Is(err, page.ErrNoRecord) {
			t.Errorf("discarded: got %v, want none", err)
		}
	}
}
