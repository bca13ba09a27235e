//go:build linux

package crawllong

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// cost is what one call of a statement took, by EXPLAIN (ANALYZE, BUFFERS).
type cost struct {
	buffers int
	took    time.Duration
}

// The measured statements, each with as many URLs as in production.
const (
	costAdmit  = "AdmitPages"
	costFinish = "FinishPages"
	costFound  = "FoundPages"
	costKnown  = "KnownPages"

	costPages = 48
	costLinks = 200
)

var costNames = []string{costAdmit, costFinish, costFound, costKnown}

// tracer remembers the last statement that was sent to the database.
type tracer struct {
	text string
	args []any
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	t.text, t.args = q.SQL, q.Args
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// frontierCosts runs the statements of a batch of pages on a running crawl, under its lock, and rolls everything back.
func frontierCosts(ctx context.Context, url, crawl string) (map[string]cost, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	last := &tracer{}
	config.Tracer = last
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	queries := db.New(tx)
	if _, err := queries.LockCrawl(ctx, crawl); err != nil {
		return nil, fmt.Errorf("locking the crawl: %w", err)
	}
	open, err := queries.OpenURLs(ctx, db.OpenURLsParams{CrawlID: crawl, RowsMax: costPages})
	if err != nil {
		return nil, fmt.Errorf("reading what is open: %w", err)
	}
	costs := map[string]cost{}
	for _, s := range []struct {
		name string
		call func(*db.Queries) error
	}{
		{costFinish, func(q *db.Queries) error {
			_, err := q.FinishPages(ctx, endings(crawl, open))
			return err
		}},
		{costAdmit, func(q *db.Queries) error {
			_, err := q.AdmitPages(ctx, admission(crawl, len(open)))
			return err
		}},
		{costFound, func(q *db.Queries) error {
			_, err := q.FoundPages(ctx, findings(crawl))
			return err
		}},
		{costKnown, func(q *db.Queries) error {
			_, err := q.KnownPages(ctx, likenesses(crawl))
			return err
		}},
	} {
		if costs[s.name], err = explain(ctx, tx, last, s.call); err != nil {
			return nil, fmt.Errorf("explaining %s: %w", s.name, err)
		}
		if s.name == costFinish { // it frees the slots that AdmitPages gives
			if err := s.call(queries); err != nil {
				return nil, err
			}
		}
	}
	return costs, nil
}

// explain runs call, rolls it back, and explains its statement.
func explain(ctx context.Context, tx pgx.Tx, last *tracer, call func(*db.Queries) error) (c cost, err error) {
	once, err := tx.Begin(ctx) // a savepoint
	if err != nil {
		return c, err
	}
	if err := call(db.New(once)); err != nil {
		return c, err
	}
	text, args := last.text, last.args
	if err := once.Rollback(ctx); err != nil {
		return c, err
	}
	if once, err = tx.Begin(ctx); err != nil {
		return c, err
	}
	var raw []byte
	if err := once.QueryRow(ctx, "explain (analyze, buffers, format json) "+text, args...).Scan(&raw); err != nil {
		return c, err
	}
	if err := once.Rollback(ctx); err != nil {
		return c, err
	}
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		} `json:"Plan"`
		Execution float64 `json:"Execution Time"`
	}
	if err := json.Unmarshal(raw, &plans); err != nil {
		return c, fmt.Errorf("reading a plan: %w", err)
	}
	return cost{buffers: plans[0].Plan.Hit + plans[0].Plan.Read, took: time.Duration(plans[0].Execution * float64(time.Millisecond))}, nil
}

func admission(crawl string, most int) db.AdmitPagesParams {
	now := time.Now()
	p := db.AdmitPagesParams{CrawlID: crawl, HostsMax: 64, DepthMax: math.MaxInt32, Now: now, DueBy: now}
	for range most {
		p.RetrieveIds = append(p.RetrieveIds, token.Random())
	}
	return p
}

// findings returns URLs on the crawl's only host that are new to it.
func findings(crawl string) db.FoundPagesParams {
	p := db.FoundPagesParams{CrawlID: crawl, Keys: randomKeys(costLinks)}
	for range costLinks {
		p.Urls, p.Hosts, p.Depths = append(p.Urls, "http://127.0.0.1/town/unheard-of"), append(p.Hosts, 1), append(p.Depths, 9)
		p.Chains, p.Shapes = append(p.Chains, 0), append(p.Shapes, 0)
		p.Externals, p.Relevances = append(p.Externals, false), append(p.Relevances, float32(math.Inf(1)))
	}
	return p
}

// likenesses returns pages whose content and near-duplicate key are unique.
func likenesses(crawl string) db.KnownPagesParams {
	p := db.KnownPagesParams{CrawlID: crawl, ContentKeys: randomKeys(costPages)}
	for i := range costPages {
		p.Ns, p.Kins = append(p.Ns, int32(i+2)), append(p.Kins, int64(-i-1)) //nolint:gosec // a few
	}
	return p
}

func endings(crawl string, ns []int32) db.FinishPagesParams {
	p := db.FinishPagesParams{CrawlID: crawl, FinishedAt: time.Now(), Ns: ns, ContentKeys: randomKeys(len(ns))}
	for i := range ns {
		p.States, p.Places, p.Tries = append(p.States, "done"), append(p.Places, int32(i+1)), append(p.Tries, 1) //nolint:gosec // a few
		p.StatusCodes, p.Titles, p.Simhashes = append(p.StatusCodes, 200), append(p.Titles, "The town of nowhere"), append(p.Simhashes, int64(i))
		p.OfNs, p.Reasons, p.Urls = append(p.OfNs, 0), append(p.Reasons, ""), append(p.Urls, "")
		p.Kins, p.Relevances = append(p.Kins, int64(-i-1)), append(p.Relevances, float32(math.Inf(1)))
	}
	return p
}

// randomKeys returns keys that are not in use.
func randomKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = []byte(token.Random()[:16])
	}
	return keys
}
