package apikey

import (
	"context"
	"errors"
	"fmt"
)

// ErrInvalid is returned for a key that is malformed, unknown, revoked or
// expired. Of the last three callers learn no more than that.
var ErrInvalid = errors.New("invalid API key")

// MalformedError is the [ErrInvalid] of what cannot be a key of ours at all. Its
// Reason is fit for the caller: it says what the form of a key tells anyone.
type MalformedError struct {
	Reason string // never the key
}

func (e *MalformedError) Error() string { return ErrInvalid.Error() + ": " + e.Reason }

func (e *MalformedError) Unwrap() error { return ErrInvalid }

func malformed(format string, args ...any) error {
	return &MalformedError{Reason: fmt.Sprintf(format, args...)}
}

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
