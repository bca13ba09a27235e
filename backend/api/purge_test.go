package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	webpage "github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// faultyBlobs is a store in which some keys cannot be written or deleted.
type faultyBlobs struct {
	scrapes.Blobs

	mu     sync.Mutex
	broken string // part of the keys; "": none
}

func (b *faultyBlobs) breaks(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = part
}

func (b *faultyBlobs) check(key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != "" && strings.Contains(key, b.broken) {
		return errors.New("the store is broken")
	}
	return nil
}

func (b *faultyBlobs) Put(ctx context.Context, key, contentType string, data []byte) error {
	if err := b.check(key); err != nil {
		return err
	}
	return b.Blobs.Put(ctx, key, contentType, data)
}

func (b *faultyBlobs) DeleteAll(ctx context.Context, segments string) error {
	if err := b.check(segments); err != nil {
		return err
	}
	return b.Blobs.DeleteAll(ctx, segments)
}

// withFaultyBlobs sets up a service whose store can be broken.
func withFaultyBlobs(t *testing.T) (*service, *faultyBlobs) {
	t.Helper()
	b := &faultyBlobs{}
	s := setup(t, options{scrapes: func(c *scrapes.Config) { b.Blobs, c.Blobs = c.Blobs, b }})
	return s, b
}

func (s *service) wantKept(retrieveID string, attempt int, want bool) {
	s.t.Helper()
	_, err := s.blobs.Read(s.t.Context(), fmt.Sprintf("scrapes/%s/%d/page.html", retrieveID, attempt))
	if got := err == nil; got != want {
		s.t.Errorf("attempt %d at %s: kept %t, want %t", attempt, retrieveID, got, want)
	}
}

func (s *service) wantPurged(rowsMax int32, want int) {
	s.t.Helper()
	if n, err := s.scrapes.Purge(s.t.Context(), rowsMax); n != want || err != nil {
		s.t.Errorf("got %d, %v purged, want %d", n, err, want)
	}
}

// When the retention is over, content is deleted in small batches with all its attempts, and its rows a month later.
func TestPurgeOfContent(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	var kept []webpage.Kept
	for range 5 {
		j := s.job(site.URL, webpage.Options{})
		for j.Attempt = 1; j.Attempt < 3; j.Attempt++ {
			_, err := s.scrapes.Engine().Keep(t.Context(), j)
			must(t, err)
		}
		last, err := s.scrapes.Engine().Keep(t.Context(), j)
		must(t, err)
		kept = append(kept, last)
	}
	young, err := s.scrapes.Engine().Keep(t.Context(), s.job(site.URL, webpage.Options{}))
	must(t, err)
	young.Expires = young.Expires.Add(time.Hour)
	s.keep(s.team, append(kept, young)...)
	s.wantPurged(100, 0)

	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	for _, want := range []int{2, 2, 1, 0} {
		s.wantPurged(2, want)
	}
	for _, k := range kept {
		for attempt := 1; attempt <= 3; attempt++ {
			s.wantKept(k.RetrieveID, attempt, false)
		}
	}
	s.wantKept(young.RetrieveID, 1, true)
	wantStatus(t, s.get(teamPays(s.team, 0), s.retrieve(young.RetrieveID)), http.StatusOK)

	s.clock.Advance(time.Hour)
	s.wantPurged(2, 1)
	s.clock.Advance(30*24*time.Hour + time.Second)
	for _, want := range []int{2, 2, 2, 0} {
		s.wantPurged(2, want)
	}
	var rows int
	must(t, s.pool.QueryRow(t.Context(), `select count(*) from content`).Scan(&rows))
	if rows != 0 {
		t.Errorf("got %d rows, want none", rows)
	}
}

// Sweepers run independently of each other.
func TestPurgeAtOnce(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	var kept []webpage.Kept
	for range 8 {
		k, err := s.scrapes.Engine().Keep(t.Context(), s.job(site.URL, webpage.Options{}))
		must(t, err)
		kept = append(kept, k)
	}
	s.keep(s.team, kept...)
	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := s.scrapes.Purge(t.Context(), 100); err != nil {
				t.Errorf("purging at once: %v", err)
			}
		})
	}
	all.Wait()
	for _, k := range kept {
		s.wantKept(k.RetrieveID, 1, false)
	}
	s.wantPurged(100, 0)
}

// A failed deletion is retried, and blocks no other.
func TestPurgeWithoutTheStore(t *testing.T) {
	t.Parallel()
	s, blobs := withFaultyBlobs(t)
	site := newTarget(t, servePage)
	stuck := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
	s.clock.Advance(time.Second)
	other := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	blobs.breaks(stuck.RetrieveID)
	if _, err := s.scrapes.Purge(t.Context(), 10); err == nil || !strings.Contains(err.Error(), stuck.RetrieveID) {
		t.Errorf("got %v, want what could not be deleted", err)
	}
	s.wantKept(stuck.RetrieveID, 1, true)
	s.wantKept(other.RetrieveID, 1, false)
	blobs.breaks("")
	s.wantPurged(10, 1)
	s.wantKept(stuck.RetrieveID, 1, false)
}

// A failed attempt may leave content that nobody can read. It is deleted as well, and the scrape may be retried before
// and after that.
func TestPurgeOfUnfinishedAttempts(t *testing.T) {
	t.Parallel()
	s, blobs := withFaultyBlobs(t)
	site := newTarget(t, servePage)
	id := teamPays(s.team, 1)
	blobs.breaks("page.md") // stored after page.html
	for range 2 {
		wantError(t, s.scrape(id, bodyFor(site.URL)), problem.InternalServerError)
	}
	var failed string
	must(t, s.pool.QueryRow(t.Context(), `select retrieve_id from scrape`).Scan(&failed))
	blobs.breaks("")
	for attempt := 1; attempt <= 2; attempt++ {
		s.wantKept(failed, attempt, true)
	}
	wantError(t, s.get(teamPays(s.team, 0), s.retrieve(failed)), problem.NotFound)

	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	s.wantPurged(10, 1)
	s.wantPurged(10, 0)
	for attempt := 1; attempt <= 2; attempt++ {
		s.wantKept(failed, attempt, false)
	}

	made := decoded[scrapes.Scrape](t, s.scrape(id, bodyFor(site.URL)))
	s.wantKept(made.RetrieveID, 3, true)
	wantStatus(t, s.get(teamPays(s.team, 0), s.retrieve(made.RetrieveID)), http.StatusOK)
	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	s.wantPurged(10, 1)
	s.wantKept(made.RetrieveID, 3, false)
}

// Content of a process that died in a scrape is deleted, too. A running scrape is left alone.
func TestPurgeOfDeadAttempts(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{scrapes: func(c *scrapes.Config) { c.Retention = time.Second }}), newTarget(t, servePage)
	made := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
	_, err := s.pool.Exec(t.Context(), `update scrape set status = 'running', result = null, finished_at = null`)
	must(t, err)
	_, err = s.pool.Exec(t.Context(), `delete from content`)
	must(t, err)
	s.clock.Advance(2 * time.Second)
	s.wantPurged(10, 0)
	s.wantKept(made.RetrieveID, 1, true)
	s.clock.Advance(scrapes.TimeLimitMax + time.Minute)
	s.wantPurged(10, 1)
	s.wantKept(made.RetrieveID, 1, false)
}
