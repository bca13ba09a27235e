package monitors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

const watched = `{"query":"the price of https://example.com/","frequency":"every 2 hours","webhook":{"url":"https://example.com/hook"},` +
	`"notification":{"channels":[{"target":"ann@example.com"},{"target":"bob@example.com","events":["failed"]}]},"metadata":{"k":1}}`

// The first run is the baseline, later runs find changes. Each is charged and stored, and its changes are announced.
func TestRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(watched)
	if m.LastRun == nil || m.LastRun.Status != monitors.RunCompleted || m.LastRun.ChangeDetected || m.Tracked == nil {
		t.Fatalf("got %+v with %+v, want a baseline", m, m.LastRun)
	}
	if m.Schedule.Cron == "" || m.Schedule.Timezone != "UTC" || *m.CreditsPerMonth != 360*usualCost || *m.TotalCount != 1 {
		t.Errorf("got %+v, %d a month and %d events, want every 2 hours, %d and 1", m.Schedule, *m.CreditsPerMonth, *m.TotalCount, 360*usualCost)
	}
	r := p.runNow(m.ID)
	if !r.Changed || r.Number != 2 || len(r.Steps) != 2 || r.CreditsConsumed != usualCost || r.SnapshotURL == nil || r.Diff == nil || len(r.Diff.Changes) != 1 {
		t.Errorf("got %+v, want a change", r)
	}
	p.wantBalance(p.team, 1000-2*usualCost, 0)

	list := apitest.Decode[monitors.EventList](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/events", ""))
	if len(list.Data) != 2 || list.HasMore || list.NextCursor != nil || list.TotalCount != 2 || !list.Data[0].Changed || list.Data[1].Changed {
		t.Fatalf("got %+v, want the change and the baseline", list)
	}
	e := list.Data[0]
	if e.RunID != r.ID || e.Summary != "The price fell." || e.SnapshotURL == nil {
		t.Errorf("got %+v, want that of run %s", e, r.ID)
	}
	diff := apitest.Decode[monitors.EventDiff](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/events/"+e.ID+"/diff", ""))
	if diff.EventID != e.ID || diff.Unified != "-5\n+4\n" || len(diff.Changes) != 1 {
		t.Errorf("got %+v, want the change", diff)
	}
	first := apitest.Decode[monitors.EventDiff](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/events/"+list.Data[1].ID+"/diff", ""))
	if first.Changed || first.Summary != "The baseline." || len(first.Changes) != 0 {
		t.Errorf("got %+v of a baseline, want nothing", first)
	}

	var told []byte
	var hook, id string
	must(t, p.pool.QueryRow(t.Context(), `select id, data, webhook from event where type = 'monitor.changed' and subject = $1`, m.ID).Scan(&id, &told, &hook))
	var data monitors.Told
	must(t, json.Unmarshal(told, &data))
	if hook != "https://example.com/hook" || id != e.ID || data.ID != e.ID || data.MonitorID != m.ID || data.Query != m.Query || data.Metadata["k"] != "1" || data.Diff == nil {
		t.Errorf("got %s to %s, want the event with its diff", told, hook)
	}
	if n := p.count(`select count(*) from event where type like 'monitor.%'`); n != 1 {
		t.Errorf("got %d events in the outbox, want the change only: nobody asked for more", n)
	}
}

// A channel without events uses those of the notification. A change also goes to channels that want "completed".
func TestAudience(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(`{"query":"x","notification":{"events":["failed"],"channels":[{"target":"a@b.c"},{"target":"d@e.f","events":["completed"]},{"target":"g@h.i","events":["changed"]}]}}`)
	for event, want := range map[string][]string{"failed": {"a@b.c"}, "completed": {"d@e.f"}, "changed": {"d@e.f", "g@h.i"}} {
		must(t, db.New(p.pool).InTx(t.Context(), func(tx pgx.Tx, _ *db.Queries) error {
			var _ outbox.Audience = p.service
			channels, err := p.service.Channels(t.Context(), tx, p.team.id, m.ID, event)
			var got []string
			for _, c := range channels {
				if got = append(got, c.Target); !c.Wants(event) {
					t.Errorf("%s: got %+v, which the listener leaves out", event, c)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", event, got, want)
			}
			other, _ := p.service.Channels(t.Context(), tx, "team_other", m.ID, event)
			if len(other) != 0 {
				t.Errorf("%s of another team: got %v", event, other)
			}
			return err
		}))
	}
}

// Only one run is active at a time, however many are requested.
func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(watched)
	held := make(chan struct{})
	p.runner.does(func(_ context.Context, n int, previous run.Previous) (run.Outcome, error) {
		<-held
		return outcome(n, previous, false), nil
	})
	var mu sync.Mutex
	ids := map[string]bool{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r := apitest.Decode[monitors.Run](t, p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/run", ""))
			mu.Lock()
			defer mu.Unlock()
			ids[r.ID] = true
		})
	}
	all.Wait()
	close(held)
	if len(ids) != 1 {
		t.Errorf("got %d runs, want one", len(ids))
	}
	p.untilRuns(m.ID, 2)
	p.wantBalance(p.team, 1000-2*usualCost, 0)
}

// Without credits a run is skipped. An event says so, and later runs go on.
func TestSkippedWithoutCredits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	p.team = p.newTeam(4)
	m := p.active(watched)
	if m.LastRun.Status != monitors.RunSkipped || m.Status != monitors.StatusActive {
		t.Fatalf("got %+v of one that is %s, want its run skipped", m.LastRun, m.Status)
	}
	for range 12 {
		if r := p.runNow(m.ID); r.Status != monitors.RunSkipped || r.CreditsConsumed != 0 {
			t.Fatalf("got %+v, want it skipped", r)
		}
	}
	e := apitest.Decode[monitors.EventList](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/events?limit=1", "")).Data[0]
	if e.Status != monitors.RunSkipped || e.Changed || e.Summary != "The run was skipped: it may cost 5 credits, and 4 are available." || e.SnapshotURL != nil {
		t.Errorf("got %+v, want it to say why", e)
	}
	p.wantBalance(p.team, 4, 0)
	if got := p.get(m.ID); got.Status != monitors.StatusActive {
		t.Errorf("got %s, want it active: skipped is not failed", got.Status)
	}
}

// Ten failures in a row fail the monitor, with one event. The work done is charged.
func TestFailsInTheEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(`{"query":"x","notification":{"events":["failed"]},"webhook":{"url":"https://example.com/"}}`)
	broken := true
	p.runner.does(func(_ context.Context, n int, previous run.Previous) (run.Outcome, error) {
		if !broken {
			return outcome(n, previous, false), nil
		}
		return run.Outcome{Steps: []run.Step{{ID: "search", Credits: 1}}, Credits: 1, Next: previous}, problem.New(problem.FetchFailed, "No page could be read.")
	})
	for range 9 {
		if r := p.runNow(m.ID); r.Status != monitors.RunFailed || *r.Error != "No page could be read." {
			t.Fatalf("got %+v, want it failed", r)
		}
	}
	broken = false
	p.runNow(m.ID)
	broken = true
	for i := range 10 {
		if got := p.get(m.ID); got.Status != monitors.StatusActive {
			t.Fatalf("after %d failures: got %s, want it active", i, got.Status)
		}
		p.runNow(m.ID)
	}
	got := p.get(m.ID)
	if got.Status != monitors.StatusFailed || *got.ErrorMessage != "10 runs in a row failed. The last error: No page could be read." {
		t.Errorf("got %s with %v, want it failed", got.Status, got.ErrorMessage)
	}
	if state := p.scheduler.of(m.ID); state[:3] != "off" {
		t.Errorf("got its schedule %q, want it off", state)
	}
	if n := p.count(`select count(*) from event where type = 'monitor.failed' and webhook = 'https://example.com/'`); n != 1 {
		t.Errorf("got %d events, want one", n)
	}
	p.wantBalance(p.team, 1000-2*usualCost-19, 0)
	// The monitor can be resumed.
	p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/pause", "")
	if w := p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/resume", ""); w.Code != http.StatusOK {
		t.Errorf("got %d %s, want it active", w.Code, w.Body)
	}
	if r := p.runNow(m.ID); r.Status != monitors.RunFailed || p.get(m.ID).Status != monitors.StatusActive {
		t.Error("got it failed at its first failure again, want it to begin anew")
	}
}

// Internal errors are not shown to the team.
func TestInnerErrorsStayInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(`{"query":"x"}`)
	p.runner.does(func(_ context.Context, _ int, previous run.Previous) (run.Outcome, error) {
		return run.Outcome{Next: previous}, errors.New("the secret inner text")
	})
	if r := p.runNow(m.ID); r.Status != monitors.RunFailed || *r.Error != "The run failed because of an internal error." {
		t.Errorf("got %+v, want it failed without a reason", r)
	}
	odd := p.create(`{"query":"odd"}`)
	p.untilStatus(odd.ID, monitors.StatusFailed)
	if said := *p.get(odd.ID).ErrorMessage; said != "The monitor could not be planned because of an internal error. Pause and resume it to try again." {
		t.Errorf("got %q", said)
	}
}

// If a monitor is deleted during a run, the run is not charged, and its hold is released.
func TestDeletedInTheMidst(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(watched)
	begun, held := make(chan struct{}), make(chan struct{})
	p.runner.does(func(_ context.Context, n int, previous run.Previous) (run.Outcome, error) {
		close(begun)
		<-held
		return outcome(n, previous, true), nil
	})
	r := apitest.Decode[monitors.Run](t, p.send(http.MethodPost, "/v1/monitors/"+m.ID+"/run", ""))
	<-begun
	if w := p.send(http.MethodDelete, "/v1/monitors/"+m.ID, ""); w.Code != http.StatusOK {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	close(held)
	p.wantBalance(p.team, 1000-usualCost, 0)
	p.until("the task is gone", func() bool { return p.count(`select count(*) from task`) == 0 })
	got := apitest.Decode[monitors.Run](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/runs/"+r.ID, ""))
	if got.Status != monitors.RunFailed || *got.Error != "The monitor was deleted." {
		t.Errorf("got %+v, want it cut short", got)
	}
	p.wantBalance(p.team, 1000-usualCost, 0)
}

// If a monitor is deleted between the reading of its run and the hold, there is no hold: it would never be released.
func TestDeletedBeforeTheHold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(watched)
	const id = "run_of_a_worker_that_is_slow"
	_, err := p.pool.Exec(t.Context(), `with m as (update monitor set running = $1, runs = runs + 1 where id = $2 returning id, team_id, runs)
		insert into monitor_run (id, monitor_id, team_id, n, started_at) select $1, id, team_id, runs, now() from m`, id, m.ID)
	must(t, err)
	p.runner.asks(func() { p.send(http.MethodDelete, "/v1/monitors/"+m.ID, "") })
	result, err := p.service.Runs().Handler.Run(t.Context(), jobs.Task{Group: id})
	if result != nil || err != nil {
		t.Errorf("got %+v and %v, want nothing", result, err)
	}
	p.wantBalance(p.team, 1000-usualCost, 0)
	if p.runner.runs != 1 {
		t.Errorf("got %d runs, want the first only", p.runner.runs)
	}
}

// fullOnce is a store that fails once.
type fullOnce struct {
	monitors.Blobs

	full atomic.Bool
}

func (f *fullOnce) Put(ctx context.Context, key, contentType string, data []byte) error {
	if f.full.Swap(false) {
		return errors.New("the store is full")
	}
	return f.Blobs.Put(ctx, key, contentType, data)
}

// A run that is retried after a price change is limited by its existing hold.
func TestPricesChangeBetweenTries(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	store := &fullOnce{Blobs: p.blobs}
	p.work(func(c *monitors.Config) { c.Blobs = store })
	m := p.active(watched)
	store.full.Store(true)
	p.runner.does(func(_ context.Context, n int, previous run.Previous) (run.Outcome, error) {
		p.runner.mu.Lock()
		defer p.runner.mu.Unlock()
		p.runner.most = 9
		return outcome(n, previous, true), nil
	})
	if r := p.runNow(m.ID); r.Status != monitors.RunCompleted || r.CreditsConsumed != usualCost {
		t.Errorf("got %+v, want it completed", r)
	}
	if p.runner.runs != 3 || p.runner.limit != 5 {
		t.Errorf("got %d tries, the last with %d credits, want 3 with the 5 that are held", p.runner.runs, p.runner.limit)
	}
	p.wantBalance(p.team, 1000-2*usualCost, 0)
}

// Runs are listed with their numbers, across pages.
func TestRunsAreListed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	m := p.active(watched)
	for range 3 {
		p.runNow(m.ID)
	}
	uri, numbers := "/v1/monitors/"+m.ID+"/runs?limit=3", []int64{}
	for uri != "" {
		list := apitest.Decode[monitors.RunList](t, p.send(http.MethodGet, uri, ""))
		for _, r := range list.Data {
			numbers = append(numbers, r.Number)
		}
		if uri = ""; list.Cursor != nil {
			uri = "/v1/monitors/" + m.ID + "/runs?limit=3&cursor=" + *list.Cursor
		}
	}
	if fmt.Sprint(numbers) != "[4 3 2 1]" {
		t.Errorf("got %v, want 4 to 1", numbers)
	}
}
