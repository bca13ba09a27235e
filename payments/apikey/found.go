package apikey

import (
	"fmt"
	"sync"
	"time"
)

const (
	// foundMax bounds the cache if [CacheMax] is not set: about 48 MB when full.
	foundMax = 200_000
	// keepWatched is how long a found key is cached while the store listens for changes. The meter's statement checks
	// revocation too, so a stale entry never lets a metered request through.
	keepWatched = 10 * time.Minute
	// keepUnwatched is how long an entry is cached if a change might be missed. It also applies to keys that do not
	// exist, because new keys are not announced.
	keepUnwatched = time.Second
	// missingMax bounds how many keys are remembered that do not exist.
	missingMax = 10_000
)

// idsMax is how long the ids of a team and its key may be together, in bytes. Those that we create have 57, and those
// with a UUID 81.
const idsMax = 88

// entry is the result of a lookup. It has no pointers: the garbage collector would follow those of every cached key, and
// with 100,000 keys that took 1.5 % of the time of a metered request.
type entry struct {
	ids             [idsMax]byte // the team's, then the key's
	teamEnd, keyEnd uint8        // where they end
	exists          bool         // and is not revoked
	scopes          Scopes
	account         int64
	expires         int64         // Unix microseconds; 0: never
	until           time.Duration // when the entry stops being valid, since the start of found
	use             use
}

// set makes e the entry of a key that exists.
func (e *entry) set(p *Principal, expires *time.Time) {
	if n := len(p.TeamID) + len(p.KeyID); n <= idsMax {
		e.teamEnd, e.keyEnd = uint8(copy(e.ids[:], p.TeamID)), uint8(n) //nolint:gosec // at most idsMax
		copy(e.ids[e.teamEnd:], p.KeyID)
	}
	e.exists, e.scopes, e.account, e.use.key = true, p.Scopes, p.Account, p.Key
	if expires != nil {
		e.expires = expires.UnixMicro()
	}
}

func (e *entry) principal(waited time.Duration) (*Principal, error) {
	if e.keyEnd == 0 {
		return nil, fmt.Errorf("the ids of key %d and its team have more than %d bytes", e.use.key, idsMax)
	}
	ids := string(e.ids[:e.keyEnd])
	return &Principal{TeamID: ids[:e.teamEnd], KeyID: ids[e.teamEnd:], Key: e.use.key, Account: e.account, Scopes: e.scopes, Waited: waited}, nil
}

// found is the cache of lookups, in two generations. What is found or used goes into the newer one. When that has half of
// the entries that may be kept, it becomes the older one, and the previous older one is dropped. A general cache also records
// each read, which takes as long as to find the key, and gives the garbage collector more to do. Keys that do not exist are
// kept apart, so that made-up keys evict no real ones.
//
// A lookup that was running when a change arrived may have read the old state of the key. So every change begins a new
// epoch, and an entry that was read in an earlier epoch is kept only as long as if the store were not listening.
type found struct {
	now   func() time.Time
	start time.Time
	half  int // of the entries that are kept

	mu           sync.RWMutex // makes checking the epoch and storing the entry atomic
	newer, older map[Hash]*entry
	missing      map[Hash]*entry
	epoch        uint64
	watched      bool
}

func newFound(keysMax int, now func() time.Time) *found {
	f := &found{now: now, start: now(), half: (keysMax + 1) / 2}
	f.clear()
	return f
}

func (f *found) clear() {
	f.newer, f.older, f.missing = map[Hash]*entry{}, nil, map[Hash]*entry{}
}

// get returns an entry that is still valid, or nil.
func (f *found) get(hash Hash) *entry {
	f.mu.RLock()
	e, isOld := f.newer[hash], false
	if e == nil {
		if e, isOld = f.older[hash]; e == nil {
			e = f.missing[hash]
		}
	}
	f.mu.RUnlock()
	if e == nil || f.now().Sub(f.start) >= e.until {
		return nil
	}
	if isOld {
		f.renew(hash, e)
	}
	return e
}

// renew moves an entry that is used into the newer generation.
func (f *found) renew(hash Hash, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.older[hash] == e { // it was not dropped or replaced meanwhile
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

// begin returns the epoch in which a lookup starts.
func (f *found) begin() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.epoch
}

// put stores the result of a lookup that started in the given epoch.
func (f *found) put(epoch uint64, hash Hash, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keep := keepUnwatched
	if f.watched && f.epoch == epoch && e.exists {
		keep = keepWatched
	}
	e.until = f.now().Sub(f.start) + keep
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

// setWatched sets whether changes are received from now on. It drops all entries in both cases: changes may have been
// missed.
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
