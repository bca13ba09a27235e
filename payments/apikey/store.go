package apikey

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Scopes that a key can carry.
const (
	ScopeRead    = "read"
	ScopeWrite   = "write"
	ScopeBilling = "billing"
)

// Store keeps keys in Postgres and finds them through a cache. By itself it
// believes what it has found for a second; after [Store.Watch], for as long as
// the database can tell it of revocations.
type Store struct {
	q     *db.Queries
	now   func() time.Time
	found *found
	loads *loads
	watch *watch
}

// Option changes what a store does by default.
type Option func(*options)

type options struct{ cacheMax int }

// CacheMax bounds how many keys are kept in memory once found, about 300 bytes
// each. Default: 200,000.
func CacheMax(keys int) Option { return func(o *options) { o.cacheMax = keys } }

// NewStore returns the store in pool's database.
func NewStore(pool *pgxpool.Pool, now func() time.Time, opts ...Option) *Store {
	o := options{cacheMax: foundMax}
	for _, opt := range opts {
		opt(&o)
	}
	q := db.New(pool)
	f := newFound(o.cacheMax)
	return &Store{
		q: q, now: now, found: f, loads: newLoads(q, f),
		watch: &watch{config: pool.Config().ConnConfig, found: f},
	}
}

// Resolve implements Resolver.
func (s *Store) Resolve(ctx context.Context, key string) (*Principal, error) {
	hash, err := Parse(key)
	if err != nil {
		return nil, err
	}
	e, ok := s.found.get(hash)
	if !ok {
		if e, err = s.loads.load(ctx, hash); err != nil {
			return nil, err
		}
	}
	if e.principal == nil || (!e.expires.IsZero() && !s.now().Before(e.expires)) {
		return nil, ErrInvalid
	}
	return e.principal, nil
}

// Watch begins to listen for revocations, on a connection of its own, so that
// found keys can be kept for long. Call it at most once; [Store.Close] ends it.
func (s *Store) Watch(logger *slog.Logger) { s.watch.start(logger) }

// Watching reports whether revocations are heard at the moment.
func (s *Store) Watching() bool { return s.found.isWatched() }

// Close ends Watch. The pool is the caller's.
func (s *Store) Close() { s.watch.close() }

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
// key from its next batch on; every store that watches forgets it within
// moments, every other within a second.
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
