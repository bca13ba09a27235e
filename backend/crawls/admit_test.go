package crawls_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// statement remembers the last statement sent to the database.
type statement struct {
	text string
	args []any
}

func (s *statement) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.text, s.args = q.SQL, q.Args
	return ctx
}

func (*statement) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// buffers runs call in a transaction that is rolled back, then explains its statement: the plan, and the number of buffers it uses.
func buffers(t *testing.T, p *place, call func(q *db.Queries) error) (n int, plan string) {
	t.Helper()
	ctx := t.Context()
	cfg, err := pgx.ParseConfig(p.URL)
	workshop.Must(t, err)
	last := &statement{}
	cfg.Tracer = last
	conn, err := pgx.ConnectConfig(ctx, cfg)
	workshop.Must(t, err)
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, `begin`)
	workshop.Must(t, err)
	workshop.Must(t, call(db.New(conn)))
	text, args := last.text, last.args
	_, err = conn.Exec(ctx, `rollback; begin`)
	workshop.Must(t, err)
	var raw []byte
	workshop.Must(t, conn.QueryRow(ctx, "explain (analyze, buffers, format json) "+text, args...).Scan(&raw))
	_, err = conn.Exec(ctx, `rollback`)
	workshop.Must(t, err)
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	workshop.Must(t, json.Unmarshal(raw, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read, string(raw)
}

// The statements of a flight cost the same however many URLs the frontier holds, with and without statistics for the planner.
func TestFrontierCostsTheSame(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.keep = func(_ context.Context, j *page.Job) (page.Kept, error) { return kept(j), nil }
	tm := p.NewTeam(1_000_000)
	c := p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 100_000})
	ids := make([]string, 48)
	for i := range ids {
		ids[i] = fmt.Sprintf("retrieve%d", i)
	}
	fill := func(from, to int) {
		_, err := p.Pool.Exec(t.Context(), `
			insert into crawl_url (crawl_id, n, team_id, key, url, host, depth, shape, external, state)
			select $1, i, $2, decode(md5(i::text), 'hex'), 'https://example.com/' || i, 1, 1 + i / 1000, 0, false, 'waiting'
			from generate_series($3::int, $4::int) i`, c.ID, tm.ID, from, to)
		workshop.Must(t, err)
		_, err = p.Pool.Exec(t.Context(), `update crawl_url set state = 'open', retrieve_id = 'open' || n where crawl_id = $1 and n between 2 and 49`, c.ID)
		workshop.Must(t, err)
		_, err = p.Pool.Exec(t.Context(), `update crawl set waiting = $2, open = 49, found = $3 where id = $1`, c.ID, to-49, to)
		workshop.Must(t, err)
		_, err = p.Pool.Exec(t.Context(), `update crawl_host set waiting = $2, open = 49, open_max = 128 where crawl_id = $1`, c.ID, to-49)
		workshop.Must(t, err)
	}
	measure := func() map[string]int {
		out := map[string]int{}
		calls := map[string]func(q *db.Queries) error{
			"admit": func(q *db.Queries) error {
				ns, err := q.AdmitPages(t.Context(), db.AdmitPagesParams{CrawlID: c.ID, HostsMax: 64, DepthMax: 1 << 30, Now: time.Now(), DueBy: time.Now(), RetrieveIds: ids})
				if err == nil && len(ns) != len(ids) {
					err = fmt.Errorf("got %d URLs, want %d", len(ns), len(ids))
				}
				return err
			},
			"finish": func(q *db.Queries) error {
				params := db.FinishPagesParams{CrawlID: c.ID, FinishedAt: time.Now()}
				for n := range int32(48) {
					params.Ns, params.States, params.Places = append(params.Ns, n+2), append(params.States, "done"), append(params.Places, n+1)
					params.Tries, params.StatusCodes, params.Titles = append(params.Tries, 1), append(params.StatusCodes, 200), append(params.Titles, "A page")
					params.ContentKeys, params.Simhashes = append(params.ContentKeys, fmt.Appendf(nil, "content%09d", n)), append(params.Simhashes, 1)
					params.OfNs, params.Reasons = append(params.OfNs, 0), append(params.Reasons, "")
				}
				_, err := q.FinishPages(t.Context(), params)
				return err
			},
			"compare": func(q *db.Queries) error {
				params := db.KnownPagesParams{CrawlID: c.ID}
				for n := range int32(48) {
					params.Ns, params.Kins = append(params.Ns, n+2), append(params.Kins, int64(n))
					params.ContentKeys = append(params.ContentKeys, fmt.Appendf(nil, "content%09d", n))
				}
				_, err := q.KnownPages(t.Context(), params)
				return err
			},
			"find": func(q *db.Queries) error {
				params := db.FoundPagesParams{CrawlID: c.ID}
				for i := range 200 {
					key := make([]byte, 16)
					copy(key, fmt.Sprintf("new%d", i))
					params.Keys, params.Urls, params.Hosts = append(params.Keys, key), append(params.Urls, "https://example.com/n"), append(params.Hosts, 1)
					params.Depths, params.Chains, params.Shapes = append(params.Depths, 3), append(params.Chains, 0), append(params.Shapes, 0)
					params.Externals, params.Relevances = append(params.Externals, false), append(params.Relevances, 0)
				}
				_, err := q.FoundPages(t.Context(), params)
				return err
			},
		}
		// Changes that were rolled back leave entries in indexes. They must not slow down later statements.
		for _, name := range []string{"finish", "finish", "finish", "find", "admit", "compare"} {
			n, plan := buffers(t, p, calls[name])
			out[name] = n
			if n > 10_000 || name == "compare" && n > 1_000 {
				t.Logf("%s: %s", name, plan)
			}
		}
		return out
	}
	fill(2, 2000)
	few := measure()
	fill(2001, 100_000)
	many := measure()
	_, err := p.Pool.Exec(t.Context(), `analyze crawl_url; analyze crawl_host; analyze crawl`)
	workshop.Must(t, err)
	known := measure()
	t.Logf("buffers of a statement: %v with 2,000 URLs, %v with 100,000, %v when the planner knows", few, many, known)
	for name, n := range few {
		if many[name] > 3*n+200 || known[name] > 3*n+200 {
			t.Errorf("%s: got %d buffers with 2,000 URLs, %d and %d with 100,000: want it not to grow", name, n, many[name], known[name])
		}
	}
}

// Opening URLs costs the same with a thousand hosts as with a hundred and fifty, each with a hundred URLs, however many
// hosts are full or blocked for a while.
func TestManyHostsCostTheSame(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.keep = func(_ context.Context, j *page.Job) (page.Kept, error) { return kept(j), nil }
	tm := p.NewTeam(1_000_000)
	c := p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 100_000})
	ids := make([]string, 48)
	for i := range ids {
		ids[i] = fmt.Sprintf("retrieve%d", i)
	}
	fill := func(from, to int) { // hosts
		_, err := p.Pool.Exec(t.Context(), `
			insert into crawl_host (crawl_id, n, host, waiting, open, open_max, blocked_until)
			select $1, i, i || '.example.com', 100, case when i % 10 = 3 then 8 else i % 3 end, 8,
				case when i % 10 = 7 then now() + interval '1 h' end
			from generate_series($2::int, $3::int) i`, c.ID, from, to)
		workshop.Must(t, err)
		_, err = p.Pool.Exec(t.Context(), `
			insert into crawl_url (crawl_id, n, team_id, key, url, host, depth, shape, external, state)
			select $1, (h - 2) * 100 + i + 2, $2, decode(md5(h || '/' || i), 'hex'), 'https://' || h || '.example.com/' || i, h, 1 + i / 50, 0, false, 'waiting'
			from generate_series($3::int, $4::int) h, generate_series(0, 99) i`, c.ID, tm.ID, from, to)
		workshop.Must(t, err)
		_, err = p.Pool.Exec(t.Context(), `update crawl set waiting = ($2 - 1) * 100, open = 3 where id = $1`, c.ID, to)
		workshop.Must(t, err)
	}
	admit := func() int {
		n, plan := buffers(t, p, func(q *db.Queries) error {
			ns, err := q.AdmitPages(t.Context(), db.AdmitPagesParams{CrawlID: c.ID, HostsMax: 64, DepthMax: 1 << 30, Now: time.Now(), DueBy: time.Now(), RetrieveIds: ids})
			if err == nil && len(ns) != len(ids) {
				err = fmt.Errorf("got %d URLs, want %d", len(ns), len(ids))
			}
			return err
		})
		if n > 10_000 {
			t.Log(plan)
		}
		return n
	}
	fill(2, 150)
	few := admit()
	fill(151, 1000)
	many := admit()
	_, err := p.Pool.Exec(t.Context(), `analyze crawl_url; analyze crawl_host; analyze crawl`)
	workshop.Must(t, err)
	known := admit()
	t.Logf("buffers: %d with 150 hosts, %d with 1,000, %d when the planner knows", few, many, known)
	if many > 2*few || known > 2*few {
		t.Errorf("got %d buffers with 150 hosts, %d and %d with 1,000: want it not to grow", few, many, known)
	}
}
