package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// world is a simulated web.
type world struct {
	t  testing.TB
	mu sync.Mutex
	// pages are bodies by URL. Unknown URLs are 404; a body that begins with "!" is an error with that text.
	pages map[string]string
	// answers are the next bodies of a page, in order. After them, pages applies.
	answers map[string][]string
	// redirects maps URLs to their targets.
	redirects map[string]string
	// leadsAway is a page that redirects to a foreign site when it is fetched again.
	leadsAway string
	site      []string
	siteErr   error
	results   []string
	searchErr error
	// says is the model's reply; "" means no model.
	says string
	// conditional makes hosts send validators.
	conditional bool
	prices      map[run.Kind]money.Credits
	fieldsPrice money.Credits
	// fetched are the URLs fetched in a run, and again those fetched once more in it.
	fetched, again []string
	now            time.Time
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{
		t: t, pages: map[string]string{}, answers: map[string][]string{}, redirects: map[string]string{}, now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		prices: map[run.Kind]money.Credits{run.KindDiscover: 1, run.KindSearch: 5, run.KindFetch: 1}, fieldsPrice: 20,
	}
}

func (w *world) Price(_ context.Context, kind run.Kind, extracts bool) (money.Credits, error) {
	if extracts {
		return w.fieldsPrice, nil
	}
	return w.prices[kind], nil
}

func (w *world) Discover(_ context.Context, d run.Discovery) ([]string, error) {
	return w.site[:min(len(w.site), d.Limit)], w.siteErr
}

func (w *world) Search(context.Context, run.Search) ([]string, error) { return w.results, w.searchErr }

func (w *world) Fetch(ctx context.Context, f run.Fetch) (run.Page, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return run.Page{}, err
	}
	if slices.Contains(w.fetched, f.URL) {
		w.again = append(w.again, f.URL)
		if f.Validators != (run.Validators{}) {
			w.t.Errorf("%s was looked at again with %+v", f.URL, f.Validators)
		}
	} else {
		w.fetched = append(w.fetched, f.URL)
	}
	at := f.URL
	if at == w.leadsAway && slices.Contains(w.again, at) {
		return run.Page{}, f.Allow("https://evil.example/")
	}
	if to := w.redirects[at]; to != "" {
		if err := f.Allow(to); err != nil {
			return run.Page{}, fmt.Errorf("following: %w", err)
		}
		at = to
	}
	body, ok := w.pages[at]
	if next := w.answers[at]; len(next) > 0 {
		body, w.answers[at] = next[0], next[1:]
	}
	if text, failed := strings.CutPrefix(body, "!"); failed {
		return run.Page{}, problem.New(problem.FetchFailed, text)
	}
	if !ok {
		return run.Page{Source: extract.Source{URL: at, StatusCode: http.StatusNotFound}}, nil
	}
	page := run.Page{Source: extract.Source{URL: at, StatusCode: http.StatusOK, MediaType: "text/html", Body: []byte(body)}}
	if w.conditional {
		page.Validators.ETag = fmt.Sprintf("%q", fmt.Sprint(len(body), body))
		if f.Validators.ETag == page.Validators.ETag {
			return run.Page{NotModified: true}, nil
		}
	}
	return page, nil
}

func (w *world) Read(ctx context.Context, r run.Reading) (compare.Page, error) {
	document, err := extract.Read(ctx, r.Page.Source, compare.ReadOptions(r.Page.Source.URL))
	if err != nil {
		return compare.Page{}, err
	}
	page := compare.PageOf(r.URL, document)
	if len(r.Schema) == 0 {
		return page, nil
	}
	schema, err := jsonschema.CompileObject(r.Schema)
	if err != nil {
		return page, err
	}
	learned, err := reader.Shipped()
	if err != nil {
		return page, err
	}
	page.Data, err = reader.New(learned).Fill(ctx, schema, r.Page.Source, document)
	return page, err
}

func (w *world) Summarize(context.Context, run.Summary) (string, bool) { return w.says, w.says != "" }

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time.Second)
	return w.now
}

// page is a page of some length, with blocks that package compare recognises.
func page(title string, lines ...string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<!doctype html><html><head><title>%s</title></head><body><main><h1>%s</h1>", title, title)
	for _, line := range lines {
		fmt.Fprintf(&out, "<p>%s</p>", line)
	}
	out.WriteString("<p>This is a page of a shop that sells lamps for the table, the wall and the ceiling, and has done so for years.</p></main></body></html>")
	return out.String()
}

// planOf is the plan made by rules.
func planOf(t testing.TB, r plan.Request) plan.Plan {
	t.Helper()
	p, err := plan.NewPlanner(nil, plan.Options{}, slog.New(slog.DiscardHandler)).Plan(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// monitor runs a plan repeatedly, storing its state in between.
type monitor struct {
	t      testing.TB
	world  *world
	plan   plan.Plan
	state  json.RawMessage
	limits run.Limits
}

func watch(t testing.TB, w *world, r plan.Request) *monitor {
	t.Helper()
	m := &monitor{t: t, world: w, plan: planOf(t, r), state: json.RawMessage(`{}`)}
	most, _, err := run.Estimate(t.Context(), m.plan, w, m.limits)
	if err != nil {
		t.Fatal(err)
	}
	m.limits.Credits = most
	return m
}

func (m *monitor) try() (run.Outcome, error) {
	m.t.Helper()
	var before run.Previous
	if err := json.Unmarshal(m.state, &before); err != nil {
		m.t.Fatal(err)
	}
	m.world.fetched, m.world.again = nil, nil
	o, err := run.Execute(m.t.Context(), m.plan, m.world, before, m.limits, m.world.clock)
	if o.Credits > m.limits.Credits {
		m.t.Errorf("the run spent %d of %d credits", o.Credits, m.limits.Credits)
	}
	var sum money.Credits
	for _, step := range o.Steps {
		sum += step.Credits
		if step.StartedAt.IsZero() || step.EndedAt.Before(step.StartedAt) {
			m.t.Errorf("step %s from %s to %s", step.ID, step.StartedAt, step.EndedAt)
		}
	}
	if sum != o.Credits {
		m.t.Errorf("steps cost %d, the run %d", sum, o.Credits)
	}
	if m.state, _ = json.Marshal(o.Next); len(m.state) == 0 {
		m.t.Fatal("the state cannot be written")
	}
	return o, err
}

func (m *monitor) run() run.Outcome {
	m.t.Helper()
	o, err := m.try()
	if err != nil {
		m.t.Fatalf("%v: %+v", err, o.Steps)
	}
	return o
}

// baseline is the first run.
func (m *monitor) baseline() run.Outcome {
	m.t.Helper()
	o := m.run()
	if !o.Baseline || o.Changed || o.Notify || len(o.Snapshot) == 0 || len(o.Diff) == 0 {
		m.t.Fatalf("the baseline: got %+v", o)
	}
	return o
}

func (m *monitor) unchanged() run.Outcome {
	m.t.Helper()
	o := m.run()
	if o.Changed || o.Notify {
		m.t.Fatalf("got a change: %s", o.Diff)
	}
	return o
}

func (m *monitor) changed(words ...string) run.Outcome {
	m.t.Helper()
	o := m.run()
	if !o.Changed || !o.Notify {
		m.t.Fatalf("got no change: %s %+v", o.Diff, o.Steps)
	}
	for _, word := range words {
		if !strings.Contains(string(o.Diff), word) {
			m.t.Errorf("got %s, want %q in it", o.Diff, word)
		}
	}
	return o
}

func stepOf(t testing.TB, o run.Outcome, kind plan.NodeType) run.Step {
	t.Helper()
	for _, step := range o.Steps {
		if step.Type == kind {
			return step
		}
	}
	t.Fatalf("no step %s in %+v", kind, o.Steps)
	return run.Step{}
}
