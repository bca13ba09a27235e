package run

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// reading is a page to read in this run, and the result.
type reading struct {
	url   fetch.URL
	named bool // by the plan
	// found reports that a discover or search has it now, fresh that it was never seen before.
	found, fresh bool
	// told reports that the page's presence is a change.
	told bool

	page        compare.Page
	notModified bool
	gone        bool // the host says so; not a mere failure
	err         error
	credits     money.Credits
	validators  Validators
	kind        answerKind
}

func (r *reading) key() string { return r.url.WithoutFragment() }

// choose selects the pages that a node reads, in order: those that the plan names, then new ones, then those not read for
// longest. If only new items are watched, known pages are not read again.
func (e *execution) choose(node plan.Node) []reading {
	var chosen []reading
	taken := map[string]bool{}
	for i := range e.pages {
		taken[e.pages[i].key()] = true
	}
	take := func(r reading) {
		if !taken[r.key()] {
			taken[r.key()] = true
			chosen = append(chosen, r)
		}
	}
	for _, address := range node.Params.URLs {
		if u, err := fetch.ParseURL(address); err == nil {
			take(reading{url: u, named: true})
		}
	}
	links, listed := e.linksTo(node)
	if links != nil {
		for _, r := range e.candidates(links, listed) {
			take(r)
		}
	}
	limit := min(max(node.Params.Limit, 1), e.limits.Pages-len(e.pages))
	left := chosen[min(max(limit, 0), len(chosen)):]
	for i := range left { // on the first run all pages count as existing, even those it has no room to read
		if left[i].fresh && !e.previous.Listed {
			e.known[left[i].key()] = Known{}
		}
	}
	return chosen[:len(chosen)-len(left)]
}

// linksTo are the links that lead to a node; nil if no node does. listed reports whether they are from lists of sites.
func (e *execution) linksTo(node plan.Node) (links []link, listed bool) {
	for _, edge := range e.plan.DAG.Graph.Edges {
		if edge.To != node.ID {
			continue
		}
		links = append(links, e.links[edge.From]...)
		if links == nil {
			links = []link{}
		}
	}
	return links, slices.ContainsFunc(links, func(l link) bool { return l.listed })
}

// candidates are the found and known pages, in reading order.
func (e *execution) candidates(links []link, listed bool) []reading {
	isStream := e.plan.DAG.IntentMode == plan.IntentStream
	onlyNew := isStream && e.plan.DAG.StreamChangeType == plan.StreamAdded
	var fresh, again []reading
	found := map[string]bool{}
	for _, l := range links {
		r := reading{url: l.url, found: true}
		known, isKnown := e.known[r.key()]
		found[r.key()] = true
		switch {
		case !isKnown:
			r.fresh = true
			r.told = e.previous.Listed && (l.listed || isStream && e.plan.DAG.StreamChangeType != plan.StreamRemoved)
			fresh = append(fresh, r)
		case known.Wanted:
			r.told = known.New
			fresh = append(fresh, r)
		case !onlyNew:
			again = append(again, r)
		}
	}
	if !onlyNew {
		for address, known := range e.known {
			u, err := fetch.ParseURL(address)
			if known.Page != "" && !found[address] && err == nil && e.sources.Allow(u) == nil {
				again = append(again, reading{url: u})
			}
		}
	}
	slices.SortStableFunc(again, func(a, b reading) int {
		return cmp.Or(e.known[a.key()].Read.Compare(e.known[b.key()].Read), cmp.Compare(a.key(), b.key()))
	})
	if !listed && !isStream { // search results vary each time, so watched pages go first
		return append(again, fresh...)
	}
	return append(fresh, again...)
}

// fetch reads the pages of a node, several at a time. It fails if nothing could be read.
func (e *execution) fetch(ctx context.Context, node plan.Node, step *Step) error {
	chosen := e.choose(node)
	extracts := e.extracts()
	full, err := e.world.Price(ctx, KindFetch, extracts)
	if err != nil {
		return err
	}
	plain, err := e.world.Price(ctx, KindFetch, false)
	if err != nil {
		return err
	}
	begun := e.begin(ctx, chosen, full, min(plain, full))
	notModified, failed := 0, 0
	for i := range begun {
		r := &begun[i]
		step.Credits += r.credits
		switch {
		case r.err != nil:
			failed++
			step.note(fmt.Sprintf("%s: %s", r.url, wordsOf(r.err)))
		case r.notModified:
			notModified++
		}
	}
	for i := range chosen[len(begun):] {
		r := &chosen[len(begun)+i]
		if r.fresh {
			continue // still unseen: the next run reads it
		}
		step.note(fmt.Sprintf("%s: %s", r.url, "not read in this run: "+e.limitReached(ctx, full)))
	}
	e.pages = append(e.pages, begun...)
	read := len(begun) - failed
	e.outcome.Pages += read
	e.outcome.NotModified += notModified
	e.outcome.Failed += failed
	step.Detail = count(read, "page") + " read"
	if notModified > 0 {
		step.Detail += fmt.Sprintf(", %d of them unmodified", notModified)
	}
	if failed > 0 {
		step.Detail += fmt.Sprintf(", %d could not be read", failed)
	}
	if len(step.Errors) > 0 {
		step.Status = StepPartial
		if read == 0 {
			step.Status = StepFailed
		}
	}
	return nil
}

// limitReached says which limit stops a run.
func (e *execution) limitReached(ctx context.Context, price money.Credits) string {
	switch {
	case ctx.Err() != nil:
		return "the run timed out"
	case e.purse.limit-e.purse.spent < price:
		return fmt.Sprintf("a page costs %s credits, but only %s of the held credits are left", price, e.purse.limit-e.purse.spent)
	}
	return "the pages of a run may have at most " + fmt.Sprint(e.limits.Bytes>>20) + " MiB in total"
}

// extracts reports whether pages are extracted with the output schema.
func (e *execution) extracts() bool {
	return slices.ContainsFunc(e.plan.DAG.Graph.Nodes, func(n plan.Node) bool {
		return n.Type == plan.NodeExtract && n.Params.Mode == plan.ModeFields
	})
}

// begin reads pages until all are read or a limit is reached, and returns those that it tried.
func (e *execution) begin(ctx context.Context, chosen []reading, full, plain money.Credits) []reading {
	var mu sync.Mutex
	var wait sync.WaitGroup
	defer wait.Wait()
	places := make(chan struct{}, fetchesAtOnce)
	for i := range chosen {
		places <- struct{}{}
		mu.Lock()
		stop := ctx.Err() != nil || e.bytes <= 0 || e.purse.reserve(full) != nil
		mu.Unlock()
		if stop {
			wait.Wait()
			return chosen[:i]
		}
		wait.Go(func() {
			defer func() { <-places }()
			r := &chosen[i]
			size := e.read(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			e.bytes -= size
			switch {
			case r.err != nil:
			case r.notModified:
				r.credits = plain
			default:
				r.credits = full
			}
			e.purse.settle(full, r.credits)
		})
	}
	wait.Wait()
	return chosen
}

// read fetches and extracts one page. It returns the size of its body.
func (e *execution) read(ctx context.Context, r *reading) (size int64) {
	known := e.known[r.key()] // nothing writes e.known while pages are read
	validators := Validators{}
	before, kept := e.inBefore[known.Page]
	if kept && known.Page != "" {
		validators = known.Validators
	}
	answer, err := e.ask(ctx, r.url, validators)
	if answer.Release != nil {
		defer answer.Release()
	}
	size = int64(len(answer.Source.Body))
	switch status := answer.Source.StatusCode; {
	case err != nil:
		r.err = err
		return size
	case answer.NotModified && kept:
		r.notModified, r.page, r.validators = true, before, known.Validators
		return 0
	case answer.NotModified:
		r.err = problem.New(problem.FetchFailed, "the host answered 304 Not Modified to an unconditional request")
		return 0
	case status >= http.StatusBadRequest:
		r.gone = status == http.StatusNotFound || status == http.StatusGone
		r.err = problem.New(problem.FetchFailed, fmt.Sprintf("the page returned status %d", status))
		return size
	}
	if r.page, r.err = e.understand(ctx, r.url, answer); r.err != nil {
		return size
	}
	r.validators, r.kind = answer.Validators, kindOf(answer)
	return size
}

// ask fetches a page if the source policy allows it and every redirect.
func (e *execution) ask(ctx context.Context, u fetch.URL, validators Validators) (Page, error) {
	allow := func(address string) error {
		at, err := fetch.ParseURL(address)
		if err != nil {
			return err
		}
		return e.sources.Allow(at)
	}
	if err := e.sources.Allow(u); err != nil {
		return Page{}, err
	}
	answer, err := e.world.Fetch(ctx, Fetch{URL: u.String(), Validators: validators, Allow: allow})
	if err != nil || answer.NotModified {
		return answer, err
	}
	if at, err := fetch.ParseURL(answer.Source.URL); err == nil { // scripts redirect, too
		return answer, e.sources.Allow(at)
	}
	return answer, nil
}

// understand extracts what is compared from a response. It also fails if the response is not the page.
func (e *execution) understand(ctx context.Context, u fetch.URL, answer Page) (compare.Page, error) {
	reading := Reading{URL: u.String(), Page: answer}
	if e.extracts() {
		reading.Schema = e.plan.Spec.Output.Schema
	}
	page, err := e.world.Read(ctx, reading)
	if err == nil && page.Error != "" {
		err = problem.New(problem.FetchFailed, page.Error)
	}
	return page, err
}
