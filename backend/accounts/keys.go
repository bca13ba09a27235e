package accounts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/apikey"
)

// Keys creates, lists, rotates and revokes API keys.
type Keys interface {
	Create(ctx context.Context, n apikey.NewKey) (apikey.Created, error)
	Rotate(ctx context.Context, r apikey.Rotation) (apikey.Created, error)
	RevokeOf(ctx context.Context, team, id string) (apikey.Key, error)
	List(ctx context.Context, team string) ([]apikey.Key, error)
}

// Key is an API key as its team sees it. It has the same fields in all responses.
type Key struct {
	ID          string     `json:"id"`
	Object      string     `json:"object" enum:"key"`
	Name        string     `json:"name"`
	Key         *string    `json:"key" doc:"The API key itself. It is returned only once, in the response that creates the key, and not in a replay of that response. Only a hash of it is stored. Null in all other responses."`
	Prefix      string     `json:"prefix" doc:"The beginning of the key, to tell keys apart."`
	Scopes      []string   `json:"scopes" nullable:"false" enum:"read,write,billing"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at" doc:"The time when the key expires. It is refused from then on. Null if it does not expire."`
	LastUsedAt  *time.Time `json:"last_used_at" doc:"The time of the last use, which may be up to eleven minutes out of date. Null if the key was never used."`
	RevokedAt   *time.Time `json:"revoked_at" doc:"The time when the key was revoked. Null if it was not revoked."`
	RotatedFrom *string    `json:"rotated_from" doc:"The id of the key that this one replaces."`
	ReplacedBy  *string    `json:"replaced_by" doc:"The id of the key that replaces this one."`
	Current     bool       `json:"current" doc:"Whether this key authenticated the request."`
}

// NewKey describes a new key.
type NewKey struct {
	Name      string     `json:"name" minLength:"1" maxLength:"100" doc:"The name of the key, for display."`
	Scopes    []string   `json:"scopes,omitempty" minItems:"1" maxItems:"3" uniqueItems:"true" nullable:"false" enum:"read,write,billing" doc:"The scopes of the key. Only scopes of the key that authenticates the request can be granted. Default: read and write."`
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"The time when the key expires. Default: it does not expire."`
	ExpiresIn *int64     `json:"expires_in,omitempty" minimum:"1" maximum:"315360000" doc:"The number of seconds until the key expires. Cannot be combined with expires_at."`
}

// RotateKey are the options for rotating a key.
type RotateKey struct {
	OverlapSeconds *int64 `json:"overlap_seconds,omitempty" minimum:"0" maximum:"2592000" doc:"The number of seconds for which the old key stays valid; 0 revokes it immediately. A key that expires earlier is not extended. Default: 86400, a day."`
}

// overlapDefault is a day, to distribute the new key.
const overlapDefault = 24 * time.Hour

// ListKeys returns the keys of c's team: first all live ones, then the most recently ended.
func (s *Service) ListKeys(ctx context.Context, c *principal.Caller) ([]Key, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	list, err := s.keys.List(ctx, c.TeamID)
	if err != nil {
		return nil, problem.Internal(err)
	}
	keys := make([]Key, len(list))
	for i := range list {
		keys[i] = keyOf(&list[i], c)
	}
	return keys, nil
}

// CreateKey creates a key for c's team.
func (s *Service) CreateKey(ctx context.Context, c *principal.Caller, n *NewKey) (*Key, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	wanted, err := s.newKey(c, n)
	if err != nil {
		return nil, err
	}
	wanted.With = recordIn(c)
	made, err := s.keys.Create(ctx, wanted)
	if err != nil {
		return nil, keyProblem(err)
	}
	return madeKey(&made), nil
}

// recordIn records the response to a retry with the same Idempotency-Key: the key's record without the key itself,
// which is stored nowhere.
func recordIn(c *principal.Caller) apikey.With {
	return func(ctx context.Context, tx pgx.Tx, made *apikey.Created) error {
		answer := madeKey(made)
		answer.Key = nil
		return c.Record(ctx, tx, answer)
	}
}

// newKey checks what the schema cannot check.
func (s *Service) newKey(c *principal.Caller, n *NewKey) (apikey.NewKey, error) {
	var faults []problem.Fault
	fault := func(field, msg string) { faults = append(faults, problem.BodyFault(field, msg)) }
	name := strings.TrimSpace(n.Name)
	if name == "" {
		fault("name", "must not be empty")
	} else if err := apikey.CheckName(name); err != nil {
		fault("name", err.Error())
	}
	scopes, err := apikey.ParseScopes(n.Scopes)
	if err != nil {
		fault("scopes", err.Error())
	}
	now := s.now()
	expires := n.ExpiresAt
	switch {
	case n.ExpiresAt != nil && n.ExpiresIn != nil:
		fault("expires_in", "cannot be combined with expires_at")
	case n.ExpiresIn != nil:
		at := now.Add(time.Duration(*n.ExpiresIn) * time.Second)
		expires = &at
	case n.ExpiresAt != nil && !n.ExpiresAt.After(now):
		fault("expires_at", "must be in the future")
	case n.ExpiresAt != nil && n.ExpiresAt.Year() > yearMax:
		fault("expires_at", fmt.Sprintf("must not be later than the year %d", yearMax))
	}
	if faults != nil {
		return apikey.NewKey{}, problem.Validation(faults...)
	}
	return apikey.NewKey{TeamID: c.TeamID, Name: name, Scopes: scopes, ExpiresAt: expires, MadeBy: c.KeyID}, nil
}

// yearMax is the last year that every RFC 3339 parser can read.
const yearMax = 9999

// RotateKey creates a key that replaces another one of c's team.
func (s *Service) RotateKey(ctx context.Context, c *principal.Caller, id string, r *RotateKey) (*Key, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	overlap := overlapDefault
	if r != nil && r.OverlapSeconds != nil {
		overlap = time.Duration(*r.OverlapSeconds) * time.Second
	}
	made, err := s.keys.Rotate(ctx, apikey.Rotation{KeyID: id, TeamID: c.TeamID, Overlap: overlap, MadeBy: c.KeyID, With: recordIn(c)})
	if err != nil {
		return nil, keyProblem(err)
	}
	return madeKey(&made), nil
}

// RevokeKey ends a key of c's team. Revoking it again is no error.
func (s *Service) RevokeKey(ctx context.Context, c *principal.Caller, id string) (*Key, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	revoked, err := s.keys.RevokeOf(ctx, c.TeamID, id)
	if err != nil {
		return nil, keyProblem(err)
	}
	key := keyOf(&revoked, c)
	return &key, nil
}

// keyProblem tells the client why nothing was done. Another team's key is reported as unknown, so that its existence
// stays secret.
func keyProblem(err error) error {
	if recording, ok := errors.AsType[*problem.Error](err); ok {
		return recording
	}
	if lacks, ok := errors.AsType[*apikey.ScopeError](err); ok {
		if lacks.Missing == 0 {
			return problem.Wrap(problem.InvalidAPIKey, "The API key of this request has been revoked or has expired meanwhile.", err)
		}
		return problem.Wrap(problem.AccessDenied,
			"A key can grant only scopes that it has itself. The key of this request lacks "+lacks.Missing.String()+".", err)
	}
	switch {
	case errors.Is(err, apikey.ErrNoKey):
		return problem.Wrap(problem.KeyNotFound, "There is no key with this id.", err)
	case errors.Is(err, apikey.ErrTooMany):
		return problem.Wrap(problem.InvalidState, fmt.Sprintf("The limit of %d active keys is reached. Revoke one first.", apikey.LiveMax), err)
	case errors.Is(err, apikey.ErrEnded):
		return problem.Wrap(problem.InvalidState,
			"This key was revoked or replaced, or has expired, so it cannot be rotated. Create a new key, or rotate the one that replaced it.", err)
	default:
		return problem.Internal(err)
	}
}

func keyOf(k *apikey.Key, c *principal.Caller) Key {
	return Key{
		ID: k.ID, Object: "key", Name: k.Name, Prefix: strings.TrimSuffix(k.Display, "…"), Scopes: k.Scopes.Names(),
		CreatedAt: k.CreatedAt.UTC(), ExpiresAt: inUTC(k.ExpiresAt), LastUsedAt: inUTC(k.LastUsedAt), RevokedAt: inUTC(k.RevokedAt),
		RotatedFrom: orNull(k.RotatedFrom), ReplacedBy: orNull(k.ReplacedBy), Current: k.ID == c.KeyID,
	}
}

func madeKey(m *apikey.Created) *Key {
	return &Key{
		ID: m.ID, Object: "key", Name: m.Name, Key: &m.Key, Prefix: strings.TrimSuffix(apikey.Display(m.Key), "…"), Scopes: m.Scopes.Names(),
		CreatedAt: m.CreatedAt.UTC(), ExpiresAt: inUTC(m.ExpiresAt), RotatedFrom: orNull(m.RotatedFrom),
	}
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
