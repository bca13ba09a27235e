package searches_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const article = `<html><head><title>Ferries</title></head><body><nav>menu</nav><main><h1>Ferries</h1><p>They leave at nine.</p><aside class="x">advert</aside></main></body></html>`

// Results are returned without fetching any page, unless scraping was requested.
func TestLinksAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	published := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))
	p.index.results = []websearch.Result{
		{URL: "https://a.example/1", Title: "One <b>", Snippet: "first & foremost", Published: published, Provider: "x"},
		{URL: "https://b.example/2"},
		{URL: "https://a.example/1", Title: "again"},
	}
	c := p.subscriber(5)
	got := p.search(c, searches.Request{
		Query: " ferry  times ", IncludeDomains: []string{"A.Example", "a.example.", "bücher.example"}, ExcludeDomains: []string{"c.example"},
		Metadata: map[string]json.RawMessage{"order": json.RawMessage(`7`)},
	})
	if want := []websearch.Query{{
		TeamID: p.team, Text: "ferry  times", Limit: 12, Include: []string{"a.example", "xn--bcher-kva.example"}, Exclude: []string{"c.example"},
	}}; fmt.Sprint(p.index.queries()) != fmt.Sprint(want) {
		t.Errorf("asked %+v, want %+v", p.index.queries(), want)
	}
	const words = `[{"url":"https://a.example/1","title":"One <b>","description":"first & foremost","published_at":"2026-03-04T04:06:07Z"},` +
		`{"url":"https://b.example/2","title":"","description":"","published_at":null}]`
	r := got.Result
	switch {
	case r.JSON != words:
		t.Errorf("got json_content %s, want %s", r.JSON, words)
	case len(r.Links) != 2 || r.Links[0].Title != "One <b>" || r.Links[0].Markdown != nil || r.Links[0].RetrieveID != nil || r.Links[0].Error != nil:
		t.Errorf("got %+v, want two links without content", r.Links)
	case c.Cost() != 5 || got.CreditsConsumed != 5 || r.CreditsConsumed != 5:
		t.Errorf("got cost %d, %d, %d, want 5", c.Cost(), got.CreditsConsumed, r.CreditsConsumed)
	case got.Query != " ferry  times " || got.Object != "search" || got.Metadata["order"] != "7" || got.Created != p.clock.Now().Unix():
		t.Errorf("got %+v", got)
	}
	if hosted := p.hosted(*r.JSONHostedURL); hosted != words {
		t.Errorf("got %s at json_hosted_url, want %s", hosted, words)
	}
}

// hosted is the content at a hosted URL.
func (p *place) hosted(at string) string {
	p.t.Helper()
	u, err := url.Parse(at)
	must(p.t, err)
	data, err := p.blobs.Read(context.Background(), strings.TrimPrefix(u.Path, "/content/"))
	must(p.t, err)
	return string(data)
}

// Links are scraped concurrently. A link that fails or takes too long has no content and is not charged.
func TestScrapedLinks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	good, missing, slow := s.has("/good", article), s.server.URL+"/missing", s.has("/slow", hangs)
	p.index.finds(good, missing, slow, "http://127.0.0.1:1/nobody", "http://[::1]/private", s.has("/unwanted", article))
	p.index.results[0].Title = ""
	c := p.subscriber(10)
	limit := 5
	began := time.Now()
	got := p.search(c, searches.Request{Query: "ferries", Limit: &limit, ScrapeOptions: &searches.ScrapeOptions{
		RemoveCSSSelectors: []byte(`["nav",".x"]`), Timeout: new(1),
	}})
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	links := got.Result.Links
	if len(links) != 5 {
		t.Fatalf("got %d links, want 5", len(links))
	}
	if l := links[0]; l.Markdown == nil || !strings.Contains(*l.Markdown, "They leave at nine.") || strings.Contains(*l.Markdown, "advert") ||
		l.HTML == nil || l.Text != nil || l.Title != "Ferries" || *l.StatusCode != 200 || l.Error != nil {
		t.Errorf("got %+v, want the page", l)
	}
	if l := links[1]; l.Markdown == nil || *l.StatusCode != 404 || l.Error != nil {
		t.Errorf("got %+v, want what the target answers", l)
	}
	for i, code := range map[int]problem.Code{2: problem.RequestTimeout, 3: problem.FetchFailed, 4: problem.BlockedAddress} {
		if l := links[i]; l.Markdown != nil || l.HTML != nil || l.MarkdownHostedURL != nil || l.RetrieveID != nil || l.StatusCode != nil ||
			l.Error == nil || l.Error.Code != string(code) || l.Title == "" {
			t.Errorf("got %+v (%+v), want no content and %s", l, l.Error, code)
		}
	}
	if c.Cost() != 7 || got.CreditsConsumed != 7 || got.Result.SizeExceeded {
		t.Errorf("got cost %d, %d, want 5 and 2 links", c.Cost(), got.CreditsConsumed)
	}
	if p.hosted(*links[0].MarkdownHostedURL) != *links[0].Markdown || p.hosted(*links[0].HTMLHostedURL) != *links[0].HTML {
		t.Error("what is hosted is not what is answered")
	}
	retrieved, err := p.scrapes.Retrieve(t.Context(), p.subscriber(0), *links[0].RetrieveID, nil)
	if err != nil || *retrieved.Markdown != *links[0].Markdown {
		t.Errorf("got %+v, %v, want the same content by its retrieve_id", retrieved, err)
	}
	if n := p.count(`select count(*) from search_queue`); n != 1 {
		t.Errorf("got %d pages queued to be found here, want the one that answered 200", n)
	}
	again, err := p.service.Search(t.Context(), p.subscriber(0), got.ID)
	if err != nil || !same(again, got) {
		t.Errorf("got %+v, %v, want it as it was answered first", again, err)
	}
}

// same compares searches.
func same(a, b *searches.Search) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// stuck are pages whose scrapes do not end when they are canceled.
type stuck struct {
	searches.Pages

	begun, over chan struct{}
}

func (s *stuck) Keep(context.Context, page.Job) (page.Kept, error) {
	s.begun <- struct{}{}
	<-s.over
	return page.Kept{}, errors.New("late")
}

// A scrape that ignores its time limit delays the response only for a moment.
func TestScrapesThatDoNotEnd(t *testing.T) {
	t.Parallel()
	pages := &stuck{begun: make(chan struct{}, 9), over: make(chan struct{})}
	p := newPlace(t, func(c *searches.Config) { pages.Pages, c.Pages = c.Pages, pages })
	t.Cleanup(func() { close(pages.over) })
	p.index.finds("https://a.example/", "https://b.example/")
	c := p.subscriber(17)
	got := p.search(c, searches.Request{Query: "x", ScrapeOptions: all(1)})
	if len(pages.begun) != 2 || len(got.Result.Links) != 2 || c.Cost() != 5 {
		t.Fatalf("got %d scrapes, %+v at %d", len(pages.begun), got, c.Cost())
	}
	for _, l := range got.Result.Links {
		if l.Markdown != nil || l.Error == nil || l.Error.Code != "request_timeout" {
			t.Errorf("got %+v, want it without content", l)
		}
	}
}

// A thousand reads of a search contact no provider, store nothing and cost nothing.
func TestReadsAreIdle(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	p.index.finds(s.has("/a", article), s.has("/b", article))
	got := p.search(p.subscriber(17), searches.Request{Query: "ferries", ScrapeOptions: all(30)})
	s.has("/a", "changed")
	hits, asked, rows := s.asked(), len(p.index.queries()), p.rows()
	for range 1000 {
		c := p.subscriber(0)
		again, err := p.service.Search(t.Context(), c, got.ID)
		if err != nil || !same(again, got) || c.Cost() != 0 {
			t.Fatalf("got %+v, %v at %d, want the search as it was", again, err, c.Cost())
		}
	}
	if s.asked() != hits || len(p.index.queries()) != asked || p.rows() != rows {
		t.Errorf("got %d requests, %d searches and %d rows more", s.asked()-hits, len(p.index.queries())-asked, p.rows()-rows)
	}
}

// An identity pays for one search. A retry returns it at the same cost.
func TestOnceForEachIdentity(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	p.index.finds(s.has("/a", article))
	c := p.subscriber(17)
	request := searches.Request{Query: "ferries", ScrapeOptions: all(30, "markdown")}
	first := p.search(c, request)
	if c.Cost() != 6 || first.Result.Links[0].HTML != nil || first.Result.Links[0].Markdown == nil {
		t.Fatalf("got %+v at %d, want markdown alone at 6", first, c.Cost())
	}
	c.SetCost(17)
	if again := p.search(c, request); !same(again, first) || c.Cost() != 6 {
		t.Errorf("got %+v at %d, want the same at 6", again, c.Cost())
	}
	p.refused(c, searches.Request{Query: "other"}, problem.InvalidState)
	c.TeamID = p.newTeam()
	p.refused(c, request, problem.InvalidState)
	if s.asked() != 1 || len(p.index.queries()) != 1 {
		t.Errorf("got %d requests and %d searches, want one of each", s.asked(), len(p.index.queries()))
	}
}

// While a search runs, its identity can do no other. If it died or failed, it can be repeated.
func TestAttempts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	p.index.finds(s.has("/a", article))
	request := searches.Request{Query: "ferries", ScrapeOptions: all(30)}
	c := p.subscriber(17)

	p.index.fails(fmt.Errorf("the provider's own words"))
	e := p.refused(c, request, problem.SearchFailed)
	if e.Kind().Status != 502 || e.Metadata["reason"] != "unavailable" || strings.Contains(e.Detail, "own words") {
		t.Errorf("got %+v, want a clear problem", e)
	}
	p.index.finds(s.has("/a", article))
	got := p.search(c, request)
	if c.Cost() != 6 || got.Result.Links[0].Markdown == nil {
		t.Errorf("got %+v at %d, want it done at last", got, c.Cost())
	}

	running := p.subscriber(17)
	p.index.gate = make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := p.service.Create(ctx, running, &request)
		done <- err
	}()
	for p.count(`select count(*) from search where status = 'running'`) == 0 { // until it has begun
		if t.Context().Err() != nil {
			t.FailNow()
		}
	}
	p.refused(running, request, problem.InvalidState)
	leave()
	if err := <-done; problem.From(err).Code != problem.RequestTimeout {
		t.Errorf("got %v, want a search that was given up", err)
	}
	close(p.index.gate)
	if p.count(`select count(*) from search where status = 'running'`) != 0 {
		t.Error("the search that was given up is not written off")
	}
	_, err := p.pool.Exec(t.Context(), `update search set status = 'running', finished_at = null, error_code = null where jti = $1`, running.IdentityID)
	must(t, err)
	p.refused(running, request, problem.InvalidState)
	p.clock.Advance(searches.TimeLimitMax + time.Minute + time.Second)
	if got := p.search(running, request); got.Result.Links[0].Markdown == nil {
		t.Errorf("got %+v, want what died done again", got)
	}
}

// Provider failures cost nothing, and have distinct errors.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *searches.Config) { c.SearchTimeout = time.Millisecond })
	p.index.gate = make(chan struct{})
	if e := p.refused(p.subscriber(5), searches.Request{Query: "x"}, problem.SearchFailed); e.Metadata["reason"] != "timeout" {
		t.Errorf("got %+v, want a time limit", e)
	}
	close(p.index.gate)
	p.index.gate = nil
	p.index.finds()
	c := p.subscriber(5)
	if got := p.search(c, searches.Request{Query: "x"}); got.Result.JSON != "[]" || got.Result.Links == nil || c.Cost() != 5 {
		t.Errorf("got %+v at %d, want a search that has found nothing", got, c.Cost())
	}
	for reason, want := range map[websearch.Reason]problem.Code{
		websearch.ReasonRefused: problem.SearchFailed, websearch.ReasonQuota: problem.SearchFailed, websearch.ReasonBadQuery: problem.SearchFailed,
		websearch.ReasonRateLimited: problem.Overloaded,
	} {
		p.index.fails(&websearch.Error{Provider: "brave", Reason: reason, Message: "the provider's own words", RetryAfter: time.Minute})
		e := p.refused(p.subscriber(5), searches.Request{Query: "x"}, want)
		if e.Metadata["reason"] != string(reason) || e.RetryAfter != time.Minute || strings.Contains(e.Detail, "own words") {
			t.Errorf("%s: got %+v", reason, e)
		}
	}
	none := newPlace(t, func(c *searches.Config) { c.Searcher = nil })
	none.refused(none.subscriber(5), searches.Request{Query: "x"}, problem.ProviderNotConfigured)
}

// Another team's search and its content look like missing ones.
func TestTeamsAreApart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	p.index.finds(s.has("/a", article))
	got := p.search(p.subscriber(17), searches.Request{Query: "ferries", ScrapeOptions: all(30)})
	other := p.subscriber(0)
	other.TeamID = p.newTeam()
	_, foreign := p.service.Search(t.Context(), other, got.ID)
	_, unknown := p.service.Search(t.Context(), other, "search_"+strings.Repeat("a", 26))
	_, broken := p.service.Search(t.Context(), other, "search_\x00")
	_, nobodys := p.service.Search(t.Context(), &principal.Caller{Kind: edgewire.PayerAnonymous}, got.ID)
	for _, err := range []error{foreign, unknown, broken, nobodys} {
		if e := problem.From(err); e.Code != problem.SearchNotFound || e.Detail != problem.From(unknown).Detail {
			t.Errorf("got %v, want what an unknown id gets", err)
		}
	}
	if _, err := p.scrapes.Retrieve(t.Context(), other, *got.Result.Links[0].RetrieveID, nil); problem.From(err).Code != problem.NotFound {
		t.Errorf("got %v, want the content of another team missing", err)
	}
	contents, whole, err := p.scrapes.Contents(t.Context(), other.TeamID, []string{*got.Result.Links[0].RetrieveID}, 1<<20)
	if err != nil || !whole || len(contents) != 0 {
		t.Errorf("got %v, %t, %v, want no content of another team", contents, whole, err)
	}
	// Searches belong to the requesting team: a team never gets what was found for another.
	mine := p.search(func() *principal.Caller { c := p.subscriber(17); c.TeamID = other.TeamID; return c }(), searches.Request{Query: "ferries"})
	if q := p.index.queries(); q[0].TeamID != p.team || q[1].TeamID != other.TeamID || mine.ID == got.ID || mine.Result.Links[0].Markdown != nil {
		t.Errorf("asked %+v and got %+v", q, mine)
	}
}

// If the content is too large for the response, all content is only at its URLs.
func TestLargeContent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *searches.Config) { c.InlineBytesMax = 20_000 })
	s := newSite(t)
	page := "<html><body><main><p>" + strings.Repeat("They leave at nine. ", 300) + "</p></main></body></html>"
	p.index.finds(s.has("/a", page), s.has("/b", page), s.has("/c", page))
	got := p.search(p.subscriber(17), searches.Request{Query: "ferries", ScrapeOptions: all(30)})
	if !got.Result.SizeExceeded || got.Result.JSON == "" {
		t.Fatalf("got %+v, want it too large", got.Result)
	}
	for _, l := range got.Result.Links {
		if l.Markdown != nil || l.HTML != nil || l.MarkdownHostedURL == nil || !strings.Contains(p.hosted(*l.MarkdownHostedURL), "They leave") {
			t.Errorf("got %+v, want URLs alone", l)
		}
	}
	limit := 1
	if got := p.search(p.subscriber(17), searches.Request{Query: "ferries", Limit: &limit, ScrapeOptions: all(30)}); got.Result.SizeExceeded {
		t.Error("one page does not fit")
	}
}

// When the retention is over, the content of all attempts is deleted. The search and its links stay.
func TestPurge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	p.index.finds(s.has("/a", article), s.has("/b", hangs))
	c := p.subscriber(17)
	got := p.search(c, searches.Request{Query: "ferries", ScrapeOptions: all(1)})
	failed := p.subscriber(17)
	p.index.fails(errors.New("no"))
	p.refused(failed, searches.Request{Query: "ferries"}, problem.SearchFailed)
	// Content that a dead attempt stored for a link belongs to no search.
	var left string
	must(t, p.pool.QueryRow(t.Context(), `select retrieve_ids[3] from search where id = $1`, got.ID).Scan(&left))
	must(t, p.blobs.Put(t.Context(), "scrapes/"+left+"/1/page.md", "text/markdown", []byte("x")))

	if n, err := p.service.Purge(t.Context(), 100); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing over yet", n, err)
	}
	p.clock.Advance(searches.RetentionDefault + time.Second)
	over, err := p.service.Search(t.Context(), c, got.ID)
	must(t, err)
	if l := over.Result.Links[0]; l.Markdown != nil || l.MarkdownHostedURL != nil || over.Result.JSONHostedURL != nil || l.URL != got.Result.Links[0].URL ||
		over.Result.JSON != got.Result.JSON || over.CreditsConsumed != 6 {
		t.Errorf("got %+v, want the search without its content", over)
	}
	if n, err := p.service.Purge(t.Context(), 100); n != 2 || err != nil {
		t.Errorf("got %d, %v, want two searches", n, err)
	}
	for _, key := range []string{"scrapes/" + left + "/1/page.md", "scrapes/" + *got.Result.Links[0].RetrieveID + "/1/page.md", "searches/" + got.ID + "/1/links.json"} {
		if data, err := p.blobs.Read(t.Context(), key); err == nil {
			t.Errorf("%s is still there: %s", key, data)
		}
	}
	if n, err := p.service.Purge(t.Context(), 100); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing left", n, err)
	}
	if _, err := p.service.Search(t.Context(), c, got.ID); err != nil {
		t.Errorf("got %v, want the search still there", err)
	}
}

// A process runs a limited number of searches at once. Wallets pay the announced price.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *searches.Config) { c.Places = admission.New(admission.Config{Size: 1}) })
	p.index.finds("https://a.example/")
	p.index.gate = make(chan struct{})
	done := make(chan error, 1)
	w := p.wallet()
	go func() {
		_, err := p.service.Create(context.WithoutCancel(t.Context()), w, &searches.Request{Query: "x"})
		done <- err
	}()
	for len(p.index.queries()) == 0 {
		if t.Context().Err() != nil {
			t.FailNow()
		}
	}
	if e := p.refused(p.subscriber(5), searches.Request{Query: "x"}, problem.Overloaded); e.RetryAfter == 0 {
		t.Errorf("got %+v, want it to say when", e)
	}
	close(p.index.gate)
	must(t, <-done)
	if w.Cost() != 30000 {
		t.Errorf("got %d, want what was announced", w.Cost())
	}
	if got := p.search(w, searches.Request{Query: "x"}); got.CreditsConsumed != 0 || w.Cost() != 30000 {
		t.Errorf("got %+v at %d, want it again, by the one payment of both", got, w.Cost())
	}
}

// A search never costs more than its hold, even if prices changed meanwhile.
func TestNoMoreThanWasSetAside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.index.finds("https://a.example/")
	c := p.subscriber(3)
	if got := p.search(c, searches.Request{Query: "x"}); c.Cost() != 3 || got.CreditsConsumed != 3 {
		t.Errorf("got %d, want %d", c.Cost(), money.Credits(3))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := searches.New(searches.Config{})
	for _, name := range []string{"Queries", "Pages", "Contents", "Blobs", "Signer", "Book", "Logger", "Now"} {
		if err == nil || !slices.Contains(strings.Fields(err.Error()), name) {
			t.Errorf("got %v, want %s in it", err, name)
		}
	}
}
