package schedules_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// lose simulates a worker that is lost during a call: its lease is not renewed, and what it still writes does not
// count.
func (p *place) lose(ctx context.Context, rows []db.TakeRunsRow) {
	p.t.Helper()
	must(p.t, p.service.Make(ctx, rows))
	p.works(0)
	p.clock.Advance(time.Minute + time.Second)
	must(p.t, p.service.Keep(p.t.Context()))
}

// forfeit hands the running run to another attempt, which counts as a try.
func (p *place) forfeit() {
	p.t.Helper()
	_, err := p.pool.Exec(context.Background(), `update schedule_run set attempt = attempt + 1 where state = 'running'`)
	must(p.t, err)
}

func (p *place) scraped(want int) {
	p.t.Helper()
	var n int
	must(p.t, p.pool.QueryRow(p.t.Context(), `select count(*) from scrape where status = 'succeeded'`).Scan(&n))
	if n != want || p.hits.Load() != int64(want) {
		p.t.Errorf("got %d scrapes and %d fetches, want %d of each", n, p.hits.Load(), want)
	}
}

// If a worker is lost during a call, another repeats the call. The work is done and paid once, wherever the first
// worker was lost, and however many are lost.
func TestLostInMidCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		losses         int
		before, panics bool
	}{
		{"before the call", 1, true, false},
		{"after the work, with half an answer", 1, false, true},
		{"after the work, with the answer", 1, false, false},
		{"twice, until the last try", 2, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			made := p.hourly()
			p.until(made.NextRunAt)
			p.claims(1, 1)
			api := *p.handler.Load()
			for range tc.losses {
				lost, cancel := context.WithCancel(t.Context())
				p.calls(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !tc.before {
						api.ServeHTTP(w, r)
					}
					p.forfeit()
					cancel()
					if tc.before || tc.panics {
						panic(http.ErrAbortHandler)
					}
				}))
				rows, err := p.service.Take(t.Context())
				must(t, err)
				p.lose(lost, rows)
			}
			p.calls(api)
			p.works(1)
			r := p.lastRun(made.ScheduleID)
			if r.Status != schedules.RunSucceeded || r.Made == nil || *r.Credits != 1 {
				t.Errorf("got %+v, want the scrape for a credit", r)
			}
			p.scraped(1)
			p.wantBalance(p.team, 99)
		})
	}
}

// A process that was considered dead may get the same run again. It then keeps the later attempt alive, even when the
// first one ends.
func TestTakenTwiceByOneProcess(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.hourly()
	p.until(made.NextRunAt)
	p.claims(1, 1)
	calls, first, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var n atomic.Int64
	p.calls(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		wait := second
		if n.Add(1) == 1 {
			wait = first
		}
		calls <- struct{}{}
		<-wait
	}))
	firstOver, err := p.service.Begin(t.Context())
	must(t, err)
	<-calls
	_, err = p.pool.Exec(t.Context(), `update schedule_run set state = 'waiting', lease_until = null where state = 'running'`)
	must(t, err)
	secondOver, err := p.service.Begin(t.Context())
	must(t, err)
	<-calls
	close(first)
	<-firstOver
	p.clock.Advance(50 * time.Second)
	must(t, p.service.Keep(t.Context()))
	var lease time.Time
	must(t, p.pool.QueryRow(t.Context(), `select lease_until from schedule_run where state = 'running'`).Scan(&lease))
	if want := p.clock.Now().Add(schedules.LeaseDefault); !lease.Equal(want) {
		t.Errorf("got it kept until %s, want %s", lease, want)
	}
	close(second)
	<-secondOver
	if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunSucceeded {
		t.Errorf("got %+v, want it ended by the second attempt", r)
	}
}

// A worker that is stopped after the work is done still records the result and its cost, also in the last try.
func TestStoppedWhenDone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.hourly()
	p.until(made.NextRunAt)
	p.claims(1, 1)
	_, err := p.pool.Exec(t.Context(), `update schedule_run set attempt = 4`)
	must(t, err)
	api := *p.handler.Load()
	stopped, cancel := context.WithCancel(t.Context())
	p.calls(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r)
		cancel()
	}))
	rows, err := p.service.Take(t.Context())
	must(t, err)
	must(t, p.service.Make(stopped, rows))
	if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunSucceeded || *r.Credits != 1 {
		t.Errorf("got %+v, want the scrape for a credit", r)
	}
	p.scraped(1)
	p.wantBalance(p.team, 99)
}

// If a run is only ended after its hold has expired, its cost is still charged once, as far as the team has credits.
func TestHoldHadExpired(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		spend int64
		want  int64
	}{
		{"with credits left", 0, 99},
		{"with none left", 100, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			made := p.hourly()
			p.until(made.NextRunAt)
			p.claims(1, 1)
			api := *p.handler.Load()
			p.calls(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				api.ServeHTTP(w, r)
				p.forfeit()
				panic(http.ErrAbortHandler)
			}))
			rows, err := p.service.Take(t.Context())
			must(t, err)
			p.lose(t.Context(), rows)
			_, err = p.pool.Exec(t.Context(), `update hold set expires_at = now() - interval '1 second'`)
			must(t, err)
			ledger := credits.NewLedger(p.pool)
			n, err := ledger.ExpireHolds(t.Context())
			must(t, err)
			if n != 1 {
				t.Fatalf("got %d holds expired, want 1", n)
			}
			if tc.spend > 0 {
				p.spends(ledger, tc.spend)
			}
			p.calls(api)
			p.works(1)
			if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunSucceeded || *r.Credits != 1 {
				t.Errorf("got %+v, want the scrape for a credit", r)
			}
			p.scraped(1)
			if b, err := ledger.Balance(t.Context(), p.team); err != nil || int64(b.Balance) != tc.want || b.Held != 0 {
				t.Errorf("got %+v, %v, want %d", b, err, tc.want)
			}
		})
	}
}

// spends uses some of the team's credits for something else.
func (p *place) spends(ledger *credits.Ledger, amount int64) {
	p.t.Helper()
	const job = "something_else"
	ctx := context.Background()
	_, err := ledger.OpenHold(ctx, credits.NewJobHold{
		JobID: job, TeamID: p.team, Operation: "scrape", Amount: money.Credits(amount), Lasts: time.Hour,
	})
	must(p.t, err)
	must(p.t, ledger.CaptureHold(ctx, job, money.Credits(amount), 1))
	_, err = ledger.CloseHold(ctx, job)
	must(p.t, err)
}

// In the ledger, the operation of a quoted call has its name from the price book.
func TestOperationOfQuoted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.answers(200)
	made := p.makes(`{"method":"POST","endpoint":"v1/crawls","payload":{"start_url":"https://example.com/","max_pages":7},"text":"every hour"}`)
	p.calls(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"amount":7}`) }))
	p.until(made.NextRunAt)
	p.claims(1, 1)
	p.works(1)
	var operation string
	must(t, p.pool.QueryRow(t.Context(), `select operation from hold`).Scan(&operation))
	if operation != "crawl" {
		t.Errorf("got %q, want crawl", operation)
	}
}
