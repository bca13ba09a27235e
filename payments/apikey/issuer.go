package apikey

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// LiveMax is how many keys of a team can live at once.
	LiveMax = 100
	// NameRunesMax is the length of the longest name.
	NameRunesMax = 100
	// OverlapMax is the longest time that a rotated key can go on.
	OverlapMax = 30 * 24 * time.Hour
	// listMax bounds a list: all that live, and the latest of those that have ended.
	listMax = 500
)

// Why an Issuer does nothing. Each is wrapped with what it is about.
var (
	// ErrNoTeam is returned when a key is asked for a team that does not exist.
	ErrNoTeam = errors.New("no such team")
	// ErrNoKey is returned for a key id that does not exist, or not in the team.
	ErrNoKey = errors.New("no such key")
	// ErrTooMany is returned when a team has as many live keys as it can have.
	ErrTooMany = fmt.Errorf("the team has %d live keys, which is the most: revoke one first", LiveMax)
	// ErrEnded is returned when a key is to be rotated that was revoked, has
	// expired or was replaced.
	ErrEnded = errors.New("the key cannot be rotated")
)

// ScopeError is returned when a key is to hand out scopes that it lacks.
type ScopeError struct {
	Missing Scopes // none if the acting key has ended
}

func (e *ScopeError) Error() string {
	return "a key cannot hand out scopes that it lacks: " + e.Missing.String()
}

// Issuer makes, lists and ends keys.
type Issuer struct {
	pool *pgxpool.Pool
	q    *db.Queries
}

// NewIssuer returns the issuer in pool's database.
func NewIssuer(pool *pgxpool.Pool) *Issuer { return &Issuer{pool: pool, q: db.New(pool)} }

// NewKey describes a key to be made.
type NewKey struct {
	TeamID string
	Name   string // at most NameRunesMax characters
	// Scopes default to ScopesUsual, and for the first key of a team to ScopesAll.
	Scopes Scopes
	// ExpiresAt: nil for never.
	ExpiresAt *time.Time
	// MadeBy is the id of the key that asks, which hands out no scope that it
	// lacks; empty for an operator.
	MadeBy string
	// With runs in the transaction that makes the key. Its error undoes it.
	With With
}

// With is what is to be written together with a new key, or not at all.
type With func(ctx context.Context, tx pgx.Tx, made *Created) error

func (w With) run(ctx context.Context, tx pgx.Tx, made *Created) error {
	if w == nil {
		return nil
	}
	return w(ctx, tx, made)
}

// Created is a new key with its text, which is shown this once.
type Created struct {
	ID        string
	Key       string
	Name      string
	Scopes    Scopes
	CreatedAt time.Time
	ExpiresAt *time.Time
	// RotatedFrom is the key that this one replaces, and OldExpiresAt when that
	// one ends; empty for a key that replaces none.
	RotatedFrom  string
	OldExpiresAt time.Time
}

// CheckName returns why a key cannot have a name, in words fit for the caller;
// nil for one that it can have, which may be empty.
func CheckName(name string) error {
	if n := utf8.RuneCountInString(name); n > NameRunesMax {
		return fmt.Errorf("name of %d characters: want %d or fewer", n, NameRunesMax)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return errors.New("name with control characters: want text on one line")
	}
	return nil
}

// secret is a new key in the forms in which it is needed.
type secret struct {
	id, key string
	hash    []byte
}

func newSecret() (secret, error) {
	key := New()
	hash, err := Parse(key)
	if err != nil {
		return secret{}, fmt.Errorf("checking a new key: %w", err)
	}
	return secret{id: token.New("key"), key: key, hash: hash[:]}, nil
}

// Create makes a key for a team.
func (i *Issuer) Create(ctx context.Context, n NewKey) (Created, error) {
	if err := CheckName(n.Name); err != nil {
		return Created{}, err
	}
	if n.MadeBy != "" && n.Scopes == 0 {
		n.Scopes = ScopesUsual
	}
	fresh, err := newSecret()
	if err != nil {
		return Created{}, err
	}
	liveMax := int64(LiveMax)
	created := Created{ID: fresh.id, Key: fresh.key, Name: n.Name, ExpiresAt: n.ExpiresAt}
	err = i.locked(ctx, n.TeamID, func(tx pgx.Tx, q *db.Queries) error {
		row, err := q.CreateKey(ctx, db.CreateKeyParams{
			PublicID: fresh.id, Name: n.Name, Hash: fresh.hash, Display: Display(fresh.key), Scopes: n.Scopes.Names(),
			ExpiresAt: n.ExpiresAt, TeamID: n.TeamID, LiveMax: &liveMax, MadeBy: optional(n.MadeBy),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return refusedScopes(ctx, q, n.TeamID, n.MadeBy, n.Scopes)
		} else if err != nil {
			return err
		}
		created.Scopes, created.CreatedAt = storedScopes(row.Scopes), row.CreatedAt
		return n.With.run(ctx, tx, &created)
	})
	if err != nil {
		return Created{}, fmt.Errorf("making a key for team %q: %w", n.TeamID, err)
	}
	return created, nil
}

// refusedScopes says why a key was not made: for the scopes that it was to have,
// or else because there are too many.
func refusedScopes(ctx context.Context, q *db.Queries, team, madeBy string, wanted Scopes) error {
	if madeBy == "" {
		return ErrTooMany
	}
	maker, err := q.KeyFacts(ctx, db.KeyFactsParams{ID: madeBy, TeamID: team})
	switch {
	case errors.Is(err, pgx.ErrNoRows) || (err == nil && !maker.Live):
		return &ScopeError{}
	case err != nil:
		return fmt.Errorf("reading the key that asks: %w", err)
	}
	if has := storedScopes(maker.Scopes); !has.Has(wanted) {
		return &ScopeError{Missing: wanted &^ has}
	}
	return ErrTooMany
}

// Rotation asks for a key like another, which ends after an overlap.
type Rotation struct {
	KeyID string
	// TeamID is the team whose key it must be; empty for any.
	TeamID string
	// Overlap is how long the old key goes on, in whole seconds up to OverlapMax;
	// 0 ends it at once. It never lives longer than it would have.
	Overlap time.Duration
	// MadeBy and With are as in [NewKey].
	MadeBy string
	With   With
}

// Rotate makes a key with the name and scopes of another, and the same length of
// life from now on. A key is rotated once: then its successor is.
func (i *Issuer) Rotate(ctx context.Context, r Rotation) (Created, error) {
	if r.Overlap < 0 || r.Overlap > OverlapMax || r.Overlap%time.Second != 0 {
		return Created{}, fmt.Errorf("overlap %s: want whole seconds from 0 to %s", r.Overlap, OverlapMax)
	}
	if r.TeamID == "" {
		team, err := i.q.KeyTeam(ctx, r.KeyID)
		if err != nil {
			return Created{}, keyError(r.KeyID, err)
		}
		r.TeamID = team
	}
	fresh, err := newSecret()
	if err != nil {
		return Created{}, err
	}
	created := Created{ID: fresh.id, Key: fresh.key, RotatedFrom: r.KeyID}
	err = i.locked(ctx, r.TeamID, func(tx pgx.Tx, q *db.Queries) error {
		row, err := q.RotateKey(ctx, db.RotateKeyParams{
			OldID: r.KeyID, TeamID: r.TeamID, OverlapSeconds: int64(r.Overlap / time.Second), LiveMax: LiveMax,
			MadeBy: optional(r.MadeBy), PublicID: fresh.id, Hash: fresh.hash, Display: Display(fresh.key),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return refusedRotation(ctx, q, r)
		} else if err != nil {
			return err
		}
		created.Name, created.Scopes = row.Name, storedScopes(row.Scopes)
		created.CreatedAt, created.ExpiresAt, created.OldExpiresAt = row.CreatedAt, row.ExpiresAt, row.OldExpiresAt
		return r.With.run(ctx, tx, &created)
	})
	if err != nil {
		return Created{}, keyError(r.KeyID, err)
	}
	return created, nil
}

func refusedRotation(ctx context.Context, q *db.Queries, r Rotation) error {
	old, err := q.KeyFacts(ctx, db.KeyFactsParams{ID: r.KeyID, TeamID: r.TeamID})
	switch {
	case err != nil:
		return err
	case old.RevokedAt != nil:
		return fmt.Errorf("%w: it was revoked at %s", ErrEnded, old.RevokedAt.UTC().Format(time.RFC3339))
	case !old.Live && old.ExpiresAt != nil:
		return fmt.Errorf("%w: it expired on %s", ErrEnded, old.ExpiresAt.UTC().Format(time.RFC3339))
	case old.ReplacedBy != nil:
		return fmt.Errorf("%w: it was replaced by %s", ErrEnded, *old.ReplacedBy)
	}
	return refusedScopes(ctx, q, r.TeamID, r.MadeBy, storedScopes(old.Scopes))
}

// Revoke ends a key by its public id; again is no error. The meter refuses the
// key from its next batch on; every store that watches forgets it within
// moments, every other within a second.
func (i *Issuer) Revoke(ctx context.Context, id string) (time.Time, error) {
	key, err := i.revoke(ctx, db.RevokeKeyParams{ID: id})
	if err != nil {
		return time.Time{}, err
	}
	return *key.RevokedAt, nil
}

// RevokeOf is Revoke for a key that must be the team's. It returns the key as it is then.
func (i *Issuer) RevokeOf(ctx context.Context, team, id string) (Key, error) {
	return i.revoke(ctx, db.RevokeKeyParams{ID: id, TeamID: &team})
}

func (i *Issuer) revoke(ctx context.Context, params db.RevokeKeyParams) (Key, error) {
	row, err := i.q.RevokeKey(ctx, params)
	if err != nil {
		return Key{}, keyError(params.ID, err)
	}
	return Key{
		ID: row.PublicID, Name: row.Name, Display: row.Display, Scopes: storedScopes(row.Scopes),
		CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, RevokedAt: &row.RevokedAt, LastUsedAt: row.LastUsedAt,
		RotatedFrom: text(row.RotatedFrom), ReplacedBy: text(row.ReplacedBy),
	}, nil
}

// Key is a key as it is listed: never what it is.
type Key struct {
	ID, Name, Display                string
	Scopes                           Scopes
	CreatedAt                        time.Time
	ExpiresAt, RevokedAt, LastUsedAt *time.Time
	// RotatedFrom is the key that this one replaced, ReplacedBy the one that
	// replaced this; empty for none.
	RotatedFrom, ReplacedBy string
}

// List returns the keys of a team: all that live, then the latest of those that
// have ended, up to 500 together.
func (i *Issuer) List(ctx context.Context, team string) ([]Key, error) {
	rows, err := i.q.ListKeys(ctx, db.ListKeysParams{TeamID: team, RowsMax: listMax})
	if err != nil {
		return nil, fmt.Errorf("listing the keys of %s: %w", team, err)
	}
	keys := make([]Key, len(rows))
	for n := range rows {
		row := &rows[n]
		keys[n] = Key{
			ID: row.PublicID, Name: row.Name, Display: row.Display, Scopes: storedScopes(row.Scopes),
			CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, LastUsedAt: row.LastUsedAt,
			RotatedFrom: text(row.RotatedFrom), ReplacedBy: text(row.ReplacedBy),
		}
	}
	return keys, nil
}

// locked runs f while nobody else makes keys for the team.
func (i *Issuer) locked(ctx context.Context, team string, f func(pgx.Tx, *db.Queries) error) error {
	return pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		q := i.q.WithTx(tx)
		if _, err := q.LockTeamKeys(ctx, team); errors.Is(err, pgx.ErrNoRows) {
			return ErrNoTeam
		} else if err != nil {
			return fmt.Errorf("locking the team: %w", err)
		}
		return f(tx, q)
	})
}

// keyError says what an error is about. That nothing was found is ErrNoKey.
func keyError(id string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, ErrNoTeam) {
		err = ErrNoKey
	}
	return fmt.Errorf("key %q: %w", id, err)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
