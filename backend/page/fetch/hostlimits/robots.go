package hostlimits

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// robotsTTL is how long a file is used: the maximum of RFC 9309 section 2.4.
	robotsTTL = 24 * time.Hour
	// unreachableTTL is how soon an unreachable file is requested again.
	unreachableTTL = time.Minute
	// unreachableMax is how long a file must be unreachable to count as missing (RFC 9309 section 2.3.1.4).
	unreachableMax = 30 * 24 * time.Hour
	// redirectsMax is what RFC 9309 section 2.3.1.2 requires.
	redirectsMax = 5
	// headBytes is how much of a file is fetched: a little more than is read, so that Head can cut at the end of a line.
	headBytes = robots.BytesMax + 4096
	// crawlDelayMax caps a file's Crawl-delay. To ask for more means to refuse, for which there are disallow rules.
	crawlDelayMax = 30 * time.Second
)

// Results of fetching a file.
const (
	verdictRules    = "rules"
	verdictAllow    = "allow"
	verdictDisallow = "disallow"
)

// Fetcher fetches URLs. A *fetch.Client implements it.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// RobotsConfig configures Robots. All fields are required.
type RobotsConfig struct {
	Queries *db.Queries
	Fetcher Fetcher
	// Agent is the crawler's product token, whose Crawl-delay is used.
	Agent string
	Now   func() time.Time
}

// Robots provides the robots.txt rules of hosts, from a cache that all processes share. It is safe for concurrent use.
type Robots struct {
	config RobotsConfig
	recent recent
	shared shared
}

// NewRobots makes a Robots.
func NewRobots(config RobotsConfig) (*Robots, error) {
	if config.Queries == nil || config.Fetcher == nil || config.Agent == "" || config.Now == nil {
		return nil, errors.New("politeness: Queries, Fetcher, Agent and Now are required")
	}
	return &Robots{config: config}, nil
}

// For returns the rules for u's scheme, host and port, from the cache for up to 24 hours or else fetched. It interprets the
// status by RFC 9309 section 2.3.1: 2xx is parsed; 4xx and more than five redirects allow everything; 5xx and an
// unreachable host disallow everything, for a month. Errors do not come from the host: an ended context, a name that cannot
// be resolved, a blocked address, no turn in time, the database.
func (r *Robots) For(ctx context.Context, u fetch.URL) (*robots.Rules, error) {
	origin := u.Origin()
	row, err := r.config.Queries.RobotsOf(ctx, origin)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return nil, fmt.Errorf("looking up robots.txt of %s: %w", origin, err)
	case r.config.Now().Before(row.ExpiresAt):
		return r.rules(row.Verdict, row.Body, row.UnreachableSince), nil
	}
	return r.shared.do(ctx, u, func() (*robots.Rules, error) {
		verdict, body, err := r.fetch(ctx, u)
		if err != nil {
			return nil, err
		}
		return r.keep(ctx, u, verdict, body)
	})
}

func (r *Robots) rules(verdict string, body []byte, unreachableSince *time.Time) *robots.Rules {
	switch {
	case verdict == verdictRules:
		return robots.Parse(body)
	case verdict == verdictDisallow:
		since := r.config.Now()
		if unreachableSince != nil {
			since = *unreachableSince
		}
		if r.config.Now().Sub(since) < unreachableMax {
			return robots.DisallowAll(since)
		}
	}
	return &robots.Rules{}
}

// fetch gets the file. After redirects to another host, the rules still apply to the first one.
func (r *Robots) fetch(ctx context.Context, u fetch.URL) (verdict string, body []byte, err error) {
	target, err := fetch.ParseURL(u.Origin() + "/robots.txt")
	if err != nil {
		return "", nil, err
	}
	response, err := r.config.Fetcher.Get(ctx, fetch.Request{
		URL: target, RedirectsMax: redirectsMax, HeadBytes: headBytes,
		Header: http.Header{"Accept": {"text/plain,*/*;q=0.5"}},
	})
	switch reason := fetch.ReasonOf(err); reason {
	case "":
		if err != nil {
			return "", nil, err
		}
	case fetch.ReasonTooManyRedirects, fetch.ReasonNotArchived: // robots.txt was checked when the host was recorded
		return verdictAllow, nil, nil
	case fetch.ReasonCanceled, fetch.ReasonInvalidURL, fetch.ReasonBlockedAddress, fetch.ReasonBlockedPort,
		fetch.ReasonRateLimited, fetch.ReasonGate, fetch.ReasonNoProxy, fetch.ReasonArchive, fetch.ReasonDNS:
		return "", nil, err
	default:
		if ctx.Err() != nil {
			return "", nil, err // the caller's time limit may have been short
		}
		return verdictDisallow, nil, nil
	}
	switch status := response.StatusCode; {
	case status >= 500:
		return verdictDisallow, nil, nil
	case status >= 200 && status < 300:
		return verdictRules, robots.Head(response.Body), nil
	default:
		return verdictAllow, nil, nil
	}
}

func (r *Robots) keep(ctx context.Context, u fetch.URL, verdict string, body []byte) (*robots.Rules, error) {
	now := r.config.Now()
	ttl := robotsTTL
	if verdict == verdictDisallow {
		ttl = unreachableTTL
	}
	if body == nil {
		body = []byte{}
	}
	since, err := r.config.Queries.SaveRobots(ctx, db.SaveRobotsParams{
		Origin: u.Origin(), Verdict: verdict, Body: body, FetchedAt: now, ExpiresAt: now.Add(ttl),
	})
	if err != nil {
		return nil, fmt.Errorf("storing robots.txt of %s: %w", u.Origin(), err)
	}
	rules := r.rules(verdict, body, since)
	delay, _ := rules.For(r.config.Agent).CrawlDelay()
	if err := r.config.Queries.SetCrawlDelay(ctx, db.SetCrawlDelayParams{
		Host: u.HostPort(), Now: now, CrawlDelayMs: min(delay, crawlDelayMax).Milliseconds(), Until: now.Add(ttl),
	}); err != nil {
		return nil, fmt.Errorf("storing the crawl delay of %s: %w", u.Origin(), err)
	}
	return rules, nil
}
