package apikey

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
)

// Store finds keys through a cache. By itself it believes what it has found for
// a second; after [Store.Watch], for as long as the database can tell it of
// changes. It is an [Issuer] too.
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

// Option changes what a store does by default.
type Option func(*options)

type options struct {
	cacheMax int
	waitMax  time.Duration
	listenAt string
}

// CacheMax bounds how many keys are kept in memory once found, about 300 bytes
// each. Default: 200,000.
func CacheMax(keys int) Option { return func(o *options) { o.cacheMax = keys } }

// WaitMax bounds how long a request waits for its key to be looked up. Default: 200 ms.
func WaitMax(d time.Duration) Option { return func(o *options) { o.waitMax = d } }

// ListenAt is the address at which Watch reaches the database, where the pool's leads
// to a pooler: what is listened for there is heard by nobody. Default: the pool's.
func ListenAt(url string) Option { return func(o *options) { o.listenAt = url } }

// NewStore returns the store in pool's database.
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

// Resolve implements Resolver. A key that has expired is an [ExpiredError] from
// that moment on, by this machine's clock.
func (s *Store) Resolve(ctx context.Context, key string) (*Principal, error) {
	hash, err := Parse(key)
	if err != nil {
		return nil, err
	}
	e := s.found.get(hash)
	if e == nil {
		if e, err = s.loads.load(ctx, hash); err != nil {
			return nil, err
		}
	}
	if !e.exists {
		return nil, ErrInvalid
	}
	now := s.now()
	if !e.expires.IsZero() && !now.Before(e.expires) {
		return nil, &ExpiredError{At: e.expires}
	}
	s.uses.note(&e.use, now)
	return &e.principal, nil
}

// Watch begins to listen for changed keys, on a connection of its own, so that
// found keys can be kept for long, and to write down about every minute when
// keys were used. Call it at most once; [Store.Close] ends it.
func (s *Store) Watch(logger *slog.Logger) {
	s.watch.start(logger)
	ctx, stop := context.WithCancel(context.Background())
	s.stopUses = stop
	s.usesDone.Go(func() { s.uses.run(ctx, logger) })
}

// Watching reports whether changes are heard at the moment.
func (s *Store) Watching() bool { return s.found.isWatched() }

// Flush writes down now when keys were used since that was last done.
func (s *Store) Flush(ctx context.Context) error { return s.uses.flush(ctx) }

// Close ends Watch and writes down what is not yet. The pool is the caller's.
func (s *Store) Close() {
	s.watch.close()
	if s.stopUses != nil {
		s.stopUses()
		s.usesDone.Wait()
	}
}
