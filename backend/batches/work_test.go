package batches_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// ofPaths is a request for pages by the last part of their paths.
func ofPaths(names ...string) *batches.Request {
	items := make([]string, len(names))
	for i, name := range names {
		items[i] = `{"url":"https://example.com/` + name + `"}`
	}
	return &batches.Request{Items: []byte("[" + strings.Join(items, ",") + "]")}
}

// shown maps each item of a batch, by the last part of its path, to its state and error.
func (p *place) shown(id string) map[string]string {
	p.T.Helper()
	rows, err := p.Pool.Query(context.Background(), `select url, state, coalesce(error_code, '') from batch_item where batch_id = $1`, id)
	workshop.Must(p.T, err)
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var address, state, code string
		workshop.Must(p.T, rows.Scan(&address, &state, &code))
		out[path.Base(address)] = strings.TrimSpace(state + " " + code)
	}
	workshop.Must(p.T, rows.Err())
	return out
}

// tried counts the tries of each page, and detects an attempt that was used twice.
type tried struct {
	mu       sync.Mutex
	attempts map[string][]int
}

func (c *tried) note(j page.Job) (name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.attempts == nil {
		c.attempts = map[string][]int{}
	}
	name = path.Base(j.URL)
	c.attempts[name] = append(c.attempts[name], j.Attempt)
	return name, len(c.attempts[name])
}

// Temporary failures are retried, waiting for a turn does not count as a try, and other failures end the item at once.
func TestPagesThatFail(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var count tried
	p.pages.keep = func(_ context.Context, j page.Job) (page.Kept, error) {
		name, n := count.note(j)
		answer := kept(j)
		switch {
		case name == "reset" || name == "reset-twice" && n < 3:
			return page.Kept{}, failure(page.ClassLater, problem.FetchFailed)
		case name == "down" || name == "down-once" && n < 2:
			answer.StatusCode = 503
		case name == "many":
			answer.StatusCode, answer.RetryAfter = 429, 3*time.Millisecond
		case name == "missing":
			answer.StatusCode = 404
		case name == "robots":
			return page.Kept{}, failure(page.ClassFinal, problem.RobotsDisallowed)
		case name == "busy" && n < 3:
			return page.Kept{}, failure(page.ClassWait, problem.Overloaded)
		case name == "bug":
			return page.Kept{}, &page.Error{Class: page.ClassFinal, Problem: problem.Internal(errors.New("the secret inner text"))}
		case name == "panic":
			panic("the secret inner text")
		}
		return answer, nil
	}
	tm := p.NewTeam(100)
	want := map[string]struct {
		ends  string
		tries int
	}{
		"fine": {"completed", 1}, "missing": {"completed", 1}, "reset": {"failed fetch_failed", 3}, "reset-twice": {"completed", 3},
		"down": {"completed", 3}, "down-once": {"completed", 2}, "many": {"completed", 3}, "robots": {"failed robots_disallowed", 1},
		"busy": {"completed", 3}, "bug": {"failed internal_server_error", 1}, "panic": {"failed internal_server_error", 1},
	}
	b, err := p.create(tm, ofPaths(slices.Sorted(maps.Keys(want))...), 11)
	workshop.Must(t, err)
	p.work()
	p.untilCompleted(b.ID)
	for name, ends := range p.shown(b.ID) {
		if tries := len(count.attempts[name]); ends != want[name].ends || tries != want[name].tries {
			t.Errorf("%s: got %s after %d tries, want %s after %d", name, ends, tries, want[name].ends, want[name].tries)
		}
	}
	if n := p.Count(`select count(*) from batch_item where error_detail like '%secret%'`); n != 0 {
		t.Error("got an inner text shown")
	}
	p.settled()
	p.WantBalance(tm, 93, 0)
}

// A retry runs the failed items at the price of the batch, under its own hold. Completed items keep their places.
func TestRetry(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.price = 2
	var count tried
	var mu sync.Mutex
	well := map[string]bool{}
	p.pages.keep = func(_ context.Context, j page.Job) (page.Kept, error) {
		name, _ := count.note(j)
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(name, "bad") && !well[name] {
			return page.Kept{}, failure(page.ClassFinal, problem.FetchFailed)
		}
		return kept(j), nil
	}
	p.work()
	tm := p.NewTeam(100)
	b, err := p.create(tm, ofPaths("a", "bad1", "b", "bad2", "c"), 10)
	workshop.Must(t, err)
	b = p.untilCompleted(b.ID)
	if b.CompletedURLs != 3 || b.FailedURLs != 2 || *b.CreditsConsumed != 6 {
		t.Fatalf("got %+v, want 3 completed and 2 failed", b)
	}
	places := func() (out []string) {
		rows, err := p.Pool.Query(t.Context(), `select seq || ' ' || url from batch_item where state = 'completed' and batch_id = $1 order by seq`, b.ID)
		workshop.Must(t, err)
		defer rows.Close()
		for rows.Next() {
			var line string
			workshop.Must(t, rows.Scan(&line))
			out = append(out, line)
		}
		return out
	}
	before := places()
	p.pages.price = 50 // the agreed price stays
	mu.Lock()
	well["bad1"] = true
	mu.Unlock()
	_, err = p.retry(tm, b.ID, 3)
	wantCode(t, err, problem.CreditsExhausted)
	again, err := p.retry(tm, b.ID, 4)
	workshop.Must(t, err)
	if again.Status != batches.StatusInProgress || again.CreditsConsumed != nil || again.NumberRetried != 2 || again.FailedURLs != 0 || again.CompletedURLs != 3 {
		t.Errorf("got %+v, want it in progress with two items", again)
	}
	done := p.untilCompleted(b.ID)
	if done.CompletedURLs != 4 || done.FailedURLs != 1 || *done.CreditsConsumed != 8 || done.NumberRetried != 2 || *done.Outcome != "succeeded" {
		t.Errorf("got %+v for %d credits, want 4 completed and 1 failed for 8", done, *done.CreditsConsumed)
	}
	after := places()
	if !slices.Equal(after[:3], before) || len(after) != 4 || !strings.HasSuffix(after[3], "bad1") {
		t.Errorf("got places %v, want %v and one more", after, before)
	}
	mu.Lock()
	well["bad2"] = true
	mu.Unlock()
	_, err = p.retry(tm, b.ID, 2)
	workshop.Must(t, err)
	p.untilCompleted(b.ID)
	for name, attempts := range count.attempts {
		if len(slices.Compact(slices.Sorted(slices.Values(attempts)))) != len(attempts) {
			t.Errorf("%s: got attempts %v, want each once: content of one would be another's", name, attempts)
		}
	}
	_, err = p.retry(tm, b.ID, 5)
	wantCode(t, err, problem.InvalidState)
	p.settled()
	p.WantBalance(tm, 90, 0)
}

func TestRetriesThatAreRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	b := p.mustCreate(tm, 2)
	_, err := p.retry(tm, b.ID, 2)
	wantCode(t, err, problem.InvalidState)
	if _, err := p.service.Cancel(t.Context(), tm.Reader(), b.ID); err != nil {
		t.Fatal(err)
	}
	_, err = p.retry(tm, b.ID, 2)
	wantCode(t, err, problem.InvalidState)
	_, err = p.retry(p.NewTeam(5), b.ID, 2)
	wantCode(t, err, problem.BatchNotFound)
	_, err = p.retry(tm, "batch_x", 2)
	wantCode(t, err, problem.BatchNotFound)
	p.settled()
}

// The same authorisation repeats a retry that it has already started: nothing starts a second time.
func TestRetryOfOneIdentity(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.keep = failing("/1")
	p.work()
	tm := p.NewTeam(100)
	b := p.mustCreate(tm, 2)
	p.untilCompleted(b.ID)
	c, _ := p.request(tm, 1)
	_, err := p.service.Retry(t.Context(), c, b.ID)
	workshop.Must(t, err)
	p.untilCompleted(b.ID)
	again := tm.Reader()
	again.IdentityID, again.HoldID, again.Credits = c.IdentityID, c.HoldID, 1
	got, err := p.service.Retry(t.Context(), again, b.ID)
	if err != nil || got.Status != batches.StatusCompleted || got.NumberRetried != 1 || !again.Adopted() || again.Cost() != 0 {
		t.Errorf("got %+v and error %v, adopted %t, want the batch as it is", got, err, again.Adopted())
	}
	p.settled()
}

// blocking makes pages wait until they are cut off or released.
func blocking(begun chan<- string, release <-chan struct{}) func(context.Context, page.Job) (page.Kept, error) {
	return func(ctx context.Context, j page.Job) (page.Kept, error) {
		begun <- path.Base(j.URL)
		select {
		case <-ctx.Done():
			return page.Kept{}, failure(page.ClassWait, problem.FetchFailed)
		case <-release:
			return kept(j), nil
		}
	}
}

// Completed items of a canceled batch stay and are charged. Running ones are not, however they end.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	begun, release := make(chan string, 100), make(chan struct{})
	wait := blocking(begun, release)
	p.pages.keep = func(ctx context.Context, j page.Job) (page.Kept, error) {
		if path.Base(j.URL) == "1" {
			return kept(j), nil
		}
		return wait(ctx, j)
	}
	p.work()
	tm := p.NewTeam(100)
	c, end := p.request(tm, 40)
	r := ofURLs(40)
	r.Webhook = "https://example.com/hook"
	b, err := p.service.Create(t.Context(), c, r)
	end(err)
	workshop.Must(t, err)
	for range 15 {
		<-begun
	}
	p.Until("the first page", func() bool { return p.batch(b.ID).CompletedURLs == 1 })
	_, err = p.service.Cancel(t.Context(), p.NewTeam(0).Reader(), b.ID)
	wantCode(t, err, problem.BatchNotFound)
	for range 2 {
		got, err := p.service.Cancel(t.Context(), tm.Reader(), b.ID)
		if err != nil || got.Status != batches.StatusCompleted || *got.Outcome != "canceled" || *got.CreditsConsumed != 1 || got.CompletedURLs != 1 || got.FailedURLs != 0 {
			t.Fatalf("got %+v and error %v, want it canceled after one page", got, err)
		}
	}
	close(release)
	p.WantBalance(tm, 99, 0)
	if n := p.Count(`select count(*) from event where subject = $1`, b.ID); n != 1 {
		t.Errorf("got %d events, want one", n)
	}
	// The lane is free for further tasks.
	p.untilCompleted(p.mustCreate(tm, 3).ID)
	p.settled()
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	begun := make(chan string, 100)
	p := newPlace(t, func(c *batches.Config) { c.Timeout = 2 * time.Second })
	wait := blocking(begun, nil)
	ended := make(chan struct{}, 100)
	p.pages.keep = func(ctx context.Context, j page.Job) (page.Kept, error) {
		if path.Base(j.URL) == "1" {
			return kept(j), nil
		}
		defer func() { ended <- struct{}{} }()
		return wait(ctx, j)
	}
	tm := p.NewTeam(100)
	b := p.mustCreate(tm, 30)
	workshop.Must(t, p.service.EndLate(t.Context()))
	if got := p.batch(b.ID); got.Status != batches.StatusInProgress {
		t.Fatalf("got %+v, want it to go on before its deadline", got)
	}
	p.work()
	<-begun
	p.Until("its deadline ended it", func() bool {
		workshop.Must(t, p.service.EndLate(t.Context()))
		b = p.batch(b.ID)
		return b.Status == batches.StatusCompleted
	})
	<-ended // cut off by the deadline
	if b.Status != batches.StatusCompleted || *b.Outcome != "succeeded" || b.CompletedURLs != 1 || b.FailedURLs != 29 {
		t.Errorf("got %+v, want it completed with one page", b)
	}
	for name, ends := range p.shown(b.ID) {
		if name != "1" && ends != "failed request_timeout" {
			t.Errorf("%s: got %s, want failed request_timeout", name, ends)
		}
	}
	workshop.Must(t, batches.EndBatch(t.Context(), p.service, b.ID)) // again
	p.settled()
	p.WantBalance(tm, 99, 0)
}

// If the hold ends before the batch, the batch ends. Work done without a hold is not shown, since it is not paid.
func TestHoldThatEnds(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"by time":     `update hold set expires_at = now() - interval '1 second'`,
		"by somebody": ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			begun, release := make(chan string, 100), make(chan struct{})
			p.pages.keep = blocking(begun, release)
			tm := p.NewTeam(100)
			b := p.mustCreate(tm, 3)
			p.work()
			<-begun
			if statement == "" {
				_, err := p.Ledger.CloseHold(t.Context(), b.ID)
				workshop.Must(t, err)
			} else if _, err := p.Pool.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			close(release)
			b = p.untilCompleted(b.ID)
			if *b.Outcome != "failed" || b.FailedURLs != 3 || *b.CreditsConsumed != 0 {
				t.Errorf("got %+v, want all failed", b)
			}
			p.settled()
			p.WantBalance(tm, 100, 0)
		})
	}
}

// Repeated and concurrent creations by one identity make one batch.
func TestCreationsAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	c, _ := p.request(tm, 5)
	ids := make(chan string, 16)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			mine := tm.Reader()
			mine.IdentityID, mine.HoldID, mine.Credits = c.IdentityID, c.HoldID, 5
			b, err := p.service.Create(context.Background(), mine, ofURLs(5))
			if err != nil || !mine.Adopted() {
				t.Errorf("got error %v, adopted %t, want the batch", err, mine.Adopted())
				return
			}
			ids <- b.ID
		})
	}
	group.Wait()
	close(ids)
	first := <-ids
	for id := range ids {
		if id != first {
			t.Errorf("got batches %s and %s, want one", first, id)
		}
	}
	if n := p.Count(`select count(*) from task`); n != 5 {
		t.Errorf("got %d tasks, want 5", n)
	}
	p.work()
	p.untilCompleted(first)
	p.settled()
}

// Concurrent events end a batch once, in whatever order they come.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var count tried
	p.pages.keep = func(_ context.Context, j page.Job) (page.Kept, error) {
		if _, n := count.note(j); strings.HasSuffix(j.URL, "3") && n%2 == 1 {
			return page.Kept{}, failure(page.ClassFinal, problem.FetchFailed)
		}
		return kept(j), nil
	}
	p.work()
	p.work()
	tm := p.NewTeam(10_000)
	var group sync.WaitGroup
	for i := range 12 {
		b := p.mustCreate(tm, 12)
		tolerate := func(what string, err error) {
			var e *problem.Error
			if err != nil && (!errors.As(err, &e) || e.Code != problem.InvalidState && e.Code != problem.CreditsExhausted) {
				t.Errorf("%s: got error %v", what, err)
			}
		}
		act := func(what string, times int, f func() error) {
			group.Go(func() {
				for range times {
					tolerate(what, f())
				}
			})
		}
		act("retrying", 6, func() error { _, err := p.retry(tm, b.ID, 12); return err })
		act("retrying too", 6, func() error { _, err := p.retry(tm, b.ID, 12); return err })
		act("describing", 6, func() error {
			_, err := p.service.Describe(context.Background(), tm.Reader(), b.ID, metadata.Input{"k": []byte(`"v"`)})
			return err
		})
		if i%3 == 0 {
			act("cancelling", 1, func() error { _, err := p.service.Cancel(context.Background(), tm.Reader(), b.ID); return err })
		}
		if i%3 == 1 {
			act("ending", 1, func() error { return batches.EndBatch(context.Background(), p.service, b.ID) })
		}
	}
	group.Wait()
	p.Until("all batches completed", func() bool { return p.Count(`select count(*) from batch where status = 'in_progress'`) == 0 })
	p.settled()
}

// Content that tries of an ended round may have kept is deleted by the sweeper when its retention is over.
func TestPurge(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var mu sync.Mutex
	p := newPlace(t, func(c *batches.Config) {
		c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	p.pages.keep = failing("/2")
	p.work()
	tm := p.NewTeam(10)
	b := p.mustCreate(tm, 3)
	p.untilCompleted(b.ID)
	if n, err := p.service.Purge(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("got %d purged and error %v, want none so early", n, err)
	}
	mu.Lock()
	now = now.Add(batches.RetentionDefault + time.Minute)
	mu.Unlock()
	for i, want := range []int{1, 0} {
		if n, err := p.service.Purge(t.Context(), 10); n != want || err != nil {
			t.Errorf("time %d: got %d purged and error %v, want %d", i, n, err, want)
		}
	}
	var id string
	workshop.Must(t, p.Pool.QueryRow(t.Context(), `select retrieve_id from batch_item where state = 'failed'`).Scan(&id))
	if want := []string{fmt.Sprintf("%s %d", id, 1)}; !slices.Equal(p.pages.discarded, want) {
		t.Errorf("got %v discarded, want %v", p.pages.discarded, want)
	}
}
