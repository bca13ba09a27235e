package frequency

import "sync"

// cachedMax is how many expressions are cached: teams use the same few hundred again and again.
const cachedMax = 10_000

// cache holds parsed expressions. They are immutable, so an entry never becomes wrong.
var cache = struct {
	sync.RWMutex

	read map[string]*Cron
}{read: map[string]*Cron{}}

// Cached is [ParseCron] with a cache, for expressions that are parsed often.
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
