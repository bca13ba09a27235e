package hostlimits

import (
	"errors"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
)

// Allowed answers for one URL after the other, as a crawl asks.
func TestAllowed(t *testing.T) {
	t.Parallel()
	s := newSite(t, answer(200, noA))
	wantAllowed := func(path string, want bool) {
		t.Helper()
		if got, err := s.Allowed(t.Context(), s.u.Origin()+path); err != nil || got != want {
			t.Errorf("%s: got %t, %v, want %t", path, got, err, want)
		}
	}
	wantAllowed("/a", false)
	wantAllowed("/b?c", true)
	s.serve(answer(503, ""))
	s.clock.Advance(24*time.Hour - time.Second)
	wantAllowed("/a", false) // by the file, which expires in a second
	if n := s.asked.Load(); n != 1 {
		t.Errorf("got %d requests for robots.txt, want 1", n)
	}
	s.clock.Advance(recentTTL)
	for range 2 {
		var unreachable *robots.UnreachableError
		if _, err := s.Allowed(t.Context(), s.u.Origin()+"/b"); !errors.As(err, &unreachable) || s.clock.Now().Sub(unreachable.Since) > time.Second {
			t.Errorf("unreachable: got %v, want that it is so since now", err)
		}
	}
	s.clock.Advance(11 * time.Minute)
	var unreachable *robots.UnreachableError
	if _, err := s.Allowed(t.Context(), s.u.Origin()+"/b"); !errors.As(err, &unreachable) || s.clock.Now().Sub(unreachable.Since) < 11*time.Minute {
		t.Errorf("eleven minutes later: got %v, want that it is so since then", err)
	}
	s.serve(answer(404, ""))
	s.clock.Advance(unreachableTTL)
	wantAllowed("/a", true)
}

// Allowed leaves URLs that cannot be fetched to the fetcher, whose error says more.
func TestAllowedWhatIsNotFetched(t *testing.T) {
	t.Parallel()
	s := newSite(t, answer(200, noA))
	for _, url := range []string{"no url", "http://10.0.0.1/", "http://no-such-host.invalid/"} {
		if got, err := s.Allowed(t.Context(), url); err != nil || !got {
			t.Errorf("%s: got %t, %v, want it left to the fetcher", url, got, err)
		}
	}
}
