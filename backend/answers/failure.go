package answers

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// searchRetry is when a client may retry after a search failed.
const searchRetry = 30 * time.Second

// tally counts the results of searches and page loads.
type tally struct {
	// found and read are the numbers of successful searches and pages.
	found, read int
	// search and page are the first failures; named is the first of a page that the task names.
	search, page, named error
	url                 fetch.URL // of named
}

// searched counts a search.
func (w *world) searched(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.tally.found++
	} else if w.tally.search == nil {
		w.tally.search = err
	}
}

// opened counts a page.
func (w *world) opened(u fetch.URL, named bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch t := &w.tally; {
	case err == nil:
		t.read++
	case named && t.named == nil:
		t.named, t.url = err, u
	case t.page == nil:
		t.page = err
	}
}

// failure is the problem of an answer for which nothing could be read because every attempt failed. It is nil if something
// was read or there was nothing to read: the answer is then NOT_FOUND. truncated says whether the time limit was reached.
func (w *world) failure(truncated bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.tally
	failed := errors.Join(t.named, t.search, t.page)
	switch {
	case t.read > 0 || len(w.given) > 0 || failed == nil && !truncated:
		return nil
	case truncated:
		return problem.Wrap(problem.RequestTimeout, "No page could be read within the time limit. Nothing was charged.", failed)
	case t.named != nil:
		return namedProblem(t.url, t.named)
	case t.found == 0 && t.search != nil:
		return searchProblem(t.search)
	case t.page != nil:
		e := problem.Wrap(problem.FetchFailed, "None of the pages that were found could be read. Nothing was charged.", t.page)
		e.Metadata = map[string]any{"reason": "pages_failed"}
		return e
	}
	return nil // some searches failed, the others found nothing
}

// searchProblem is the problem for failed searches. It is a 503 whatever the reason, since providers may recover, and
// repeating the request with the same Idempotency-Key is then a new attempt.
func searchProblem(err error) error {
	e := problem.Wrap(problem.Overloaded, "No search provider is available. Nothing was charged; try again later.", err)
	e.Metadata, e.RetryAfter = map[string]any{"reason": string(websearch.ReasonUnavailable)}, searchRetry
	if failed, ok := errors.AsType[*websearch.Error](err); ok {
		e.Metadata["reason"] = string(failed.Reason)
		e.RetryAfter = max(failed.RetryAfter, overloadRetry)
	}
	return e
}

// namedProblem is the problem for a page that the task names, if it cannot be read and nothing else could be.
func namedProblem(u fetch.URL, err error) error {
	const nothing = " Nothing was charged."
	status, isStatus := errors.AsType[*statusError](err)
	said, isProblem := errors.AsType[*problem.Error](err)
	var e *problem.Error
	switch {
	case isStatus:
		e = problem.Wrap(problem.FetchFailed, fmt.Sprintf("The page that the task names returns status %d.", status.code)+nothing, err)
		e.Metadata = map[string]any{"reason": "status", "status_code": status.code}
	case errors.Is(err, extract.ErrUnsupportedContent):
		e = problem.Wrap(problem.UnsupportedFileType, "The page that the task names is a file of a type that has no text."+nothing, err)
	case errors.Is(err, extract.ErrTooComplex):
		e = problem.Wrap(problem.FetchFailed, "The page that the task names is too large or too complex to be read."+nothing, err)
		e.Metadata = map[string]any{"reason": "too_complex"}
	case isProblem && said.Code != problem.ValidationError:
		copied := *said
		e = &copied
		e.Metadata = maps.Clone(said.Metadata)
	default:
		e = problem.Internal(fmt.Errorf("reading %s: %w", u, err))
	}
	if e.Metadata == nil {
		e.Metadata = map[string]any{}
	}
	e.Metadata["url"] = u.String()
	return e
}
