package crawls

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
)

// rules say which URLs one crawl fetches. They are safe for concurrent use.
type rules struct {
	spec   *Spec
	start  fetch.URL
	scope  *urlfilter.Scope
	limits urlfilter.Limits
}

// site is the input of rules: the constant data of a crawl, where its start page redirected, and the learned noise.
type site struct {
	id, startURL string
	home         string // the origin to which the start page redirected, "" if it did not
	maxDepth     *int32
	request      []byte
	noise        urlfilter.Noise
}

// newRules builds the rules of one crawl. Errors in the request name the request field.
func newRules(at *site, seen *urlfilter.Seen, score urlfilter.ScoreFunc) (*rules, error) {
	r := &rules{spec: new(Spec)}
	if err := json.Unmarshal(at.request, r.spec); err != nil {
		return nil, fmt.Errorf("reading the request of %s: %w", at.id, err)
	}
	var err error
	if r.start, err = fetch.ParseURL(at.startURL); err != nil {
		return nil, problem.Validation(problem.BodyFault("start_url", "must be an absolute http or https URL"))
	}
	include, faults := glob.Compile(r.spec.IncludeURLs, "body", "include_urls")
	exclude, more := glob.Compile(r.spec.ExcludeURLs, "body", "exclude_urls")
	if faults = append(faults, more...); len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	config := urlfilter.Config{
		Start: r.start, Subdomains: r.spec.IncludeSubdomain, Externals: r.spec.IncludeExternal,
		Globs: glob.Set{Include: include, Exclude: exclude},
	}
	if at.home != "" {
		if config.Landed, err = fetch.ParseURL(at.home); err != nil {
			return nil, fmt.Errorf("reading the home origin of %s: %w", at.id, err)
		}
	}
	if r.scope, err = urlfilter.NewScope(config); err != nil {
		return nil, fmt.Errorf("building the scope of %s: %w", at.id, err)
	}
	r.limits = urlfilter.Limits{
		Scope: r.scope, Seen: seen, Mark: urlfilter.MarkOf(at.id), Noise: at.noise, Query: r.spec.SearchQuery, TopN: r.spec.TopN, Score: score,
	}
	if at.maxDepth != nil {
		r.limits.DepthMax = new(int(*at.maxDepth))
	}
	return r, nil
}

// first returns the URL with which the crawl begins.
func (r *rules) first() urlfilter.Found {
	u, id := urlfilter.Key(r.start)
	shape, traits := urlfilter.Shape(u)
	return urlfilter.Found{URL: u.String(), ID: id, Host: u.Host(), Shape: shape, Endless: traits.Endless}
}

// inside reports whether a page at url may belong to the crawl.
func (r *rules) inside(url string) bool {
	u, err := fetch.ParseURL(url)
	return err == nil && r.scope.Place(u) != urlfilter.Out
}

// ofSitemap reports whether the start URL has the name of a sitemap. URLs listed there may be sitemaps, too.
func (r *rules) ofSitemap() bool {
	path, _, _ := strings.Cut(strings.ToLower(r.start.PathAndQuery()), "?")
	return strings.HasSuffix(path, ".xml") || strings.Contains(path[strings.LastIndexByte(path, '/')+1:], "sitemap")
}

// next returns the links of a page that are to be fetched, and how many possible ones were dropped.
func (r *rules) next(ctx context.Context, from urlfilter.Page, links []page.Link) ([]urlfilter.Found, int, error) {
	found, dropped, err := urlfilter.Next(ctx, from, links, r.limits)
	return found, dropped.Trapped + dropped.Surplus, err
}

// originOf returns the origin of a URL, "" if it cannot be parsed.
func originOf(url string) string {
	u, err := fetch.ParseURL(url)
	if err != nil {
		return ""
	}
	return u.Origin()
}

// rulesMax is how many crawls' rules are cached.
const rulesMax = 256

// rulesCache caches the rules of crawls.
type rulesCache struct {
	seen  *urlfilter.Seen
	score urlfilter.ScoreFunc
	mu    sync.Mutex
	of    map[[3]string]*rules // by id, home and noise
}

func (c *rulesCache) get(at *site) (*rules, error) {
	key := [3]string{at.id, at.home, at.noise.String()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.of[key]; r != nil {
		return r, nil
	}
	r, err := newRules(at, c.seen, c.score)
	if err != nil {
		return nil, err
	}
	if c.of == nil || len(c.of) >= rulesMax {
		c.of = make(map[[3]string]*rules, rulesMax) // crawls still running build theirs again
	}
	c.of[key] = r
	return r, nil
}
