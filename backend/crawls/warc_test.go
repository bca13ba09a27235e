package crawls_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// recorded reads a crawl's WARC file: the retrieve_ids of its records, and the final statement.
func recorded(t *testing.T, s *crawls.Service, tm *workshop.Team, id string) (ids []string, said string) {
	t.Helper()
	record, err := s.Record(t.Context(), tm.Reader(), id)
	workshop.Must(t, err)
	var file bytes.Buffer
	workshop.Must(t, record.Write(t.Context(), &file))
	first := true
	for r, err := range warc.Records(&file) {
		workshop.Must(t, err)
		if first != (r.Type == warc.TypeInfo) {
			t.Fatalf("got a record of type %s, want one warcinfo at the start", r.Type)
		}
		first = false
		block, err := io.ReadAll(r.Block)
		workshop.Must(t, err)
		if name, found := strings.CutPrefix(r.TargetURI(), "https://example.com/"); found && name != "" {
			ids = append(ids, name)
		}
		said = string(block)
	}
	return ids, said
}

// The WARC of a crawl holds the records of its pages and failures in order, then those of duplicates. It ends with what
// is missing.
func TestWARC(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(1000)
	p.work()
	const leaves = 600 // more than one look-up reads
	p.pages.keep = func(_ context.Context, j *page.Job) (page.Kept, error) {
		path := strings.TrimPrefix(j.URL, "https://example.com/")
		switch {
		case path == "":
			var links []string
			for i := range leaves {
				links = append(links, fmt.Sprintf("https://example.com/leaf-%d", i))
			}
			return kept(j, append(links, "https://example.com/gone", "https://example.com/again", "https://example.com/late")...), nil
		case path == "gone":
			k := kept(j)
			k.StatusCode = 404
			return k, nil
		case path == "again", path == "leaf-0":
			k := kept(j)
			k.ContentKey, k.Simhash = [16]byte{1}, 1
			return k, nil
		case path == "late" && j.Attempt == 1:
			return page.Kept{}, failure(page.ClassLater, problem.FetchFailed)
		}
		return kept(j), nil
	}
	c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 900, Record: true}).ID)
	list := func(where string) (ids []string) {
		rows, err := p.Pool.Query(t.Context(), `select retrieve_id from crawl_url where crawl_id = $1 and attempts = 1 and `+where, c.ID)
		workshop.Must(t, err)
		defer rows.Close()
		for rows.Next() {
			var id string
			workshop.Must(t, rows.Scan(&id))
			ids = append(ids, id)
		}
		return ids
	}
	want := append(list(`seq is not null order by seq`), list(`state = 'duplicate' order by n`)...)
	got, said := recorded(t, p.service, tm, c.ID)
	if !slices.Equal(got, want) || len(got) != leaves+3 {
		t.Errorf("got %d records, want %d in their order", len(got), leaves+3)
	}
	if want := fmt.Sprintf("crawl-status: completed\r\npages: %d\r\npages-left-out: 1\r\n", leaves+1); said != want {
		t.Errorf("got %q in the end, want %q", said, want)
	}

	// When the retention is over, only that statement is left.
	late := p.newService(p.Pool, nil, func(c *crawls.Config) {
		c.Now = func() time.Time { return time.Now().Add(crawls.RetentionDefault) }
	})
	got, said = recorded(t, late, tm, c.ID)
	if want := fmt.Sprintf("crawl-status: completed\r\npages: 0\r\npages-left-out: %d\r\n", leaves+2); len(got) > 0 || said != want {
		t.Errorf("after its time: got %d records and %q, want none and %q", len(got), said, want)
	}

	plain := p.untilCompleted(p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/gone", MaxPages: 1}).ID)
	for _, tt := range []struct {
		name, id string
		team     *workshop.Team
		code     problem.Code
	}{
		{"not recorded", plain.ID, tm, problem.InvalidState},
		{"another team's", c.ID, p.NewTeam(0), problem.CrawlNotFound},
		{"unknown", "crawl_000000000000000000000000", tm, problem.CrawlNotFound},
		{"no id", "crawl_\x00", tm, problem.CrawlNotFound},
	} {
		_, err := p.service.Record(t.Context(), tt.team.Reader(), tt.id)
		if got := problem.From(err); err == nil || got.Code != tt.code {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.code)
		}
	}
}

var errFull = errors.New("no space left")

// full is a writer that fails after so many bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// A running crawl exports what it has so far. A file that cannot be written completely is an error.
func TestWARCWhileInProgress(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(10)
	p.work()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	p.pages.keep = func(ctx context.Context, j *page.Job) (page.Kept, error) {
		if strings.HasSuffix(j.URL, "/slow") {
			select {
			case <-over:
			case <-ctx.Done():
			}
		}
		return kept(j, "https://example.com/slow"), nil
	}
	c := p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 5, Record: true})
	p.Until("the first page", func() bool { return p.Count(`select pages from crawl where id = $1`, c.ID) == 1 })
	got, said := recorded(t, p.service, tm, c.ID)
	if len(got) != 1 || !strings.HasPrefix(said, "crawl-status: in_progress\r\npages: 1\r\n") {
		t.Errorf("got %d records and %q, want the one page", len(got), said)
	}
	record, err := p.service.Record(t.Context(), tm.Reader(), c.ID)
	workshop.Must(t, err)
	if err := record.Write(t.Context(), &full{left: 700}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want that it could not be written", err)
	}
	if _, err := p.service.Cancel(t.Context(), &principal.Caller{TeamID: tm.ID}, c.ID); err != nil {
		t.Fatal(err)
	}
}
