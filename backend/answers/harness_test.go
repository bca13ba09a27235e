package answers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const price = 20

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// web is what can be searched and fetched. Other URLs answer 404.
type web struct {
	mu sync.Mutex
	// pages are the bodies by URL. Those that are not HTML begin with their media type.
	pages map[string]string
	// moved maps URLs to the targets of their redirects.
	moved map[string]string
	// failing are the errors by URL; "" is the error of searches.
	failing map[string]error
	fetched map[string]int
	queries []websearch.Query
	// most is the largest number of pages fetched at a time; fetches wait for waiting.
	under, most int
	waiting     chan struct{}
}

func newWeb() *web {
	return &web{pages: map[string]string{}, moved: map[string]string{}, failing: map[string]error{}, fetched: map[string]int{}}
}

// Search finds the pages that have all words of the query, in the order of the pages.
func (w *web) Search(ctx context.Context, q websearch.Query) ([]websearch.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queries = append(w.queries, q)
	if err := errors.Join(ctx.Err(), w.failing[""]); err != nil {
		return nil, err
	}
	var found []websearch.Result
	for i := range 100 {
		u := pageURL(i)
		if body, ok := w.pages[u]; ok && len(found) < q.Limit {
			found = append(found, websearch.Result{URL: u, Title: body[:min(len(body), 10)], Provider: "double"})
		}
	}
	return found, nil
}

func pageURL(i int) string { return fmt.Sprintf("https://pages.example/%d", i) }

// Page implements answers.Pages.
func (w *web) Page(ctx context.Context, _, address string, _ *membudget.Hold) (extract.Source, error) {
	w.mu.Lock()
	w.fetched[address]++
	w.under++
	w.most = max(w.most, w.under)
	waiting := w.waiting
	if to := w.moved[address]; to != "" {
		address = to
	}
	body, found := w.pages[address]
	err := w.failing[address]
	w.mu.Unlock()
	if waiting != nil {
		select {
		case <-waiting:
		case <-ctx.Done():
			err = problem.Wrap(problem.RequestTimeout, "The page was not loaded within the time limit. Nothing was charged.", ctx.Err())
		}
	}
	w.mu.Lock()
	w.under--
	w.mu.Unlock()
	mediaType, status := "text/html", 200
	if !found {
		status, body = 404, "<p>berths: 404</p>"
	}
	if kind, rest, ok := strings.Cut(body, "|"); ok {
		mediaType, body = kind, rest
	}
	return extract.Source{URL: address, StatusCode: status, MediaType: mediaType, Body: []byte(body)}, err
}

func (w *web) asked() (queries, fetches int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.fetched {
		fetches += n
	}
	return len(w.queries), fetches
}

// shelf holds the context files of teams.
type shelf map[string]shelved

type shelved struct{ team, content string }

func (s shelf) ContextSize(ctx context.Context, teamID, id string) (int64, error) {
	_, content, err := s.Context(ctx, teamID, id)
	return int64(len(content)), err
}

func (s shelf) Context(_ context.Context, teamID, id string) (string, []byte, error) {
	f, ok := s[id]
	switch {
	case !ok || f.team != teamID:
		return "", nil, problem.New(problem.FileNotFound, "There is no file with this id.")
	case f.content == "pending":
		return "", nil, problem.New(problem.InvalidState, "This file is not completed yet.")
	case f.content == "batch":
		return "", nil, problem.Validation(problem.BodyFault("file_id", "names a file with the purpose batch"))
	}
	return id + ".json", []byte(f.content), nil
}

// reader answers tasks from lines "name: value" of the sources that are given, named, or found by the words of the task.
type reader struct{}

func (reader) Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
	sources := world.Given()
	for word := range strings.FieldsSeq(task.Text) {
		if source, err := world.Open(ctx, word); err == nil {
			sources = append(sources, source)
		}
	}
	results, _ := world.Search(ctx, task.Text, 5) // the world reports failures itself
	var wg sync.WaitGroup
	opened := make([]*ask.Source, len(results))
	for i, r := range results {
		wg.Go(func() { opened[i], _ = world.Open(ctx, r.URL) })
	}
	wg.Wait()
	for _, source := range opened {
		if source != nil {
			sources = append(sources, source)
		}
	}
	var values []ask.Value
	for _, source := range sources {
		for _, field := range task.Format.Fields {
			if v, ok := valueOf(source, &field); ok {
				values = append(values, v)
			}
		}
	}
	kept, _ := ask.Check(task.Format, values, sources)
	return ask.Compose(task.Format, kept)
}

func valueOf(source *ask.Source, field *ask.Field) (ask.Value, bool) {
	for line := range strings.Lines(source.Document.Text) {
		line = strings.Trim(strings.ReplaceAll(line, `"`, ""), " ,\n")
		if text, ok := strings.CutPrefix(line, field.Name+": "); ok {
			encoded, err := json.Marshal(text)
			quote := field.Name + ": " + text
			if source.JSON != nil {
				quote = `"` + field.Name + `": ` + text
			}
			return ask.Value{Path: field.Path, JSON: encoded, URL: source.URL, Quote: quote}, err == nil
		}
	}
	return ask.Value{}, false
}

type answererFunc func(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error)

func (f answererFunc) Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
	return f(ctx, task, world)
}

// place is a service with its database and blobs, and the web it uses.
type place struct {
	t       testing.TB
	pool    *pgxpool.Pool
	blobs   *blob.Store
	service *answers.Service
	clock   *clocktest.Clock
	web     *web
	shelf   shelf
	team    string
}

func newPlace(t testing.TB, change ...func(*answers.Config)) *place {
	t.Helper()
	p := &place{t: t, clock: clocktest.At(time.Now()), web: newWeb(), shelf: shelf{}}
	var err error
	p.pool = pgtest.Open(t, pgtest.New(t, migrate), nil)
	p.blobs, err = blob.Open(t.Context(), "mem://")
	must(t, err)
	signer, err := blob.NewSigner(blob.SignerConfig{Secret: []byte(strings.Repeat("s", 32)), BaseURL: "https://api.example.com", Now: p.clock.Now})
	must(t, err)
	config := answers.Config{
		Queries: db.New(p.pool), Searcher: p.web, Pages: p.web, Files: p.shelf, Answerer: reader{}, Blobs: p.blobs, Signer: signer,
		Memory: membudget.NewBudget(0), Logger: slog.New(slog.DiscardHandler), Now: p.clock.Now,
	}
	for _, f := range change {
		f(&config)
	}
	p.service, err = answers.New(config)
	must(t, err)
	p.team = p.newTeam()
	return p
}

func (p *place) newTeam() string {
	p.t.Helper()
	id := "team_" + uuid.NewString()
	_, err := db.New(p.pool).CreateTeam(context.Background(), db.CreateTeamParams{ID: id})
	must(p.t, err)
	return id
}

// subscriber is a principal whose request has paid.
func (p *place) subscriber() *principal.Caller {
	id := uuid.NewString()
	c := &principal.Caller{
		Kind: edgewire.PayerTeam, TeamID: p.team, IdentityID: id, HoldID: id, Unit: edgewire.UnitCredit, Credits: price, Covered: price,
	}
	c.SetCost(price)
	return c
}

func (p *place) create(c *principal.Caller, r answers.Request) *answers.Answer {
	p.t.Helper()
	a, err := p.service.Create(p.t.Context(), c, &r)
	must(p.t, err)
	return a
}

func (p *place) refused(c *principal.Caller, r answers.Request, code problem.Code, parts ...string) *problem.Error {
	p.t.Helper()
	a, err := p.service.Create(p.t.Context(), c, &r)
	if err == nil || problem.From(err).Code != code {
		p.t.Fatalf("got %+v and %v, want %s", a, err, code)
	}
	e := problem.From(err)
	for _, part := range parts {
		if !strings.Contains(e.Detail, part) {
			p.t.Errorf("got %q, want %q in it", e.Detail, part)
		}
	}
	return e
}

// states counts all answers by state and price.
func (p *place) states() map[string]int {
	p.t.Helper()
	rows, err := p.pool.Query(p.t.Context(), `select status || ' ' || coalesce(error_code, '') || ' ' || credits_consumed from answer`)
	must(p.t, err)
	defer rows.Close()
	states := map[string]int{}
	for rows.Next() {
		var state string
		must(p.t, rows.Scan(&state))
		states[state]++
	}
	must(p.t, rows.Err())
	return states
}

func format(text string) answers.FormatInput { return answers.FormatInput(text) }

func jsonOf(t testing.TB, a *answers.Answer) string {
	t.Helper()
	if a.Result.JSON == nil {
		t.Fatalf("got %+v, want content", a)
	}
	return *a.Result.JSON
}

// await polls until so returns true.
func (p *place) await(so func() bool) {
	p.t.Helper()
	for !so() {
		select {
		case <-p.t.Context().Done():
			p.t.Fatal("it never was")
		default:
			runtime.Gosched()
		}
	}
}
