package maps

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/backend/page/sitemap"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
)

const (
	// fetchesMax is how many fetches a map runs at once. The fetcher enforces the host limits.
	fetchesMax = 4
	// enoughURLs is the number of URLs from which links and guessed feeds are not worth the time: the site has sitemaps.
	enoughURLs = 10_000
)

// collection is the state of one map while it is made.
type collection struct {
	service *Service
	plan    *plan
	// site is the scope of the site. The scope of list is narrower: it also applies the request's globs.
	site *urlfilter.Scope
	list *list
	// listed are the sitemaps in the first page, if that is a sitemap itself.
	listed []fetch.URL
	room   *room
	// large is held while a large body is read: there is memory for one.
	large chan struct{}
	// truncated: something was left out for lack of time or memory.
	truncated atomic.Bool

	mu sync.Mutex
	// asked are the sitemaps and feeds that were fetched, or are about to be.
	asked map[urlfilter.ID]bool
	// failure is the first failed fetch that got no response.
	failure error
	// answered: the site has sent a response.
	answered atomic.Bool
}

var errFull = errors.New("the map is full")

// collect finds the URLs of a site, in the order in which they are returned. truncated is whether there may be more. The
// error is a problem: the site could not be reached at all, or the client closed the request.
func (s *Service) collect(ctx context.Context, p *plan, r *room) (urls []string, truncated bool, err error) {
	c := &collection{service: s, plan: p, room: r, large: make(chan struct{}, 1), asked: map[urlfilter.ID]bool{}}
	searching, cancel := context.WithTimeout(ctx, s.config.TimeLimit)
	defer cancel()
	if err := c.search(searching); err != nil {
		return nil, false, err
	}
	if ctx.Err() != nil {
		return nil, false, problem.Wrap(problem.RequestTimeout, "The request was canceled before the map was complete. Nothing was charged.", ctx.Err())
	}
	if c.list.count() == 0 && !c.answered.Load() {
		if err := c.unreachable(searching); err != nil {
			return nil, false, err
		}
	}
	truncated = c.truncated.Load() || searching.Err() != nil || c.list.isFull
	urls, err = c.list.ordered(ctx, p.query, p.topN)
	if err != nil {
		return nil, false, problem.Wrap(problem.RequestTimeout, "The request was canceled before the map was complete. Nothing was charged.", err)
	}
	return urls, truncated, nil
}

// search goes through all sources, until the time is over or the list is full.
func (c *collection) search(ctx context.Context) error {
	start, err := c.start(ctx)
	if err != nil {
		return err
	}
	landed := fetch.URL{}
	if start != nil {
		defer start.release()
		landed = start.URL
	}
	config := urlfilter.Config{Start: c.plan.url, Landed: landed, Subdomains: c.plan.subdomains}
	if c.site, err = urlfilter.NewScope(config); err != nil {
		return problem.Internal(fmt.Errorf("scope of a map: %w", err))
	}
	config.Globs = c.plan.globs
	scope, err := urlfilter.NewScope(config)
	if err != nil {
		return problem.Internal(fmt.Errorf("scope of a map: %w", err))
	}
	c.list = newList(scope, c.plan.query != "")
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-c.list.full:
			cancel(errFull)
		case <-ctx.Done():
		}
	}()
	if start != nil && start.StatusCode < 300 && c.site.Moved() {
		// The requested site is a single page that redirects to another site.
		c.add(ctx, c.plan.url, "")
		return nil
	}
	var feeds, links []fetch.URL
	if start != nil {
		feeds, links = c.readStart(ctx, start.Response)
		start.release() // frees memory for others
	}
	c.readSitemaps(ctx, landed)
	c.readFeeds(ctx, landed, feeds)
	c.walk(ctx, links)
	return nil
}

// start fetches the first page of the map; nil if that is not allowed or fails. The error is a problem that ends the map.
func (c *collection) start(ctx context.Context) (*answer, error) {
	group, err := c.rules(ctx, c.plan.url)
	if err != nil {
		if reason := fetch.ReasonOf(err); reason == fetch.ReasonBlockedAddress || reason == fetch.ReasonBlockedPort {
			return nil, startProblem(err)
		}
		c.failed(err)
		return nil, nil //nolint:nilnil // documented
	}
	if mayRead := group.Allowed(c.plan.url.String()) && asks(c.plan.gate.Page, c.plan.url) == nil; !mayRead {
		return nil, nil //nolint:nilnil // documented
	}
	response, err := c.get(ctx, c.plan.url, c.allowed)
	switch reason := fetch.ReasonOf(err); {
	case err == nil:
		return response, nil
	case reason == fetch.ReasonBlockedAddress, reason == fetch.ReasonBlockedPort:
		return nil, startProblem(err)
	}
	return nil, nil //nolint:nilnil // documented
}

// rules returns the robots.txt group for our agent at a URL.
func (c *collection) rules(ctx context.Context, u fetch.URL) (*robots.Group, error) {
	rules, err := c.service.config.Robots.For(ctx, u)
	if err != nil {
		return nil, err
	}
	return rules.For(c.service.config.Agent), nil
}

var errDisallowed = errors.New("robots.txt disallows it")

// allowed returns nil if robots.txt and the gate allow a page. It is also called before each redirect.
func (c *collection) allowed(ctx context.Context, u fetch.URL) error {
	if err := asks(c.plan.gate.Page, u); err != nil {
		return err
	}
	return c.polite(ctx, u)
}

// allowedList is allowed for a feed.
func (c *collection) allowedList(ctx context.Context, u fetch.URL) error {
	if err := c.gatedList(ctx, u); err != nil {
		return err
	}
	return c.polite(ctx, u)
}

// gatedList is for sitemaps: robots.txt names them itself, so only the gate is asked.
func (c *collection) gatedList(_ context.Context, u fetch.URL) error {
	return asks(c.plan.gate.List, u)
}

// asks calls one function of a gate; nil allows everything.
func asks(gate func(fetch.URL) error, u fetch.URL) error {
	if gate == nil {
		return nil
	}
	return gate(u)
}

// polite returns nil if robots.txt allows u.
func (c *collection) polite(ctx context.Context, u fetch.URL) error {
	group, err := c.rules(ctx, u)
	if err != nil {
		return err
	}
	if !group.Allowed(u.String()) {
		return errDisallowed
	}
	return nil
}

// answer is a response of a site, with the memory that its body takes.
type answer struct {
	*fetch.Response

	large   bool
	release func()
}

// get fetches a page or sitemap. The answer must be released. A failure without response is recorded.
func (c *collection) get(ctx context.Context, u fetch.URL, follow fetch.FollowFunc) (*answer, error) {
	a := &answer{release: func() {}}
	var err error
	a.Response, err = c.service.config.Fetcher.Get(ctx, fetch.Request{
		URL: u, Follow: follow, HeadBytes: sitemap.BytesMax + 1, Record: true,
		Room: func(ctx context.Context, bytesMax int64) error { return c.enlarge(ctx, a, bytesMax) },
	})
	if err != nil {
		a.release()
		c.failed(err)
		return nil, err
	}
	c.answered.Store(true)
	return a, nil
}

// enlarge waits for memory for a large body.
func (c *collection) enlarge(ctx context.Context, a *answer, bytesMax int64) error {
	if !a.large {
		select {
		case c.large <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		a.large = true
		a.release = sync.OnceFunc(func() {
			_ = c.room.forBody(context.WithoutCancel(ctx), 0) // shrinking never waits
			<-c.large
		})
	}
	return c.room.forBody(ctx, bytesMax)
}

// add adds a URL of the site, with words that describe its page. It reports false if there is no memory or time for more.
func (c *collection) add(ctx context.Context, u fetch.URL, words string) bool {
	urls, bytes, ok := c.list.add(u, words)
	return ok && c.room.forList(ctx, urls, bytes) == nil
}

func (c *collection) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil && !errors.Is(err, errDisallowed) {
		c.failure = err
	}
}

// unreachable returns the problem of a site that has sent no response; nil if it only forbids fetching. In the rules an
// unreachable robots.txt looks like a forbidding one, so the file is requested once more.
func (c *collection) unreachable(ctx context.Context) error {
	c.mu.Lock()
	failure := c.failure
	c.mu.Unlock()
	if failure != nil {
		return startProblem(failure)
	}
	u, err := c.plan.url.Resolve("/robots.txt")
	if err != nil {
		return problem.Internal(fmt.Errorf("robots.txt of %s: %w", c.plan.url, err))
	}
	response, err := c.service.config.Fetcher.Get(ctx, fetch.Request{URL: u, HeadBytes: 1})
	switch {
	case err != nil:
		return startProblem(err)
	case response.StatusCode >= 500:
		e := problem.New(problem.FetchFailed, fmt.Sprintf(
			"The site returns %d for its robots.txt, so nothing may be fetched (RFC 9309). Nothing was charged.", response.StatusCode))
		e.Metadata = map[string]any{"status_code": response.StatusCode}
		return e
	}
	return nil
}

// each calls fn for all items, several at a time, until ctx ends.
func each[T any](ctx context.Context, all []T, fn func(ctx context.Context, one T)) {
	var g errgroup.Group
	g.SetLimit(fetchesMax)
	for _, one := range all {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			fn(ctx, one)
			return nil
		})
	}
	_ = g.Wait() // the functions return no errors
}

// first reports whether a sitemap or feed is asked for the first time, and marks it as asked.
func (c *collection) first(u fetch.URL) bool {
	_, id := urlfilter.Key(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked[id] {
		return false
	}
	c.asked[id] = true
	return true
}
