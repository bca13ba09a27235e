package ratelimit

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

// Config configures a limiter.
type Config struct {
	// KeysMax is how many keys are kept. Default: 1<<18, of some 200 bytes each.
	KeysMax int
	// Now is the clock; its monotonic reading is used if it has one. Required.
	Now func() time.Time
}

const (
	keysMaxDefault = 1 << 18
	// shardCount is a power of two. Of two requests at the same instant, one in shardCount waits for the other's 100
	// ns.
	shardCount = 64
	// sweepEvery is how often a shard is swept while new keys arrive.
	sweepEvery = time.Minute
	sweepFrom  = 64 // keys in a shard; with fewer, a sweep is not worth it before sweepEvery
	// evictSample is how many keys are compared to choose one to forget when the table is full.
	evictSample = 16
)

// Limiter checks requests against limits, separately for each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	now    func() time.Time
	epoch  time.Time
	seed   maphash.Seed
	shards [shardCount]shard[K]

	mu      sync.Mutex
	classes map[string]int
}

type shard[K comparable] struct {
	mu      sync.Mutex
	entries map[K]*entry
	keysMax int
	sweepAt int   // number of keys
	swept   int64 // nanoseconds since the epoch

	_ [64]byte // no two locks on one cache line
}

// entry is the state of a key.
type entry struct {
	// fullAt is, for each class, when its quota is full again, in nanoseconds
	// since the epoch. Guarded by the shard's lock.
	fullAt []int64
	// inFlight is raised under the shard's lock, and lowered without it.
	inFlight atomic.Int32
}

// New returns a limiter without any keys.
func New[K comparable](cfg Config) *Limiter[K] {
	if cfg.KeysMax <= 0 {
		cfg.KeysMax = keysMaxDefault
	}
	l := &Limiter[K]{now: cfg.Now, epoch: cfg.Now(), seed: maphash.MakeSeed(), classes: map[string]int{}}
	for i := range l.shards {
		l.shards[i] = shard[K]{entries: map[K]*entry{}, keysMax: max(1, cfg.KeysMax/shardCount), sweepAt: sweepFrom}
	}
	return l
}

// Rule returns the rule for a class. Rules of the same name use the same quota, so that a new rule with another limit
// continues where the last one was.
func (l *Limiter[K]) Rule(name string, limit Limit, inFlightMax int64) (*Rule, error) {
	r, err := newRule(name, limit, inFlightMax)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	class, known := l.classes[name]
	if !known {
		class = len(l.classes)
		l.classes[name] = class
	}
	r.class = class
	return r, nil
}

// Outcome is the decision about a request.
type Outcome int

const (
	// Allowed requests are in flight until they are released.
	Allowed Outcome = iota
	// RateExceeded requests came before there was quota for them.
	RateExceeded
	// Busy requests would be one too many in flight.
	Busy
)

// Decision is an outcome, and what is left.
type Decision struct {
	Outcome Outcome
	// Remaining is how many requests of the class would be allowed now.
	Remaining int64
	// Next is the time until Remaining grows by one; 0 if the quota is full.
	Next time.Duration
	// Free is how many more may be in flight.
	Free int64

	entry *entry
}

// Release ends an allowed request; for other requests it does nothing. Call it once.
func (d *Decision) Release() {
	if d.entry != nil {
		d.entry.inFlight.Add(-1)
	}
}

// Take asks for one request of a class. For a known key it must cost less than 200 ns and allocate nothing; 90 ns were
// measured.
func (l *Limiter[K]) Take(key K, rule *Rule) Decision {
	now := int64(l.now().Sub(l.epoch))
	s := &l.shards[maphash.Comparable(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	if e == nil {
		e = s.add(key, rule, now)
	}
	for len(e.fullAt) <= rule.class { // a class of a later configuration
		e.fullAt = append(e.fullAt, 0)
	}
	return e.take(rule, now)
}

func (e *entry) take(rule *Rule, now int64) Decision {
	// After a limit was lowered, a key must not stay blocked for its use under the higher limit.
	debt := min(max(e.fullAt[rule.class]-now, 0), rule.depth)
	inFlight := e.inFlight.Load()
	d := Decision{Free: int64(max(rule.inFlightMax-inFlight, 0))}
	switch {
	case d.Free == 0:
		d.Outcome = Busy
	case debt+rule.interval > rule.depth:
		d.Outcome = RateExceeded
	default:
		debt += rule.interval
		e.fullAt[rule.class] = now + debt
		e.inFlight.Add(1)
		d.Free--
		d.entry = e
	}
	d.Remaining = (rule.depth - debt) / rule.interval
	if debt > 0 {
		d.Next = time.Duration(debt - rule.depth + (d.Remaining+1)*rule.interval)
	}
	return d
}

// Len returns how many keys are kept.
func (l *Limiter[K]) Len() int {
	n := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		n += len(s.entries)
		s.mu.Unlock()
	}
	return n
}
