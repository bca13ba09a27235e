package frequency

import "sync"

// cachedMax is how many expressions are kept: teams use the same few hundred over and over.
const cachedMax = 10_000

// cache keeps expressions that were read. They are values that do not change, so that what is kept is never wrong.
var cache = struct {
	sync.RWMutex

	read map[string]*Cron
}{read: map[string]*Cron{}}

// Cached is [ParseCron] for whoever asks for the same expressions again and again.
func Cached(expr string) (*Cron, error) {
	cache.RLock()
	c := cache.read[expr]
	cache.RUnlock()
	if c != nil {
		return c, nil
	}
	c, err := ParseCron(expr)
	if err != nil {
		return nil, err
	}
	cache.Lock()
	defer cache.Unlock()
	if len(cache.read) >= cachedMax {
		clear(cache.read)
	}
	cache.read[expr] = c
	return c, nil
}
