package hostlimits

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
)

const (
	// sharedWait is how long a request waits, by default, for a robots.txt that another one fetches.
	sharedWait = 30 * time.Second
	// sharedAgain is the retry delay for a request whose wait ended.
	sharedAgain = time.Second
)

var errGone = errors.New("the request that fetched robots.txt did not finish")

// shared fetches a robots.txt that many requests need at once, such as at the start of a crawl, only once per process: each
// fetch would use a turn at the host that a page could have.
type shared struct {
	mu sync.Mutex
	of map[string]*sharedFetch // by origin
}

type sharedFetch struct {
	done  chan struct{}
	rules *robots.Rules
	err   error
}

// do calls get, or waits for a call in progress, at most as long as [fetch.Patience] says. If the other call fails, other
// than for lack of a turn, it tries again.
func (s *shared) do(ctx context.Context, u fetch.URL, get func() (*robots.Rules, error)) (*robots.Rules, error) {
	for {
		f, first := s.join(u.Origin())
		if first {
			return s.lead(u.Origin(), f, get)
		}
		if err := f.wait(ctx, u); err != nil {
			return nil, err
		}
		if f.err == nil || fetch.ReasonOf(f.err) == fetch.ReasonRateLimited {
			return f.rules, f.err
		}
	}
}

func (s *shared) join(origin string) (f *sharedFetch, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.of[origin]; f != nil {
		return f, false
	}
	if s.of == nil {
		s.of = map[string]*sharedFetch{}
	}
	f = &sharedFetch{done: make(chan struct{})}
	s.of[origin] = f
	return f, true
}

// lead calls get, and wakes all waiting requests, even after a panic.
func (s *shared) lead(origin string, f *sharedFetch, get func() (*robots.Rules, error)) (*robots.Rules, error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.of, origin)
		close(f.done)
	}()
	f.err = errGone
	f.rules, f.err = get()
	return f.rules, f.err
}

// wait waits until the file is fetched.
func (f *sharedFetch) wait(ctx context.Context, u fetch.URL) error {
	timer := time.NewTimer(fetch.Patience(ctx, sharedWait))
	defer timer.Stop()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return &fetch.Error{Reason: fetch.ReasonCanceled, URL: u.String(), Err: context.Cause(ctx)}
	case <-timer.C:
		busy := &fetch.BusyError{Host: u.HostPort(), RetryAfter: sharedAgain}
		return &fetch.Error{Reason: fetch.ReasonRateLimited, URL: u.String(), Err: busy}
	}
}
