package crawls

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Limits for the detection of soft 404s.
const (
	// watchedCrawls and watchedFolders limit memory. What is dropped is determined again when needed.
	watchedCrawls, watchedFolders = 256, 512
	// probesMax is how many folders of a crawl one process probes.
	probesMax = 16
	// A page is suspected of being a soft 404 if it looks like lookalikesMin of its folder's last lookalikesKept pages.
	lookalikesMin, lookalikesKept = 2, 32
	// probeBytes is the length of the random name that no real page has.
	probeBytes = 16
)

// softMissing reports whether a page is a soft 404: the site answers 200 but shows its "not found" page. If the page looks
// suspicious, the site is probed with a URL that cannot exist, once per folder.
func (v *visit) softMissing(ctx context.Context, kept *page.Kept) (bool, error) {
	// Date pages and list pages look alike across folders; the check for series finds their repetitions instead.
	if v.isStart || v.result.serial || kept.StatusCode >= http.StatusMultipleChoices || v.url.IsZero() {
		return false, nil
	}
	folder := folderOf(v.url)
	w := v.s.watched.folder(v.id, folder)
	if w == nil || !w.mayBeMissing(kept) {
		return false, nil
	}
	missing, err := v.s.watched.missing(ctx, v, w, folder)
	if err != nil || missing == nil {
		return false, err
	}
	return missing.StatusCode < http.StatusMultipleChoices && looksLike(kept, missing, v.row.Url), nil
}

// looksLike reports whether a page equals the response for a URL that cannot exist.
func looksLike(kept, missing *page.Kept, asked string) bool {
	switch {
	case kept.ContentKey != ([16]byte{}) && kept.ContentKey == missing.ContentKey:
		return true
	case kept.FinalURL != asked && kept.FinalURL == missing.FinalURL: // both redirect to the same page
		return true
	case urlfilter.NotFoundWords(kept.Title, kept.Heading):
		return urlfilter.NotFoundWords(missing.Title, missing.Heading)
	}
	return alike(kept, missing)
}

// alike reports whether two pages have nearly the same text, or the same heading and nearly the same words. Titles are not
// compared: the title of a fully processed page has the site's name removed, that of a probe does not.
func alike(a, b *page.Kept) bool {
	return urlfilter.Near(a.Simhash, b.Simhash) ||
		a.Heading != "" && a.Heading == b.Heading && urlfilter.Overlap(a.Excerpt, b.Excerpt)
}

// folderOf returns the folder of a page: its URL without the last segment.
func folderOf(u fetch.URL) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(u.WithoutFragment(), u.Origin()), "?")
	path = strings.TrimSuffix(path, "/")
	return u.Origin() + path[:max(strings.LastIndexByte(path, '/'), 0)] + "/"
}

// watch remembers how folders of sites respond, in bounded memory.
type watch struct {
	mu     sync.Mutex
	crawls map[string]*watchedCrawl
}

type watchedCrawl struct {
	folders map[string]*watchedFolder
	probes  int
}

// watchedFolder is what was observed in a folder of a crawl.
type watchedFolder struct {
	of *watchedCrawl

	mu   sync.Mutex
	last []page.Kept // the latest, without their links
	// asking is held while the folder is probed, asked says whether it was, missing is the response, nil if there was none.
	asking  chan struct{}
	asked   bool
	missing *page.Kept
}

// folder returns the observations of a folder. If too many crawls are watched, all of them are dropped first.
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
			for name := range c.folders { // any folder: which one is needed again is a guess
				delete(c.folders, name)
				break
			}
		}
		f = &watchedFolder{of: c, asking: make(chan struct{}, 1)}
		c.folders[folder] = f
	}
	return f
}

// mayBeMissing reports whether a page may be a soft 404: its words say so, or it looks like other pages of its folder.
func (f *watchedFolder) mayBeMissing(kept *page.Kept) bool {
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
	return lookalikes >= lookalikesMin || urlfilter.NotFoundWords(kept.Title, kept.Heading)
}

// missing returns the folder's response for a URL that cannot exist; nil if there is none.
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

// takeProbe reports whether one more folder of a crawl may be probed.
func (w *watch) takeProbe(f *watchedFolder) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.of.probes++
	return f.of.probes <= probesMax
}

// probe requests a URL that cannot exist. It returns nil if the request is not allowed or gets no response. The probe is
// not a page of the crawl and is not charged.
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
				return fmt.Errorf("probing %s: %w", url, errRefused)
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
