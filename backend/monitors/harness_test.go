package monitors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// place is the monitors service over HTTP, with a team and workers.
type place struct {
	*apitest.API

	t         testing.TB
	url       string
	pool      *pgxpool.Pool
	blobs     *blob.Store
	ledger    *credits.Ledger
	planner   *planner
	runner    *runner
	scheduler *scheduler
	service   *monitors.Service
	team      *team
	signal    *signal
}

type team struct{ id, keyID string }

func newPlace(t testing.TB, change ...func(*monitors.Config)) *place {
	t.Helper()
	return newPlaceIn(t, pgtest.New(t, migrate), change...)
}

// newPlaceIn is newPlace with a given database.
func newPlaceIn(t testing.TB, url string, change ...func(*monitors.Config)) *place {
	t.Helper()
	p := &place{t: t, url: url, planner: newPlanner(), runner: &runner{}, scheduler: newScheduler(), signal: newSignal()}
	var err error
	p.pool = pgtest.Open(t, p.url, func(c *pgxpool.Config) {
		c.MaxConns = 16
		// Crashes of the database are tested in package jobs. Here, waiting for the disk only takes time.
		c.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	})
	p.blobs, err = blob.Open(context.Background(), "mem://")
	must(t, err)
	t.Cleanup(func() { _ = p.blobs.Close() })
	p.ledger = credits.NewLedger(p.pool)
	p.service = p.newService(change...)
	adder, err := jobs.New(jobs.Config{Pool: p.pool, Logger: newLogger(), Now: time.Now})
	must(t, err)
	p.service.Work(adder)
	p.team = p.newTeam(1000)
	p.API = apitest.New(t, api.Config{
		Wallets:     accounts.New(db.New(p.pool), apikey.NewIssuer(p.pool), time.Now),
		Idempotency: idempotency.New(db.New(p.pool), 0),
		Features:    []api.Feature{p.service},
	})
	return p
}

func (p *place) newService(change ...func(*monitors.Config)) *monitors.Service {
	p.t.Helper()
	signer, err := blob.NewSigner(blob.SignerConfig{Secret: []byte(strings.Repeat("s", 32)), BaseURL: "https://api.example.com", Now: time.Now})
	must(p.t, err)
	config := monitors.Config{
		Pool: p.pool, Planner: p.planner, Runner: p.runner, Scheduler: p.scheduler, Channels: anyChannel{}, Webhooks: anyHook{},
		Blobs: p.blobs, Signer: signer, Heartbeat: 20 * time.Millisecond, Logger: newLogger(), Now: time.Now,
	}
	for _, f := range change {
		f(&config)
	}
	s, err := monitors.New(config)
	must(p.t, err)
	return s
}

// work starts another process that works on monitors. It stops when the test ends.
func (p *place) work(change ...func(*monitors.Config)) {
	p.t.Helper()
	s := p.newService(change...)
	var queues []jobs.Queue
	for _, q := range []jobs.Queue{s.Plans(), s.Runs()} {
		q.Handler = &signalling{q.Handler, p.signal}
		q.Lease = 2 * time.Second
		q.Backoff = func(int) time.Duration { return time.Millisecond }
		queues = append(queues, q)
	}
	j, err := jobs.New(jobs.Config{Pool: p.pool, Queues: queues, Grace: 5 * time.Second, Logger: newLogger(), Now: time.Now})
	must(p.t, err)
	s.Work(j)
	must(p.t, j.Start(context.Background()))
	p.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := j.Stop(ctx); err != nil {
			p.t.Errorf("stopping: %v", err)
		}
	})
}

func (p *place) newTeam(amount money.Credits) *team {
	p.t.Helper()
	ctx, q := context.Background(), db.New(p.pool)
	tm := &team{id: "team_" + uuid.NewString()}
	_, err := q.CreateTeam(ctx, db.CreateTeamParams{ID: tm.id})
	must(p.t, err)
	if amount > 0 {
		_, err = p.ledger.Grant(ctx, credits.Grant{TeamID: tm.id, Amount: amount, Source: credits.SourcePromo, Key: tm.id})
		must(p.t, err)
	}
	hash := uuid.New()
	tm.keyID = "key_" + hash.String()
	_, err = q.CreateKey(ctx, db.CreateKeyParams{
		PublicID: tm.keyID, Hash: append(hash[:], hash[:]...), Display: "tp_…", Scopes: []string{"write"}, TeamID: tm.id,
	})
	must(p.t, err)
	return tm
}

func (tm *team) identity() edgewire.Identity { return apitest.Team(tm.id, tm.keyID) }

// send sends a request of the place's team.
func (p *place) send(method, uri, body string, headers ...string) *httptest.ResponseRecorder {
	p.t.Helper()
	return p.Send(method, uri, body, p.team.identity(), headers...)
}

// create makes a monitor.
func (p *place) create(body string) monitors.Monitor {
	p.t.Helper()
	w := p.send(http.MethodPost, "/v1/monitors", body)
	if w.Code != http.StatusAccepted {
		p.t.Fatalf("creating: got %d %s, want 202", w.Code, w.Body)
	}
	return decode[monitors.Monitor](p.t, w)
}

func (p *place) get(id string) monitors.Monitor {
	p.t.Helper()
	return apitest.Decode[monitors.Monitor](p.t, p.send(http.MethodGet, "/v1/monitors/"+id, ""))
}

// active creates a monitor and waits until it is active and has its baseline.
func (p *place) active(body string) monitors.Monitor {
	p.t.Helper()
	m := p.create(body)
	p.untilRuns(m.ID, 1)
	return p.get(m.ID)
}

func (p *place) untilStatus(id string, status monitors.Status) {
	p.t.Helper()
	p.until(fmt.Sprintf("%s is %s", id, status), func() bool { return p.get(id).Status == status })
}

// untilRuns waits until a monitor has n events.
func (p *place) untilRuns(id string, n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("%s has %d events", id, n), func() bool {
		return p.count(`select count(*) from monitor_event where monitor_id = $1`, id) >= n
	})
}

// runNow runs a monitor and waits for the end.
func (p *place) runNow(id string) monitors.Run {
	p.t.Helper()
	made := apitest.Decode[monitors.Run](p.t, p.send(http.MethodPost, "/v1/monitors/"+id+"/run", ""))
	p.until("run "+made.ID, func() bool {
		return p.count(`select count(*) from monitor_run where id = $1 and status <> 'in_progress'`, made.ID) == 1
	})
	return apitest.Decode[monitors.Run](p.t, p.send(http.MethodGet, "/v1/monitors/"+id+"/runs/"+made.ID, ""))
}

func (p *place) count(query string, args ...any) int {
	p.t.Helper()
	var n int
	must(p.t, p.pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

func (p *place) until(what string, is func() bool) {
	p.t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		next := p.signal.wait()
		if is() {
			return
		}
		select {
		case <-next:
		case <-tick.C:
		case <-deadline:
			p.t.Fatalf("%s: not within a minute", what)
		}
	}
}

func (p *place) wantBalance(tm *team, balance, held money.Credits) {
	p.t.Helper()
	got, err := p.ledger.Balance(context.Background(), tm.id)
	must(p.t, err)
	if got.Balance != balance || got.Held != held {
		p.t.Errorf("balance: got %d with %d held, want %d with %d", got.Balance, got.Held, balance, held)
	}
}

// planner is a double that makes plans. If the query says "hold", it waits for release.
type planner struct {
	held chan struct{}
	once sync.Once
}

func newPlanner() *planner { return &planner{held: make(chan struct{})} }

func (f *planner) release() { f.once.Do(func() { close(f.held) }) }

func (f *planner) Plan(ctx context.Context, r plan.Request, emit func(plan.Event)) (plan.Plan, error) {
	emit(plan.Event{Phase: plan.PhaseSpec, Message: "Reading."})
	for _, token := range []string{"It ", "is ", "a\nline."} {
		emit(plan.Event{Token: token})
	}
	emit(plan.Event{Phase: plan.PhasePlanning, Message: "Planning."})
	if strings.Contains(r.Query, "hold") {
		select {
		case <-f.held:
		case <-ctx.Done():
			return plan.Plan{}, ctx.Err()
		}
	}
	if strings.Contains(r.Query, "impossible") {
		return plan.Plan{}, &plan.Error{Message: "It cannot be done."}
	}
	if strings.Contains(r.Query, "odd") {
		return plan.Plan{}, errors.New("the secret inner text")
	}
	return plan.Plan{
		Spec:    plan.Spec{Status: plan.StatusReady, Goal: "watch", Input: plan.Input{Query: r.Query, SourcePolicy: r.SourcePolicy}},
		DAG:     plan.DAG{UserQuery: r.Query, Validation: plan.Validation{IsValid: true, Attempts: 1}},
		Tracked: plan.Tracked{Type: plan.TrackedURLs, URLs: []string{"https://example.com/"}},
	}, nil
}

// runner is a double whose runs return what f returns, if set.
type runner struct {
	mu    sync.Mutex
	f     func(ctx context.Context, n int, previous run.Previous) (run.Outcome, error)
	runs  int
	most  money.Credits
	asked func()
	limit money.Credits // of the last run
}

const usualCost = 2

func (f *runner) does(do func(ctx context.Context, n int, previous run.Previous) (run.Outcome, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.f = do
}

// asks sets a function that is called before the cost of a run is returned.
func (f *runner) asks(asked func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = asked
}

func (f *runner) Cost(context.Context, string, plan.Plan) (most, usual money.Credits, err error) {
	f.mu.Lock()
	asked := f.asked
	f.mu.Unlock()
	if asked != nil {
		asked()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(f.most, 5), usualCost, nil
}

func (f *runner) Run(ctx context.Context, _ string, _ plan.Plan, previous run.Previous, limits run.Limits) (run.Outcome, error) {
	f.mu.Lock()
	f.runs++
	f.limit = limits.Credits
	n, do := f.runs, f.f
	f.mu.Unlock()
	if do != nil {
		return do(ctx, n, previous)
	}
	return outcome(n, previous, !previous.IsBaseline()), nil
}

// outcome is the outcome of a run that read two pages.
func outcome(n int, previous run.Previous, changed bool) run.Outcome {
	o := run.Outcome{
		Steps: []run.Step{
			{ID: "fetch", Type: plan.NodeFetch, Status: run.StepSucceeded, Credits: usualCost, StartedAt: time.Now(), EndedAt: time.Now()},
			{ID: "compare", Type: plan.NodeCompare, Status: run.StepSucceeded},
		},
		Credits: usualCost, Baseline: previous.IsBaseline(), Changed: changed, Notify: changed, Pages: 2, Summary: "Nothing changed.",
		Snapshot: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)),
		Next:     run.Previous{Snapshot: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))},
	}
	switch {
	case o.Baseline:
		o.Summary = "The baseline."
	case changed:
		o.Summary = "The price fell."
		o.Diff = json.RawMessage(`{"changed":true,"changes":[{"page":"https://example.com/","kind":"changed","block":"row","before":"5","after":"4"}],"unified":"-5\n+4\n","summary":"The price fell."}`)
	default:
		o.Diff = json.RawMessage(`{"changed":false,"changes":[],"unified":"","summary":"Nothing changed."}`)
	}
	return o
}

// scheduler is a double that stores schedules.
type scheduler struct {
	mu sync.Mutex
	is map[string]string // by id: "on" or "off", and the cron
}

func newScheduler() *scheduler { return &scheduler{is: map[string]string{}} }

func (f *scheduler) set(id string, change func(was string) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.is[id] = change(f.is[id]); f.is[id] == "" {
		delete(f.is, id)
	}
}

func (f *scheduler) of(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.is["schedule of "+id]
}

func (f *scheduler) Put(_ context.Context, _ pgx.Tx, _, endpoint, _, _ string, v frequency.Frequency) (string, time.Time, error) {
	id := "schedule of " + strings.TrimSuffix(strings.TrimPrefix(endpoint, "v1/monitors/"), "/run")
	f.set(id, func(string) string { return "on " + v.Cron })
	return id, due(v.Cron), nil
}

// late is the delay between a cron time and the time at which a schedule is due here.
const late = 7 * time.Second

func due(cron string) time.Time {
	c, err := frequency.ParseCron(cron)
	if err != nil {
		panic(err)
	}
	return c.Next(time.Now().Add(-late), time.UTC).Add(late)
}

func (f *scheduler) Replace(_ context.Context, _ pgx.Tx, _, id string, v frequency.Frequency) (time.Time, error) {
	f.set(id, func(was string) string { return was[:strings.Index(was, " ")+1] + v.Cron })
	return due(v.Cron), nil
}

func (f *scheduler) Pause(_ context.Context, _ pgx.Tx, _, id string) error {
	f.set(id, func(was string) string { return "off " + was[strings.Index(was, " ")+1:] })
	return nil
}

func (f *scheduler) Resume(_ context.Context, _ pgx.Tx, _, id string) (time.Time, error) {
	cron := ""
	f.set(id, func(was string) string {
		cron = was[strings.Index(was, " ")+1:]
		return "on " + cron
	})
	return due(cron), nil
}

func (f *scheduler) Remove(_ context.Context, _ pgx.Tx, _, id string) error {
	f.set(id, func(string) string { return "" })
	return nil
}

// anyChannel accepts anything that looks like a mail address.
type anyChannel struct{ notifications.Targets }

func (anyChannel) Check(c outbox.Channel) (outbox.Channel, error) {
	if !strings.Contains(c.Target, "@") {
		return c, errors.New("target: must be an email address")
	}
	c.Type = outbox.ChannelEmail
	return c, nil
}

type anyHook struct{}

func (anyHook) Check(rawURL string) error {
	if !strings.HasPrefix(rawURL, "https://") {
		return errors.New("must be an https URL")
	}
	return nil
}

// signal wakes all waiters after a write.
type signal struct {
	mu   sync.Mutex
	next chan struct{}
}

func newSignal() *signal { return &signal{next: make(chan struct{})} }

func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

func (s *signal) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.next)
	s.next = make(chan struct{})
}

// signalling is a handler that gives a signal after each flight.
type signalling struct {
	jobs.Handler

	signal *signal
}

func (h *signalling) Finish(ctx context.Context, done []jobs.Done) error {
	defer h.signal.give()
	return h.Handler.Finish(ctx, done)
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
		t.Fatalf("got %s: %v", w.Body, err)
	}
	return value
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }
