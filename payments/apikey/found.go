package apikey

import (
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	// foundMax bounds the cache if [CacheMax] does not say: about 64 MB when full.
	foundMax = 200_000
	// keepWatched is how long a found key is believed while changes are
	// listened to. The meter checks revocation in its own statement as well, so
	// for metered requests an entry is never too old.
	keepWatched = 10 * time.Minute
	// keepUnwatched is how long anything is believed that word of a change might not
	// reach, and that there is no such key, since nobody tells of new keys.
	keepUnwatched = time.Second
)

// entry is what a look-up has found.
type entry struct {
	principal *Principal // nil: there is no such key, or it is revoked
	expires   time.Time  // zero: never
	keep      time.Duration
	use       use
}

// found is the cache of look-ups.
//
// A look-up that was under way when word of a change came in may have read the key
// as it was before. So every change begins a new epoch, and what was read in
// an earlier one is believed for no longer than if nobody were listening.
type found struct {
	cache *otter.Cache[Hash, *entry]

	mu      sync.Mutex // held over what must not come between an epoch and its entries
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

// begin returns the epoch in which a look-up starts.
func (f *found) begin() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.epoch
}

// put keeps what a look-up that started in an epoch has found.
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

// setWatched says whether changes are heard from now on. What was found
// before is dropped either way: some may have been missed.
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
