//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/llm/llmdouble"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// grounds is a site with everything that a monitor meets: links, pages that robots.txt or a source policy excludes,
// redirects to another host, and a page that changes.
type grounds struct {
	*crew
	*keeper

	price atomic.Int64
	// strayed counts the requests to the other host.
	strayed atomic.Int64
	spent   money.Credits
}

func newGrounds(t *testing.T, env ...string) *grounds {
	t.Helper()
	f := &grounds{}
	f.price.Store(49)
	shelf := newShelf(t, nil)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:"+shelf.port)
	if err != nil {
		t.Fatal(err)
	}
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f.strayed.Add(1)
		fmt.Fprint(w, "<h1>Elsewhere</h1>")
	}))
	_ = other.Listener.Close()
	other.Listener = l
	other.Start()
	t.Cleanup(other.Close)
	shelf.leads = func(path string) string {
		if path == "/docs/away" {
			return "http://127.0.0.2:" + shelf.port + "/elsewhere"
		}
		return ""
	}
	shelf.html = func(path string) string {
		link := func(to string) string { return fmt.Sprintf(`<p><a href="/docs/%s">The page about %[1]s</a></p>`, to) }
		switch path {
		case "/robots.txt":
			return "User-agent: *\nDisallow: /docs/private/\n"
		case "/docs":
			return "<!doctype html><title>Docs</title><main><h1>Docs</h1>" + link("a") + link("b") + link("private/c") + link("out/d") + link("away") + "</main>"
		case "/docs/b":
			return fmt.Sprintf(lampPage, f.price.Load(), 1)
		case "/docs/a", "/docs/private/c", "/docs/out/d", "/docs/out/deep", "/air/zeppelin", "/docs/private/zeppelin":
			return fmt.Sprintf(`<!doctype html><title>Zeppelin</title><main><h1>About %s</h1><p>The departure of the zeppelin of Friedrichshafen is at nine.</p>
				<a href="/docs/out/deep">Further</a></main>`, path)
		}
		return ""
	}
	f.crew = newCrew(t, setup(t).withDatabase(t), shelf, 1, append([]string{"TURNPIKE_SEARCH_PROVIDERS=local", "TURNPIKE_HOST_RATE=off"}, env...)...)
	f.stack.edge = f.edge.URL("")
	f.keeper = &keeper{f.crew.purse(t, 1000), t}
	return f
}

// ranAs is a run with its cost.
type ranAs struct {
	ID, Status, Error, Summary string
	Changed                    bool
	Credits                    money.Credits `json:"credits_consumed"`
	Steps                      []struct {
		Type, Status, Detail string
		Credits              money.Credits
		Errors               []string
	}
}

// errors returns the errors of all steps.
func (r *ranAs) errors() (all []string) {
	for _, step := range r.Steps {
		all = append(all, step.Errors...)
	}
	return all
}

// last returns a monitor's last run. The run must have cost the sum of its steps: that is captured, and nothing is held.
func (f *grounds) last(path string) (r ranAs) {
	f.t.Helper()
	var list struct{ Data []ranAs }
	f.get(path+"/runs").json(f.t, &list)
	if len(list.Data) == 0 {
		f.t.Fatalf("there is no run of %s", path)
	}
	f.get(path+"/runs/"+list.Data[0].ID).json(f.t, &r)
	var sum money.Credits
	for _, step := range r.Steps {
		sum += step.Credits
	}
	hold, err := credits.NewLedger(f.pool).JobHold(f.t.Context(), r.ID)
	if err != nil || hold.State != "closed" || hold.Captured != sum || r.Credits != sum || sum > hold.Amount {
		f.t.Errorf("got a hold %+v, %v of a run for %d, want the sum of its steps, %d", hold, err, r.Credits, sum)
	}
	f.spent += sum
	f.wantSpent(f.t, f.spent)
	return r
}

// wantSteps checks the cost of a run by the types of its steps.
func (f *grounds) wantSteps(r ranAs, want map[string]money.Credits) {
	f.t.Helper()
	got := map[string]money.Credits{}
	for _, step := range r.Steps {
		got[step.Type] += step.Credits
	}
	for kind, credits := range want {
		if got[kind] != credits {
			f.t.Errorf("%s: got %d credits, want %d: %+v", kind, got[kind], credits, r.Steps)
		}
	}
	if r.Status != "completed" {
		f.t.Errorf("got a run that has %s: %s", r.Status, r.Error)
	}
}

// wantKeptOut checks that nothing excluded by robots.txt or the policy was fetched.
func (f *grounds) wantKeptOut() {
	f.t.Helper()
	for _, path := range []string{"/docs/private/c", "/docs/out/d", "/docs/out/deep"} {
		if n := f.shelf.asked(path); n != 0 {
			f.t.Errorf("%s was fetched %d times, want never", path, n)
		}
	}
	if n := f.strayed.Load(); n != 0 {
		f.t.Errorf("the other host was asked %d times, want never", n)
	}
}

// TestMonitorOfASite shows that a monitored site costs its listing and the pages read. URLs that robots.txt or the source
// policy excludes, or that redirect off the site, are never fetched and cost nothing.
func TestMonitorOfASite(t *testing.T) {
	t.Parallel()
	f := newGrounds(t)
	path := f.until(f.makes(fmt.Sprintf(`{"query": "Tell me when any page of %s/docs changes", "frequency": "every day",
		"source_policy": {"include_domains": ["127.0.0.1"], "exclude_urls": ["/docs/out/**"]}}`, f.shelf.url)), 1)
	var plan struct {
		DAG struct {
			Graph      struct{ Nodes []struct{ Type string } }
			Validation struct {
				IsValid bool `json:"is_valid"`
			}
		}
	}
	f.get(path+"/planning").json(t, &plan)
	if nodes := plan.DAG.Graph.Nodes; len(nodes) < 2 || nodes[0].Type != "discover" || nodes[1].Type != "fetch" || !plan.DAG.Validation.IsValid {
		t.Errorf("got %+v, want a site's", plan)
	}
	want := map[string]money.Credits{"discover": 1, "fetch": 3} // the list, a and b; refused URLs are free
	first := f.last(path)
	f.wantSteps(first, want)
	f.price.Store(39)
	f.runs(path, 2)
	second := f.last(path)
	if f.wantSteps(second, want); !second.Changed || !strings.Contains(second.Summary, "39") {
		t.Errorf("got %+v, want the change on a page that was found", second)
	}
	if all := strings.Join(second.errors(), "; "); !strings.Contains(all, "source_policy") {
		t.Errorf("got the errors %q, want that a redirect leads off source_policy", all)
	}
	f.wantKeptOut()

	// If every page is disallowed, the run fails with the reason, and is free.
	named := f.until(f.makes(fmt.Sprintf(`{"query": "the price on %s/docs/private/c", "frequency": "every day"}`, f.shelf.url)), 1)
	if r := f.last(named); r.Status != "failed" || !strings.Contains(r.Error+strings.Join(r.errors(), ";"), "robots.txt") || r.Credits != 0 {
		t.Errorf("got %+v, want that robots.txt disallows it", r)
	}
	f.wantKeptOut()
}

// TestMonitorOfASearch shows that a sentence without a URL searches the team's own index, and that the results are
// fetched except where robots.txt disallows it, even if they were scraped before.
func TestMonitorOfASearch(t *testing.T) {
	t.Parallel()
	f := newGrounds(t)
	for _, path := range []string{"/air/zeppelin", "/docs/private/zeppelin"} {
		body := fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["markdown"]}`, f.shelf.url+path)
		call{url: f.edge.URL("/v1/scrapes"), body: body}.with(f.bearer()...).do(t).wantStatus(t, http.StatusOK)
	}
	f.spent = 2
	eventually(t, "an index", func() error {
		var n int
		if err := f.pool.QueryRow(t.Context(), `select count(*) from search_page`).Scan(&n); err != nil || n < 2 {
			return fmt.Errorf("%d pages: %w", n, err)
		}
		return nil
	})
	asked := f.shelf.asked("/docs/private/zeppelin")
	path := f.until(f.makes(`{"query": "Track the departure of the zeppelin of Friedrichshafen", "frequency": "every day"}`), 1)
	var m watched
	if f.get(path).json(t, &m); m.Tracked.Type != "web_query" {
		t.Errorf("got %+v, want a search", m)
	}
	r := f.last(path)
	f.wantSteps(r, map[string]money.Credits{"search": 5, "fetch": 1})
	if all := strings.Join(r.errors(), "; "); !strings.Contains(all, "robots.txt") || f.shelf.asked("/docs/private/zeppelin") != asked || f.shelf.asked("/air/zeppelin") != 1+1+4 { // the scrape, the run, and the four further fetches of its first look
		t.Errorf("got %q, and %d visits to what is disallowed, want none", all, f.shelf.asked("/docs/private/zeppelin")-asked)
	}
	f.wantKeptOut()
}

// TestMonitorByAModel shows that a configured model makes the plan, which is validated, corrected if invalid, and run
// like any other; and that the model summarizes the change.
func TestMonitorByAModel(t *testing.T) {
	t.Parallel()
	const reasoning, summary = "The lamp's page is read each time.", "The price has gone from €49.00 to €39.00."
	var page atomic.Value
	double := llmdouble.New(t, llm.OpenAI, func(_ int, r llmdouble.Request) llmdouble.Turn {
		if !r.Object {
			return llmdouble.Turn{Text: summary}
		}
		address := page.Load().(string)
		if len(r.Messages) == 1 {
			address = "http://elsewhere.example/" // outside the policy
		}
		return llmdouble.Turn{Text: modelsPlan(address, reasoning)}
	})
	f := newGrounds(t, "TURNPIKE_LLM_PROVIDER=openai", "TURNPIKE_LLM_URL="+double.URL+"/v1", "TURNPIKE_LLM_KEY="+llmdouble.Key, "TURNPIKE_LLM_MODEL=toy-1")
	page.Store(f.shelf.url + "/docs/b")
	path := f.until(f.makes(fmt.Sprintf(`{"query": "the price on %s/docs/b", "frequency": "every day", "source_policy": {"include_domains": ["127.0.0.1"]}}`,
		f.shelf.url)), 1)
	var plan struct {
		Spec struct{ Reasoning, Status string }
		DAG  struct {
			Graph      struct{ Nodes []struct{ ID string } }
			Validation struct {
				IsValid  bool `json:"is_valid"`
				Attempts int
				History  []struct {
					By      string
					IsValid bool `json:"is_valid"`
				}
			}
		}
	}
	got := f.get(path + "/planning")
	got.json(t, &plan)
	v := plan.DAG.Validation
	if plan.Spec.Reasoning != reasoning || plan.Spec.Status != "ready" || !v.IsValid || v.Attempts != 2 || v.History[0].IsValid || v.History[1].By != "model" ||
		len(plan.DAG.Graph.Nodes) != 5 || plan.DAG.Graph.Nodes[0].ID != "lamp" {
		t.Errorf("got %s, want the model's second plan", got.body)
	}
	f.wantSteps(f.last(path), map[string]money.Credits{"fetch": 1})
	f.price.Store(39)
	f.runs(path, 2)
	r := f.last(path)
	if f.wantSteps(r, map[string]money.Credits{"fetch": 1}); !r.Changed || r.Summary != summary ||
		!slices.ContainsFunc(double.Requests(), func(r llmdouble.Request) bool { return !r.Object && strings.Contains(r.Last().Text, "39") }) {
		t.Errorf("got %+v, want a change in the model's words", r)
	}
}

// modelsPlan returns a model's plan for a page.
func modelsPlan(address, reasoning string) string {
	params := func(with map[string]any) map[string]any {
		all := map[string]any{
			"url": "", "include": []string{}, "query": "", "include_domains": []string{}, "exclude_domains": []string{}, "urls": []string{}, "limit": 0, "mode": "",
			"focus": []string{}, "when": "",
		}
		maps.Copy(all, with)
		return all
	}
	node := func(id, kind string, with map[string]any) map[string]any {
		return map[string]any{"id": id, "type": kind, "label": "The " + kind, "params": params(with)}
	}
	text, err := json.Marshal(map[string]any{
		"reasoning": reasoning, "goal": "Tell of the price.", "constraints": "", "assumptions": "", "intent_mode": "state", "stream_change": "none",
		"unresolved": []any{},
		"nodes": []any{
			node("lamp", "fetch", map[string]any{"urls": []string{address}, "limit": 1}), node("words", "extract", map[string]any{"mode": "content"}),
			node("same", "compare", map[string]any{"mode": "content", "focus": []string{"price"}}), node("say", "summarize", nil),
			node("tell", "notify", map[string]any{"when": "changed"}),
		},
		"edges": []map[string]string{
			{"from": "lamp", "to": "words"}, {"from": "words", "to": "same"}, {"from": "same", "to": "say"}, {"from": "say", "to": "tell"},
		},
	})
	if err != nil {
		panic(err) // strings and lists of strings always encode
	}
	return string(text)
}
