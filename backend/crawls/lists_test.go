package crawls_test

import (
	"fmt"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// Reading a page of a list costs the same anywhere in a crawl, and for crawls of any size.
func TestListsCostTheSame(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(200_000)
	c := p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 100_000})
	const few, many = 2000, 50_000
	fill := func(from, to int) {
		_, err := p.Pool.Exec(t.Context(), `
			insert into crawl_url (crawl_id, n, team_id, key, url, host, depth, shape, external, state, seq, retrieve_id, relevance, reason, title)
			select $1, i, $2, decode(md5(i::text), 'hex'), 'https://example.com/' || i, 1, 1, 0, i % 1000 = 7,
				case when i % 500 = 0 then 'failed' else 'done' end, i, 'retrieve' || i, (i % 7) * 0.1, case when i % 500 = 0 then 'not_found' end, 'A page'
			from generate_series($3::int, $4::int) i`, c.ID, tm.ID, from, to)
		workshop.Must(t, err)
	}
	measure := func(middle int32) map[string]int {
		out := map[string]int{}
		for name, call := range map[string]func(q *db.Queries) (int, error){
			"by place": func(q *db.Queries) (int, error) {
				rows, err := q.ListPages(t.Context(), db.ListPagesParams{CrawlID: c.ID, AfterSeq: middle, RowsMax: 101})
				return len(rows) - 101, err
			},
			"by relevance": func(q *db.Queries) (int, error) {
				rows, err := q.ListPagesByRelevance(t.Context(), db.ListPagesByRelevanceParams{CrawlID: c.ID, AfterNegated: -0.3, AfterSeq: middle, RowsMax: 101})
				return len(rows) - 101, err
			},
			"failed": func(q *db.Queries) (int, error) {
				rows, err := q.ListFailedPages(t.Context(), db.ListFailedPagesParams{CrawlID: c.ID, RowsMax: 3})
				return len(rows) - 3, err
			},
			"external": func(q *db.Queries) (int, error) {
				rows, err := q.ListExternalPages(t.Context(), db.ListExternalPagesParams{CrawlID: c.ID, RowsMax: 2})
				return len(rows) - 2, err
			},
		} {
			n, plan := buffers(t, p, func(q *db.Queries) error {
				missing, err := call(q)
				if err == nil && missing != 0 {
					err = fmt.Errorf("%s: got %d rows too few", name, -missing)
				}
				return err
			})
			if out[name] = n; n > 2000 {
				t.Logf("%s: %s", name, plan)
			}
		}
		return out
	}
	analyze := func() {
		_, err := p.Pool.Exec(t.Context(), `analyze crawl_url`)
		workshop.Must(t, err)
	}
	fill(2, few)
	analyze()
	before := measure(few / 2)
	fill(few+1, many)
	analyze()
	after := measure(many / 2)
	t.Logf("buffers of a list: %v of %d pages, %v of %d", before, few, after, many)
	for name, n := range before {
		if after[name] > 3*n+100 {
			t.Errorf("%s: got %d buffers with %d pages, %d with %d: want it not to grow", name, n, few, after[name], many)
		}
	}
}
