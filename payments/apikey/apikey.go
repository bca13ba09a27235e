package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrInvalid is returned for a key that is malformed, unknown, revoked or
// expired. Of unknown and revoked ones callers learn no more than that.
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

// ExpiredError is the [ErrInvalid] of a key whose time is over. Whoever has the
// key may know: it is the commonest reason for which a key ceases to work, and
// the one that nobody did on purpose.
type ExpiredError struct {
	At time.Time
}

func (e *ExpiredError) Error() string {
	return ErrInvalid.Error() + ": it expired on " + e.At.UTC().Format(time.RFC3339)
}

func (e *ExpiredError) Unwrap() error { return ErrInvalid }

// Principal is who a key speaks for.
type Principal struct {
	TeamID string // "team_…"
	KeyID  string // "key_…", public
	// Key and Account are the numbers that the meter works with.
	Key     int64
	Account int64
	Scopes  Scopes
}

// Resolver finds the principal of a presented key. It returns ErrInvalid, or
// another error when it cannot tell.
type Resolver interface {
	Resolve(ctx context.Context, key string) (*Principal, error)
}
