package apikey

import (
	"context"
	"errors"
)

// ErrInvalid is returned for a key that is malformed, unknown, revoked or
// expired: callers learn no more than that.
var ErrInvalid = errors.New("invalid API key")

// Principal is who a key speaks for.
type Principal struct {
	TeamID string // "team_…"
	KeyID  string // "key_…", public
	// Key and Account are the numbers that the meter works with.
	Key     int64
	Account int64
	Scopes  []string
}

// Resolver finds the principal of a presented key. It returns ErrInvalid, or
// another error when it cannot tell.
type Resolver interface {
	Resolve(ctx context.Context, key string) (*Principal, error)
}
