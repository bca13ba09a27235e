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
	// LiveMax is how many live keys a team can have.
	LiveMax = 100
	// NameRunesMax is the length of the longest name.
	NameRunesMax = 100
	// OverlapMax is the longest time that a rotated key can stay valid.
	OverlapMax = 30 * 24 * time.Hour
	// listMax bounds a list: all live keys, and the latest of those that have ended.
	listMax = 500
)

// Why an Issuer refuses. Each error is wrapped with what it concerns.
var (
	// ErrNoTeam is returned when a key is requested for a team that does not exist.
	ErrNoTeam = errors.New("no such team")
	// ErrNoKey is returned for a key id that does not exist, or not in the team.
	ErrNoKey = errors.New("no such key")
	// ErrTooMany is returned when a team has the maximum number of live keys.
	ErrTooMany = fmt.Errorf("the team has %d live keys, which is the maximum: revoke one first", LiveMax)
	// ErrEnded is returned when the key to rotate was revoked, has expired or was replaced.
	ErrEnded = errors.New("the key cannot be rotated")
)

// ScopeError is returned when a key would give scopes that it lacks.
type ScopeError struct {
	Missing Scopes // none if the acting key has ended
}

func (e *ScopeError) Error() string {
	return "a key cannot grant scopes that it does not have: " + e.Missing.String()
}

// Issuer creates, lists and ends keys.
type Issuer struct {
	pool *pgxpool.Pool
	q    *db.Queries
}

// NewIssuer returns an issuer on pool's database.
func NewIssuer(pool *pgxpool.Pool) *Issuer { return &Issuer{pool: pool, q: db.New(pool)} }

// NewKey describes a key to create.
type NewKey struct {
	TeamID string
	Name   string // at most NameRunesMax characters
	// Scopes default to ScopesUsual, and for the first key of a team to ScopesAll.
	Scopes Scopes
	// ExpiresAt: nil for never.
	ExpiresAt *time.Time
	// MadeBy is the id of the key that requests the new one, which cannot give scopes that it lacks; empty for an
	// operator.
	MadeBy string
	// With runs in the transaction that creates the key. If it returns an error, the transaction is rolled back.
	With With
}

// With writes what must be committed together with a new key.
type With func(ctx context.Context, tx pgx.Tx, made *Created) error

func (w With) run(ctx context.Context, tx pgx.Tx, made *Created) error {
	if w == nil {
		return nil
	}
	return w(ctx, tx, made)
}

// Created is a new key with its text, which is shown only this once.
type Created struct {
	ID        string
	Key       string
	Name      string
	Scopes    Scopes
	CreatedAt time.Time
	ExpiresAt *time.Time
	// RotatedFrom is the key that this one replaces, and OldExpiresAt when that one ends; empty for a key that replaces
	// none.
	RotatedFrom  string
	OldExpiresAt time.Time
}

// CheckName returns why a name is not allowed, in words that can be shown to the client; nil for an allowed name, which
// may be empty.
func CheckName(name string) error {
	if n := utf8.RuneCountInString(name); n > NameRunesMax {
		return fmt.Errorf("name has %d characters: want %d or fewer", n, NameRunesMax)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return errors.New("name has control characters: want text on one line")
	}
	return nil
}

// secret is a new key in the forms that Create and Rotate need.
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

// Create creates a key for a team.
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
		return Created{}, fmt.Errorf("creating a key for team %q: %w", n.TeamID, err)
	}
	return created, nil
}

// refusedScopes returns why a key was not created: scopes that the requesting key lacks, or else too many keys.
func refusedScopes(ctx context.Context, q *db.Queries, team, madeBy string, wanted Scopes) error {
	if madeBy == "" {
		return ErrTooMany
	}
	maker, err := q.KeyFacts(ctx, db.KeyFactsParams{ID: madeBy, TeamID: team})
	switch {
	case errors.Is(err, pgx.ErrNoRows) || (err == nil && !maker.Live):
		return &ScopeError{}
	case err != nil:
		return fmt.Errorf("reading the requesting key: %w", err)
	}
	if has := storedScopes(maker.Scopes); !has.Has(wanted) {
		return &ScopeError{Missing: wanted &^ has}
	}
	return ErrTooMany
}

// Rotation asks for a key that replaces another one, which ends after an overlap.
type Rotation struct {
	KeyID string
	// TeamID is the team that the key must belong to; empty for any.
	TeamID string
	// Overlap is how long the old key stays valid, in whole seconds up to OverlapMax; 0 ends it at once. Rotation never
	// extends the life of the old key.
	Overlap time.Duration
	// MadeBy and With are as in [NewKey].
	MadeBy string
	With   With
}

// Rotate creates a key with the name and scopes of another, and the same lifetime, counted from now. A key can be
// rotated once; after that, rotate its successor.
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

// Revoke ends a key by its public id; repeating it is no error. The meter refuses the key from its next batch on;
// stores that watch drop it within moments, all others within a second.
func (i *Issuer) Revoke(ctx context.Context, id string) (time.Time, error) {
	key, err := i.revoke(ctx, db.RevokeKeyParams{ID: id})
	if err != nil {
		return time.Time{}, err
	}
	return *key.RevokedAt, nil
}

// RevokeOf is Revoke for a key that must belong to the team. It returns the revoked key.
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

// Key is a key as it is listed, without its text.
type Key struct {
	ID, Name, Display                string
	Scopes                           Scopes
	CreatedAt                        time.Time
	ExpiresAt, RevokedAt, LastUsedAt *time.Time
	// RotatedFrom is the key that this one replaced, ReplacedBy the one that replaced it; empty for none.
	RotatedFrom, ReplacedBy string
}

// List returns the keys of a team: all live ones, then the latest of those that have ended, up to 500 together.
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

// locked runs f under a lock, so that no other process creates keys for the team.
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

// keyError adds the key's id to an error. ErrNoRows and ErrNoTeam become ErrNoKey.
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
