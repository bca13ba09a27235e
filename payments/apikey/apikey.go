package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrInvalid is returned for a key that is malformed, unknown, revoked or expired. It does not say whether a key is
// unknown or revoked, so that clients cannot tell.
var ErrInvalid = errors.New("invalid API key")

// MalformedError is the [ErrInvalid] of a string that cannot be a key at all. Its Reason can be shown to the client: it
// only says what the public format of a key says anyway.
type MalformedError struct {
	Reason string // never the key
}

func (e *MalformedError) Error() string { return ErrInvalid.Error() + ": " + e.Reason }

func (e *MalformedError) Unwrap() error { return ErrInvalid }

func malformed(format string, args ...any) error {
	return &MalformedError{Reason: fmt.Sprintf(format, args...)}
}

// ExpiredError is the [ErrInvalid] of an expired key. The client may know this: expiry is the most common reason why a
// key stops working, and it happens without anyone's action.
type ExpiredError struct {
	At time.Time
}

func (e *ExpiredError) Error() string {
	return ErrInvalid.Error() + ": it expired on " + e.At.UTC().Format(time.RFC3339)
}

func (e *ExpiredError) Unwrap() error { return ErrInvalid }

// Principal is the team and key that a request acts for.
type Principal struct {
	TeamID string // "team_…"
	KeyID  string // "key_…", public
	// Key and Account are the numbers that the meter uses.
	Key     int64
	Account int64
	Scopes  Scopes
	// Waited is how long the lookup of the key took; 0 if it was cached.
	Waited time.Duration
}

// Resolver finds the principal of a presented key. It returns ErrInvalid, or another error if it cannot decide.
type Resolver interface {
	Resolve(ctx context.Context, key string) (*Principal, error)
}
