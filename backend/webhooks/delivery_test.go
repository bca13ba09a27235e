package webhooks_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
)

// The promised schedule: eight tries over about 24 hours, each wait varied by up to a tenth. The test moves the clock
// to each try.
func TestPromisedTries(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now())
	p := setup(t, options{config: func(c *webhooks.Config) { c.Now, c.Schedule = clock.Now, nil }})
	r := newReceiver(t, status(500))
	p.tell(team, r.URL, 1)
	began := clock.Now()
	waits := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8*time.Hour + 30*time.Minute,
	}
	for i, want := range waits {
		p.Until("the try", `select exists (select from webhook_delivery where tries = $1) and exists (select from task where not_before is not null)`, i+1)
		var wait, task float64
		must(t, p.Pool.QueryRow(t.Context(), `select extract(epoch from d.next_at - l.at), extract(epoch from t.not_before - clock_timestamp())
			from webhook_delivery d join webhook_try l on l.delivery_id = d.id and l.n = d.tries join task t on t.group_id = d.id`).Scan(&wait, &task))
		least, most := 0.9*want.Seconds(), 1.1*want.Seconds()
		if wait < least || wait > most || task > most || task < least-60 {
			t.Errorf("after try %d: got %.1f s said and %.1f s left, want %.1f to %.1f", i+1, wait, task, least, most)
		}
		clock.Advance(time.Duration(wait * float64(time.Second)))
		p.Exec(`update task set not_before = clock_timestamp()`)
	}
	p.ended()
	d := p.only(team)
	if got := clock.Now().Sub(began); d.Status != "failed" || got < 21*time.Hour || got > 27*time.Hour {
		t.Errorf("got %s after %s, want failed after about 24 h", d.Status, got)
	}
	if d.NextAttempt != nil || !d.Ended.Equal(clock.Now().Truncate(time.Second)) {
		t.Errorf("got %+v, want no next try, and when it ended", d)
	}
	posts := r.got()
	p.coherent(d, posts)
	if got := posts[7].Timestamp - posts[0].Timestamp; got < (21 * time.Hour).Milliseconds() {
		t.Errorf("got %d ms between the first try's timestamp and the last one's, want the time of each try", got)
	}
}

// A redelivery repeats an ended delivery with the same id, and hastens a pending one.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	hour := slices.Repeat([]time.Duration{time.Hour}, 7)
	p := setup(t, options{config: func(c *webhooks.Config) { c.Schedule = hour }})
	redeliver := func(id string) *webhooks.Delivery {
		var out webhooks.Delivery
		p.call(team, http.MethodPost, "/v1/webhooks/deliveries/"+id+"/redeliver", http.StatusOK, &out)
		return &out
	}
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		w.WriteHeader([]int{500, 410, 200, 200}[min(n, 3)])
	})
	p.tell(team, r.URL, 1)
	p.Until("the first try", `select exists (select from webhook_delivery where tries = 1) and exists (select from task where not_before is not null)`)

	first := p.only(team)
	pending := redeliver(first.ID)
	if pending.ID != first.ID || pending.Status != "pending" || len(pending.Tries) != 1 || !pending.NextAttempt.Before(*first.NextAttempt) {
		t.Errorf("pending: got %+v, want the same one, due at once", pending)
	}
	p.ended() // the second try gets 410
	if got := p.only(team); got.Status != "failed" || len(got.Tries) != 2 {
		t.Errorf("got %+v, want failed by two tries", got)
	}
	of := first.ID
	for i, what := range []string{"failed", "delivered"} {
		again := redeliver(of)
		if again.ID == of || *again.Redelivers != of || again.EventID != first.EventID || again.Status != "pending" || len(again.Tries) != 0 || again.TriesMax != 8 {
			t.Errorf("%s: got %+v, want another delivery of the same event", what, again)
		}
		r.until(t, 3+i)
		p.ended()
		of = again.ID
	}
	posts := r.got()
	for i, want := range []string{"1/8", "2/8", "1/8", "1/8"} {
		if posts[i].Attempt != want || posts[i].ID != first.EventID {
			t.Errorf("post %d: got %s of %s, want %s of %s", i+1, posts[i].Attempt, posts[i].ID, want, first.EventID)
		}
	}
	p.verify(p.secret(team), posts...)
	if got := p.list(team); len(got) != 3 || got[0].Status != "delivered" || got[1].Status != "delivered" || got[2].Status != "failed" {
		t.Errorf("got %d deliveries, want failed and two delivered ones", len(got))
	}
}

// A redelivery during a try neither changes it nor starts a second one.
func TestRedeliveryOfATryUnderWay(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	arrived, goOn := make(chan struct{}), make(chan struct{})
	r := newReceiver(t, func(http.ResponseWriter, *http.Request, int) {
		close(arrived)
		<-goOn
	})
	p.tell(team, r.URL, 1)
	<-arrived
	id := p.only(team).ID
	if out, err := p.service.Redeliver(t.Context(), subscriber(team), id); err != nil || out.ID != id || out.Status != "pending" {
		t.Errorf("got %+v, %v, want the pending delivery", out, err)
	}
	close(goOn)
	p.ended()
	if got := len(r.got()); got != 1 {
		t.Errorf("got %d posts, want one", got)
	}
}

var errRecord = errors.New("another request has the key by now")

// If a redelivery cannot be recorded for its Idempotency-Key, it does not happen.
func TestRedeliveryGoesWithItsRecord(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	r := newReceiver(t, status(200))
	p.tell(team, r.URL, 1)
	p.ended()
	c := subscriber(team)
	c.OnRecord(func(_ context.Context, _ pgx.Tx, answer any) error {
		if d, ok := answer.(*webhooks.Delivery); !ok || d.Redelivers == nil {
			t.Errorf("got %+v recorded, want the new delivery", answer)
		}
		return errRecord
	})
	if _, err := p.service.Redeliver(t.Context(), c, p.only(team).ID); !errors.Is(err, errRecord) {
		t.Errorf("got %v, want the record's error", err)
	}
	if got := p.Count(`select count(*) from webhook_delivery`) + p.Count(`select count(*) from task`); got != 1 {
		t.Errorf("got %d deliveries and tasks, want the one that was", got)
	}
}

// stuck is a worker that has posted but cannot store the result.
type stuck struct {
	*delivery.Engine

	posted chan struct{}
	goOn   chan struct{}
}

func (s *stuck) Run(ctx context.Context, t jobs.Task) (any, error) {
	result, err := s.Engine.Run(ctx, t)
	close(s.posted)
	<-s.goOn
	return result, err
}

// If a worker is lost between the POST and the commit, another repeats the try with the same id and number. The first
// one's result no longer counts.
func TestWorkerLostBetweenPostAndCommit(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) { w.WriteHeader([]int{500, 200}[min(n, 1)]) })
	lost := &stuck{posted: make(chan struct{}), goOn: make(chan struct{})}
	a := setup(t, options{queue: func(q *jobs.Queue) {
		lost.Engine, _ = q.Handler.(*delivery.Engine)
		q.Handler, q.Slots = lost, 1 // its only slot is busy
	}})
	a.tell(team, r.URL, 1)
	<-lost.posted
	// The lease is over, as after a minute of silence, and the worker no longer owns the task.
	a.Exec(`update task set lease_until = clock_timestamp() - interval '1 second'`)
	setup(t, options{url: a.URL, queue: func(q *jobs.Queue) { q.Lease = 400 * time.Millisecond }})
	a.ended()
	close(lost.goOn)
	stop, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, a.Tasks.Stop(stop)) // after this its result can no longer come
	posts, d := r.until(t, 2), a.only(team)
	a.verify(a.secret(team), posts...)
	if len(posts) != 2 || posts[0].ID != posts[1].ID || posts[0].Attempt != "1/8" || posts[1].Attempt != "1/8" {
		t.Errorf("got %d posts, want the first try twice with one id: %+v", len(posts), posts)
	}
	if got := outcomes(d); d.Status != "delivered" || !slices.Equal(got, []string{"200"}) {
		t.Errorf("got %s by %v, want delivered by the try that was written down", d.Status, got)
	}
}

// A delivery whose workers were lost repeatedly loses one try, and goes on.
func TestDeliveryThatItsWorkersWereLostWith(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	r := newReceiver(t, status(200))
	p.tell(team, r.URL, 1)
	must(t, pgx.BeginFunc(t.Context(), p.Pool, func(tx pgx.Tx) error {
		var e outbox.Taken
		e.TeamID, e.Webhook = team, r.URL
		if err := tx.QueryRow(t.Context(), `update event set dispatched_at = now() returning id`).Scan(&e.ID); err != nil {
			return err
		}
		_, err := p.service.Take(t.Context(), tx, []outbox.Taken{e})
		return err
	}))
	p.Exec(`update task set takeovers = 3`)
	p.Start()
	p.ended()
	if got := outcomes(p.only(team)); !slices.Equal(got, []string{"worker_lost", "200"}) {
		t.Errorf("got %v, want a lost try and one that was answered", got)
	}
}

// The log is kept for 30 days after the end, the event as long as something refers to it.
func TestPurge(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now())
	p := setup(t, options{config: func(c *webhooks.Config) { c.Now = clock.Now }})
	good, bad := newReceiver(t, status(200)), newReceiver(t, status(410))
	p.tell(team, good.URL, 1)
	p.tell(team, bad.URL, 2)
	p.ended()
	p.Exec(`insert into webhook_delivery (id, event_id, team_id, url, lane, tries_max, created_at, next_at)
		select 'delivery_pending', id, team_id, webhook, 'lane', 8, now(), now() from event where subject = 'batch_1'`)
	purge := func(wantDeliveries, wantEvents int) {
		t.Helper()
		deliveries, err := p.service.Purge(t.Context())
		must(t, err)
		events, err := outbox.Purge(t.Context(), db.New(p.Pool), clock.Now())
		must(t, err)
		if deliveries != wantDeliveries || events != wantEvents {
			t.Errorf("at %s: got %d deliveries and %d events, want %d and %d", clock.Now(), deliveries, events, wantDeliveries, wantEvents)
		}
	}
	clock.Advance(outbox.Retention - time.Minute)
	purge(0, 0)
	clock.Advance(2 * time.Minute)
	purge(2, 1)
	if got := p.Count(`select count(*) from webhook_try`); got != 0 {
		t.Errorf("tries left: got %d, want none", got)
	}
	p.Exec(`update webhook_delivery set status = 'failed', next_at = null, ended_at = $1`, clock.Now())
	clock.Advance(outbox.Retention + time.Minute)
	purge(1, 1)
}

// Events without recipients are processed and deleted.
func TestEventsWithoutAddress(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	p.tell(team, "", 1)
	p.Until("the event", `select dispatched_at is not null from event`)
	if got := p.Count(`select count(*) from webhook_delivery`); got != 0 {
		t.Errorf("got %d deliveries, want none", got)
	}
}

func TestNewNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := webhooks.New(webhooks.Config{MasterSecret: []byte("short"), Slots: -1})
	for _, want := range []string{"Pool", "Tasks", "Client", "Logger", "Now", "MasterSecret must have at least 32 bytes, has 5", "must not be negative"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
}
