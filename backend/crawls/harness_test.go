package crawls_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// migrate makes the schema, and a test table that logs every ending of a URL, whatever code ends it.
var migrate = workshop.Schema(`
		create table url_ending (crawl_id text, n int, state text);
		create function log_ending() returns trigger language plpgsql as $$
		begin
			insert into url_ending values (new.crawl_id, new.n, new.state);
			return null;
		end $$;
		create trigger log_ending after update on crawl_url for each row
			when (old.state = 'open' and new.state not in ('open', 'waiting') or old.state in ('done', 'failed') and new.state <> old.state) execute function log_ending();`)

// place is a service that accepts crawls, and a database in which they are worked on.
type place struct {
	*workshop.Place

	pages   *pages
	robots  *robots
	service *crawls.Service
	change  []func(*crawls.Config) // for every service
}

func newPlace(t testing.TB, change ...func(*crawls.Config)) *place {
	t.Helper()
	p := &place{Place: workshop.New(t, migrate), pages: &pages{}, robots: &robots{}, change: change}
	p.service = p.newService(p.Pool, p.Adder())
	return p
}

func (p *place) newService(pool *pgxpool.Pool, adder crawls.Jobs, change ...func(*crawls.Config)) *crawls.Service {
	p.T.Helper()
	cfg := crawls.Config{
		Pool: pool, Jobs: adder, Pages: p.pages, Robots: p.robots, Webhooks: hooks{}, Seen: urlfilter.NewSeen(1 << 12), LaneMax: 16, Logger: workshop.Logger(), Now: time.Now,
		Owe: func(ctx context.Context, tx pgx.Tx, claim uuid.UUID, note string) (bool, error) {
			return refunds.NewQueue(tx).Owe(ctx, claim, note)
		},
	}
	for _, f := range slices.Concat(p.change, change) {
		f(&cfg)
	}
	s, err := crawls.New(cfg)
	workshop.Must(p.T, err)
	return s
}

// work starts a process that works on crawls. It stops when the test ends.
func (p *place) work(change ...func(*jobs.Queue)) *jobs.Jobs {
	p.T.Helper()
	j := p.worker(p.Open(nil), change...)
	p.Start(j)
	return j
}

func (p *place) worker(pool *pgxpool.Pool, change ...func(*jobs.Queue)) *jobs.Jobs {
	p.T.Helper()
	s := p.newService(pool, nil)
	j := p.Worker(pool, crawls.Queue, s, change...)
	s.Work(j)
	return j
}

func (p *place) untilCompleted(id string) *crawls.Crawl {
	p.T.Helper()
	p.Until("crawl "+id+" completed", func() bool {
		return p.Count(`select count(*) from crawl where id = $1 and status = 'completed'`, id) == 1
	})
	return p.crawl(id)
}

// request returns a principal with a hold of an amount; end does what the edge does after the response.
func (p *place) request(tm *workshop.Team, amount money.Credits) (c *principal.Caller, end func(err error)) {
	p.T.Helper()
	return p.Request(tm, "crawl", amount)
}

// create makes a crawl as the edge and the API do.
func (p *place) create(tm *workshop.Team, o *crawls.Order, amount money.Credits) (*crawls.Crawl, error) {
	p.T.Helper()
	c, end := p.request(tm, amount)
	b, err := p.service.Create(context.Background(), c, o)
	end(err)
	return b, err
}

func (p *place) mustCreate(tm *workshop.Team, o *crawls.Order) *crawls.Crawl {
	p.T.Helper()
	c, err := p.create(tm, o, money.Credits(o.MaxPages)*max(p.pages.price, 1))
	workshop.Must(p.T, err)
	return c
}

// crawl reads a completed crawl as its team sees it, through a cancellation that comes too late to change anything.
func (p *place) crawl(id string) *crawls.Crawl {
	p.T.Helper()
	var teamID string
	workshop.Must(p.T, p.Pool.QueryRow(context.Background(), `select team_id from crawl where id = $1 and status = 'completed'`, id).Scan(&teamID))
	c, err := p.service.Cancel(context.Background(), &principal.Caller{Kind: edgewire.PayerTeam, TeamID: teamID}, id)
	workshop.Must(p.T, err)
	return c
}

// settled checks all invariants once nothing is in progress: places, endings, counts, credits.
func (p *place) settled() {
	p.T.Helper()
	p.Settled(map[string]string{
		"deadlocks":                    `select deadlocks::int from pg_stat_database where datname = current_database()`,
		"crawls in progress":           `select count(*) from crawl where status = 'in_progress'`,
		"open URLs":                    `select count(*) from crawl_url where state = 'open'`,
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
		"pages that are not to be had":  `select count(*) from crawl_url u where u.state = 'done' and not exists (select from content c where c.retrieve_id = u.retrieve_id and c.team_id = u.team_id)`,
		"content nobody has":            `select count(*) from content c where not exists (select from crawl_url u where u.retrieve_id = c.retrieve_id and u.state = 'done')`,
	})
}
