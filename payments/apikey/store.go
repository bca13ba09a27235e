package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// cacheKeysMax bounds the cache of found keys: about 64 MB when full.
	cacheKeysMax = 200_000
	// cacheFor is how long a found key is believed without another look. The
	// meter checks revocation in its own statement, so for metered requests this
	// is never stale; elsewhere a revocation is felt within this time.
	cacheFor = time.Second
)

// Scopes that a key can carry.
const (
	ScopeRead    = "read"
	ScopeWrite   = "write"
	ScopeBilling = "billing"
)

// Store keeps keys in Postgres and finds them through a cache.
type Store struct {
	q      *db.Queries
	now    func() time.Time
	cache  *otter.Cache[Hash, *entry]
	flight singleflight.Group
}

type entry struct {
	principal *Principal // nil: there is no such key
	expires   time.Time  // zero: never
}

// NewStore returns the store in pool's database.
func NewStore(pool *pgxpool.Pool, now func() time.Time) *Store {
	return &Store{
		q: db.New(pool), now: now,
		cache: otter.Must(&otter.Options[Hash, *entry]{
			MaximumSize:      cacheKeysMax,
			ExpiryCalculator: otter.ExpiryWriting[Hash, *entry](cacheFor),
		}),
	}
}

// Resolve implements Resolver.
func (s *Store) Resolve(ctx context.Context, key string) (*Principal, error) {
	hash, err := Parse(key)
	if err != nil {
		return nil, err
	}
	e, ok := s.cache.GetIfPresent(hash)
	if !ok {
		if e, err = s.load(ctx, hash); err != nil {
			return nil, err
		}
	}
	if e.principal == nil || (!e.expires.IsZero() && !s.now().Before(e.expires)) {
		return nil, ErrInvalid
	}
	return e.principal, nil
}

// load looks a key up once for all who ask at the same time. Unknown keys are
// cached too: a flood of one wrong key costs one look-up a second.
func (s *Store) load(ctx context.Context, hash Hash) (*entry, error) {
	v, err, _ := s.flight.Do(string(hash[:]), func() (any, error) {
		// The first asker's leaving must not fail the others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		row, err := s.q.KeyByHash(ctx, hash[:])
		e := &entry{}
		switch {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return nil, fmt.Errorf("looking up a key: %w", err)
		case row.RevokedAt == nil:
			e.principal = &Principal{
				TeamID: row.TeamID, KeyID: row.PublicID, Key: row.ID, Account: row.AccountID, Scopes: row.Scopes,
			}
			if row.ExpiresAt != nil {
				e.expires = *row.ExpiresAt
			}
		}
		s.cache.Set(hash, e)
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	e, _ := v.(*entry)
	return e, nil
}

// Forget drops a key from the cache, as when the meter has found it revoked.
func (s *Store) Forget(key string) {
	if hash, err := Parse(key); err == nil {
		s.cache.Invalidate(hash)
	}
}

// NewKey describes a key to be made.
type NewKey struct {
	TeamID string
	Name   string
	// Scopes default to read and write.
	Scopes []string
	// ExpiresAt: nil for never.
	ExpiresAt *time.Time
}

// Created is a new key with its text, which is shown this once.
type Created struct {
	ID        string
	Key       string
	CreatedAt time.Time
}

// ErrNoTeam is returned when a key is asked for a team that does not exist.
var ErrNoTeam = errors.New("no such team")

// Create makes a key for a team.
func (s *Store) Create(ctx context.Context, n NewKey) (Created, error) {
	if n.Scopes == nil {
		n.Scopes = []string{ScopeRead, ScopeWrite}
	}
	key := New()
	hash, err := Parse(key)
	if err != nil {
		return Created{}, fmt.Errorf("checking a new key: %w", err)
	}
	id := token.New("key")
	row, err := s.q.CreateKey(ctx, db.CreateKeyParams{
		PublicID: id, Name: n.Name, Hash: hash[:], Display: Display(key), Scopes: n.Scopes, ExpiresAt: n.ExpiresAt, TeamID: n.TeamID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Created{}, fmt.Errorf("team %q: %w", n.TeamID, ErrNoTeam)
	}
	if err != nil {
		return Created{}, fmt.Errorf("storing a key: %w", err)
	}
	return Created{ID: id, Key: key, CreatedAt: row.CreatedAt}, nil
}

// ErrNoKey is returned for a key id that does not exist.
var ErrNoKey = errors.New("no such key")

// Revoke ends a key by its public id; again is no error. The meter refuses the
// key from its next batch on.
func (s *Store) Revoke(ctx context.Context, id string) (time.Time, error) {
	row, err := s.q.RevokeKey(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, fmt.Errorf("key %q: %w", id, ErrNoKey)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("revoking %s: %w", id, err)
	}
	return row.RevokedAt, nil
}
