package crawls_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// linking gives each page the links that the map has for its path.
func linking(links map[string][]string) func(context.Context, *page.Job) (page.Kept, error) {
	return func(_ context.Context, j *page.Job) (page.Kept, error) {
		return kept(j, links[strings.TrimPrefix(j.URL, "https://example.com")]...), nil
	}
}

// ends lists how the URLs of a crawl ended, in order: "state reason url".
func (p *place) ends(id string) []string {
	p.T.Helper()
	rows, err := p.Pool.Query(context.Background(), `
		select state || coalesce(' ' || reason, '') || ' ' || url || ' ' || depth from crawl_url where crawl_id = $1 order by url collate "C", n`, id)
	workshop.Must(p.T, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var text string
		workshop.Must(p.T, rows.Scan(&text))
		out = append(out, text)
	}
	workshop.Must(p.T, rows.Err())
	return out
}

func TestHowURLsEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	p.work()
	p.pages.keep = func(ctx context.Context, j *page.Job) (page.Kept, error) {
		at := func(url string) (page.Kept, error) {
			if err := j.Follow(ctx, url); err != nil {
				return page.Kept{}, err
			}
			k := kept(j)
			k.FinalURL = url
			return k, nil
		}
		status := func(code int) (page.Kept, error) {
			k := kept(j)
			k.StatusCode = code
			return k, nil
		}
		switch _, path, _ := strings.Cut(strings.TrimPrefix(j.URL, "https://"), "/"); path {
		case "":
			return kept(j, "https://example.com/gone", "https://example.com/forbidden", "https://example.com/busy", "https://example.com/broken",
				"https://example.com/away", "https://example.com/to-private", "https://example.com/private", "https://example.com/moved",
				"https://example.com/fails", "https://example.com/shut", "https://example.com/to-shut", "https://other.test/", "https://example.com/#top", "https://example.com/moved?utm_source=x"), nil
		case "gone":
			return status(410)
		case "forbidden":
			return status(403)
		case "busy":
			return status(429)
		case "broken":
			return status(500)
		case "away":
			return at("https://other.test/")
		case "to-private":
			return at("https://example.com/private/room")
		case "to-shut":
			return at("https://example.com/shut")
		case "moved":
			return at("https://example.com/new")
		case "fails":
			return page.Kept{}, failure(page.ClassFinal, problem.FetchFailed)
		}
		return kept(j), nil
	}
	c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 50, Webhook: "https://hooks.example.com/x"}).ID)
	want := []string{
		"done https://example.com/ 0", "skipped outside_scope https://example.com/away 1", "failed target_error https://example.com/broken 1",
		"failed rate_limited https://example.com/busy 1", "failed fetch_failed https://example.com/fails 1", "done https://example.com/forbidden 1",
		"failed not_found https://example.com/gone 1", "done https://example.com/new 1", "duplicate https://example.com/new 1",
		"failed robots_disallowed https://example.com/private 1", "failed robots_unreachable https://example.com/shut 1",
		"failed robots_disallowed https://example.com/to-private 1", "failed robots_unreachable https://example.com/to-shut 1",
	}
	if got := p.ends(c.ID); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if *c.Outcome != "succeeded" || c.PagesCount != 3 || c.Failed != 8 || c.ActualMaxDepth != 1 || *c.CreditsConsumed != 3 || c.CostUSD.String() != "0.003" {
		t.Errorf("got %+v, want 3 pages, 8 failures, 3 credits", c)
	}
	if n := p.Count(`select count(*) from event where type = 'crawl.completed' and subject = $1`, c.ID); n != 1 {
		t.Errorf("got %d events of the end, want 1", n)
	}
	p.settled()
	p.WantBalance(tm, 97, 0)
}

func TestStartElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	p.work()
	p.pages.keep = func(_ context.Context, j *page.Job) (page.Kept, error) {
		k := kept(j, "https://www.example.com/a", "https://example.com/b", "https://elsewhere.test/c")
		switch j.URL {
		case "https://example.com/":
			k.FinalURL = "https://www.example.com/"
		case "https://moved.test/":
			k.FinalURL = "https://elsewhere.test/"
		}
		return k, nil
	}
	near := p.untilCompleted(p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 20}).ID)
	far := p.untilCompleted(p.mustCreate(tm, &crawls.Order{StartURL: "https://moved.test/", MaxPages: 20}).ID)
	if near.PagesCount != 3 || far.PagesCount != 1 {
		t.Errorf("got %d pages at another host of the site, and %d at another site: want 3 and 1", near.PagesCount, far.PagesCount)
	}
	p.settled()
}

func TestDeadlineAndPurge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	p.work()
	p.pages.keep = func(ctx context.Context, j *page.Job) (page.Kept, error) {
		if j.URL != "https://example.com/" {
			<-ctx.Done()
			return page.Kept{}, failure(page.ClassWait, problem.FetchFailed)
		}
		return kept(j, "https://example.com/slow", "https://example.com/slower"), nil
	}
	id := p.mustCreate(tm, &crawls.Order{StartURL: "https://example.com/", MaxPages: 2}).ID
	p.Until("the start page is done", func() bool { return p.Count(`select pages from crawl where id = $1`, id) == 1 })
	workshop.Must(t, crawls.EndCrawl(t.Context(), p.service, id))
	workshop.Must(t, crawls.EndCrawl(t.Context(), p.service, id)) // a second time it changes nothing
	c := p.crawl(id)
	if *c.Outcome != "succeeded" || c.PagesCount != 1 || c.Failed != 1 || *c.CreditsConsumed != 1 {
		t.Errorf("got %+v, want what was done", c)
	}
	p.settled()
	_, err := p.Pool.Exec(t.Context(), `update crawl set created_at = created_at - interval '30 days', completed_at = completed_at - interval '30 days'`)
	workshop.Must(t, err)
	for want := range 2 {
		n, err := p.service.Purge(t.Context(), 10)
		workshop.Must(t, err)
		if n != 1-want {
			t.Errorf("purge %d: got %d crawls, want %d", want+1, n, 1-want)
		}
	}
	if n := p.Count(`select count(*) from crawl_url where crawl_id = $1`, id); n != 2 || len(p.pages.discarded) != 1 {
		t.Errorf("got %d URLs left and %q discarded, want the page and the failure, whose tries may have left something", n, p.pages.discarded)
	}
}

func TestCreation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	p.pages.keep = linking(nil)
	order := &crawls.Order{StartURL: "https://example.com/", MaxPages: 10}
	c, end := p.request(tm, 10)
	first, err := p.service.Create(t.Context(), c, order)
	workshop.Must(t, err)
	again, err := p.service.Create(t.Context(), c, order)
	workshop.Must(t, err)
	if first.ID != again.ID {
		t.Errorf("the same request: got %s and %s, want one crawl", first.ID, again.ID)
	}
	other := *order
	other.Digest[0] = 1
	if _, err := p.service.Create(t.Context(), c, &other); problem.From(err).Code != problem.InvalidState {
		t.Errorf("another request of the same identity: got %v, want invalid_state", err)
	}
	end(nil)
	for name, tt := range map[string]struct {
		order crawls.Order
		want  problem.Code
	}{
		"no URL":                 {crawls.Order{StartURL: "ftp://example.com/", MaxPages: 1}, problem.ValidationError},
		"no glob":                {crawls.Order{StartURL: "https://example.com/", MaxPages: 1, Spec: crawls.Spec{ExcludeURLs: []string{""}}}, problem.ValidationError},
		"more than is set aside": {crawls.Order{StartURL: "https://example.com/", MaxPages: 2}, problem.CreditsExhausted},
	} {
		c, end := p.request(tm, 1)
		_, err := p.service.Create(t.Context(), c, &tt.order)
		if problem.From(err).Code != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
		end(err)
	}
	dry := tm.Reader()
	dry.DryRun = &principal.Quote{}
	if c, err := p.service.Create(t.Context(), dry, order); c != nil || err != nil {
		t.Errorf("a dry run: got %v, %v, want nothing", c, err)
	}
	if _, err := p.service.Cancel(t.Context(), p.NewTeam(0).Reader(), first.ID); problem.From(err).Code != problem.CrawlNotFound {
		t.Errorf("another team's: got %v, want crawl_not_found", err)
	}
	for range 2 {
		got, err := p.service.Cancel(t.Context(), tm.Reader(), first.ID)
		workshop.Must(t, err)
		if *got.Outcome != "canceled" || *got.CreditsConsumed != 0 {
			t.Errorf("canceled: got %+v", got)
		}
	}
	p.settled()
	p.WantBalance(tm, 100, 0)
}

// The depth of a page is its shortest path, whichever path was found first.
func TestDepth(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	tm := p.NewTeam(100)
	p.work()
	p.pages.keep = linking(map[string][]string{
		"/": {"https://example.com/a", "https://example.com/b"}, "/a": {"https://example.com/c"}, "/b": {"https://example.com/d"},
		"/c": {"https://example.com/d", "https://example.com/e"}, "/d": {"https://example.com/f"},
	})
	for depth, want := range []int32{1, 3, 5} {
		c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{
			StartURL: "https://example.com/", MaxPages: 20, MaxDepth: new(int32(depth)), Timeout: time.Hour,
		}).ID)
		if c.PagesCount != want || c.ActualMaxDepth != int32(depth) || c.Timeout != 3600 {
			t.Errorf("depth %d: got %d pages, the deepest at %d: want %d", depth, c.PagesCount, c.ActualMaxDepth, want)
		}
	}
	p.settled()
}
