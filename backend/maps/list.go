package maps

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
)

// list is the set of URLs found so far. It is safe for concurrent use.
type list struct {
	scope     *urlfilter.Scope
	keepWords bool

	mu      sync.Mutex
	known   map[urlfilter.ID]int32 // index in entries
	entries []entry
	bytes   int
	// full is closed when there is no room for more.
	full   chan struct{}
	isFull bool
}

// entry is a URL, and words that describe its page.
type entry struct{ url, words string }

func newList(scope *urlfilter.Scope, keepWords bool) *list {
	return &list{scope: scope, keepWords: keepWords, known: map[urlfilter.ID]int32{}, full: make(chan struct{})}
}

// add adds a URL if it is in scope, and returns the new number of URLs and bytes. It reports false if there is no room for
// more.
func (l *list) add(u fetch.URL, words string) (urls, bytes int, ok bool) {
	inScope := l.scope.Place(u) == urlfilter.Internal
	var id urlfilter.ID
	text := ""
	if inScope {
		u, id = urlfilter.Key(u)
		text = u.String()
	}
	if !l.keepWords {
		words = ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if inScope && !l.take(id, text, words) {
		if !l.isFull {
			l.isFull = true
			close(l.full)
		}
		return len(l.entries), l.bytes, false
	}
	return len(l.entries), l.bytes, true
}

// take adds a new URL, if there is room. Of equivalent URLs it keeps the shortest, so that the order of arrival does not
// matter.
func (l *list) take(id urlfilter.ID, text, words string) bool {
	if place, ok := l.known[id]; ok {
		if e := &l.entries[place]; cmp.Or(cmp.Compare(len(text), len(e.url)), cmp.Compare(text, e.url)) < 0 {
			l.bytes += len(text) - len(e.url)
			e.url = text
		}
		return true
	}
	if l.isFull || len(l.entries) == URLsMax || l.bytes+len(text)+len(words) > listBytesMax {
		return false
	}
	l.known[id] = int32(len(l.entries)) //nolint:gosec // below URLsMax
	l.bytes += len(text) + len(words)
	// Clone, because words is part of a larger text, which would stay in memory.
	l.entries = append(l.entries, entry{url: text, words: strings.Clone(words)})
	return true
}

func (l *list) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// ordered returns the URLs by relevance to a query; URLs of equal relevance, or all without a query, are sorted by text.
// topN keeps only the first; 0 keeps all. The list must not be used afterwards. Errors are the context's.
func (l *list) ordered(ctx context.Context, query string, topN int) ([]string, error) {
	entries := l.entries
	l.known, l.entries = nil, nil // frees memory
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.url, b.url) })
	if topN == 0 {
		topN = len(entries)
	}
	if query == "" {
		return urlsOf(entries[:min(len(entries), topN)]), nil
	}
	var link links.Link
	scores, err := links.Scores(ctx, len(entries), func(i int) *links.Link {
		link.URL, link.Text = entries[i].url, entries[i].words
		return &link
	}, query)
	if err != nil {
		return nil, err
	}
	places := make([]int32, len(entries))
	for i := range places {
		places[i] = int32(i) //nolint:gosec // below URLsMax
	}
	slices.SortFunc(places, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	urls := make([]string, min(len(places), topN))
	for i, place := range places[:len(urls)] {
		urls[i] = entries[place].url
	}
	return urls, nil
}

func urlsOf(entries []entry) []string {
	urls := make([]string, len(entries))
	for i := range entries {
		urls[i] = entries[i].url
	}
	return urls
}
