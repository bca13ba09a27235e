package files

import (
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

const (
	// ConcurrencyDefault is how many files one process takes in or checks at once. On S3 an upload takes up to 48 MB, on
	// disk next to nothing.
	ConcurrencyDefault = 16
	// teamShare is the part of these that one team may have: a client that sends slowly blocks its own alone.
	teamShare = 2

	overloadRetry = 2 * time.Second
)

// slots bounds what is under way.
type slots struct {
	max, teamMax int

	mu    sync.Mutex
	taken int
	teams map[string]int
}

func newSlots(n int) *slots {
	return &slots{max: n, teamMax: max(1, n/teamShare), teams: map[string]int{}}
}

// take returns how to give the slot back; the error is a problem.
func (s *slots) take(teamID string) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.max || s.teams[teamID] >= s.teamMax {
		e := problem.New(problem.Overloaded, "As many files as can be are being taken in or checked at the moment. Try again shortly.")
		e.RetryAfter = overloadRetry
		return nil, e
	}
	s.taken++
	s.teams[teamID]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
		if s.teams[teamID]--; s.teams[teamID] == 0 {
			delete(s.teams, teamID)
		}
	}, nil
}
