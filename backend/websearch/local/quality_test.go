package local_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/backend/websearch/local"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// open makes a database of the test's own.
func open(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return pgtest.Open(t, pgtest.New(t, migrate), nil)
}

func newIndex(t testing.TB, pool *pgxpool.Pool, shared bool, contents local.Contents) *local.Index {
	t.Helper()
	x, err := local.NewIndex(local.IndexConfig{
		Pool: pool, Contents: contents, Shared: shared, Logger: discard(), Now: func() time.Time { return corpusNow },
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newProvider(t testing.TB, pool *pgxpool.Pool, shared bool) *local.Provider {
	t.Helper()
	p, err := local.New(local.Config{Pool: pool, Shared: shared, Now: func() time.Time { return corpusNow }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The minimum scores of the judged corpus.
const (
	wantNDCG    = 0.85
	behindBM25  = 0.02
	judgedCount = 100
)

func TestRanksTheJudgedCorpus(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	if len(c.pages) < 400 || len(c.queries) < judgedCount {
		t.Fatalf("got %d pages and %d queries, want at least 400 and %d", len(c.pages), len(c.queries), judgedCount)
	}
	c.queries = c.queries[:judgedCount]
	pool := open(t)
	if err := newIndex(t, pool, false, nil).Put(t.Context(), c.pages...); err != nil {
		t.Fatal(err)
	}
	p := newProvider(t, pool, false)
	rankings := map[string]func(judged) []string{
		"ours": func(q judged) []string {
			results, err := p.Search(t.Context(), websearch.Query{TeamID: team, Text: q.text, Limit: 10, Include: q.include, Exclude: q.exclude})
			if err != nil {
				t.Fatal(err)
			}
			return urlsOf(results)
		},
		"BM25":    newBM25(c.pages).rank,
		"ts_rank": func(q judged) []string { return tsRank(t, pool, q) },
	}
	kinds, sums := map[string]int{}, map[string]map[string]float64{}
	for _, q := range c.queries {
		kinds[q.kind]++
		for name, rank := range rankings {
			if sums[name] == nil {
				sums[name] = map[string]float64{}
			}
			got := rank(q)
			score := ndcg(got, q.grades)
			if name == "ours" && score < 0.7 && testing.Verbose() {
				t.Logf("%s %q: %.2f: %s", q.kind, q.text, score, strings.Join(got, " "))
			}
			sums[name][q.kind] += score
			sums[name][""] += score
		}
	}
	for _, name := range []string{"ours", "BM25", "ts_rank"} {
		line := []string{fmt.Sprintf("%s: nDCG@10 %.3f", name, sums[name][""]/judgedCount)}
		for _, kind := range slices.Sorted(func(yield func(string) bool) {
			for kind := range kinds {
				if !yield(kind) {
					return
				}
			}
		}) {
			line = append(line, fmt.Sprintf("%s (%d) %.3f", kind, kinds[kind], sums[name][kind]/float64(kinds[kind])))
		}
		t.Log(strings.Join(line, ", "))
	}
	ours, theirs := sums["ours"][""]/judgedCount, sums["BM25"][""]/judgedCount
	if ours < wantNDCG || ours < theirs-behindBM25 {
		t.Errorf("nDCG@10: got %.3f, want at least %.2f, and BM25's %.3f less %.2f", ours, wantNDCG, theirs, behindBM25)
	}
}

func urlsOf(results []websearch.Result) []string {
	urls := make([]string, len(results))
	for i, r := range results {
		urls[i] = r.URL
	}
	return urls
}

// ndcg is the normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen, 2002), with gains of
// 2^grade-1. Of pages with the same text only one counts: the ideal list has no duplicates.
func ndcg(urls []string, grades map[string]int) float64 {
	gain := func(grade, i int) float64 { return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(i+2)) }
	got, ideal := 0.0, 0.0
	seen := map[string]bool{}
	for i, address := range urls[:min(len(urls), 10)] {
		if same := pageOf(address); !seen[same] {
			seen[same] = true
			got += gain(grades[address], i)
		}
	}
	best := map[string]int{}
	for address, grade := range grades {
		best[pageOf(address)] = max(best[pageOf(address)], grade)
	}
	var all []int
	for _, grade := range best {
		all = append(all, grade)
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(b, a) })
	for i, grade := range all[:min(len(all), 10)] {
		ideal += gain(grade, i)
	}
	return got / ideal
}

// pageOf is equal for a page and its mirror.
func pageOf(address string) string {
	u, _ := url.Parse(address)
	if u.Host == "mirror.example.net" || !strings.Contains(strings.Trim(u.Path, "/"), "/") {
		return u.Path[strings.LastIndexByte(u.Path, '/'):]
	}
	return address
}

// bm25 is the plain formula over all words of a page, computed for every document.
type bm25 struct {
	pages  []local.Page
	counts []map[string]float64
	length []float64
	mean   float64
	on     map[string]float64
}

func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
}

func newBM25(pages []local.Page) *bm25 {
	m := &bm25{pages: pages, on: map[string]float64{}}
	for _, p := range pages {
		words := plainWords(p.Title + " " + p.Text + " " + p.URL)
		counts := map[string]float64{}
		for _, w := range words {
			counts[w]++
		}
		for w := range counts {
			m.on[w]++
		}
		m.counts, m.length = append(m.counts, counts), append(m.length, float64(len(words)))
		m.mean += float64(len(words)) / float64(len(pages))
	}
	return m
}

func (m *bm25) rank(q judged) []string {
	type scored struct {
		url   string
		score float64
	}
	var all []scored
	for i, p := range m.pages {
		if !allowed(p.URL, q) {
			continue
		}
		score := 0.0
		for _, w := range plainWords(q.text) {
			n := m.counts[i][w]
			idf := math.Log(1 + (float64(len(m.pages))-m.on[w]+0.5)/(m.on[w]+0.5))
			score += idf * n * 2.2 / (n + 1.2*(0.25+0.75*m.length[i]/m.mean))
		}
		all = append(all, scored{p.URL, score})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var urls []string
	for _, s := range all[:min(len(all), 10)] {
		if s.score > 0 {
			urls = append(urls, s.url)
		}
	}
	return urls
}

func allowed(address string, q judged) bool {
	u, _ := url.Parse(address)
	in := func(domains []string) bool {
		return slices.ContainsFunc(domains, func(d string) bool { return u.Host == d || strings.HasSuffix(u.Host, "."+d) })
	}
	return (len(q.include) == 0 || in(q.include)) && !in(q.exclude)
}

// tsRank is the ranking of Postgres itself.
func tsRank(t *testing.T, pool *pgxpool.Pool, q judged) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), `select url from (
		select url, page_id, ts_rank(setweight(to_tsvector('english', title), 'A') || to_tsvector('english', text), query) as rank
		from search_text, to_tsquery('english', array_to_string(tsvector_to_array(to_tsvector('english', $1)), '|')) as query
	) r where rank > 0 order by rank desc, page_id limit 60`, q.text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var urls []string
	for rows.Next() {
		var address string
		if err := rows.Scan(&address); err != nil {
			t.Fatal(err)
		}
		if allowed(address, q) && len(urls) < 10 {
			urls = append(urls, address)
		}
	}
	return urls
}
