package hostlimits

import (
	"context"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
)

const (
	// recentTTL is how long a process uses the rules of a host without a look at the cache that all processes share.
	recentTTL = time.Minute
	// recentMax is how many hosts' rules a process remembers. The largest take half a megabyte each, most a few hundred
	// bytes.
	recentMax = 256
)

// recent caches the rules of a few hosts: a crawl checks each of its pages and redirects.
type recent struct {
	mu sync.Mutex
	of map[string]recentRules // by origin
}

type recentRules struct {
	group *robots.Group
	until time.Time
}

func (r *recent) get(origin string, now time.Time) *robots.Group {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.of[origin]; ok && now.Before(known.until) {
		return known.group
	}
	return nil
}

func (r *recent) put(origin string, group *robots.Group, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || len(r.of) >= recentMax {
		r.of = make(map[string]recentRules, recentMax) // hosts still in use are looked up again
	}
	r.of[origin] = recentRules{group, until}
}

// Allowed reports whether url's robots.txt allows it, by rules that may be a minute older than those of [Robots.For]. It
// returns true for a URL that the fetcher will refuse anyway, because its host has no address or a blocked one: the
// fetcher's error is clearer. If the file is unreachable the error is a *[robots.UnreachableError]; other errors do not
// come from the host and are temporary.
func (r *Robots) Allowed(ctx context.Context, url string) (bool, error) {
	u, err := fetch.ParseURL(url)
	if err != nil {
		return true, nil //nolint:nilerr // the fetcher says what is wrong with it
	}
	now := r.config.Now()
	group := r.recent.get(u.Origin(), now)
	if group == nil {
		rules, err := r.For(ctx, u)
		switch fetch.ReasonOf(err) {
		case fetch.ReasonBlockedAddress, fetch.ReasonBlockedPort, fetch.ReasonInvalidURL, fetch.ReasonDNS:
			return true, nil
		default:
		}
		if err == nil {
			err = rules.Reachable()
		}
		if err != nil {
			return false, err
		}
		group = rules.For(r.config.Agent)
		r.recent.put(u.Origin(), group, now.Add(recentTTL))
	}
	return group.Allowed(u.String()), nil
}
