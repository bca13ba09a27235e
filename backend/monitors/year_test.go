package monitors_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// clock is a clock that the test advances.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// kept counts the objects in the blob store.
type kept struct {
	monitors.Blobs

	mu      sync.Mutex
	objects map[string]int
}

func (k *kept) Put(ctx context.Context, key, contentType string, data []byte) error {
	k.mu.Lock()
	k.objects[key] = len(data)
	k.mu.Unlock()
	return k.Blobs.Put(ctx, key, contentType, data)
}

func (k *kept) DeleteAll(ctx context.Context, segments string) error {
	k.mu.Lock()
	for key := range k.objects {
		if strings.HasPrefix(key, segments+"/") {
			delete(k.objects, key)
		}
	}
	k.mu.Unlock()
	return k.Blobs.DeleteAll(ctx, segments)
}

func (k *kept) size() (objects, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range k.objects {
		bytes += n
	}
	return len(k.objects), bytes
}

// A year of an hourly monitor in simulated time: storage stops growing once the first retention is over, paging through
// events works while new ones come, and the counts are right.
func TestYear(t *testing.T) {
	if testing.Short() {
		t.Skip("8,760 runs")
	}
	t.Parallel()
	const hours = 365 * 24
	// Autovacuum runs when a fifth of a table is dead (18 of 90 days of runs), but in real time. So the test vacuums
	// itself, on its own server: a vacuum keeps rows that any snapshot may still see, and long transactions, also of
	// other tests' databases, would keep more.
	const vacuumEvery = 18 * 24
	c := &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	store := &kept{objects: map[string]int{}}
	p := newPlaceIn(t, withoutAutovacuum(t), func(cfg *monitors.Config) {
		store.Blobs = cfg.Blobs
		cfg.Blobs, cfg.Now = store, c.now
	})
	snapshot := json.RawMessage(`{"text":"` + strings.Repeat("x", 2000) + `"}`)
	p.runner.does(func(_ context.Context, n int, previous run.Previous) (run.Outcome, error) {
		o := outcome(n, previous, n%24 == 0)
		o.Snapshot, o.Next.Snapshot = snapshot, snapshot
		return o, nil
	})
	p.team = p.newTeam(usualCost*hours + 4)
	p.work(func(cfg *monitors.Config) { cfg.Blobs, cfg.Now = store, c.now })
	m := p.active(`{"query":"x","frequency":"every hour"}`)
	// The worker has done the first run; the test does the others itself.
	p.until("the task is gone", func() bool { return p.count(`select count(*) from task`) == 0 })

	type measure struct{ runs, events, objects, content, table int }
	var quarters []measure
	for hour := 2; hour <= hours; hour++ {
		c.advance(time.Hour)
		_, err := p.service.RunInPlace(t.Context(), p.team.id, m.ID)
		must(t, err)
		if hour%24 == 0 {
			_, err := p.service.Purge(t.Context(), 1000)
			must(t, err)
		}
		if hour%vacuumEvery == 0 {
			_, err := p.pool.Exec(t.Context(), `vacuum (analyze) monitor, monitor_run, monitor_event`)
			must(t, err)
		}
		if hour%(hours/4) == 0 {
			q := measure{
				runs: p.count(`select count(*) from monitor_run`), events: p.count(`select count(*) from monitor_event`),
				table: p.count(`select (pg_total_relation_size('monitor_run') + pg_total_relation_size('monitor_event') + pg_total_relation_size('monitor'))::int`),
			}
			q.objects, q.content = store.size()
			quarters = append(quarters, q)
			t.Logf("after %d runs: %d runs and %d events kept, %d objects of %d bytes, %d bytes of tables", hour, q.runs, q.events, q.objects, q.content, q.table)
		}
	}
	const keptMax = 90*24 + 24 + 1 // the retention, a day since the last purge, and the last run
	full := quarters[1]            // the first quarter that begins after the retention
	for i, q := range quarters[1:] {
		if q.runs > keptMax || q.events != q.runs || q.objects > 2*keptMax || q.content > full.content*101/100 || q.table > full.table*115/100 {
			t.Errorf("quarter %d: got %+v, want it flat after %+v", i+2, q, full)
		}
	}
	p.yearsEvents(m.ID, hours, quarters[3].events)
	p.wantBalance(p.team, 4, 0)
}

// withoutAutovacuum returns the URL of a database on its own server without autovacuum.
func withoutAutovacuum(t *testing.T) string {
	t.Helper()
	server, err := pgtest.TempServer(t.Context())
	must(t, err)
	t.Cleanup(func() { must(t, server.Stop(context.WithoutCancel(t.Context()))) })
	const name = "year"
	must(t, server.CreateDatabase(t.Context(), name))
	url := server.URL(name)
	must(t, migrate(t.Context(), url))
	pool := pgtest.Open(t, url, nil)
	for _, statement := range []string{`alter system set autovacuum = off`, `select pg_reload_conf()`} {
		_, err := pool.Exec(t.Context(), statement)
		must(t, err)
	}
	return url
}

// yearsEvents reads all stored events while new ones come.
func (p *place) yearsEvents(id string, total, kept int) {
	p.t.Helper()
	uri := "/v1/monitors/" + id + "/events"
	count := func() int64 {
		return decode[struct {
			N int64 `json:"total_count"`
		}](p.t, p.send(http.MethodGet, uri+"?count_only=true", "")).N
	}
	if got := count(); got != int64(total) {
		p.t.Errorf("count_only: got %d, want %d", got, total)
	}
	seen, last, cursor := map[string]bool{}, int64(1)<<62, ""
	for page := 0; ; page++ {
		list := apitest.Decode[monitors.EventList](p.t, p.send(http.MethodGet, uri+"?limit=100"+cursor, ""))
		for _, e := range list.Data {
			if seen[e.ID] || e.Created > last {
				p.t.Fatalf("got %+v twice, or out of its order", e)
			}
			seen[e.ID], last = true, e.Created
		}
		if list.HasMore != (list.NextCursor != nil) {
			p.t.Fatalf("got has_more %t with the cursor %v", list.HasMore, list.NextCursor)
		}
		if !list.HasMore {
			break
		}
		cursor = "&cursor=" + *list.NextCursor
		if page < 3 { // without credits runs are skipped, but still make events
			if _, err := p.service.RunInPlace(p.t.Context(), p.team.id, id); err != nil {
				p.t.Fatal(err)
			}
			if list.TotalCount != int64(total+page) {
				p.t.Errorf("got total_count %d, want %d", list.TotalCount, total+page)
			}
		}
	}
	if len(seen) != kept {
		p.t.Errorf("got %d events over the pages, want the %d that were kept when it began", len(seen), kept)
	}
	if got := count(); got != int64(total+3) {
		p.t.Errorf("count_only: got %d, want %d", got, total+3)
	}
}

// A monitor keeps a limited number of runs, always the last one, and nothing once it is long deleted.
func TestPurge(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Now().UTC().Truncate(time.Microsecond)}
	store := &kept{objects: map[string]int{}}
	set := func(cfg *monitors.Config) { cfg.Now, cfg.RunsMax, cfg.Blobs = c.now, 3, store }
	p := newPlace(t, func(cfg *monitors.Config) { store.Blobs = cfg.Blobs; set(cfg) })
	p.work(set)
	m := p.active(`{"query":"x"}`)
	for range 6 {
		p.runNow(m.ID)
	}
	purge := func() {
		t.Helper()
		for n := 1; n > 0; {
			var err error
			n, err = p.service.Purge(t.Context(), 2)
			must(t, err)
		}
	}
	want := func(runs, objects int) {
		t.Helper()
		if got, _ := store.size(); p.count(`select count(*) from monitor_run`) != runs || p.count(`select count(*) from monitor_event`) != runs || got != objects {
			t.Errorf("got %d runs and %d objects, want %d and %d", p.count(`select count(*) from monitor_run`), got, runs, objects)
		}
	}
	want(7, 14)
	purge()
	want(3, 6)
	c.advance(monitors.RetentionDefault + time.Hour)
	purge()
	want(1, 2)
	if got := p.get(m.ID); *got.TotalCount != 7 || got.LastRun == nil {
		t.Errorf("got %d events and the last run %v, want 7 and one", *got.TotalCount, got.LastRun)
	}
	if r := p.runNow(m.ID); r.Baseline || r.Status != monitors.RunCompleted {
		t.Errorf("got %+v, want it held against the run before", r)
	}
	p.send(http.MethodDelete, "/v1/monitors/"+m.ID, "")
	if list := apitest.Decode[monitors.EventList](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/events", "")); len(list.Data) != 2 {
		t.Errorf("got %d events of what was deleted, want them kept for a while", len(list.Data))
	}
	c.advance(monitors.RetentionDefault + time.Hour)
	purge()
	want(0, 0)
	if n := p.count(`select count(*) from monitor`) + p.count(`select count(*) from monitor_progress`); n != 0 {
		t.Errorf("got %d rows of a monitor that is long gone", n)
	}
}

// FuzzPlace: any cursor is refused or is a place in a list, and a written cursor parses back.
func FuzzPlace(f *testing.F) {
	for _, seed := range []string{"", "bi4x", "bi4tMQ", "x", monitors.CursorOf(7), monitors.CursorOf(1 << 62)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		n, err := monitors.ParsePlace(cursor)
		switch {
		case err != nil && problem.From(err).Code != problem.ValidationError:
			t.Fatalf("%q: got %v", cursor, err)
		case err == nil && n < 1:
			t.Fatalf("%q: got %d", cursor, n)
		case err == nil && cursor != "":
			if again, err := monitors.ParsePlace(monitors.CursorOf(n)); err != nil || again != n {
				t.Fatalf("%q: got %d, then %d: %v", cursor, n, again, err)
			}
		}
	})
}
