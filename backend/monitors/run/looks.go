package run

import (
	"context"
	"net/http"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/compare"
)

// answerKind is how a page was fetched. A rendered and an unrendered version differ by that alone.
type answerKind struct {
	mediaType string
	rendered  bool
}

func kindOf(answer Page) answerKind {
	return answerKind{answer.Source.MediaType, answer.Source.Rendered}
}

// looks rereads pages that a run has read.
type looks struct {
	e     *execution
	pages map[string]*reading
	mu    sync.Mutex
	// count is how many pages were read again.
	count int
}

// looksMax is how many pages a run rereads at most; if there are many, each is reread less often.
const looksMax = 100

func (e *execution) looks() *looks {
	l := &looks{e: e, pages: map[string]*reading{}}
	for i := range e.pages {
		if r := &e.pages[i]; r.err == nil && !r.notModified {
			l.pages[r.page.URL] = r
		}
	}
	return l
}

// at fetches pages again, as a compare.Look. It is not charged: it distinguishes a change from a page that differs on
// each load. Pages that fail, or for which there is no time or room, are left out.
func (l *looks) at(ctx context.Context, urls []string) []compare.Page {
	var wait sync.WaitGroup
	places := make(chan struct{}, fetchesAtOnce)
	found := make([]*compare.Page, len(urls))
	asked := 0
	for i, url := range urls {
		r := l.pages[url]
		if r == nil {
			continue
		}
		if asked++; l.count+asked > looksMax {
			break
		}
		places <- struct{}{}
		l.mu.Lock()
		stop := ctx.Err() != nil || l.e.bytes <= 0
		l.mu.Unlock()
		if stop {
			break
		}
		wait.Go(func() {
			defer func() { <-places }()
			found[i] = l.again(ctx, r)
		})
	}
	wait.Wait()
	var pages []compare.Page
	for _, page := range found {
		if page != nil {
			pages = append(pages, *page)
		}
	}
	l.count += asked
	return pages
}

// again reads a page once more; nil if the result is not the page.
func (l *looks) again(ctx context.Context, r *reading) *compare.Page {
	answer, err := l.e.ask(ctx, r.url, Validators{})
	if answer.Release != nil {
		defer answer.Release()
	}
	l.mu.Lock()
	l.e.bytes -= int64(len(answer.Source.Body))
	l.mu.Unlock()
	if err != nil || answer.NotModified || answer.Source.StatusCode >= http.StatusBadRequest || kindOf(answer) != r.kind {
		return nil
	}
	page, err := l.e.understand(ctx, r.url, answer)
	if err != nil {
		return nil
	}
	return &page
}
