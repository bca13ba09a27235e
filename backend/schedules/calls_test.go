package schedules_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// A due schedule is called once, charged at cost, and becomes due again.
func TestScheduledScrape(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.hourly()
	if made.State != schedules.StateEnabled || made.Type != schedules.TypeRecurring || made.TeamID != p.team || made.Text != "every hour" ||
		*made.CronExpression != "0 * * * *" || made.ExpressionTimezone != "UTC" || made.LastRun != nil || made.NextRunAt.Minute() != 0 {
		t.Fatalf("got %+v", made)
	}
	p.claims(0, 0)
	p.until(made.NextRunAt)
	p.claims(1, 1)
	p.claims(0, 0)
	p.works(1)
	p.works(0)
	got := p.reads(made.ScheduleID)
	if r := got.LastRun; r == nil || r.Status != schedules.RunSucceeded || *r.HTTPStatus != 200 || *r.Credits != 1 || !r.DueAt.Equal(*made.NextRunAt) ||
		r.Made == nil || !strings.HasPrefix(*r.Made, "scrape_") || r.Error != nil || !strings.HasPrefix(r.ID, "run_") {
		t.Fatalf("got %+v", got.LastRun)
	}
	if want := made.NextRunAt.Add(time.Hour); !got.NextRunAt.Equal(want) {
		t.Errorf("got %s next, want %s", got.NextRunAt, want)
	}
	if n := p.hits.Load(); n != 1 {
		t.Errorf("the page was fetched %d times", n)
	}
	p.wantBalance(p.team, 99)
	if w := p.Send(http.MethodGet, "/v1/scrapes/"+*got.LastRun.Made, "", p.as(p.team)); w.Code != 200 {
		t.Errorf("the scrape is not there: %s", w.Body)
	}
}

// Times that were missed are skipped, and so is a time at which the previous call has not ended.
func TestMissedRunsDoNotPileUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	calls := p.answers(200, edgewire.CostHeader, "1")
	made := p.hourly()
	calls.Store(0) // does not count the trial call
	p.until(made.NextRunAt)
	p.clock.Advance(50*time.Hour + time.Minute)
	p.claims(1, 1)
	p.clock.Advance(3 * time.Hour)
	p.claims(1, 0) // the first has not ended
	p.works(1)
	p.works(0)
	p.clock.Advance(time.Hour)
	p.claims(1, 1)
	p.works(1)
	if calls.Load() != 2 {
		t.Errorf("%d calls were made, want 2", calls.Load())
	}
	p.wantBalance(p.team, 98)
}

// A schedule may be replaced by one that is due at a time that was already claimed. That time is not run twice, and the schedule goes on.
func TestReplacedToATimeThatWasClaimed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	calls := p.answers(200)
	hourly, err := frequency.Parse("every hour at :00")
	must(t, err)
	var id string
	var due time.Time
	inTx := func(f func(tx pgx.Tx) error) {
		t.Helper()
		must(t, pgx.BeginFunc(t.Context(), p.pool, f))
	}
	inTx(func(tx pgx.Tx) (err error) {
		id, due, err = p.service.Put(t.Context(), tx, p.team, "v1/monitors/monitor_1/run", "m", "monitors", hourly)
		return err
	})
	p.until(&due)
	p.claims(1, 1)
	p.works(1)
	p.clock.Advance(-time.Second) // the clock was read before the claim
	inTx(func(tx pgx.Tx) error {
		again, err := p.service.Replace(t.Context(), tx, p.team, id, hourly)
		if !again.Equal(due) {
			t.Errorf("got it due at %s, want %s", again, due)
		}
		return err
	})
	p.clock.Advance(time.Second)
	p.claims(1, 0)
	p.works(0)
	p.clock.Advance(time.Hour)
	p.claims(1, 1)
	p.works(1)
	if n := calls.Load(); n != 2 {
		t.Errorf("got %d calls, want 2", n)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		status  int
		headers []string
		state   schedules.RunState
		balance int64
	}{
		{"served", 200, nil, schedules.RunSucceeded, 99},
		{"served for less", 200, []string{edgewire.CostHeader, "0"}, schedules.RunSucceeded, 100},
		{"asks for more than was set aside", 200, []string{edgewire.CostHeader, "7"}, schedules.RunSucceeded, 99},
		{"refused", 422, []string{edgewire.CostHeader, "1"}, schedules.RunFailed, 100},
		{"failed", 502, nil, schedules.RunFailed, 100},
		{"credits", 402, nil, schedules.RunUnpaid, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			made := p.hourly()
			p.answers(tc.status, tc.headers...)
			p.until(made.NextRunAt)
			p.claims(1, 1)
			p.works(1)
			r := p.lastRun(made.ScheduleID)
			if r.Status != tc.state || *r.HTTPStatus != int32(tc.status) || (tc.status >= 400) != (r.Error != nil) {
				t.Errorf("got %+v", r)
			}
			if b, err := credits.NewLedger(p.pool).Balance(t.Context(), p.team); err != nil || int64(b.Balance) != tc.balance || b.Held != 0 {
				t.Errorf("got %+v, %v, want %d", b, err, tc.balance)
			}
		})
	}
}

// lastRun reads the result of the latest run.
func (p *place) lastRun(id string) *schedules.Run {
	p.t.Helper()
	r := p.reads(id).LastRun
	if r == nil {
		p.t.Fatal("there was no run")
	}
	return r
}

// A call without enough credits is recorded as such, and the schedule goes on.
func TestUnpaid(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.team = p.newTeam(0)
	made := p.hourly()
	calls := p.answers(200)
	p.until(made.NextRunAt)
	p.claims(1, 1)
	p.works(1)
	r := p.lastRun(made.ScheduleID)
	if r.Status != schedules.RunUnpaid || *r.HTTPStatus != 402 || !strings.Contains(*r.Error, "costs 1 credits, but only 0 were available") || calls.Load() != 0 {
		t.Errorf("got %+v and %d calls", r, calls.Load())
	}
	_, err := credits.NewLedger(p.pool).Grant(t.Context(), credits.Grant{TeamID: p.team, Amount: 5, Source: credits.SourcePromo, Key: "later"})
	must(t, err)
	p.clock.Advance(time.Hour)
	p.claims(1, 1)
	p.works(1)
	if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunSucceeded {
		t.Errorf("got %+v", r)
	}
	p.wantBalance(p.team, 4)
}

// A call that is told to retry later does so a few times, with the same identity and hold.
func TestLater(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.hourly()
	seen := map[string]bool{}
	p.calls(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen[r.Header.Get("X-Request-Id")] = true
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	p.until(made.NextRunAt)
	p.claims(1, 1)
	for range 5 {
		p.works(1)
		p.works(0)
		p.clock.Advance(30 * time.Second)
	}
	p.works(0)
	if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunFailed || *r.HTTPStatus != 503 || len(seen) != 1 {
		t.Errorf("got %+v, made under %v", r, seen)
	}
	p.wantBalance(p.team, 100)
}

// A long-running job takes over the hold and pays for itself. The run does not touch it afterwards.
func TestAdopted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.hourly()
	p.calls(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		must(t, pgx.BeginFunc(r.Context(), p.pool, func(tx pgx.Tx) error {
			hold, err := credits.ParseHoldID(r.Header.Get("X-Request-Id"))
			must(t, err)
			return credits.Adopt(r.Context(), tx, hold, "crawl_1", time.Now().Add(time.Hour))
		}))
		w.Header().Set(edgewire.AdoptedHeader, "true")
		_, _ = w.Write([]byte(`{"id":"crawl_1"}`))
	}))
	p.until(made.NextRunAt)
	p.claims(1, 1)
	p.works(1)
	if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunSucceeded || r.Credits != nil || *r.Made != "crawl_1" {
		t.Errorf("got %+v", r)
	}
	ledger := credits.NewLedger(p.pool)
	must(t, ledger.CaptureHold(t.Context(), "crawl_1", 1, 1))
	_, err := ledger.CloseHold(t.Context(), "crawl_1")
	must(t, err)
	p.wantBalance(p.team, 99)
}

// Prices that depend on quotes are requested from the backend. Its refusals are reported.
func TestQuotedCalls(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.answers(200)
	made := p.makes(`{"method":"POST","endpoint":"v1/crawls","payload":{"start_url":"https://example.com/","max_pages":7},"text":"every hour"}`)
	var asked, called edgewire.Identity
	verifier, err := edgewire.NewVerifier(secret, "backend", time.Now)
	must(t, err)
	p.calls(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := verifier.Verify(r, r.RequestURI)
		must(t, err)
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			asked = *id
			_, _ = w.Write([]byte(`{"amount":7}`))
			return
		}
		called = *id
		w.Header().Set(edgewire.CostHeader, "3")
		_, _ = w.Write([]byte(`{"id":"crawl_7"}`))
	}))
	p.until(made.NextRunAt)
	p.claims(1, 1)
	p.works(1)
	if asked.Payer.TeamID != p.team || asked.Max != 0 || called.Max != 7 || called.URI != "/v1/crawls" || called.Payer.TeamID != p.team || called.BodySHA256 == "" {
		t.Errorf("asked as %+v, called as %+v", asked, called)
	}
	p.wantBalance(p.team, 97)
	p.answers(http.StatusBadRequest)
	p.clock.Advance(time.Hour)
	p.claims(1, 1)
	p.works(1)
	if r := p.lastRun(made.ScheduleID); r.Status != schedules.RunFailed || *r.HTTPStatus != 400 || *r.Error != "some_code: some detail" {
		t.Errorf("got %+v", r)
	}
	p.wantBalance(p.team, 97)
}

// A one-time schedule ends after its run.
func TestOnetime(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	at := p.clock.Now().Add(90 * time.Minute)
	made := p.makes(`{"method":"GET","endpoint":"v1/files","execute_at":%q}`, at.In(time.FixedZone("", 7200)).Format(time.RFC3339))
	if made.Type != schedules.TypeOnetime || !made.ExecuteAt.Equal(at) || !made.NextRunAt.Equal(at) || made.CronExpression != nil {
		t.Fatalf("got %+v", made)
	}
	p.answers(200)
	p.until(made.NextRunAt)
	p.claims(1, 1)
	p.works(1)
	got := p.reads(made.ScheduleID)
	if got.State != schedules.StateDisabled || got.NextRunAt != nil || got.LastRun.Status != schedules.RunSucceeded || *got.LastRun.Credits != 0 {
		t.Errorf("got %+v, %+v", got, got.LastRun)
	}
	p.clock.Advance(1000 * time.Hour)
	p.claims(0, 0)
}

// Only the newest few runs are kept.
func TestRunsAreForgotten(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *schedules.Config) { c.KeepRuns = 3 })
	made := p.hourly()
	p.answers(200, edgewire.CostHeader, "0")
	p.until(made.NextRunAt)
	for range 8 {
		p.claims(1, 1)
		p.works(1)
		p.clock.Advance(time.Hour)
	}
	var n int
	var newest time.Time
	must(t, p.pool.QueryRow(t.Context(), `select count(*), max(due_at) from schedule_run`).Scan(&n, &newest))
	if n != 3 || !newest.Equal(made.NextRunAt.Add(7*time.Hour)) {
		t.Errorf("got %d runs until %s", n, newest)
	}
}
