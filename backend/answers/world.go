package answers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// Limits of one answer.
const (
	// PagesMax is how many pages are fetched, named ones first.
	PagesMax = 12
	// SearchesMax is how many search queries are sent.
	SearchesMax = 8

	// pagesAtOnce is how many pages are fetched at a time. The fetcher enforces the limits of each host.
	pagesAtOnce = 4
	// pageTime is the time limit of a page, since other pages may do as well.
	pageTime = 20 * time.Second
	// searchTime is the time limit of a search.
	searchTime = 15 * time.Second
	// pagesBytesMax is the total size of page bodies; the page that exceeds it is the last.
	pagesBytesMax = 24 << 20
	// bodiesBytesMax is how much of that is kept for reading pages again.
	bodiesBytesMax = 8 << 20
	// resultsDefault is how many results a search returns if no limit is given.
	resultsDefault = 10
)

var (
	errEnoughPages    = fmt.Errorf("an answer opens at most %d pages", PagesMax)
	errEnoughBytes    = fmt.Errorf("the pages of an answer have at most %d MiB", pagesBytesMax>>20)
	errEnoughSearches = fmt.Errorf("an answer makes at most %d searches", SearchesMax)
)

// statusError means that the server responded with an error status instead of a page.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprintf("the page returned status %d", e.code) }

// world implements ask.World for one request. Fetches continue when the first to ask gives up, since others may ask for
// the same. They end with the world.
type world struct {
	service *Service
	teamID  string
	ctx     context.Context //nolint:containedctx // lives as long as the request
	end     context.CancelFunc
	running sync.WaitGroup

	named  map[string]bool // URLs that the task names, without fragments
	given  []*ask.Source
	places chan struct{} // limits concurrent page fetches

	room struct {
		sync.Mutex

		hold  *membudget.Hold
		bytes int64
	}

	mu       sync.Mutex
	pages    map[string]*future[*ask.Source] // by URL without fragment
	landed   map[string]*ask.Source          // by final URL
	searches map[search]*future[[]websearch.Result]
	// bytes is the size of all bodies so far, bodies that of the kept ones.
	bytes, bodies int64
	tally         tally
}

type search struct {
	text  string
	limit int
}

// newWorld starts to open the pages that the task names. It lives until ctx ends or it is closed.
func (s *Service) newWorld(ctx context.Context, teamID, task string) *world {
	w := &world{
		service: s, teamID: teamID, named: map[string]bool{}, places: make(chan struct{}, pagesAtOnce),
		pages: map[string]*future[*ask.Source]{}, landed: map[string]*ask.Source{}, searches: map[search]*future[[]websearch.Result]{},
	}
	w.ctx, w.end = context.WithCancel(ctx)
	w.room.hold = s.config.Memory.Hold()
	urls := urlsIn(task)
	for _, u := range urls {
		w.named[u.WithoutFragment()] = true
	}
	for _, u := range urls {
		_, _ = w.visit(u) // a task cannot name more than PagesMax
	}
	return w
}

// close cancels work in progress, waits for it to end, and releases all memory.
func (w *world) close() {
	w.end()
	w.running.Wait()
	w.room.hold.Release()
}

// hold reserves more memory until the world is closed.
func (w *world) hold(bytes int64) error {
	w.room.Lock()
	defer w.room.Unlock()
	w.room.bytes += bytes
	return w.room.hold.Set(w.ctx, w.room.bytes)
}

// Given implements ask.World.
func (w *world) Given() []*ask.Source { return slices.Clone(w.given) }

// Search implements ask.World.
func (w *world) Search(ctx context.Context, text string, limit int) ([]websearch.Result, error) {
	text = queryOf(text)
	if text == "" {
		return nil, nil
	}
	if limit <= 0 {
		limit = resultsDefault
	}
	e, err := w.look(search{text, min(limit, websearch.LimitMax)})
	if err != nil {
		return nil, err
	}
	results, err := e.wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	return slices.Clone(results), nil
}

// queryOf is a text as a search query: on one line, and within the length limit.
func queryOf(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, " ")), " ")
	if utf8.RuneCountInString(text) > websearch.QueryCharsMax {
		text = strings.TrimSpace(string([]rune(text)[:websearch.QueryCharsMax]))
	}
	return text
}

// look starts a search, or returns one that was started before.
func (w *world) look(what search) (*future[[]websearch.Result], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.searches[what]; e != nil {
		return e, nil
	}
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	if len(w.searches) >= SearchesMax {
		return nil, errEnoughSearches
	}
	e := newFuture[[]websearch.Result]()
	w.searches[what] = e
	w.running.Go(func() {
		e.run(func() ([]websearch.Result, error) {
			ctx, cancel := context.WithTimeout(w.ctx, searchTime)
			defer cancel()
			found, err := w.service.config.Searcher.Search(ctx, websearch.Query{TeamID: w.teamID, Text: what.text, Limit: what.limit})
			w.searched(err)
			return found, err
		})
	})
	return e, nil
}

// Open implements ask.World.
func (w *world) Open(ctx context.Context, address string) (*ask.Source, error) {
	u, err := fetch.ParseURL(address)
	if err != nil {
		return nil, err
	}
	e, err := w.visit(u)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", u, err)
	}
	source, err := e.wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", u, err)
	}
	return source, nil
}

// visit starts to open a page, or returns one that was started before.
func (w *world) visit(u fetch.URL) (*future[*ask.Source], error) {
	key := u.WithoutFragment()
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.pages[key]; e != nil {
		return e, nil
	}
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case len(w.pages) >= PagesMax:
		return nil, errEnoughPages
	case w.bytes > pagesBytesMax:
		return nil, errEnoughBytes
	}
	e := newFuture[*ask.Source]()
	w.pages[key] = e
	w.running.Go(func() {
		e.run(func() (*ask.Source, error) {
			source, err := w.read(u, w.named[key])
			w.opened(u, w.named[key], err)
			return source, err
		})
	})
	return e, nil
}

// read fetches and extracts a page when a place is free.
func (w *world) read(u fetch.URL, named bool) (*ask.Source, error) {
	select {
	case w.places <- struct{}{}:
		defer func() { <-w.places }()
	case <-w.ctx.Done():
		return nil, w.ctx.Err()
	}
	ctx, cancel := context.WithTimeout(w.ctx, pageTime)
	defer cancel()
	hold := w.service.config.Memory.Hold()
	defer hold.Release()
	page, err := w.service.config.Pages.Page(ctx, w.teamID, u.WithoutFragment(), hold)
	if err != nil {
		return nil, err
	}
	if page.StatusCode >= http.StatusBadRequest {
		return nil, &statusError{page.StatusCode}
	}
	document, err := w.service.readPage(ctx, page)
	if err != nil {
		return nil, err
	}
	hold.Release() // a goroutine that waits for memory must not hold any
	if err := w.hold(membudget.HeldBytesOf(page.Body)); err != nil {
		return nil, err
	}
	return w.land(&ask.Source{
		URL: bare(page.URL), Title: document.Metadata.Title, Document: document, Page: page, Named: named,
		Published: publishedAt(document.Metadata.PublishedAt),
	}), nil
}

// readPage extracts the document of a page.
func (s *Service) readPage(ctx context.Context, page extract.Source) (*extract.Document, error) {
	document, err := membudget.Do(ctx, s.config.Memory, membudget.ReadBytes(page.MediaType, page.Body), func() (*extract.Document, error) {
		return extract.Read(ctx, page, extract.Options{Structured: true})
	})
	if err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	return document, nil
}

// land returns source, or an earlier source with the same final URL: several URLs may lead there.
func (w *world) land(source *ask.Source) *ask.Source {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.landed[source.URL]
	if before != nil && (before.Named || !source.Named) {
		return before
	}
	size := int64(len(source.Page.Body))
	if w.bytes += size; w.bodies+size > bodiesBytesMax {
		source.Page.Body = nil
	} else {
		w.bodies += size
	}
	w.landed[source.URL] = source
	return source
}

// bare is a page's URL without fragment; other text stays as it is.
func bare(address string) string {
	u, err := fetch.ParseURL(address)
	if err != nil {
		return address
	}
	return u.WithoutFragment()
}

// publishedAt parses a date by extract; zero if there is none.
func publishedAt(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
