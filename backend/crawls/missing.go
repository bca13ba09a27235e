package crawls

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/frontier"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// What is remembered of how sites answer for what is not there.
const (
	// watchedCrawls and watchedFolders bound it: what is forgotten is found out again.
	watchedCrawls, watchedFolders = 256, 512
	// probesMax is how many folders of a crawl are asked, by one process.
	probesMax = 16
	// lookalikesMin is how many pages of a folder, of the last lookalikesKept, a page looks like that may be what stands for
	// none.
	lookalikesMin, lookalikesKept = 2, 32
	// probeBytes is how long the name is that no page can have.
	probeBytes = 16
)

// softMissing reports whether a page is what its site shows in place of pages that are not there, though it says that it is
// there (200). Where a page looks like it, the site is asked for what cannot be there, once for each folder.
func (v *visit) softMissing(ctx context.Context, kept *page.Kept) (bool, error) {
	// Dates and the pages of lists are alike in each of many folders; what they say again is known by their series.
	if v.isStart || v.result.serial || kept.StatusCode >= http.StatusMultipleChoices || v.url.IsZero() {
		return false, nil
	}
	folder := folderOf(v.url)
	w := v.s.watched.folder(v.id, folder)
	if w == nil || !w.suspects(kept) {
		return false, nil
	}
	missing, err := v.s.watched.missing(ctx, v, w, folder)
	if err != nil || missing == nil {
		return false, err
	}
	return missing.StatusCode < http.StatusMultipleChoices && looksLike(kept, missing, v.row.Url), nil
}

// looksLike reports whether a page is what was shown for one that cannot be there.
func looksLike(kept, missing *page.Kept, asked string) bool {
	switch {
	case kept.ContentKey != ([16]byte{}) && kept.ContentKey == missing.ContentKey:
		return true
	case kept.FinalURL != asked && kept.FinalURL == missing.FinalURL: // both were sent to the page that says so
		return true
	case frontier.NotFoundWords(kept.Title, kept.Heading):
		return frontier.NotFoundWords(missing.Title, missing.Heading)
	}
	return alike(kept, missing)
}

// alike reports whether two pages have nearly one text, or one heading and nearly the same words. Their titles say no more:
// a page that is read whole is given its own without the site's, which a probe has.
func alike(a, b *page.Kept) bool {
	return frontier.Near(a.Simhash, b.Simhash) ||
		a.Heading != "" && a.Heading == b.Heading && frontier.Overlap(a.Excerpt, b.Excerpt)
}

// folderOf is where a page lies: a URL without its last segment.
func folderOf(u fetch.URL) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(u.WithoutFragment(), u.Origin()), "?")
	path = strings.TrimSuffix(path, "/")
	return u.Origin() + path[:max(strings.LastIndexByte(path, '/'), 0)] + "/"
}

// watch remembers how the folders of sites answer, in bounded memory.
type watch struct {
	mu     sync.Mutex
	crawls map[string]*watchedCrawl
}

type watchedCrawl struct {
	folders map[string]*watchedFolder
	probes  int
}

// watchedFolder is what was seen of a folder of a crawl.
type watchedFolder struct {
	of *watchedCrawl

	mu   sync.Mutex
	last []page.Kept // the latest, without their links
	// asking is held by who asks for what cannot be there, asked is whether it was, and missing the answer; nil: there was
	// none.
	asking  chan struct{}
	asked   bool
	missing *page.Kept
}

// folder is what is known of a folder; nil where there are too many.
func (w *watch) folder(crawl, folder string) *watchedFolder {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.crawls == nil || len(w.crawls) >= watchedCrawls && w.crawls[crawl] == nil {
		w.crawls = map[string]*watchedCrawl{}
	}
	c := w.crawls[crawl]
	if c == nil {
		c = &watchedCrawl{folders: map[string]*watchedFolder{}}
		w.crawls[crawl] = c
	}
	f := c.folders[folder]
	if f == nil {
		if len(c.folders) >= watchedFolders {
			for name := range c.folders { // any: it is a guess which are asked for again
				delete(c.folders, name)
				break
			}
		}
		f = &watchedFolder{of: c, asking: make(chan struct{}, 1)}
		c.folders[folder] = f
	}
	return f
}

// suspects reports whether a page may stand for one that is not there: it says so, or looks like others of its folder.
func (f *watchedFolder) suspects(kept *page.Kept) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	lookalikes := 0
	for i := range f.last {
		if alike(kept, &f.last[i]) {
			lookalikes++
		}
	}
	if len(f.last) == lookalikesKept {
		f.last = append(f.last[:0], f.last[1:]...)
	}
	f.last = append(f.last, page.Kept{Title: kept.Title, Heading: kept.Heading, Simhash: kept.Simhash, Excerpt: kept.Excerpt})
	return lookalikes >= lookalikesMin || frontier.NotFoundWords(kept.Title, kept.Heading)
}

// missing is what a folder shows for what cannot be there; nil where it does not say.
func (w *watch) missing(ctx context.Context, v *visit, f *watchedFolder, folder string) (*page.Kept, error) {
	select {
	case f.asking <- struct{}{}:
		defer func() { <-f.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f.asked {
		return f.missing, nil
	}
	if !w.takeProbe(f) {
		return nil, nil //nolint:nilnil // documented
	}
	kept, err := v.probe(ctx, folder)
	if err != nil || kept == nil {
		return nil, err
	}
	f.asked, f.missing = true, kept
	return kept, nil
}

// takeProbe reports whether one more folder of a crawl may be asked.
func (w *watch) takeProbe(f *watchedFolder) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.of.probes++
	return f.of.probes <= probesMax
}

// probe asks for what cannot be there; nil where it may not be asked for, or there is no answer. It is no page of the
// crawl: nobody pays for it.
func (v *visit) probe(ctx context.Context, folder string) (*page.Kept, error) {
	name := token.Random()
	url := folder + name[:min(probeBytes, len(name))]
	if allowed, err := v.allowed(ctx, url); err != nil || !allowed {
		return nil, nil //nolint:nilnil,nilerr // documented
	}
	kept, err := v.s.config.Pages.Keep(ctx, page.Job{
		TeamID: v.row.TeamID, RetrieveID: name, Attempt: 1, URL: url, Expires: v.s.config.Now(), Background: true,
		Options: page.Options{Country: v.rules.spec.Options.Country}, Links: true, Bare: true,
		Follow: func(ctx context.Context, to string) error {
			if allowed, err := v.allowed(ctx, to); err != nil || !allowed || !v.rules.inside(to) {
				return fmt.Errorf("asking for %s: %w", url, errRefused)
			}
			return nil
		},
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, nil //nolint:nilnil // documented
	}
	kept.Links = nil
	return &kept, nil
}
