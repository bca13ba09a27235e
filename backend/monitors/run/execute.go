package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	pagesDefault = 50
	bytesDefault = 64 << 20
	timeDefault  = 10 * time.Minute

	// fetchesAtOnce is how many pages are read at a time. The World enforces the limits of each host.
	fetchesAtOnce = 4
	// listedMax is how many URLs of a site are listed: what the first credit of a map covers.
	listedMax = 1000
	// knownMax is how many pages are known at most, and keptMax how many of them are in the snapshot.
	knownMax, keptMax = 3000, 200
)

func (l Limits) withDefaults() Limits {
	l.Pages = cmp.Or(l.Pages, pagesDefault)
	l.Bytes = cmp.Or(l.Bytes, bytesDefault)
	l.Time = cmp.Or(l.Time, timeDefault)
	return l
}

// Execute carries a plan out. now is the clock.
//
// If the run failed, the error is a *problem.Error in words for the team, or the context's. There is always an Outcome:
// that of a failed run says what was done so far, costs nothing, and keeps what was known before.
func Execute(ctx context.Context, p plan.Plan, world World, before Previous, limits Limits, now func() time.Time) (Outcome, error) {
	e := &execution{plan: p, world: world, limits: limits.withDefaults(), now: now, previous: before, links: map[string][]link{}}
	e.outcome.Baseline = before.IsBaseline()
	limited, cancel := context.WithTimeout(ctx, e.limits.Time)
	defer cancel()
	err := e.prepare()
	if err == nil {
		err = e.run(limited)
	}
	if err == nil {
		return e.outcome, nil
	}
	o := Outcome{Steps: e.outcome.Steps, Baseline: e.outcome.Baseline, Pages: e.outcome.Pages, Failed: e.outcome.Failed, Next: before}
	for i := range o.Steps { // a failed run costs nothing
		o.Steps[i].Credits = 0
	}
	switch {
	case ctx.Err() != nil:
		return o, fmt.Errorf("running a plan: %w", ctx.Err())
	case limited.Err() != nil:
		err = problem.Wrap(problem.RequestTimeout, fmt.Sprintf("The run took longer than %s.", e.limits.Time), err)
	}
	o.Summary = wordsOf(err)
	return o, err
}

// link is a URL that a discover or a search found.
type link struct {
	url fetch.URL
	// listed reports that the URL is from a complete list of a site, so that a URL not in it before is new.
	listed bool
}

// execution is one run.
type execution struct {
	plan   plan.Plan
	world  World
	limits Limits
	now    func() time.Time

	previous Previous
	sources  *plan.Sources
	before   compare.Snapshot
	noise    compare.Noise
	known    map[string]Known
	inBefore map[string]compare.Page

	// links are the URLs that nodes found, by node id.
	links map[string][]link
	// incomplete reports that a discover or a search failed.
	incomplete bool
	purse      purse
	bytes      int64     // that may still be read
	pages      []reading // all pages to read, in order
	diff       compare.Diff
	outcome    Outcome
}

// prepare loads what is known, and validates the plan again, because it was stored in the meantime.
func (e *execution) prepare() error {
	if faults := plan.Validate(e.plan, func(fetch.URL) error { return nil }); len(faults) > 0 { // the fetch guard checks the URLs later
		return problem.New(problem.InvalidState, "The plan cannot be run: "+strings.Join(faults[:min(len(faults), 3)], "; ")+".")
	}
	e.sources, _ = e.plan.Spec.Input.SourcePolicy.Sources()
	e.purse.limit = e.limits.Credits
	e.bytes = e.limits.Bytes
	e.known = map[string]Known{}
	maps.Copy(e.known, e.previous.Pages)
	for _, stored := range []struct {
		text json.RawMessage
		into any
	}{{e.previous.Snapshot, &e.before}, {e.previous.Noise, &e.noise}} {
		if len(stored.text) == 0 {
			continue
		}
		if err := json.Unmarshal(stored.text, stored.into); err != nil {
			return problem.Internal(fmt.Errorf("reading the stored state: %w", err))
		}
	}
	e.inBefore = map[string]compare.Page{}
	for _, page := range e.before.Pages {
		e.inBefore[page.URL] = page
	}
	return nil
}

// run executes the nodes in dependency order.
func (e *execution) run(ctx context.Context) error {
	var failure error
	for _, node := range inOrder(e.plan.DAG.Graph) {
		step := Step{ID: node.ID, Type: node.Type, StartedAt: e.now().UTC(), Status: StepSucceeded}
		if failure != nil {
			step.Status = StepSkipped
		} else {
			failure = e.do(ctx, node, &step)
		}
		if step.EndedAt.IsZero() {
			step.EndedAt = e.now().UTC()
		}
		if failure != nil && step.Status != StepSkipped {
			step.fail(failure)
		}
		e.outcome.Steps = append(e.outcome.Steps, step)
		e.outcome.Credits += step.Credits
	}
	return failure
}

func (e *execution) do(ctx context.Context, node plan.Node, step *Step) error {
	switch node.Type {
	case plan.NodeDiscover:
		e.discover(ctx, node, step)
	case plan.NodeSearch:
		e.search(ctx, node, step)
	case plan.NodeFetch:
		return e.fetch(ctx, node, step)
	case plan.NodeExtract:
		e.extracted(node, step)
	case plan.NodeCompare:
		return e.compare(ctx, node, step)
	case plan.NodeSummarize:
		e.summarize(ctx, step)
	case plan.NodeNotify:
		e.outcome.Notify = e.outcome.Changed
		step.Detail = "nothing to report"
		if e.outcome.Notify {
			step.Detail = "the change is reported"
		}
	}
	return nil
}

// fail records an error, at most ErrorsMax of them.
func (s *Step) fail(err error) {
	s.Status = StepFailed
	s.note(wordsOf(err))
}

func (s *Step) note(text string) {
	if len(s.Errors) < ErrorsMax && !slices.Contains(s.Errors, text) {
		s.Errors = append(s.Errors, text)
	}
}

// wordsOf describes an error for the team.
func wordsOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the run timed out"
	case errors.Is(err, context.Canceled):
		return "the run was canceled"
	}
	if refused, ok := errors.AsType[*plan.RefusedError](err); ok {
		return refused.Error()
	}
	if short, ok := errors.AsType[*shortError](err); ok {
		return short.Error()
	}
	if said, ok := errors.AsType[*problem.Error](err); ok {
		return said.Detail
	}
	return "an internal error occurred"
}

// inOrder sorts an acyclic graph topologically, keeping the order of its nodes where possible.
func inOrder(g plan.Graph) []plan.Node {
	waits := map[string]int{}
	for _, edge := range g.Edges {
		waits[edge.To]++
	}
	var sorted []plan.Node
	done := map[string]bool{}
	for len(sorted) < len(g.Nodes) {
		begun := len(sorted)
		for _, node := range g.Nodes {
			if done[node.ID] || waits[node.ID] > 0 {
				continue
			}
			done[node.ID] = true
			sorted = append(sorted, node)
			for _, edge := range g.Edges {
				if edge.From == node.ID {
					waits[edge.To]--
				}
			}
			break // start over, so that nodes that come first in the graph run first
		}
		if len(sorted) == begun {
			break
		}
	}
	return sorted
}

// discover lists the pages of a site.
func (e *execution) discover(ctx context.Context, node plan.Node, step *Step) {
	found, err := e.find(ctx, node, step, KindDiscover, func() ([]string, error) {
		d := Discovery{
			URL: node.Params.URL, Query: node.Params.Query, Include: node.Params.Include, Limit: listedMax,
			Allow: e.sources.AllowStart, AllowList: e.sources.AllowList,
		}
		if d.Query != "" {
			d.Limit = node.Params.Limit
		}
		return e.world.Discover(ctx, d)
	})
	e.incomplete = e.incomplete || err != nil
	e.keep(node, step, found, node.Params.Query == "")
}

// search runs a web search.
func (e *execution) search(ctx context.Context, node plan.Node, step *Step) {
	found, err := e.find(ctx, node, step, KindSearch, func() ([]string, error) {
		return e.world.Search(ctx, Search{
			Query: node.Params.Query, IncludeDomains: node.Params.IncludeDomains, ExcludeDomains: node.Params.ExcludeDomains, Limit: node.Params.Limit,
		})
	})
	e.incomplete = e.incomplete || err != nil
	e.keep(node, step, found[:min(len(found), node.Params.Limit)], false)
}

// find performs one operation, which is paid if it succeeds.
func (e *execution) find(ctx context.Context, _ plan.Node, step *Step, kind Kind, look func() ([]string, error)) ([]string, error) {
	price, err := e.world.Price(ctx, kind, false)
	if err == nil {
		err = e.purse.reserve(price)
	}
	if err != nil {
		step.fail(err)
		return nil, err
	}
	found, err := look()
	if err != nil {
		e.purse.settle(price, 0)
		step.fail(err)
		return nil, err
	}
	e.purse.settle(price, price)
	step.Credits = price
	return found, nil
}

// keep records the found URLs that may be read.
func (e *execution) keep(node plan.Node, step *Step, found []string, listed bool) {
	refused := 0
	seen := map[string]bool{}
	for _, address := range found {
		u, err := fetch.ParseURL(address)
		if err != nil || seen[u.WithoutFragment()] {
			continue
		}
		seen[u.WithoutFragment()] = true
		if e.sources.Allow(u) != nil {
			refused++
			continue
		}
		e.links[node.ID] = append(e.links[node.ID], link{u, listed})
	}
	if step.Status != StepFailed {
		step.Detail = fmt.Sprintf("%s found", count(len(e.links[node.ID]), "page"))
		if refused > 0 {
			step.Detail += fmt.Sprintf(", %d more outside source_policy", refused)
		}
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// purse is what a run may spend. A reservation is settled when the actual cost is known.
type purse struct {
	limit, reserved, spent money.Credits
}

// shortError means that too little is left for an operation.
type shortError struct{ price, left money.Credits }

func (e *shortError) Error() string {
	return fmt.Sprintf("not performed: it costs %s credits, but only %s of the credits held for the run are left", e.price, e.left)
}

func (p *purse) reserve(price money.Credits) error {
	if left := p.limit - p.spent - p.reserved; price < 0 || price > left {
		return &shortError{price, left}
	}
	p.reserved += price
	return nil
}

func (p *purse) settle(reserved, paid money.Credits) {
	p.reserved -= reserved
	p.spent += paid
}
