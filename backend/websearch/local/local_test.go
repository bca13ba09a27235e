package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/backend/websearch/local"
)

func pageOfTeam(team, address, title, text string) local.Page {
	return local.Page{
		TeamID: team, RetrieveID: "retrieve", URL: address, Title: title, Text: text, Fetched: corpusNow.Add(-time.Hour),
		Expires: corpusNow.Add(time.Hour), Shareable: true,
	}
}

func find(t *testing.T, p *local.Provider, q websearch.Query) []websearch.Result {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	results, err := p.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("searching %q: %v", q.Text, err)
	}
	return results
}

func wantURLs(t *testing.T, got []websearch.Result, want ...string) {
	t.Helper()
	if !slices.Equal(urlsOf(got), want) {
		t.Errorf("got %q, want %q", urlsOf(got), want)
	}
}

func put(t *testing.T, x *local.Index, pages ...local.Page) {
	t.Helper()
	if err := x.Put(t.Context(), pages...); err != nil {
		t.Fatal(err)
	}
}

// A page that is not known to be public is found only by its team. A public page is found by others only if the operator shares.
func TestTenantWalls(t *testing.T) {
	t.Parallel()
	private := pageOfTeam("team_a", "https://intern.example/report", "Quarterly zebra report", "The zebra figures.")
	private.Shareable = false
	public := pageOfTeam("team_a", "https://zoo.example/zebra", "The zebra", "A zebra has stripes.")
	query := pageOfTeam("team_a", "https://zoo.example/find?q=zebra", "Zebra results", "Results for zebra.")
	secrets := []local.Page{
		pageOfTeam("team_a", "https://zoo.example/shared/4fd8e1a97bc04412aa01/zebra", "Zebra by a key", "A zebra one."),
		pageOfTeam("team_a", "https://zoo.example/d/6ba7b810-9dad-11d1-80b4-00c04fd430c8", "Zebra by an id", "A zebra two."),
		pageOfTeam("team_a", "https://zoo.example:8443/zebra", "Zebra at a port", "A zebra three."),
		pageOfTeam("team_a", "http://intranet/zebra", "Zebra inside", "A zebra four."),
	}
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared %t", shared), func(t *testing.T) {
			t.Parallel()
			pool := open(t)
			x, p := newIndex(t, pool, shared, nil), newProvider(t, pool, shared)
			put(t, x, append([]local.Page{private, public, query}, secrets...)...)
			if own := find(t, p, websearch.Query{TeamID: "team_a", Text: "zebra"}); len(own) != 3+len(secrets) {
				t.Errorf("the team itself finds %q, want all of its pages, each once", urlsOf(own))
			}
			others := find(t, p, websearch.Query{TeamID: "team_b", Text: "zebra"})
			if !shared {
				wantURLs(t, others)
			} else {
				wantURLs(t, others, public.URL)
			}
			// No team, the scope of all teams, and names with a common prefix.
			for _, who := range []string{"", "team_", "team_a\x00", "team"} {
				if got := find(t, newProvider(t, pool, false), websearch.Query{TeamID: who, Text: "zebra"}); len(got) > 0 {
					t.Errorf("team %q finds %q, want nothing", who, urlsOf(got))
				}
			}
			wantURLs(t, find(t, p, websearch.Query{TeamID: "team_b", Text: "quarterly report"}))
			wantURLs(t, find(t, p, websearch.Query{TeamID: "team_b", Text: "intern.example", Include: []string{"intern.example"}}))
			if shared { // the operator stops sharing
				wantURLs(t, find(t, newProvider(t, pool, false), websearch.Query{TeamID: "team_b", Text: "zebra"}))
				if _, err := newIndex(t, pool, false, nil).Purge(t.Context(), 100); err != nil {
					t.Fatal(err)
				}
				wantURLs(t, find(t, p, websearch.Query{TeamID: "team_b", Text: "zebra"}))
			}
		})
	}
}

// A word that is only on another team's pages corrects no query: the dictionary is per scope, too.
func TestSpellingKeepsToTheScope(t *testing.T) {
	t.Parallel()
	pool := open(t)
	x, p := newIndex(t, pool, false, nil), newProvider(t, pool, false)
	put(t, x, pageOfTeam("team_a", "https://a.example/1", "Xylophone", "A xylophone."), pageOfTeam("team_b", "https://b.example/1", "Drum", "A drum."))
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "xilophone"}), "https://a.example/1")
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_b", Text: "xilophone"}))
}

func TestReplacesExpiresAndPurges(t *testing.T) {
	t.Parallel()
	pool := open(t)
	x, p := newIndex(t, pool, true, nil), newProvider(t, pool, true)
	old := pageOfTeam("team_a", "https://a.example/page#part", "Walrus", "All of the walrus.")
	put(t, x, old)
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "walrus"}), "https://a.example/page")
	put(t, x, pageOfTeam("team_a", "https://a.example/page", "Narwhal", "All of the narwhal."))
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "walrus"}))
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "narwhal"}), "https://a.example/page")

	// A public page that is later fetched with the team's own settings belongs to the team alone.
	again := pageOfTeam("team_a", "https://a.example/page", "Narwhal", "Narwhals of ours.")
	again.Shareable = false
	put(t, x, again)
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_b", Text: "ours"}))

	over := pageOfTeam("team_a", "https://a.example/over", "Over", "A narwhal that is over.")
	over.Expires = corpusNow
	put(t, x, over)
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "over"}))
	if n, err := x.Purge(t.Context(), 10); err != nil || n == 0 {
		t.Errorf("purging: got %d, %v, want the page that is over", n, err)
	}
	late, err := local.NewIndex(local.IndexConfig{Pool: pool, Logger: discard(), Now: func() time.Time { return corpusNow.Add(48 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	for {
		n, err := late.Purge(t.Context(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	for _, table := range []string{"search_page", "search_text", "search_key", "search_word", "search_queue"} {
		if n := count(t, pool, table); n != 0 {
			t.Errorf("%s: got %d rows after all is over, want none", table, n)
		}
	}
}

func count(t *testing.T, pool *pgxpool.Pool, table string) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "select count(*) from "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFindsByFieldsAndDomains(t *testing.T) {
	t.Parallel()
	pool := open(t)
	x, p := newIndex(t, pool, false, nil), newProvider(t, pool, false)
	headed := pageOfTeam("team_a", "https://docs.one.example/c", "Third", "Of many things, tangerine is one.\nMore of it.")
	headed.Headings = "Tangerine"
	twin := pageOfTeam("team_a", "https://two.example/copy", "Tangerine", "Nothing but what the title says.")
	put(
		t, x, pageOfTeam("team_a", "https://one.example/a", "Tangerine", "Nothing but what the title says."), twin, headed,
		pageOfTeam("team_a", "https://three.example/tangerine-press", "Fourth", "The address says it."),
		pageOfTeam("team_a", "https://four.example/e", "Fifth", "A long text in which there is one tangerine among a great many words of other kinds."),
		pageOfTeam("team_a", "https://five.example/e", "みかん", "温州みかんは日本の果物です。"),
		pageOfTeam("team_a", "https://six.example/e", "Crème brûlée", "Une crème."),
	)
	all := find(t, p, websearch.Query{TeamID: "team_a", Text: "tangerines"})
	if len(all) != 4 || all[0].Title != "Tangerine" || all[3].URL != "https://four.example/e" {
		t.Errorf("got %q, want title before headings before body, a copy once, plurals alike", urlsOf(all))
	}
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "tangerine", Include: []string{"one.example"}}), "https://one.example/a", "https://docs.one.example/c")
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "tangerine", Include: []string{"docs.one.example"}}), "https://docs.one.example/c")
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "tangerine", Include: []string{"ne.example"}}))
	wantURLs(
		t, find(t, p, websearch.Query{TeamID: "team_a", Text: "tangerine", Exclude: []string{"one.example", "three.example", "four.example"}}),
		"https://two.example/copy",
	)
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "日本"}), "https://five.example/e")
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "creme brulee"}), "https://six.example/e")
	wantURLs(t, find(t, p, websearch.Query{TeamID: "team_a", Text: "four.example"})[:1], "https://four.example/e")
	for _, text := range []string{"", "   ", "!?", "the", "\x00", "\xff\xfe", strings.Repeat("long ", 400), "zzzzzzzz qqqqqqq", "%_'\"\\{}"} {
		find(t, p, websearch.Query{TeamID: "team_a", Text: text})
	}
}

func TestSnippetsAndTheirBounds(t *testing.T) {
	t.Parallel()
	pool := open(t)
	x, p := newIndex(t, pool, false, nil), newProvider(t, pool, false)
	text := strings.Repeat("Words that nobody looks for. ", 100) + "The gondola crosses the valley in nine minutes. " + strings.Repeat("And other words. ", 100)
	page := pageOfTeam("team_a", "https://a.example/g", "Lift\x00s\n of the\u200b valley", text)
	page.Published = time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	put(t, x, page, pageOfTeam("team_a", "https://a.example/h", strings.Repeat("gondola ", 500), strings.Repeat("gondolas é", 100_000)))
	got := find(t, p, websearch.Query{TeamID: "team_a", Text: "gondola valley minutes"})
	if len(got) != 2 {
		t.Fatalf("got %d results, want 2", len(got))
	}
	first := got[0]
	if !strings.HasPrefix(first.Snippet, "The gondola crosses the valley in nine minutes.") || first.Title != "Lift s of the valley" ||
		!first.Published.Equal(page.Published) || first.Provider != local.Name {
		t.Errorf("got %+v", first)
	}
	for _, r := range got {
		if len(r.Snippet) > 300 || len(r.Title) > 600 || strings.ContainsAny(r.Snippet+r.Title, "\n\x00") {
			t.Errorf("got a title of %d bytes and a snippet of %d", len(r.Title), len(r.Snippet))
		}
	}
}

// stubContents has pages by retrieve_id.
type stubContents map[string]local.Page

func (c stubContents) Searchable(_ context.Context, retrieveID string, _ json.RawMessage) (local.Page, bool, error) {
	if retrieveID == "broken" {
		return local.Page{}, false, errors.New("no such blob")
	}
	p, ok := c[retrieveID]
	return p, ok, nil
}

func TestDrainsTheQueue(t *testing.T) {
	t.Parallel()
	pool := open(t)
	contents := stubContents{}
	for i := range 150 {
		id := fmt.Sprintf("r%d", i)
		contents[id] = pageOfTeam("", fmt.Sprintf("https://a.example/%d", i), "Page of capybaras", fmt.Sprintf("Number %d.", i))
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(`insert into team (id) values ('team_a')`)
	exec(`insert into content (retrieve_id, team_id, source, attempts, outcome, created_at, expires_at)
		select 'r' || n, 'team_a', 'crawl', 1, '{}', '2026-05-01', case when n = 7 then '2026-05-02' else '2026-07-01' end::timestamptz
		from generate_series(0, 149) n`)
	exec(`insert into search_queue (retrieve_id) select 'r' || n from generate_series(0, 149) n`)
	exec(`insert into search_queue (retrieve_id) values ('broken'), ('gone'), ('r1')`)
	x := newIndex(t, pool, false, contents)
	if n, err := x.Drain(t.Context()); err != nil || n != 153 {
		t.Fatalf("got %d, %v, want 153 rows of the queue", n, err)
	}
	if n := count(t, pool, "search_page"); n != 149 {
		t.Errorf("got %d pages, want all but the one that is over", n)
	}
	if n := count(t, pool, "search_queue"); n != 0 {
		t.Errorf("got %d left in the queue, want none", n)
	}
	if got := find(t, newProvider(t, pool, false), websearch.Query{TeamID: "team_a", Text: "capybara 99"}); len(got) == 0 || got[0].URL != "https://a.example/99" {
		t.Errorf("got %q, want page 99 first", urlsOf(got))
	}
}
