package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
)

// extracted reports what was extracted. Pages are extracted as soon as each is fetched, so that bodies are freed early.
func (e *execution) extracted(node plan.Node, step *Step) {
	blocks, fields := 0, 0
	for i := range e.pages {
		if r := &e.pages[i]; r.err == nil {
			blocks += len(r.page.Blocks)
			if len(r.page.Data) > 0 {
				fields++
			}
		}
	}
	step.Detail = count(blocks, "block")
	if node.Params.Mode == plan.ModeFields {
		step.Detail = "fields of " + count(fields, "page")
	}
}

// sides are the pages to compare and the pages to keep.
type sides struct {
	before, after []compare.Page
	// kept is what the next run is compared with.
	kept []compare.Page
}

// compare compares what was read with what was known, and rereads pages that seem to have changed. It fails if nothing was read.
func (e *execution) compare(ctx context.Context, node plan.Node, step *Step) error {
	if err := e.readAnything(); err != nil {
		return err
	}
	at := e.now()
	s := e.sort(at)
	before := compare.NewSnapshot(e.before.At, s.before...)
	after := compare.NewSnapshot(at, s.after...)
	l := e.looks()
	look := func(urls []string) []compare.Page { return l.at(ctx, urls) }
	e.diff = compare.Settle(before, after, look, &e.noise, compare.Options{
		Query: e.plan.Spec.Input.Query, Focus: node.Params.Focus, Schema: e.plan.Spec.Output.Schema,
	})
	for _, url := range e.diff.Unsettled {
		e.leaveAsBefore(url, s.kept)
	}
	e.outcome.Changed = e.diff.Changed && !e.outcome.Baseline
	e.outcome.Unified, e.outcome.Summary = e.diff.Unified, e.diff.Summary
	step.Detail = count(len(e.diff.Changes), "change")
	switch {
	case e.outcome.Baseline:
		step.Detail = "nothing to compare with: this is the first run"
		e.outcome.Summary = e.firstWords()
		e.diff = compare.Diff{Changes: []compare.Change{}, Failed: e.diff.Failed, Summary: e.outcome.Summary}
		e.outcome.Unified = ""
	case e.outcome.Summary == "":
		e.outcome.Summary = "Nothing has changed."
	}
	if l.count > 0 {
		step.Detail += "; reread " + count(l.count, "page")
	}
	return e.remember(after, compare.NewSnapshot(at, s.kept...))
}

// leaveAsBefore keeps the old version of a page, so that the next run compares with it and fetches it unconditionally.
func (e *execution) leaveAsBefore(url string, kept []compare.Page) {
	for i := range kept {
		if old, ok := e.inBefore[url]; ok && kept[i].URL == url {
			kept[i] = old
		}
	}
	for address, known := range e.known {
		if known.Page == url {
			known.Validators = Validators{}
			e.known[address] = known
		}
	}
}

// readAnything returns nil if there is something to compare, or there was nothing new to read.
func (e *execution) readAnything() error {
	tried := len(e.pages)
	var first error
	for i := range e.pages {
		if e.pages[i].err == nil || e.leaves(&e.pages[i]) {
			return nil
		}
		if first == nil {
			first = e.pages[i].err
		}
	}
	switch {
	case tried > 0:
		text := fmt.Sprintf("None of the %d pages could be read. The first: %s: %s.", tried, e.pages[0].url, wordsOf(first))
		if tried == 1 {
			text = fmt.Sprintf("%s could not be read: %s.", e.pages[0].url, strings.TrimSuffix(wordsOf(first), "."))
		}
		return problem.New(problem.FetchFailed, text)
	case e.incomplete:
		return problem.New(problem.FetchFailed, "No pages were found: "+e.firstError()+".")
	case e.outcome.Baseline:
		return problem.New(problem.FetchFailed, "There is nothing to watch: no page was found that may be read, or the held credits do not cover a page.")
	case slices.ContainsFunc(e.outcome.Steps, func(s Step) bool { return s.Type == plan.NodeFetch && len(s.Errors) > 0 }):
		return problem.New(problem.FetchFailed, "No page was read: "+e.firstError()+".")
	}
	return nil
}

func (e *execution) firstError() string {
	for _, step := range e.outcome.Steps {
		if len(step.Errors) > 0 {
			return strings.TrimSuffix(step.Errors[0], ".")
		}
	}
	return "the cause is unknown"
}

// leaves reports whether a page is gone: its host says so, and neither its site's list nor the search has it any more. A
// page that the plan names never leaves.
func (e *execution) leaves(r *reading) bool {
	return r.gone && !r.named && !r.found && !e.incomplete
}

// sort lays out the pages to compare and keep, and updates what is known.
func (e *execution) sort(at time.Time) sides {
	var s sides
	tried := map[string]bool{} // pages of the snapshot
	for i := range e.pages {
		r := &e.pages[i]
		known := e.known[r.key()]
		old, wasThere := e.inBefore[known.Page]
		wasThere = wasThere && known.Page != ""
		tried[known.Page] = true
		switch {
		case e.leaves(r):
			if wasThere && e.removalsCount() {
				s.before = append(s.before, old)
			}
			delete(e.known, r.key())
		case r.err != nil:
			known.Wanted, known.New = true, known.New || r.fresh && r.told
			e.known[r.key()] = known
			s.after = append(s.after, compare.FailedPage(r.url.String(), wordsOf(r.err)))
			if wasThere {
				s.before, s.kept = append(s.before, old), append(s.kept, old)
			}
		default:
			tried[r.page.URL] = true
			s.after, s.kept = append(s.after, r.page), append(s.kept, r.page)
			switch {
			case wasThere:
				s.before = append(s.before, old)
			case !r.told: // it existed before but was not read: it is compared from now on
				s.before = append(s.before, r.page)
			}
			e.known[r.key()] = Known{Page: r.page.URL, Read: at.UTC(), Validators: r.validators}
		}
	}
	for _, page := range e.before.Pages {
		if tried[page.URL] {
			continue
		}
		s.kept = append(s.kept, page)
		if len(s.before) == 0 { // an empty side would make this look like a first run
			s.before, s.after = append(s.before, page), append(s.after, page)
		}
	}
	return s
}

// removalsCount reports whether a page that is gone is a change: for a site it is, for search results it is not.
func (e *execution) removalsCount() bool {
	if e.plan.DAG.IntentMode == plan.IntentStream {
		return e.plan.DAG.StreamChangeType != plan.StreamAdded
	}
	return e.plan.Tracked.Type != plan.TrackedWebQuery
}

// remember stores what the run read and what the next one needs.
func (e *execution) remember(after, kept compare.Snapshot) error {
	e.bound(&kept)
	shown := after
	shown.Pages = slices.Clone(after.Pages)
	have := map[string]bool{}
	for _, page := range after.Pages {
		have[page.URL] = true
	}
	for _, page := range kept.Pages {
		if !have[page.URL] {
			shown.Pages = append(shown.Pages, page)
		}
	}
	shown = compare.NewSnapshot(shown.At, shown.Pages...)
	next := Previous{Pages: e.known, Listed: e.previous.Listed || !e.incomplete}
	for _, stored := range []struct {
		value any
		into  *json.RawMessage
	}{{shown, &e.outcome.Snapshot}, {e.diff, &e.outcome.Diff}, {kept, &next.Snapshot}, {e.noise, &next.Noise}} {
		text, err := json.Marshal(stored.value)
		if err != nil {
			return problem.Internal(fmt.Errorf("encoding the results: %w", err))
		}
		*stored.into = text
	}
	e.outcome.Next = next
	return nil
}

// bound keeps the known pages within their limits, and drops the content of those not read for longest. Such pages stay
// known, so that they do not count as new when they are read again.
func (e *execution) bound(kept *compare.Snapshot) {
	byAge := make([]string, 0, len(e.known))
	for address := range e.known {
		byAge = append(byAge, address)
	}
	slices.SortFunc(byAge, func(a, b string) int {
		if c := e.known[b].Read.Compare(e.known[a].Read); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	room := map[string]bool{}
	for i, address := range byAge {
		known := e.known[address]
		if i >= knownMax {
			delete(e.known, address)
			continue
		}
		if known.Page == "" {
			continue
		}
		if len(room) >= keptMax {
			known.Page, known.Validators = "", Validators{}
			e.known[address] = known
			continue
		}
		room[known.Page] = true
	}
	kept.Pages = slices.DeleteFunc(kept.Pages, func(p compare.Page) bool { return !room[p.URL] })
}

// firstWords is the summary of a first run.
func (e *execution) firstWords() string {
	text := fmt.Sprintf("This is the first run: %s read. Later runs are compared with it.", count(e.outcome.Pages, "page was"))
	if e.outcome.Pages != 1 {
		text = fmt.Sprintf("This is the first run: %d pages were read. Later runs are compared with them.", e.outcome.Pages)
	}
	if e.outcome.Failed > 0 {
		text += fmt.Sprintf(" %d could not be read.", e.outcome.Failed)
	}
	return text
}
