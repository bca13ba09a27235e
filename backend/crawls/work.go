package crawls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// retryAfterMax is the longest Retry-After of a target that is respected.
	retryAfterMax = 5 * time.Minute
	// robotsWait is the delay between attempts to fetch an unreachable robots.txt, robotsWaitMax how long this is tried.
	robotsWait, robotsWaitMax = 30 * time.Second, 10 * time.Minute
	// patience is how long a page waits in its slot for its turn at a host. It is short because others could use the slot.
	// A page that gets no turn is run again later.
	patience = 25 * time.Millisecond
	// triesWorth is how often a page is requested while its server reports trouble, like the retries of package jobs.
	triesWorth = 3
	// triesMax is above the most tries that package jobs gives one page: three, and for each of three more a lost worker.
	triesMax = 8
)

// Why URLs fail or are skipped, besides the codes of problems.
const (
	reasonNotFound    = "not_found"
	reasonRateLimited = "rate_limited"
	reasonTarget      = "target_error"
	reasonRobots      = string(problem.RobotsDisallowed)
	reasonNoRobots    = "robots_unreachable"
	reasonOutside     = "outside_scope"
	reasonTrap        = "trap"
	reasonSession     = "session"
	reasonSoftMissing = "soft_404"
	reasonLate        = string(problem.RequestTimeout)
	reasonCanceled    = "canceled"
)

var errNotOpen = errors.New("the URL is no longer open")

// result is the result of a URL, if nothing went wrong on our side.
type result struct {
	state, reason string
	kept          page.Kept
	found         []urlfilter.Found
	dropped       int
	// url is the URL of the page.
	url string
	// shape is the URL's shape if that is an endless kind, whose results are counted; 0: it is not. serial is whether the
	// URLs of the shape follow one another.
	shape  uint64
	serial bool
	// family is the family of URLs that differ only in a choice of parameters; 0: none. onlyFamily is whether the page
	// links only to URLs of the family. choices are the URL's parameters with their values.
	family     uint64
	onlyFamily bool
	choices    []uint64
	// kin is the kin key of the URL by which the page is known.
	kin uint64
	// relevance is the page's relevance to the search_query; 0 without one.
	relevance float64
	// home is the origin to which the start page redirected; "": it did not.
	home string
	// of is the page that this URL duplicates, if that was known before it was fetched.
	of int32
	// final is the key of the page's URL, if it differs from the requested one.
	final *urlfilter.ID
	// blocked is how long the host asked not to be contacted, for a URL that goes back to waiting. unsent is 1 if no
	// request was sent for it.
	blocked time.Duration
	unsent  int32
}

// Run implements [jobs.Handler]: it fetches the page of one URL and selects its links.
func (s *Service) Run(ctx context.Context, t jobs.Task) (any, error) {
	row, err := s.queries.CrawlURLToRun(ctx, db.CrawlURLToRunParams{CrawlID: t.Group, N: t.N})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the crawl ended meanwhile, and with it the task
		return nil, errNotOpen
	case err != nil:
		return nil, jobs.Wait(problem.Internal(fmt.Errorf("reading URL %d of %s: %w", t.N, t.Group, err)), 0)
	}
	ctx = admission.With(ctx, admission.Holder{Name: row.TeamID, Keyless: row.Paid == paidUSDC})
	v := &visit{s: s, row: &row, id: t.Group, isStart: t.N == 1}
	if v.rules, err = s.rules.get(v.site(deref(row.Home))); err != nil {
		return nil, err
	}
	v.result.url = row.Url
	if v.url, err = fetch.ParseURL(row.Url); err == nil {
		_, traits := urlfilter.Shape(v.url)
		v.result.choices = urlfilter.Choices(v.url)
		if traits.Endless {
			v.result.shape, v.result.serial = uint64(row.Shape), traits.Serial() //nolint:gosec // 64 bits, whatever their sign
		}
		if traits.Faceted {
			v.result.family = urlfilter.Family(v.url)
		}
	}
	return v.run(ctx, &t)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// tries is the number of this try, unique for the URL: a worker taken for dead may still be running an earlier one.
func tries(t *jobs.Task) int32 { return t.Attempt + t.Takeovers }

// visit is one try of a URL.
type visit struct {
	s       *Service
	id      string
	row     *db.CrawlURLToRunRow
	url     fetch.URL
	rules   *rules
	isStart bool
	result  result
	// refused is why a redirect was not followed.
	refused string
}

func (v *visit) site(home string) *site {
	return &site{
		id: v.id, startURL: v.row.StartUrl, home: home, maxDepth: v.row.MaxDepth, request: v.row.Request, noise: urlfilter.NewNoise(v.row.Noise),
	}
}

func (v *visit) end(state, reason string) (any, error) {
	v.result.state, v.result.reason = state, reason
	return &v.result, nil
}

func (v *visit) run(ctx context.Context, t *jobs.Task) (any, error) {
	switch {
	case !v.s.config.Now().Before(v.row.DeadlineAt):
		return v.end(stateFailed, reasonLate)
	case v.row.OfN != nil: // a redirect led to this URL meanwhile
		v.result.of = *v.row.OfN
		return v.end(stateDuplicate, "")
	case v.renamed():
		return v.end(stateSkipped, reasonSession)
	}
	if closed, err := v.closed(ctx); err != nil {
		return nil, err
	} else if closed {
		return v.end(stateSkipped, reasonTrap)
	}
	if allowed, err := v.allowed(ctx, v.row.Url); v.isUnreachable(err) {
		return v.end(stateFailed, reasonNoRobots)
	} else if err != nil {
		return v.putOff(err, robotsWait)
	} else if !allowed {
		return v.end(stateFailed, reasonRobots)
	}
	kept, err := v.s.config.Pages.Keep(ctx, page.Job{
		TeamID: v.row.TeamID, RetrieveID: v.row.RetrieveID, Attempt: int(v.row.Attempts + tries(t)), URL: v.row.Url,
		Options: v.rules.spec.Options, Expires: v.s.config.Now().Add(v.s.config.Retention), Background: true, Patience: patience,
		Follow: v.follow, Links: true, Sitemaps: v.isStart || v.rules.ofSitemap(), Bare: v.rules.spec.Bare, Record: v.row.Record,
	})
	switch {
	case v.refused == reasonRobots, v.refused == reasonNoRobots:
		return v.end(stateFailed, v.refused)
	case v.refused != "":
		return v.end(stateSkipped, v.refused)
	case err != nil:
		return v.failed(err)
	case kept.Troubled():
		return v.troubled(&kept, t)
	}
	v.result.kept = kept
	if kept.StatusCode == http.StatusNotFound || kept.StatusCode == http.StatusGone {
		return v.end(stateFailed, reasonNotFound)
	}
	if missing, err := v.softMissing(ctx, &kept); err != nil {
		return nil, err
	} else if missing {
		return v.end(stateFailed, reasonSoftMissing)
	}
	if err := v.look(ctx, &kept); err != nil {
		return nil, err
	}
	v.result.kept.Links = nil // the links have been selected, and would take much memory
	return v.end(stateDone, "")
}

// allowed checks robots.txt. A crawl that ignores robots.txt still reads the file for its crawl delay: a crawl may not
// decide how often a host is contacted.
func (v *visit) allowed(ctx context.Context, url string) (bool, error) {
	allowed, err := v.s.config.Robots.Allowed(fetch.WithPatience(ctx, patience), url)
	if err != nil {
		return false, fmt.Errorf("checking robots.txt for %s: %w", url, err)
	}
	return allowed || v.rules.spec.IgnoreRobots, nil
}

// failed returns the result for a page that could not be fetched.
func (v *visit) failed(err error) (any, error) {
	e, ok := errors.AsType[*page.Error](err)
	if !ok {
		return nil, err
	}
	switch e.Class {
	case page.ClassWait:
		return v.putOff(e, e.After)
	case page.ClassLater:
		return nil, jobs.Later(e)
	case page.ClassFinal:
	}
	return nil, e
}

// putOff schedules a URL again that could not be fetched yet. Meanwhile its slot is free for others. If the host has a long
// block, the URL gives up its place in the crawl as well.
func (v *visit) putOff(err error, after time.Duration) (any, error) {
	if busy, ok := errors.AsType[*fetch.BusyError](err); ok {
		if after = busy.RetryAfter; after > blockedLong && !v.row.Patient {
			v.result.blocked, v.result.unsent = min(after, blockedMax), 1
			return v.end(stateWaiting, "")
		}
	}
	return nil, jobs.Wait(err, after)
}

// troubled retries a page whose server reports trouble.
func (v *visit) troubled(kept *page.Kept, t *jobs.Task) (any, error) {
	err := &troubledError{kept.StatusCode}
	switch {
	case v.row.Attempts+t.Attempt >= triesWorth:
		return nil, err
	case kept.RetryAfter > blockedLong && !v.row.Patient:
		v.result.blocked = min(kept.RetryAfter, blockedMax)
		return v.end(stateWaiting, "")
	}
	return nil, jobs.Later(err, min(kept.RetryAfter, retryAfterMax))
}

// isUnreachable reports whether robots.txt has been unreachable for so long that the URL fails.
func (v *visit) isUnreachable(err error) bool {
	e, ok := errors.AsType[*robots.UnreachableError](err)
	return ok && v.s.config.Now().Sub(e.Since) >= robotsWaitMax
}

var errRefused = errors.New("the redirect leads to a URL that this crawl does not fetch")

// follow decides whether a redirect is followed. The start page may redirect anywhere; its target defines the site.
func (v *visit) follow(ctx context.Context, url string) error {
	v.refused = ""
	if !v.isStart && !v.row.External && !v.rules.inside(url) {
		v.refused = reasonOutside
		return errRefused
	}
	allowed, err := v.allowed(ctx, url)
	if v.isUnreachable(err) {
		v.refused = reasonNoRobots
		return errRefused
	}
	if err != nil {
		// The whole page is postponed and requested again from its own URL.
		return &page.Error{Class: page.ClassWait, After: robotsWait, Problem: problem.From(problem.Internal(err))}
	}
	if !allowed {
		v.refused = reasonRobots
		return errRefused
	}
	return nil
}

// look determines the final URL of a page and selects its links.
func (v *visit) look(ctx context.Context, kept *page.Kept) error {
	from := urlfilter.Page{URL: kept.FinalURL, Depth: int(v.row.Depth), Chain: int(v.row.Chain), External: v.row.External}
	if from.URL == "" {
		from.URL = v.row.Url
	}
	if from.URL != v.row.Url {
		if err := v.moved(from.URL); err != nil {
			return err
		}
	}
	v.result.kin = v.kin(kept.Canonical)
	if err := v.rank(ctx, kept); err != nil {
		return err
	}
	if kept.StatusCode >= http.StatusBadRequest || kept.NoFollow && !v.rules.spec.IgnoreRobots {
		return nil
	}
	links := kept.Links
	if kept.Canonical != "" && kept.Canonical != from.URL {
		links = append(links[:len(links):len(links)], page.Link{URL: kept.Canonical})
	}
	var err error
	v.result.found, v.result.dropped, err = v.rules.next(ctx, from, links)
	if err != nil {
		return fmt.Errorf("choosing links of %s: %w", from.URL, err)
	}
	v.result.onlyFamily = v.result.family != 0 && len(v.result.found) > 0 && !slices.ContainsFunc(v.result.found, func(f urlfilter.Found) bool {
		u, err := fetch.ParseURL(f.URL)
		return err != nil || urlfilter.Family(u) != v.result.family
	})
	return nil
}

// moved records that a page's final URL differs from the requested one.
func (v *visit) moved(url string) error {
	if home := originOf(url); v.isStart && home != originOf(v.row.Url) {
		v.result.home = home
		var err error
		if v.rules, err = v.s.rules.get(v.site(home)); err != nil {
			return err
		}
	}
	if u, err := fetch.ParseURL(url); err == nil {
		u, key := v.rules.limits.Noise.Key(u)
		v.result.url = u.String()
		if _, own := v.rules.limits.Noise.Key(v.url); own != key {
			v.result.final = &key
		}
	}
	return nil
}

// rank estimates how relevant a page is to the search_query, by its title, URL, first heading and the start of its text. It
// scores the page together with its links, whose words show how rare a word is.
func (v *visit) rank(ctx context.Context, kept *page.Kept) error {
	query, score := v.rules.spec.SearchQuery, v.rules.limits.Score
	if query == "" || score == nil {
		return nil
	}
	self := page.Link{URL: v.result.url, Text: kept.Title, Heading: kept.Heading, Around: kept.Excerpt}
	scores, err := score(ctx, append(kept.Links[:len(kept.Links):len(kept.Links)], self), query)
	if err != nil {
		return fmt.Errorf("ranking %s: %w", v.result.url, err)
	}
	if len(scores) > 0 {
		v.result.relevance = scores[len(scores)-1]
	}
	return nil
}

// kin returns the kin key of the page's canonical URL, if that is inside the site, else of its own URL. It is used as
// nothing more than kin, so that a wrong canonical URL does no harm.
func (v *visit) kin(canonical string) uint64 {
	at := v.result.url
	if canonical != "" && v.rules.inside(canonical) {
		at = canonical
	}
	u, err := fetch.ParseURL(at)
	if err != nil {
		return 0
	}
	return v.rules.limits.Noise.Kin(u)
}

// closed reports whether enough URLs of this shape or family were seen.
func (v *visit) closed(ctx context.Context) (bool, error) {
	if v.result.shape != 0 && (&urlfilter.State{Seen: int(v.row.Seen), Fresh: int(v.row.Fresh)}).Closed() {
		return true, nil
	}
	if v.result.family == 0 {
		return false, nil
	}
	rows, err := v.s.queries.ShapesOf(ctx, db.ShapesOfParams{CrawlID: v.id, Shapes: []int64{int64(v.result.family)}}) //nolint:gosec // 64 bits, whatever their sign
	if err != nil {
		return false, jobs.Wait(problem.Internal(fmt.Errorf("reading a URL family of %s: %w", v.id, err)), 0)
	}
	return len(rows) > 0 && (&urlfilter.State{Seen: int(rows[0].Seen), Fresh: int(rows[0].Fresh)}).Closed(), nil
}

// renamed reports whether noise learned since gives the URL another key. It is then added under that key, if new.
func (v *visit) renamed() bool {
	if v.rules.limits.Noise.IsZero() || v.isStart {
		return false
	}
	u, key := v.rules.limits.Noise.Key(v.url)
	if bytes.Equal(key[:], v.row.Key) {
		return false
	}
	v.result.found = []urlfilter.Found{{
		URL: v.row.Url, ID: key, Host: u.Host(), Depth: int(v.row.Depth), Chain: int(v.row.Chain), Shape: uint64(v.row.Shape), //nolint:gosec // 64 bits
		External: v.row.External,
	}}
	return true
}

// troubledError is a page whose server reports trouble. If that does not change, the URL fails.
type troubledError struct{ status int }

func (e *troubledError) Error() string { return fmt.Sprintf("the target returned status %d", e.status) }
