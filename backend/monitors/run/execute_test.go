package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
)

const lampURL = "https://shop.example/lamp"

var lamp = plan.Request{Query: "Tell me when the price on " + lampURL + " changes"}

func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pages[lampURL] = page("Lamp", "Price: €49.00", "In stock")
	m := watch(t, w, lamp)
	o := m.baseline()
	if o.Credits != 1 || o.Pages != 1 || !strings.HasPrefix(o.Summary, "This is the first run: 1 page was read") {
		t.Errorf("got %+v", o)
	}
	m.unchanged()
	w.pages[lampURL] = page("Lamp", "Price: €39.00", "In stock")
	if o := m.changed("39"); o.Credits != 1 || o.Unified == "" || o.Summary == "" {
		t.Errorf("got %+v", o)
	}
	m.unchanged()
	var kinds []plan.NodeType
	for _, step := range o.Steps {
		kinds = append(kinds, step.Type)
		if step.Status != run.StepSucceeded && step.Type != plan.NodeSummarize {
			t.Errorf("got %+v", step)
		}
	}
	if want := []plan.NodeType{plan.NodeFetch, plan.NodeExtract, plan.NodeCompare, plan.NodeSummarize, plan.NodeNotify}; !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.conditional = true
	w.pages[lampURL] = page("Lamp", "Price: €49.00")
	m := watch(t, w, lamp)
	m.baseline()
	if o := m.unchanged(); o.NotModified != 1 || o.Pages != 1 || o.Credits != 1 {
		t.Errorf("got %+v", o)
	}
	w.pages[lampURL] = page("Lamp", "Price: €39.00")
	if o := m.changed(); o.NotModified != 0 {
		t.Errorf("got %+v", o)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.conditional = true
	w.pages[lampURL] = page("Lamp", "<b>Price</b>: €49.00", "Visitors: 12")
	r := lamp
	r.OutputSchema = json.RawMessage(`{"type":"object","properties":{"price":{"type":"number"}}}`)
	m := watch(t, w, r)
	if m.limits.Credits != 20 {
		t.Errorf("got %d credits at most", m.limits.Credits)
	}
	if o := m.baseline(); o.Credits != 20 || !strings.Contains(string(o.Snapshot), `"price":49`) {
		t.Errorf("got %+v %s", o, o.Snapshot)
	}
	if o := m.unchanged(); o.Credits != 1 { // nothing was extracted
		t.Errorf("got %+v", o)
	}
	w.pages[lampURL] = page("Lamp", "<b>Price</b>: €49.00", "Visitors: 13")
	m.unchanged()
	w.pages[lampURL] = page("Lamp", "<b>Price</b>: €39.00", "Visitors: 14")
	m.changed("price", "39")
}

// TestFailedPageIsNotRemoved: one of two pages fails for a while, and changes meanwhile.
func TestFailedPageIsNotRemoved(t *testing.T) {
	t.Parallel()
	const other = "https://other.example/lamp"
	for name, failure := range map[string]string{"unreachable": "!the host cannot be reached", "not found": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.pages[lampURL], w.pages[other] = page("Lamp", "Price: €49.00"), page("Other", "Price: €59.00")
			m := watch(t, w, plan.Request{Query: "the price on " + lampURL + " and " + other})
			m.baseline()
			kept := w.pages[other]
			if w.pages[other] = failure; failure == "" {
				delete(w.pages, other)
			}
			for range 2 {
				o := m.unchanged()
				if step := stepOf(t, o, plan.NodeFetch); o.Failed != 1 || o.Credits != 1 || step.Status != run.StepPartial || len(step.Errors) != 1 {
					t.Errorf("got %+v", o)
				}
			}
			w.pages[other] = kept
			m.unchanged()
			w.pages[other] = failure
			if failure == "" {
				delete(w.pages, other)
			}
			m.unchanged()
			w.pages[other] = page("Other", "Price: €57.00")
			m.changed("57")
		})
	}
}

// TestPageThatFailedAtFirst: a page that failed in the baseline is no change when it is first read.
func TestPageThatFailedAtFirst(t *testing.T) {
	t.Parallel()
	const other = "https://other.example/lamp"
	w := newWorld(t)
	w.pages[lampURL], w.pages[other] = page("Lamp", "Price: €49.00"), "!the host cannot be reached"
	m := watch(t, w, plan.Request{Query: "the price on " + lampURL + " and " + other})
	m.baseline()
	w.pages[other] = page("Other", "Price: €59.00")
	m.unchanged()
	w.pages[other] = page("Other", "Price: €57.00")
	m.changed("57")
}

func TestFailedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pages[lampURL] = page("Lamp", "Price: €49.00")
	m := watch(t, w, lamp)
	m.baseline()
	before := string(m.state)
	w.pages[lampURL] = "!the host cannot be reached"
	o, err := m.try()
	said, ok := errors.AsType[*problem.Error](err)
	if !ok || said.Code != problem.FetchFailed || !strings.Contains(said.Detail, "cannot be reached") {
		t.Fatalf("got %v", err)
	}
	if o.Credits != 0 || o.Changed || o.Notify || o.Snapshot != nil || string(m.state) != before || o.Summary != said.Detail {
		t.Errorf("got %+v", o)
	}
	if step := o.Steps[len(o.Steps)-1]; step.Status != run.StepSkipped {
		t.Errorf("got %+v", step)
	}
	w.pages[lampURL] = page("Lamp", "Price: €39.00")
	m.changed("39")
}

func TestPolicyHoldsAtEachFetch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pages[lampURL], w.pages["https://evil.example/"] = page("Lamp", "Price: €49.00"), page("Evil", "Price: €1.00")
	m := watch(t, w, plan.Request{Query: lamp.Query, SourcePolicy: plan.SourcePolicy{IncludeDomains: []string{"shop.example"}}})
	m.baseline()
	w.redirects[lampURL] = "https://evil.example/"
	o, err := m.try()
	if err == nil || !strings.Contains(o.Summary, "source_policy") || o.Credits != 0 {
		t.Errorf("got %v %+v", err, o)
	}
	w.results = []string{"https://evil.example/", lampURL}
	s := watch(t, w, plan.Request{Query: "the price of lamps", SourcePolicy: plan.SourcePolicy{ExcludeDomains: []string{"evil.example"}}})
	delete(w.redirects, lampURL)
	s.baseline()
	if !slices.Equal(w.fetched, []string{lampURL}) {
		t.Errorf("fetched %q", w.fetched)
	}
	s.plan.DAG.Graph.Nodes = slices.Clone(s.plan.DAG.Graph.Nodes)
	s.plan.DAG.Graph.Nodes[1].Params.URLs = []string{"https://evil.example/"}
	if _, err := s.try(); err == nil {
		t.Error("a plan whose target is outside of its policy was run")
	}
}

// TestNewPosts watches a growing blog.
func TestNewPosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const blog = "https://shop.example/blog"
	post := func(n int) string { return fmt.Sprintf("%s/post-%d", blog, n) }
	w.pages[blog] = page("Blog", "Here we write of lamps.")
	for n := range 40 {
		w.site = append(w.site, post(n))
		w.pages[post(n)] = page(fmt.Sprintf("Post %d", n), fmt.Sprintf("The number of lamps in post %d", n))
	}
	m := watch(t, w, plan.Request{Query: "new posts on " + blog})
	if o := m.baseline(); o.Pages != 26 || o.Credits != 27 {
		t.Errorf("got %d pages for %d credits", o.Pages, o.Credits)
	}
	if o := m.unchanged(); o.Credits != 2 || !slices.Equal(w.fetched, []string{blog}) {
		t.Errorf("got %d credits, fetched %q", o.Credits, w.fetched)
	}
	w.site = append([]string{post(100), post(101)}, w.site...)
	w.pages[post(100)] = page("Post 100", "A new lamp for the garden is here.")
	w.pages[post(101)] = "!the host cannot be reached"
	if o := m.changed("Post 100"); o.Credits != 3 {
		t.Errorf("got %d credits", o.Credits)
	}
	w.pages[post(101)] = page("Post 101", "A lamp for the kitchen.")
	m.changed("Post 101")
	m.unchanged()
	w.siteErr = problem.New(problem.FetchFailed, "The site cannot be reached.")
	if o := m.unchanged(); stepOf(t, o, plan.NodeDiscover).Status != run.StepFailed || o.Credits != 1 {
		t.Errorf("got %+v", o)
	}
}

// TestSite watches all pages of a site: they change, appear and disappear.
func TestSite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const start = "https://docs.example.com/"
	w.site = []string{start}
	w.pages[start] = page("Documentation", "Begin here, with the first of many chapters.")
	for n := range 4 {
		at := fmt.Sprintf("%schapter-%d", start, n)
		w.site = append(w.site, at)
		w.pages[at] = page(fmt.Sprintf("Chapter %d", n), fmt.Sprintf("What there is to say in chapter %d", n))
	}
	m := watch(t, w, plan.Request{Query: "any page of docs.example.com"})
	m.baseline()
	m.unchanged()
	w.pages[start+"chapter-2"] = page("Chapter 2", "Something else is said here now")
	m.changed("chapter-2")
	w.site, w.pages[start+"chapter-9"] = append(w.site, start+"chapter-9"), page("Chapter 9", "It is new.")
	m.changed("chapter-9")
	delete(w.pages, start+"chapter-1") // gone, but still listed
	m.unchanged()
	w.site = slices.DeleteFunc(w.site, func(at string) bool { return strings.HasSuffix(at, "chapter-1") })
	m.changed("chapter-1")
	m.unchanged()
}

func TestSearchKeepsToItsPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(n int) string { return fmt.Sprintf("https://site%d.example/lamp", n) }
	for n := range 12 {
		w.pages[at(n)] = page(fmt.Sprintf("Lamp %d", n), fmt.Sprintf("Price: €%d9.00", n+1))
	}
	w.results = []string{at(0), at(1), at(2), at(3), at(4), at(5)}
	m := watch(t, w, plan.Request{Query: "the price of the Lumen table lamp"})
	if o := m.baseline(); o.Credits != 10 || o.Pages != 5 {
		t.Errorf("got %d credits for %d pages", o.Credits, o.Pages)
	}
	w.results = []string{at(6), at(7), at(3), at(8), at(9)}
	if m.unchanged(); len(w.fetched) != 5 || slices.Contains(w.fetched, at(6)) {
		t.Errorf("fetched %q", w.fetched)
	}
	delete(w.pages, at(1))
	m.unchanged()
	m.unchanged()
	w.pages[at(2)] = page("Lamp 2", "Price: €31.00")
	m.changed("31")
}

func TestNothingIsSpentBeyondTheHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var query strings.Builder
	for n := range 10 {
		at := fmt.Sprintf("https://site%d.example/lamp", n)
		query.WriteString(at + " ")
		w.pages[at] = page("Lamp", fmt.Sprintf("Price: €%d9.00", n+1))
	}
	m := watch(t, w, plan.Request{Query: query.String()})
	if m.limits.Credits != 10 {
		t.Errorf("got %d credits at most", m.limits.Credits)
	}
	m.limits.Credits = 3
	if o := m.baseline(); o.Credits != 3 || o.Pages != 3 || len(w.fetched) != 3 || len(stepOf(t, o, plan.NodeFetch).Errors) != 7 {
		t.Errorf("got %+v", o)
	}
	m.limits.Credits = 10
	m.unchanged() // a page that is new to the monitor is no change
	m.limits.Credits = 0
	if o, err := m.try(); err == nil || o.Credits != 0 {
		t.Errorf("got %+v", o)
	}
}

func TestPagesAndBytesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 100 {
		at := fmt.Sprintf("https://docs.example.com/%d", n)
		w.site = append(w.site, at)
		w.pages[at] = page(fmt.Sprint("Page ", n), strings.Repeat("word ", 2000))
	}
	m := watch(t, w, plan.Request{Query: "any page of docs.example.com"})
	m.limits.Pages = 7
	if o := m.run(); len(w.fetched) != 7 || o.Pages != 6 {
		t.Errorf("fetched %d, read %d", len(w.fetched), o.Pages)
	}
	m.limits.Pages, m.limits.Bytes = 0, 30_000
	if m.run(); len(w.fetched) > 8 {
		t.Errorf("fetched %d", len(w.fetched))
	}
}

func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(t)
	w.pages[lampURL] = page("Lamp")
	if _, err := run.Execute(ctx, planOf(t, lamp), w, run.Previous{}, run.Limits{Credits: 1}, w.clock); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := run.Execute(t.Context(), planOf(t, lamp), w, run.Previous{Snapshot: json.RawMessage(`[]`)}, run.Limits{Credits: 1}, w.clock)
	if said, ok := errors.AsType[*problem.Error](err); !ok || said.Code != problem.From(err).Code || len(w.fetched) > 0 {
		t.Errorf("got %v", err)
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][2]int64{
		"https://a.example/":                        {1, 1},
		"https://a.example/ and https://b.example/": {2, 2},
		"new posts on a.example/blog":               {27, 2},
		"any page of a.example":                     {27, 27},
		"the price of lamps":                        {10, 10},
	} {
		most, usual, err := run.Estimate(t.Context(), planOf(t, plan.Request{Query: query}), newWorld(t), run.Limits{})
		if err != nil || int64(most) != want[0] || int64(usual) != want[1] {
			t.Errorf("%s: got %d and %d, %v, want %v", query, most, usual, err, want)
		}
	}
}
