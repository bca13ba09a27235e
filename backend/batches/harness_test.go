package batches_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// migrate makes the schema, and a test table that logs every ending of an item, whatever code ends it.
var migrate = workshop.Schema(`
		create table item_ending (batch_id text, n int, round int, state text);
		create function log_ending() returns trigger language plpgsql as $$
		begin
			insert into item_ending select new.batch_id, new.n, b.round, new.state from batch b where b.ID = new.batch_id;
			return null;
		end $$;
		create trigger log_ending after update on batch_item for each row
			when (old.state = 'open' and new.state <> 'open') execute function log_ending();
		create trigger log_change after update on batch_item for each row
			when (old.state <> 'open' and new.state <> 'open') execute function log_ending();`)

// place is a service that accepts batches, and a database in which they are worked on.
type place struct {
	*workshop.Place

	pages   *pages
	service *batches.Service
}

func newPlace(t testing.TB, change ...func(*batches.Config)) *place {
	t.Helper()
	p := &place{Place: workshop.New(t, migrate), pages: &pages{}}
	p.service = p.newService(p.Pool, p.Adder(), change...)
	return p
}

func (p *place) newService(pool *pgxpool.Pool, adder batches.Jobs, change ...func(*batches.Config)) *batches.Service {
	p.T.Helper()
	cfg := batches.Config{
		Pool: pool, Jobs: adder, Pages: p.pages, Webhooks: hooks{}, Files: files{}, LaneMax: 16, Logger: workshop.Logger(), Now: time.Now,
		Owe: func(ctx context.Context, tx pgx.Tx, claim uuid.UUID, note string) (bool, error) {
			return refunds.NewQueue(tx).Owe(ctx, claim, note)
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := batches.New(cfg)
	workshop.Must(p.T, err)
	return s
}

// work starts a process that works on batches. It stops when the test ends.
func (p *place) work(change ...func(*jobs.Queue)) *jobs.Jobs {
	p.T.Helper()
	j := p.worker(p.Open(nil), change...)
	p.Start(j)
	return j
}

func (p *place) worker(pool *pgxpool.Pool, change ...func(*jobs.Queue)) *jobs.Jobs {
	p.T.Helper()
	s := p.newService(pool, nil)
	return p.Worker(pool, batches.Queue, s, change...)
}

func (p *place) untilCompleted(id string) *batches.Batch {
	p.T.Helper()
	var b *batches.Batch
	p.Until("batch "+id+" completed", func() bool {
		b = p.batch(id)
		return b.Status == batches.StatusCompleted
	})
	return b
}

// request returns a principal with a hold of an amount; end does what the edge does after the response.
func (p *place) request(tm *workshop.Team, amount money.Credits) (c *principal.Caller, end func(err error)) {
	p.T.Helper()
	return p.Request(tm, "batch", amount)
}

// create makes a batch as the edge and the API do.
func (p *place) create(tm *workshop.Team, r *batches.Request, amount money.Credits) (*batches.Batch, error) {
	p.T.Helper()
	c, end := p.request(tm, amount)
	b, err := p.service.Create(context.Background(), c, r)
	end(err)
	return b, err
}

func (p *place) mustCreate(tm *workshop.Team, n int) *batches.Batch {
	p.T.Helper()
	b, err := p.create(tm, ofURLs(n), money.Credits(n)*max(p.pages.price, 1))
	workshop.Must(p.T, err)
	return b
}

func (p *place) retry(tm *workshop.Team, id string, amount money.Credits) (*batches.Batch, error) {
	p.T.Helper()
	c, end := p.request(tm, amount)
	b, err := p.service.Retry(context.Background(), c, id)
	end(err)
	return b, err
}

// ofURLs is a request for n pages.
func ofURLs(n int) *batches.Request {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"url":"https://example.com/%d"}`, i+1)
	}
	return &batches.Request{Items: []byte("[" + strings.Join(items, ",") + "]")}
}

func (p *place) batch(id string) *batches.Batch {
	p.T.Helper()
	var teamID string
	workshop.Must(p.T, p.Pool.QueryRow(context.Background(), `select team_id from batch where id = $1`, id).Scan(&teamID))
	b, err := p.service.Batch(context.Background(), &principal.Caller{Kind: edgewire.PayerTeam, TeamID: teamID}, id)
	workshop.Must(p.T, err)
	return b
}

// settled checks all invariants once nothing is in progress: places, endings, counts, credits.
func (p *place) settled() {
	p.T.Helper()
	p.Settled(map[string]string{
		"batches in progress":           `select count(*) from batch where status = 'in_progress'`,
		"open items":                    `select count(*) from batch_item where state = 'open'`,
		"holes in the places":           `select count(*) from (select i.batch_id from batch b join batch_item i on i.batch_id = b.ID where i.seq is not null and b.round = 0 group by i.batch_id having max(i.seq) <> count(*)) h`,
		"counts that differ":            `select count(*) from batch b where b.completed <> (select count(*) from batch_item i where i.batch_id = b.ID and state = 'completed') or b.failed <> (select count(*) from batch_item i where i.batch_id = b.ID and state = 'failed')`,
		"last places that differ":       `select count(*) from batch b where b.seq <> b.completed + b.failed + b.retried`,
		"items that ended twice":        `select count(*) from (select 1 from item_ending group by batch_id, n, round having count(*) > 1) e`,
		"items that never ended":        `select count(*) from batch_item i where not exists (select from item_ending e where e.batch_id = i.batch_id and e.n = i.n)`,
		"completed items run again":     `select count(*) from (select 1 from item_ending where state = 'completed' group by batch_id, n having count(*) > 1) e`,
		"credits that are not items":    `select count(*) from batch where credits <> completed * unit_credits`,
		"captures that are not items":   `select count(*) from batch b where b.paid = 'credits' and b.credits <> (select coalesce(sum(h.captured), 0) from hold h where h.job_id = b.ID or starts_with(h.job_id, b.ID || '/'))`,
		"usage that is not captures":    `select count(*) from batch b where b.paid = 'credits' and b.credits <> (select coalesce(sum(u.amount), 0) from ledger_usage u join hold h on h.id = u.hold_id where h.job_id = b.ID or starts_with(h.job_id, b.ID || '/'))`,
		"completed items not to be had": `select count(*) from batch_item i where i.state = 'completed' and not exists (select from content c where c.retrieve_id = i.retrieve_id and c.team_id = i.team_id)`,
		"content nobody has":            `select count(*) from content c where not exists (select from batch_item i where i.retrieve_id = c.retrieve_id and i.state = 'completed')`,
	})
}

func wantCode(t testing.TB, err error, code problem.Code) *problem.Error {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got error %v, want %s", err, code)
	}
	return e
}
