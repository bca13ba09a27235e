package apikey

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
)

// Store looks up keys through a cache. It caches results for a second; after [Store.Watch], for as long as the database
// can announce changes. It is an [Issuer] too.
type Store struct {
	*Issuer

	now   func() time.Time
	found *found
	loads *loads
	watch *watch
	uses  *uses

	stopUses context.CancelFunc
	usesDone sync.WaitGroup
}

// Option changes a default of a store.
type Option func(*options)

type options struct {
	cacheMax int
	waitMax  time.Duration
	listenAt string
}

// CacheMax bounds how many found keys are kept in memory, about 250 bytes each. Default: 200,000.
func CacheMax(keys int) Option { return func(o *options) { o.cacheMax = keys } }

// WaitMax bounds how long a request waits for the lookup of its key. Default: 200 ms.
func WaitMax(d time.Duration) Option { return func(o *options) { o.waitMax = d } }

// ListenAt is the address at which Watch connects to the database. Set it if the pool's address leads to a pooler,
// because notifications do not arrive through one. Default: the pool's.
func ListenAt(url string) Option { return func(o *options) { o.listenAt = url } }

// NewStore returns a store on pool's database.
func NewStore(pool *pgxpool.Pool, now func() time.Time, opts ...Option) *Store {
	o := options{cacheMax: foundMax, waitMax: waitMax, listenAt: pool.Config().ConnString()}
	for _, opt := range opts {
		opt(&o)
	}
	q := db.New(pool)
	f := newFound(o.cacheMax, time.Now)
	return &Store{
		Issuer: NewIssuer(pool), now: now, found: f, loads: newLoads(q, f, o.waitMax),
		watch: &watch{url: o.listenAt, found: f},
		uses:  &uses{q: q},
	}
}

// Resolve implements Resolver. From its expiry on, by this machine's clock, a key is an [ExpiredError].
func (s *Store) Resolve(ctx context.Context, key string) (*Principal, error) {
	var e *entry
	var waited time.Duration
	now := s.now()
	if len(key) == Length { // a cached key has the right form
		e = s.found.get(hashOf(key))
	}
	if e == nil {
		hash, err := Parse(key)
		if err != nil {
			return nil, err
		}
		if e, err = s.loads.load(ctx, hash); err != nil {
			return nil, err
		}
		loaded := s.now()
		waited, now = loaded.Sub(now), loaded
	}
	if !e.exists {
		return nil, ErrInvalid
	}
	if e.expires != 0 && now.UnixMicro() >= e.expires {
		return nil, &ExpiredError{At: time.UnixMicro(e.expires)}
	}
	s.uses.note(&e.use, now)
	return e.principal(waited)
}

// Watch starts to listen for changed keys, on a connection of its own, so that found keys can be cached for long. It
// also starts to save about every minute when keys were used. Call it at most once; [Store.Close] ends it.
func (s *Store) Watch(logger *slog.Logger) {
	s.watch.start(logger)
	ctx, stop := context.WithCancel(context.Background())
	s.stopUses = stop
	s.usesDone.Go(func() { s.uses.run(ctx, logger) })
}

// Watching reports whether changes are received at the moment.
func (s *Store) Watching() bool { return s.found.isWatched() }

// Flush saves the times of use that are not saved yet.
func (s *Store) Flush(ctx context.Context) error { return s.uses.flush(ctx) }

// Close ends Watch and saves the remaining times of use. It leaves the pool open.
func (s *Store) Close() {
	s.watch.close()
	if s.stopUses != nil {
		s.stopUses()
		s.usesDone.Wait()
	}
}
