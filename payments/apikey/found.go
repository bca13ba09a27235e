package apikey

import (
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	// foundMax bounds the cache if [CacheMax] is not set: about 64 MB when full.
	foundMax = 200_000
	// keepWatched is how long a found key is cached while the store listens for changes. The meter's statement checks
	// revocation too, so a stale entry never lets a metered request through.
	keepWatched = 10 * time.Minute
	// keepUnwatched is how long an entry is cached if a change might be missed. It also applies to keys that do not
	// exist, because new keys are not announced.
	keepUnwatched = time.Second
)

// entry is the result of a lookup.
type entry struct {
	principal *Principal // nil: there is no such key, or it is revoked
	expires   time.Time  // zero: never
	keep      time.Duration
	use       use
}

// found is the cache of lookups.
//
// A lookup that was running when a change arrived may have read the old state of the key. So every change begins a new
// epoch, and an entry that was read in an earlier epoch is kept only as long as if the store were not listening.
type found struct {
	cache *otter.Cache[Hash, *entry]

	mu      sync.Mutex // makes checking the epoch and storing the entry atomic
	epoch   uint64
	watched bool
}

func newFound(keysMax int) *found {
	keep := func(e otter.Entry[Hash, *entry]) time.Duration { return e.Value.keep }
	return &found{cache: otter.Must(&otter.Options[Hash, *entry]{
		MaximumSize: keysMax, ExpiryCalculator: otter.ExpiryWritingFunc(keep),
	})}
}

func (f *found) get(hash Hash) (*entry, bool) { return f.cache.GetIfPresent(hash) }

// begin returns the epoch in which a lookup starts.
func (f *found) begin() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.epoch
}

// put stores the result of a lookup that started in the given epoch.
func (f *found) put(epoch uint64, hash Hash, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.keep = keepUnwatched
	if f.watched && f.epoch == epoch && e.principal != nil {
		e.keep = keepWatched
	}
	f.cache.Set(hash, e)
}

// forget drops one key, which was revoked or whose expiry has changed.
func (f *found) forget(hash Hash) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch++
	f.cache.Invalidate(hash)
}

// setWatched sets whether changes are received from now on. It drops all entries in both cases: changes may have been
// missed.
func (f *found) setWatched(watched bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch++
	f.watched = watched
	f.cache.InvalidateAll()
}

func (f *found) isWatched() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.watched
}
