package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/backend/websearch/local"
	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

const (
	pagesWhole, pagesShort = 1_000_000, 50_000
	queriesAsked           = 400
	// The limits of a run. A short run is for CI, where the machine has other load, too.
	p95Most, p95MostShort = 100 * time.Millisecond, 250 * time.Millisecond
	// A query is frequent if it matches frequentShare of the pages; frequentLeast is the least share of such queries.
	frequentShare, frequentLeast = 0.05, 0.20

	markerBegin = "<!-- search: written by make bench-search -->"
	markerEnd   = "<!-- end of search -->"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench-search:", err)
		os.Exit(1)
	}
}

// bench is a run.
type bench struct {
	pages  int
	pool   *pgxpool.Pool
	corpus *corpus
	filled time.Duration
	sizes  db.SearchSizesRow
	took   [][]time.Duration // by query
	found  []int
	traced tracer
	plan   string
}

// tracer remembers the last statement that finds pages.
type tracer struct {
	pgx.QueryTracer

	sql  string
	args []any
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if strings.Contains(data.SQL, "-- name: FindSearchPages ") {
		t.sql, t.args = data.SQL, data.Args
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func run(ctx context.Context, args []string) (err error) {
	f := flag.NewFlagSet("bench-search", flag.ContinueOnError)
	short := f.Bool("short", false, "50,000 pages and loose floors, for CI; writes no table")
	pages := f.Int("pages", pagesWhole, "how many pages there are")
	readme := f.String("readme", "bench/README.md", "the `file` whose table is rewritten; empty: none")
	if err := f.Parse(args); err != nil {
		return err
	}
	p95 := p95Most
	if *short {
		*pages, *readme, p95 = pagesShort, "", p95MostShort
	}
	dir, err := os.MkdirTemp("", "tpbench-search-")
	if err != nil {
		return err
	}
	server, err := postgres.Start(ctx, postgres.Config{DataDir: dir, Ephemeral: true, Settings: map[string]string{
		"shared_buffers": "1GB", "maintenance_work_mem": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "30min", "wal_compression": "on",
	}})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	b := &bench{pages: *pages, corpus: newCorpus()}
	if err := b.open(ctx, server); err != nil {
		return err
	}
	defer b.pool.Close()
	if err := b.fill(ctx); err != nil {
		return err
	}
	if err := b.measure(ctx); err != nil {
		return err
	}
	text := b.report(server.Installation().Version)
	fmt.Print("\n", text)
	if err := b.check(p95); err != nil {
		return err
	}
	if *readme == "" {
		return nil
	}
	return figures.Rewrite(*readme, markerBegin, markerEnd, text)
}

func (b *bench) open(ctx context.Context, server *postgres.Server) error {
	const database = "search"
	if err := server.CreateDatabase(ctx, database); err != nil {
		return err
	}
	if _, err := db.Migrate(ctx, server.URL(database)); err != nil {
		return err
	}
	var err error
	b.pool, err = db.Open(ctx, server.URL(database), func(c *pgxpool.Config) { c.ConnConfig.Tracer = &b.traced })
	return err
}

// fill adds the pages, and creates the index of their keys afterwards.
func (b *bench) fill(ctx context.Context) error {
	began, now, q := time.Now(), time.Now(), db.New(b.pool)
	b.corpus.ask(queriesAsked)
	index, err := local.NewIndex(local.IndexConfig{Pool: b.pool, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		return err
	}
	if err := q.DropSearchKeysIndex(ctx); err != nil {
		return err
	}
	if err := index.Fill(ctx, b.corpus.pages(b.pages, now)); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "bench-search: %d pages after %s\n", b.pages, time.Since(began).Round(time.Second))
	if err := q.CreateSearchKeysIndex(ctx); err != nil {
		return err
	}
	if err := q.AnalyseSearch(ctx); err != nil {
		return err
	}
	b.filled = time.Since(began)
	fmt.Fprintf(os.Stderr, "bench-search: indexed after %s\n", b.filled.Round(time.Second))
	count, err := q.SearchPageCount(ctx)
	if err != nil {
		return err
	}
	if count != int64(b.pages) {
		return fmt.Errorf("the index has %d pages, want %d", count, b.pages)
	}
	b.sizes, err = q.SearchSizes(ctx)
	return err
}

// rounds is how often each query is sent; the first round does not count: it fills the caches.
const rounds = 3

func (b *bench) measure(ctx context.Context) error {
	provider, err := local.New(local.Config{Pool: b.pool, Now: time.Now})
	if err != nil {
		return err
	}
	b.took, b.found = make([][]time.Duration, len(b.corpus.asked)), make([]int, len(b.corpus.asked))
	slowest, slow := time.Duration(0), tracer{}
	for round := range rounds {
		for i, a := range b.corpus.asked {
			began := time.Now()
			results, err := provider.Search(ctx, websearch.Query{TeamID: team, Text: a.text, Limit: 10, Include: a.include})
			if err != nil {
				return fmt.Errorf("asking for %q: %w", a.text, err)
			}
			took := time.Since(began)
			b.found[i] = len(results)
			if round == 0 {
				continue
			}
			b.took[i] = append(b.took[i], took)
			if took > slowest && len(a.include) == 0 {
				slowest, slow = took, b.traced
			}
		}
	}
	return b.explain(ctx, slow)
}

// explain prints Postgres' plan of the slowest query.
func (b *bench) explain(ctx context.Context, slow tracer) error {
	return pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		if _, err := db.New(tx).SetSearchPlan(ctx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "explain (analyze, buffers, costs off) "+slow.sql, slow.args...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		b.plan = strings.Join(lines, "\n")
		return err
	})
}

// percentile returns the duration at a share of the sorted values; 0 if there are none.
func percentile(took []time.Duration, share float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func (b *bench) frequent(a *asked) bool { return float64(a.matches) >= frequentShare*float64(b.pages) }

func (b *bench) share() float64 {
	n := 0
	for i := range b.corpus.asked {
		if b.frequent(&b.corpus.asked[i]) {
			n++
		}
	}
	return float64(n) / float64(len(b.corpus.asked))
}

func (b *bench) report(version string) string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1e3) }
	type group struct {
		queries, found int
		took           []time.Duration
	}
	groups := map[string]*group{}
	add := func(name string, i int) {
		g := groups[name]
		if g == nil {
			g = &group{}
			groups[name] = g
		}
		g.queries++
		g.found += min(b.found[i], 1)
		g.took = append(g.took, b.took[i]...)
	}
	for i := range b.corpus.asked {
		add("**all**", i)
		add(b.corpus.asked[i].kind, i)
		if b.frequent(&b.corpus.asked[i]) {
			add("*that match 5 % of the pages or more*", i)
		}
	}
	names := make([]string, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(groups[y].queries, groups[x].queries), cmp.Compare(x, y))
	})
	var table [][]string
	for _, name := range names {
		g := groups[name]
		table = append(table, []string{
			name, fmt.Sprint(g.queries), fmt.Sprint(g.found), ms(percentile(g.took, 0.5)), ms(percentile(g.took, 0.95)), ms(percentile(g.took, 0.99)),
		})
	}
	each := func(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/float64(b.pages)) }
	return figures.Machine(version) + fmt.Sprintf("; %d pages, filled in %s; %.0f %% of the queries match at least 5 %% of the pages with all of their words.\n\n",
		b.pages, b.filled.Round(time.Second), 100*b.share()) +
		figures.Table([]string{"queries", "asked", "with results", "p50, ms", "**p95, ms**", "p99, ms"}, table) + "\n" +
		figures.Table([]string{"bytes per page", "rows", "index of keys", "other indexes", "text", "dictionary"}, [][]string{{
			"", each(b.sizes.Pages), each(b.sizes.KeysIndex), each(b.sizes.PageIndexes - b.sizes.KeysIndex), each(b.sizes.Texts), each(b.sizes.Dictionary),
		}}) + "\nThe plan of the statement that took longest:\n\n```\n" + b.plan + "\n```\n"
}

func (b *bench) check(p95 time.Duration) error {
	var all []time.Duration
	for _, took := range b.took {
		all = append(all, took...)
	}
	var errs []error
	if got := percentile(all, 0.95); got > p95 {
		errs = append(errs, fmt.Errorf("p95: got %s, want at most %s", got, p95))
	}
	if got := b.share(); got < frequentLeast {
		errs = append(errs, fmt.Errorf("queries that match 5 %% of the pages: got %.2f of all, want at least %.2f", got, frequentLeast))
	}
	return errors.Join(errs...)
}
