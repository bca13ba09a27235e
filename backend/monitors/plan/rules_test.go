package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func planner(model llm.Chatter) *plan.Planner {
	return plan.NewPlanner(model, plan.Options{Now: func() time.Time { return noon }}, slog.New(slog.DiscardHandler))
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		query  string
		policy plan.SourcePolicy
		schema string

		kind       plan.TrackedType
		urls       []string
		search     string
		mode       plan.IntentMode
		change     plan.StreamChange
		focus      []string
		unresolved []string
	}{
		{
			query: "Tell me when the price on https://shop.example/lamp?id=7 changes",
			kind:  plan.TrackedURLs, urls: []string{"https://shop.example/lamp?id=7"}, focus: []string{"price"},
		},
		{
			query: "Is the lamp on shop.example.com/lamp in stock again, and at which cost?",
			kind:  plan.TrackedURLs, urls: []string{"https://shop.example.com/lamp"}, focus: []string{"price", "cost", "stock"},
		},
		{
			query: "Tell me of new posts on example.com/blog",
			kind:  plan.TrackedSite, urls: []string{"https://example.com/blog"}, mode: plan.IntentStream, change: plan.StreamAdded,
		},
		{
			query: "notify me if any page of docs.example.com changes",
			kind:  plan.TrackedSite, urls: []string{"https://docs.example.com/"},
		},
		{
			query: "new job openings at https://acme.example/careers",
			kind:  plan.TrackedURLs, urls: []string{"https://acme.example/careers"}, mode: plan.IntentStream, change: plan.StreamAdded,
		},
		{
			query: "Watch the page https://example.com/news for new articles",
			kind:  plan.TrackedURLs, urls: []string{"https://example.com/news"}, mode: plan.IntentStream, change: plan.StreamAdded,
		},
		{
			query: "Let me know when products are removed from https://example.com/catalogue",
			kind:  plan.TrackedURLs, urls: []string{"https://example.com/catalogue"}, mode: plan.IntentStream, change: plan.StreamRemoved,
		},
		{
			query: "Track the application deadline of the Rhodes scholarship",
			kind:  plan.TrackedWebQuery, search: "application deadline of the Rhodes scholarship", focus: []string{"deadline"},
		},
		{
			query: "Please tell me when there is a new version of PostgreSQL",
			kind:  plan.TrackedWebQuery, search: "new version of PostgreSQL", focus: []string{"version"},
		},
		{
			query: "Compare https://a.example/x, https://b.example/y and c.example (the title).",
			kind:  plan.TrackedURLs, urls: []string{"https://a.example/x", "https://b.example/y", "https://c.example/"}, focus: []string{"title"},
		},
		{
			query: "the price of the Pro plan on acme.com, but not on blog.acme.com",
			kind:  plan.TrackedURLs, urls: []string{"https://acme.com/"}, focus: []string{"price"},
		},
		{
			query: "the price of the lamp", policy: plan.SourcePolicy{IncludeURLs: []string{"https://shop.example/lamp"}},
			kind: plan.TrackedURLs, urls: []string{"https://shop.example/lamp"}, focus: []string{"price"},
		},
		{
			query: "the price of the lamp", policy: plan.SourcePolicy{IncludeURLs: []string{"https://shop.example/lamps/**"}},
			kind: plan.TrackedSite, urls: []string{"https://shop.example/lamps/"}, focus: []string{"price"},
		},
		{
			query: "the price of the lamp", policy: plan.SourcePolicy{IncludeDomains: []string{"shop.example"}},
			kind: plan.TrackedSite, urls: []string{"https://shop.example/"}, focus: []string{"price"},
		},
		{
			query: "the price on https://shop.example/lamp and on https://other.example/lamp", policy: plan.SourcePolicy{ExcludeDomains: []string{"other.example"}},
			kind: plan.TrackedURLs, urls: []string{"https://shop.example/lamp"}, focus: []string{"price"}, unresolved: []string{"https://other.example/lamp"},
		},
		{
			query: "the price on http://169.254.169.254/latest and https://shop.example/lamp",
			kind:  plan.TrackedURLs, urls: []string{"https://shop.example/lamp"}, focus: []string{"price"}, unresolved: []string{"http://169.254.169.254/latest"},
		},
		{
			query: "Every day, tell me when the price on https://shop.example/lamp drops below $50",
			kind:  plan.TrackedURLs, urls: []string{"https://shop.example/lamp"}, focus: []string{"price"}, unresolved: []string{"drops below $50", "Every day"},
		},
		{
			query: "https://shop.example/lamp", schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}`,
			kind: plan.TrackedURLs, urls: []string{"https://shop.example/lamp"}, focus: []string{"name", "price"},
		},
		{
			query: "Does the README.md or main.py on https://git.example/repo change? Write to me@example.com.",
			kind:  plan.TrackedURLs, urls: []string{"https://git.example/repo"},
		},
		{
			query: "https://shop.example/lamp “battery life”",
			kind:  plan.TrackedURLs, urls: []string{"https://shop.example/lamp"}, focus: []string{"battery life"},
		},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			p, err := planner(nil).Plan(t.Context(), plan.Request{Query: test.query, SourcePolicy: test.policy, OutputSchema: json.RawMessage(test.schema)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if faults := plan.Validate(p, nil); len(faults) > 0 {
				t.Errorf("faults %q", faults)
			}
			want := plan.Tracked{Type: test.kind, URLs: test.urls, WebQuery: test.search}
			if want.URLs == nil {
				want.URLs = []string{}
			}
			if !reflect.DeepEqual(p.Tracked, want) {
				t.Errorf("tracked: got %+v, want %+v", p.Tracked, want)
			}
			if test.mode == "" {
				test.mode, test.change = plan.IntentState, plan.StreamNone
			}
			if p.DAG.IntentMode != test.mode || p.DAG.StreamChangeType != test.change {
				t.Errorf("got %s %s, want %s %s", p.DAG.IntentMode, p.DAG.StreamChangeType, test.mode, test.change)
			}
			if !slices.Equal(p.Spec.Output.Focus, test.focus) {
				t.Errorf("focus: got %q, want %q", p.Spec.Output.Focus, test.focus)
			}
			var parts []string
			for _, u := range p.DAG.Unresolved {
				parts = append(parts, u.Part)
			}
			if !slices.Equal(parts, test.unresolved) || p.DAG.HasUnresolved != (len(parts) > 0) {
				t.Errorf("unresolved: got %q %v, want %q", parts, p.DAG.HasUnresolved, test.unresolved)
			}
			if v := p.DAG.Validation; !v.IsValid || v.Attempts != 1 || len(v.History) != 1 || v.History[0].By != plan.ByRules {
				t.Errorf("validation: got %+v", v)
			}
			if p.Spec.Status != plan.StatusReady || p.Spec.Goal == "" ||
				p.Spec.Reasoning == "" || p.Spec.Constraints == "" || p.Spec.Assumptions == "" || !p.Spec.SavedAt.Equal(noon) {
				t.Errorf("spec: got %+v", p.Spec)
			}
		})
	}
}

func TestNoPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request plan.Request
		want    string
	}{
		"nothing":     {plan.Request{Query: " \u200b "}, "empty"},
		"only asking": {plan.Request{Query: "tell me when there are changes"}, "nothing to search for"},
		"private":     {plan.Request{Query: "watch http://127.0.0.1/admin"}, "public address"},
		"outside":     {plan.Request{Query: "watch https://a.example/", SourcePolicy: plan.SourcePolicy{ExcludeDomains: []string{"a.example"}}}, "is excluded"},
		"outside what is included": {plan.Request{
			Query: "the price on https://b.example/lamp", SourcePolicy: plan.SourcePolicy{IncludeDomains: []string{"a.example"}},
		}, "https://b.example/lamp is outside source_policy"},
		"outside the pages that are included": {plan.Request{
			Query: "news on b.example, not on blog.b.example", SourcePolicy: plan.SourcePolicy{IncludeURLs: []string{"https://a.example/news"}},
		}, "b.example/ is outside source_policy"},
		"contradiction": {
			plan.Request{Query: "the price", SourcePolicy: plan.SourcePolicy{IncludeDomains: []string{"a.example"}, ExcludeDomains: []string{"a.example"}}}, "nothing to watch",
		},
		"schema":           {plan.Request{Query: "https://a.example/", OutputSchema: json.RawMessage(`{"type":"array"}`)}, "output_schema"},
		"policy":           {plan.Request{Query: "https://a.example/", SourcePolicy: plan.SourcePolicy{IncludeDomains: []string{"https://a.example"}}}, "source_policy"},
		"a private policy": {plan.Request{Query: "prices", SourcePolicy: plan.SourcePolicy{IncludeURLs: []string{"http://localhost/x"}}}, "public address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := planner(nil).Plan(t.Context(), test.request, nil)
			failure, ok := errors.AsType[*plan.Error](err)
			if !ok || !strings.Contains(failure.Message, test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if p.Spec.Status != plan.StatusFailed || p.DAG.Validation.IsValid || len(p.DAG.Validation.History) != 1 || !p.DAG.HasUnresolved {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestRulesAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	r := plan.Request{Query: "new posts on example.com/blog, not on example.com/blog/ads", SourcePolicy: plan.SourcePolicy{IncludeDomains: []string{"example.com"}}}
	var first []byte
	for range 3 {
		p, err := planner(nil).Plan(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if string(got) != string(first) {
			t.Fatalf("got %s, want %s", got, first)
		}
	}
	if !strings.Contains(string(first), `"exclude_urls":["https://example.com/blog/ads","https://example.com/blog/ads/**"]`) {
		t.Errorf("what the sentence leaves out is not in the policy: %s", first)
	}
}

func TestEventsOfRules(t *testing.T) {
	t.Parallel()
	var phases []plan.Phase
	var reasoning strings.Builder
	p, err := planner(nil).Plan(t.Context(), plan.Request{Query: "https://a.example/"}, func(e plan.Event) {
		if e.Phase != "" {
			phases = append(phases, e.Phase)
		}
		reasoning.WriteString(e.Token)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []plan.Phase{plan.PhaseSpec, plan.PhasePlanning, plan.PhaseValidating}; !slices.Equal(phases, want) {
		t.Errorf("got %v, want %v", phases, want)
	}
	if reasoning.String() != p.Spec.Reasoning {
		t.Errorf("got %q, want %q", reasoning.String(), p.Spec.Reasoning)
	}
}

// FuzzRules: no sentence and policy lead to an invalid plan or a panic.
func FuzzRules(f *testing.F) {
	for _, query := range []string{
		"new posts on example.com/blog", "price of https://a.example/(x)?y=*z, and münchen.de", "not on a.b.c", "https://", "a.example:99999/", "..", "http://[::1]/",
		"\xff\xfe www.example.com/%zz", "everything except https://a.example/**/b*", "https://例え.テスト/パス",
	} {
		f.Add(query, "example.com", "https://a.example/*/b")
	}
	f.Fuzz(func(t *testing.T, query, domain, page string) {
		for _, policy := range []plan.SourcePolicy{
			{},
			{IncludeDomains: []string{domain}},
			{IncludeURLs: []string{page}},
			{ExcludeDomains: []string{domain}, ExcludeURLs: []string{page}},
		} {
			p, err := planner(nil).Plan(context.Background(), plan.Request{Query: query, SourcePolicy: policy}, nil)
			if err != nil {
				if strings.HasPrefix(err.Error(), "No plan could be made") {
					t.Errorf("rules made a plan that is not valid: %v", err)
				}
				continue
			}
			if faults := plan.Validate(p, nil); len(faults) > 0 {
				t.Errorf("faults %q", faults)
			}
		}
	})
}
