package crawls_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/frontier"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// migrate makes the schema, with a table of the test's own in which each ending of a URL is logged: by whatever code.
func migrate(ctx context.Context, url string) error {
	if _, err := jobs.Migrate(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		create table url_ending (crawl_id text, n int, state text);
		create function log_ending() returns trigger language plpgsql as $$
		begin
			insert into url_ending values (new.crawl_id, new.n, new.state);
			return null;
		end $$;
		create trigger log_ending after update on crawl_url for each row
			when (old.state = 'open' and new.state not in ('open', 'waiting') or old.state in ('done', 'failed') and new.state <> old.state) execute function log_ending();`)
	return err
}

// place is a database with a ledger, an edge's meter and a service that takes crawls in.
type place struct {
	t       testing.TB
	url     string
	pool    *pgxpool.Pool
	ledger  *credits.Ledger
	meter   *credits.Postgres
	flush   func() // has the meter commit what it was told; it is over then
	pages   *pages
	robots  *robots
	service *crawls.Service
	signal  *signal
	change  []func(*crawls.Config) // of every service
}

func newPlace(t testing.TB, change ...func(*crawls.Config)) *place {
	t.Helper()
	p := &place{t: t, url: pgtest.New(t, migrate), pages: &pages{}, robots: &robots{}, signal: newSignal(), change: change}
	p.pool = p.open(nil)
	p.ledger = credits.NewLedger(p.pool)
	var err error
	p.meter, err = credits.NewPostgres(t.Context(), credits.Config{
		URL: p.url, Logger: newLogger(), DecisionTimeout: time.Minute, CommitTimeout: time.Minute,
	})
	must(t, err)
	p.flush = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := p.meter.Close(ctx); err != nil {
			t.Errorf("closing the meter: %v", err)
		}
	})
	t.Cleanup(p.flush)
	adder, err := jobs.New(jobs.Config{Pool: p.pool, Logger: newLogger(), Now: time.Now})
	must(t, err)
	p.service = p.newService(p.pool, adder)
	return p
}

func (p *place) open(configure func(*pgxpool.Config)) *pgxpool.Pool {
	p.t.Helper()
	pool, err := db.Open(context.Background(), p.url, func(c *pgxpool.Config) {
		c.MaxConns = 12
		if configure != nil {
			configure(c)
		}
	})
	must(p.t, err)
	p.t.Cleanup(pool.Close)
	return pool
}

func (p *place) newService(pool *pgxpool.Pool, adder crawls.Jobs, change ...func(*crawls.Config)) *crawls.Service {
	p.t.Helper()
	cfg := crawls.Config{
		Pool: pool, Jobs: adder, Pages: p.pages, Robots: p.robots, Webhooks: hooks{}, Seen: frontier.NewSeen(1 << 12), LaneMax: 16, Logger: newLogger(), Now: time.Now,
		Owe: func(ctx context.Context, tx pgx.Tx, claim uuid.UUID, note string) (bool, error) {
			return x402.NewOwing(tx).Owe(ctx, claim, note)
		},
	}
	for _, f := range slices.Concat(p.change, change) {
		f(&cfg)
	}
	s, err := crawls.New(cfg)
	must(p.t, err)
	return s
}

// work starts a process that works on crawls, and stops it when the test ends.
func (p *place) work(change ...func(*jobs.Queue)) *jobs.Jobs {
	p.t.Helper()
	j := p.worker(p.open(nil), change...)
	must(p.t, j.Start(context.Background()))
	p.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := j.Stop(ctx); err != nil {
			p.t.Errorf("stopping: %v", err)
		}
	})
	return j
}

func (p *place) worker(pool *pgxpool.Pool, change ...func(*jobs.Queue)) *jobs.Jobs {
	p.t.Helper()
	s := p.newService(pool, nil)
	q := jobs.Queue{
		Name: crawls.Queue, Handler: &signalling{s, p.signal}, Slots: 16, LaneMax: 16, Lease: 2 * time.Second,
		Backoff: func(int) time.Duration { return time.Millisecond },
	}
	for _, f := range change {
		f(&q)
	}
	logger := newLogger()
	if testing.Verbose() {
		logger = slog.New(slog.NewTextHandler(p.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	j, err := jobs.New(jobs.Config{Pool: pool, Queues: []jobs.Queue{q}, Grace: 5 * time.Second, Logger: logger, Now: time.Now})
	must(p.t, err)
	s.Work(j)
	return j
}

// signal tells whoever waits that something was written.
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

// until waits for something to be true that follows from what workers write. Of what the queue itself writes, when a page
// is put off, there is no signal.
func (p *place) until(what string, is func() bool) {
	p.t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
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
			p.t.Fatalf("%s: not within two minutes", what)
		}
	}
}

func (p *place) untilCompleted(id string) *crawls.Crawl {
	p.t.Helper()
	p.until("crawl "+id+" completed", func() bool {
		return p.count(`select count(*) from crawl where id = $1 and status = 'completed'`, id) == 1
	})
	return p.crawl(id)
}

// team is a subscriber.
type team struct {
	id, keyID    string
	account, key int64
}

func (p *place) newTeam(amount money.Credits) *team {
	p.t.Helper()
	ctx := context.Background()
	q := db.New(p.pool)
	tm := &team{id: "team_" + uuid.NewString()}
	var err error
	tm.account, err = q.CreateTeam(ctx, db.CreateTeamParams{ID: tm.id})
	must(p.t, err)
	if amount > 0 {
		_, err = p.ledger.Grant(ctx, credits.Grant{TeamID: tm.id, Amount: amount, Source: credits.SourcePromo, Key: tm.id})
		must(p.t, err)
	}
	hash := uuid.New()
	tm.keyID = "key_" + hash.String()
	row, err := q.CreateKey(ctx, db.CreateKeyParams{
		PublicID: tm.keyID, Hash: append(hash[:], hash[:]...), Display: "tp_…", Scopes: []string{"write"}, TeamID: tm.id,
	})
	must(p.t, err)
	tm.key = row.ID
	return tm
}

// request is a caller with a hold of an amount, and end is what the edge does after the answer.
func (p *place) request(tm *team, amount money.Credits) (c *caller.Caller, end func(err error)) {
	p.t.Helper()
	d, err := p.meter.Authorize(context.Background(), credits.Request{Account: tm.account, Key: tm.key, Amount: amount, Operation: "crawl"})
	if err != nil || d.Outcome != credits.Accepted {
		p.t.Fatalf("authorising %d: got %+v and error %v, want it accepted", amount, d, err)
	}
	hold := d.Hold
	c = &caller.Caller{
		Kind: edgewire.PayerTeam, TeamID: tm.id, KeyID: tm.keyID, IdentityID: hold.ID().String(), HoldID: hold.ID().String(),
		Unit: edgewire.UnitCredit, Credits: amount,
	}
	c.SetCost(int64(amount))
	return c, func(err error) {
		switch {
		case c.Adopted():
		case err != nil:
			p.meter.Void(hold)
		default:
			p.meter.Capture(hold, money.Credits(c.Cost()))
		}
	}
}

// reader is a team's caller that pays nothing.
func (tm *team) reader() *caller.Caller {
	return &caller.Caller{Kind: edgewire.PayerTeam, TeamID: tm.id, KeyID: tm.keyID, Unit: edgewire.UnitCredit}
}

// create makes a crawl, as the edge and the API would.
func (p *place) create(tm *team, o *crawls.Order, amount money.Credits) (*crawls.Crawl, error) {
	p.t.Helper()
	c, end := p.request(tm, amount)
	b, err := p.service.Create(context.Background(), c, o)
	end(err)
	return b, err
}

func (p *place) mustCreate(tm *team, o *crawls.Order) *crawls.Crawl {
	p.t.Helper()
	c, err := p.create(tm, o, money.Credits(o.MaxPages)*max(p.pages.price, 1))
	must(p.t, err)
	return c
}

// crawl is a crawl as its team sees it, which a cancellation shows that comes too late, and nothing else does here.
func (p *place) crawl(id string) *crawls.Crawl {
	p.t.Helper()
	var teamID string
	must(p.t, p.pool.QueryRow(context.Background(), `select team_id from crawl where id = $1 and status = 'completed'`, id).Scan(&teamID))
	c, err := p.service.Cancel(context.Background(), &caller.Caller{Kind: edgewire.PayerTeam, TeamID: teamID}, id)
	must(p.t, err)
	return c
}

func (p *place) count(query string, args ...any) int {
	p.t.Helper()
	var n int
	must(p.t, p.pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// settled holds everything against everything once nothing is in progress: places, endings, counts, credits.
func (p *place) settled() {
	p.t.Helper()
	p.flush()
	for what, query := range map[string]string{
		"crawls in progress":           `select count(*) from crawl where status = 'in_progress'`,
		"open URLs":                    `select count(*) from crawl_url where state = 'open'`,
		"tasks left":                   `select count(*) from task`,
		"lanes with something left":    `select count(*) from lane where waiting <> 0 or running <> 0`,
		"more pages than there may be": `select count(*) from crawl where pages > max_pages`,
		"holes in the places":          `select count(*) from (select u.crawl_id from crawl_url u where u.seq is not null group by u.crawl_id having max(u.seq) <> count(*)) h`,
		"last places that differ":      `select count(*) from crawl where seq <> pages + failed`,
		"pages that differ":            `select count(*) from crawl c where c.pages <> (select count(*) from crawl_url u where u.crawl_id = c.id and state = 'done')`,
		"failures that differ":         `select count(*) from crawl c where c.failed <> (select count(*) from crawl_url u where u.crawl_id = c.id and state = 'failed')`,
		"duplicates that differ":       `select count(*) from crawl c where c.duplicates <> (select count(*) from crawl_url u where u.crawl_id = c.id and state = 'duplicate')`,
		"hosts' open that differ": `select count(*) from crawl_host h where h.open <> 0 and not exists (select from crawl c where c.id = h.crawl_id and c.outcome = 'canceled')
			and not exists (select from crawl_url u where u.crawl_id = h.crawl_id and u.reason = 'request_timeout')`,
		"hosts' waiting that differ":    `select count(*) from crawl_host h where h.waiting <> (select count(*) from crawl_url u where u.crawl_id = h.crawl_id and u.host = h.n and u.state = 'waiting')`,
		"hosts' pages that differ":      `select count(*) from crawl_host h where h.pages <> (select count(*) from crawl_url u where u.crawl_id = h.crawl_id and u.host = h.n and u.state = 'done')`,
		"URLs that ended twice":         `select count(*) from (select 1 from url_ending group by crawl_id, n having count(*) > 1) e`,
		"contents that are there twice": `select count(*) from (select 1 from crawl_url where state = 'done' and content_key is not null group by crawl_id, content_key having count(*) > 1) e`,
		"duplicates of nothing":         `select count(*) from crawl_url u where u.state = 'duplicate' and not exists (select from crawl_url o where o.crawl_id = u.crawl_id and o.n = u.of_n and o.state = 'done')`,
		"credits that are not pages":    `select count(*) from crawl where credits <> pages * unit_credits`,
		"captures that are not pages":   `select count(*) from crawl c where c.paid = 'credits' and c.credits <> (select coalesce(sum(h.captured), 0) from hold h where h.job_id = c.id)`,
		"usage that is not captures":    `select count(*) from crawl c where c.paid = 'credits' and c.credits <> (select coalesce(sum(u.amount), 0) from ledger_usage u join hold h on h.id = u.hold_id where h.job_id = c.id)`,
		"holds left open":               `select count(*) from hold where state <> 'closed'`,
		"credits still held":            `select count(*) from ledger_account where held <> 0`,
		"pages that are not to be had":  `select count(*) from crawl_url u where u.state = 'done' and not exists (select from content c where c.retrieve_id = u.retrieve_id and c.team_id = u.team_id)`,
		"content nobody has":            `select count(*) from content c where not exists (select from crawl_url u where u.retrieve_id = c.retrieve_id and u.state = 'done')`,
		"deadlocks":                     `select deadlocks::int from pg_stat_database where datname = current_database()`,
	} {
		if got := p.count(query); got != 0 {
			p.t.Errorf("%s: got %d, want none", what, got)
		}
	}
	differences, err := p.ledger.Check(context.Background())
	must(p.t, err)
	for _, d := range differences {
		p.t.Errorf("ledger out of balance: %s %s", d.TeamID, d.Detail)
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }
