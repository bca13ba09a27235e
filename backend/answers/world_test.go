package answers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// sees runs a task and calls look with the world that is made for it.
func sees(t *testing.T, task string, files []string, prepare func(p *place), look func(ctx context.Context, world ask.World), change ...func(*answers.Config)) *place {
	t.Helper()
	p := newPlace(t, append(change, func(c *answers.Config) {
		c.Answerer = answererFunc(func(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
			look(ctx, world)
			return ask.Compose(task.Format, nil)
		})
	})...)
	prepare(p)
	p.create(p.subscriber(), answers.Request{Task: task, FileIDs: files})
	return p
}

// Each URL is fetched once, however often it is asked for. Pages that are the same are one source.
func TestPagesAreOpenedOnce(t *testing.T) {
	t.Parallel()
	p := sees(t, "a https://a.example/x#part b", nil, func(p *place) {
		p.web.pages["https://a.example/x"] = page("named")
		p.web.pages["https://b.example/y"] = `<html><head><title>Y</title><meta property="article:published_time" content="2026-03-04T05:06:07Z"></head><body><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`
		p.web.moved["https://b.example/old"], p.web.moved["https://b.example/older"] = "https://b.example/y", "https://b.example/y"
	}, func(ctx context.Context, world ask.World) {
		var wg sync.WaitGroup
		for _, u := range []string{"https://a.example/x", "HTTPS://A.example:443/x#other", "https://a.example/./x"} {
			wg.Go(func() {
				source, err := world.Open(ctx, u)
				if err != nil || source.URL != "https://a.example/x" || !source.Named || source.Document.Structured == nil {
					t.Errorf("%s: got %+v, %v, want the named page", u, source, err)
				}
			})
		}
		wg.Wait()
		one, err := world.Open(ctx, "https://b.example/old")
		must(t, err)
		other, err := world.Open(ctx, "https://b.example/older")
		must(t, err)
		if one != other || one.URL != "https://b.example/y" || one.Named || one.Title != "Y" || len(one.Document.Structured.Tables) != 1 ||
			!one.Published.Equal(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) || len(one.Page.Body) == 0 {
			t.Errorf("got %+v and %+v, want one source", one, other)
		}
		for _, u := range []string{"", "x", "ftp://a.example/", "https://user:secret@a.example/", "file:///etc/passwd", "file:file_1"} {
			if _, err := world.Open(ctx, u); err == nil {
				t.Errorf("%q: got a page, want an error", u)
			}
		}
		if _, err := world.Open(ctx, "https://a.example/gone"); err == nil {
			t.Error("got a page that answers 404, want an error")
		}
	})
	for u, n := range p.web.fetched {
		if n != 1 {
			t.Errorf("%s was fetched %d times, want once", u, n)
		}
	}
}

// The pages opened, the searches made and the concurrent fetches of one answer are bounded.
func TestWorldIsBounded(t *testing.T) {
	t.Parallel()
	p := sees(t, "x", nil, func(p *place) {
		for i := range 40 {
			p.web.pages[pageURL(i)] = page("berths: 24")
		}
	}, func(ctx context.Context, world ask.World) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		opened := 0
		for i := range 40 {
			wg.Go(func() {
				if _, err := world.Open(ctx, pageURL(i)); err == nil {
					mu.Lock()
					defer mu.Unlock()
					opened++
				}
			})
		}
		wg.Wait()
		if opened != answers.PagesMax {
			t.Errorf("got %d pages, want %d", opened, answers.PagesMax)
		}
		for i := range 20 {
			results, err := world.Search(ctx, fmt.Sprint("query ", i), 3)
			if (err == nil) != (i < answers.SearchesMax) || err == nil && len(results) != 3 {
				t.Errorf("search %d: got %d results, %v", i, len(results), err)
			}
		}
		for range 3 { // a repeated query is already there
			if _, err := world.Search(ctx, "  query\n0 ", 3); err != nil {
				t.Errorf("again: got %v, want the same results", err)
			}
		}
	})
	if queries, fetches := p.web.asked(); queries != answers.SearchesMax || fetches != answers.PagesMax || p.web.most > 4 {
		t.Errorf("got %d queries, %d fetches, %d at a time, want %d, %d, 4", queries, fetches, p.web.most, answers.SearchesMax, answers.PagesMax)
	}
}

// Searches belong to the team, are on one line, and have the length that providers accept.
func TestQueries(t *testing.T) {
	t.Parallel()
	p := sees(t, "x", nil, func(*place) {}, func(ctx context.Context, world ask.World) {
		for _, q := range []struct {
			text  string
			limit int
		}{{" a\tb \xff\n c ", 0}, {strings.Repeat("wörter ", 100), 100}, {" \n", 3}, {"d", -1}} {
			if _, err := world.Search(ctx, q.text, q.limit); err != nil {
				t.Errorf("%q: got %v", q.text, err)
			}
		}
	})
	want := []websearch.Query{
		{TeamID: p.team, Text: "a b c", Limit: 10},
		{TeamID: p.team, Text: strings.TrimSpace(strings.Repeat("wörter ", 57) + "w"), Limit: websearch.LimitMax},
		{TeamID: p.team, Text: "d", Limit: 10},
	}
	if !slices.EqualFunc(p.web.queries, want, func(a, b websearch.Query) bool { return a.TeamID == b.TeamID && a.Text == b.Text && a.Limit == b.Limit }) {
		t.Errorf("got %+v, want %+v", p.web.queries, want)
	}
}

// Context files are sources as they are, ordered by id.
func TestGiven(t *testing.T) {
	t.Parallel()
	sees(t, "x", []string{"file_b", "file_a"}, func(p *place) {
		p.shelf["file_a"] = shelved{p.team, `{"berths":24,"crew":[{"name":"Ada"}]}`}
		p.shelf["file_b"] = shelved{p.team, `[1,"zwei",null]`}
	}, func(_ context.Context, world ask.World) {
		given := world.Given()
		if len(given) != 2 || given[0].URL != "file:file_b" || given[1].URL != "file:file_a" {
			t.Fatalf("got %+v, want both in order", given)
		}
		a := given[1]
		if string(a.JSON) != `{"berths":24,"crew":[{"name":"Ada"}]}` || a.Title != "file_a.json" || !a.Named || !strings.Contains(a.Document.Text, `"berths": 24`) {
			t.Errorf("got %s, %q, %s, want the file", a.JSON, a.Title, a.Document.Text)
		}
	})
}

// A file that cannot be read is refused when it is read, with its place.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shelf["file_deep"] = shelved{p.team, strings.Repeat("[", 100) + strings.Repeat("]", 100)}
	e := p.refused(p.subscriber(), answers.Request{Task: "x", FileIDs: []string{"file_deep"}}, "validation_error", "body.file_ids.0: names a file that cannot be read")
	if e.Metadata["errors"] == nil {
		t.Errorf("got %v, want the place", e.Metadata)
	}
}

// A reader that stops waiting for a page does not stop the fetch for the others.
func TestWhoStopsWaiting(t *testing.T) {
	t.Parallel()
	waiting := make(chan struct{})
	sees(t, "x", nil, func(p *place) {
		p.web.pages[pageURL(1)], p.web.waiting = page("berths: 24"), waiting
	}, func(ctx context.Context, world ask.World) {
		ended, end := context.WithCancel(ctx)
		end()
		if _, err := world.Open(ended, pageURL(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		close(waiting)
		if source, err := world.Open(ctx, pageURL(1)); err != nil || source.URL != pageURL(1) {
			t.Errorf("got %+v, %v, want the page", source, err)
		}
	})
}

// All memory is given back, and bodies beyond a bound are not kept.
func TestMemoryOfAnAnswer(t *testing.T) {
	t.Parallel()
	budget := membudget.NewBudget(512 << 20)
	large := "text/plain|" + strings.Repeat("berths are many. ", 3<<20/17)
	sees(t, "x", nil, func(p *place) {
		for i := range 12 {
			p.web.pages[pageURL(i)] = large
		}
	}, func(ctx context.Context, world ask.World) {
		kept, opened := 0, 0
		for i := range 12 {
			source, err := world.Open(ctx, pageURL(i))
			if err != nil {
				continue
			}
			if opened++; source.Page.Body != nil {
				kept++
			}
		}
		if opened != 9 || kept != 2 { // the ninth passes 24 MiB; two bodies fit into 8 MiB
			t.Errorf("got %d pages, %d with their bodies, want 9 and 2", opened, kept)
		}
	}, func(c *answers.Config) { c.Memory, c.TimeLimit = budget, time.Hour }) // 3 MiB of text take seconds on a busy machine
	for _, pool := range budget.Pools() {
		if got := pool.Stats(); got.Keyed.Held+got.Keyless.Held != 0 {
			t.Errorf("got %+v, want all given back", got)
		}
	}
}
