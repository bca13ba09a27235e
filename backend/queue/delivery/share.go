package delivery

import "sync"

// share keeps a team from using all slots of a process: a team may have any number of addresses, and each one that
// hangs blocks a slot for as long as a try may take.
type share struct {
	most int

	mu    sync.Mutex
	teams map[string]int
}

func newShare(most int) *share { return &share{most: most, teams: map[string]int{}} }

// enter takes one of a team's slots, if one is free, until leave is called.
func (s *share) enter(team string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.teams[team] >= s.most {
		return nil, false
	}
	s.teams[team]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.teams[team]--; s.teams[team] == 0 {
			delete(s.teams, team)
		}
	}, true
}
