package apikey

import (
	"sync"
	"time"
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
	// missingMax bounds how many keys are remembered that do not exist.
	missingMax = 10_000
)

// entry is what a look-up has found.
type entry struct {
	principal Principal
	exists    bool      // and is not revoked
	expires   time.Time // zero: never
	until     time.Time // the entry is believed
	use       use
}

// found is the cache of look-ups, in two generations: what is found or used goes into the newer one. When that has half of
// what may be kept, it becomes the older one, and what was there before is forgotten. A general cache also records
// each read, which takes as long as to find the key, and gives the garbage collector more to do. Keys that do not exist are
// kept apart: whoever makes them up drives out no other.
//
// A look-up that was under way when word of a change came in may have read the key
// as it was before. So every change begins a new epoch, and what was read in
// an earlier one is believed for no longer than if nobody were listening.
type found struct {
	now  func() time.Time
	half int // of the entries that are kept

	mu           sync.RWMutex // held over what must not come between an epoch and its entries
	newer, older map[Hash]*entry
	missing      map[Hash]*entry
	epoch        uint64
	watched      bool
}

func newFound(keysMax int, now func() time.Time) *found {
	f := &found{now: now, half: (keysMax + 1) / 2}
	f.clear()
	return f
}

func (f *found) clear() {
	f.newer, f.older, f.missing = map[Hash]*entry{}, nil, map[Hash]*entry{}
}

// get returns what was found and is still believed, nil if there is nothing.
func (f *found) get(hash Hash) *entry {
	f.mu.RLock()
	e, isOld := f.newer[hash], false
	if e == nil {
		if e, isOld = f.older[hash]; e == nil {
			e = f.missing[hash]
		}
	}
	f.mu.RUnlock()
	if e == nil || !f.now().Before(e.until) {
		return nil
	}
	if isOld {
		f.renew(hash, e)
	}
	return e
}

// renew brings an entry that is used into the newer generation.
func (f *found) renew(hash Hash, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.older[hash] == e { // nobody has forgotten or replaced it
		f.add(hash, e)
	}
}

// add adds an entry to the newer generation. The caller holds the lock.
func (f *found) add(hash Hash, e *entry) {
	if f.newer[hash] == nil && len(f.newer) >= f.half {
		f.newer, f.older = map[Hash]*entry{}, f.newer
	}
	f.newer[hash] = e
}

// begin returns the epoch in which a look-up starts.
func (f *found) begin() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.epoch
}

// put keeps what a look-up that started in an epoch has found.
func (f *found) put(epoch uint64, hash Hash, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keep := keepUnwatched
	if f.watched && f.epoch == epoch && e.exists {
		keep = keepWatched
	}
	e.until = f.now().Add(keep)
	if e.exists {
		f.add(hash, e)
		return
	}
	if len(f.missing) >= missingMax {
		clear(f.missing)
	}
	f.missing[hash] = e
}

// forget drops one key, which was revoked or whose expiry has changed.
func (f *found) forget(hash Hash) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch++
	delete(f.newer, hash)
	delete(f.older, hash)
	delete(f.missing, hash)
}

// setWatched says whether changes are heard from now on. What was found
// before is dropped either way: some may have been missed.
func (f *found) setWatched(watched bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch++
	f.watched = watched
	f.clear()
}

func (f *found) isWatched() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.watched
}
