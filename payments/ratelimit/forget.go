package ratelimit

import (
	"maps"
	"slices"
)

// add adds an entry for a key, after making room for it.
func (s *shard[K]) add(key K, rule *Rule, now int64) *entry {
	if len(s.entries) >= s.sweepAt || now-s.swept >= int64(sweepEvery) {
		s.sweep(now)
	}
	if len(s.entries) >= s.keysMax {
		s.evict()
	}
	e := &entry{fullAt: make([]int64, rule.class+1)}
	s.entries[key] = e
	return e
}

// sweep forgets all keys with full quotas and nothing in flight. The next sweep comes when there are twice as many
// keys, so that the cost per added key is constant.
func (s *shard[K]) sweep(now int64) {
	before := len(s.entries)
	maps.DeleteFunc(s.entries, func(_ K, e *entry) bool {
		return e.inFlight.Load() == 0 && slices.Max(e.fullAt) <= now
	})
	if len(s.entries) < before/4 {
		s.entries = maps.Clone(s.entries) // only a new map releases the memory
	}
	s.sweepAt, s.swept = max(sweepFrom, 2*len(s.entries)), now
}

// evict forgets one key of a sample: the one whose quotas are full again the soonest, because it gains the least.
func (s *shard[K]) evict() {
	var (
		soonest K
		at      int64
		found   bool
	)
	looked := 0
	for key, e := range s.entries { // map order is random, so this is a sample
		if looked++; looked > evictSample {
			break
		}
		if e.inFlight.Load() != 0 {
			continue
		}
		if fullAt := slices.Max(e.fullAt); !found || fullAt < at {
			soonest, at, found = key, fullAt, true
		}
	}
	if found {
		delete(s.entries, soonest)
	}
}
