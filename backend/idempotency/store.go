package idempotency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// Kept is how long an answer is kept, from the first request with its key.
	Kept = 24 * time.Hour
	// LeaseDefault is how long a key stays with an attempt that is not heard of.
	LeaseDefault = time.Minute
	// BodyBytesMax is the size of the largest answer that is kept. A larger one is
	// made again from the work.
	BodyBytesMax = 64 << 10

	// beginTries: a key that is let go of between two looks at it is looked at again.
	beginTries = 3
)

// Why there is no attempt and no answer.
var (
	// ErrReused is returned for a key that was used for another request.
	ErrReused = errors.New("the key was used for another request")
	// ErrLost is returned to an attempt whose lease has ended and whose key another
	// has. What it did must not be committed.
	ErrLost = errors.New("the key has passed to another attempt")
)

// InProgressError is returned while another attempt has the key.
type InProgressError struct {
	// Left is how long that attempt's lease still runs.
	Left time.Duration
}

func (e *InProgressError) Error() string {
	return fmt.Sprintf("another attempt has the key for %s", e.Left)
}

// Request is a request with a key.
type Request struct {
	TeamID string
	// Route is what the key holds for: method and path.
	Route string
	Key   string
	// SHA256 is of everything else that makes it this request.
	SHA256 [32]byte
	// Identity is the id under which its work is done once, if it is the first.
	Identity string
}

// Answer is what a request was answered.
type Answer struct {
	Status int
	// Body is nil if it was not kept: then the work of Identity has it.
	Body     []byte
	Identity string
}

// Store is the table of keys.
type Store struct {
	queries *db.Queries
	lease   time.Duration
}

// New makes a Store. lease is how long a key stays with an attempt that is not
// heard of; 0 is [LeaseDefault].
func New(queries *db.Queries, lease time.Duration) *Store {
	if lease <= 0 {
		lease = LeaseDefault
	}
	return &Store{queries: queries, lease: lease}
}

// Begin takes the key for r, or returns what r was answered. The error is ErrReused
// or an *InProgressError if neither can be.
func (s *Store) Begin(ctx context.Context, r *Request) (*Attempt, *Answer, error) {
	var err error
	for range beginTries {
		token := uuid.New()
		identity, beginErr := s.queries.BeginIdempotent(ctx, db.BeginIdempotentParams{
			TeamID: r.TeamID, Route: r.Route, Key: r.Key, RequestSha256: r.SHA256[:], Identity: r.Identity, Token: token,
			LeaseSeconds: s.lease.Seconds(), KeptSeconds: Kept.Seconds(),
		})
		switch {
		case beginErr == nil:
			return &Attempt{
				Identity: identity, store: s, teamID: r.TeamID, route: r.Route, key: r.Key, token: token, takenOver: identity != r.Identity,
			}, nil, nil
		case !errors.Is(beginErr, pgx.ErrNoRows):
			return nil, nil, fmt.Errorf("taking an idempotency key: %w", beginErr)
		}
		var answer *Answer
		if answer, err = s.answer(ctx, r); !errors.Is(err, pgx.ErrNoRows) {
			return nil, answer, err
		}
	}
	return nil, nil, fmt.Errorf("taking an idempotency key that comes and goes: %w", err)
}

func (s *Store) answer(ctx context.Context, r *Request) (*Answer, error) {
	row, err := s.queries.IdempotentAnswer(ctx, db.IdempotentAnswerParams{TeamID: r.TeamID, Route: r.Route, Key: r.Key})
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading an idempotency key: %w", err)
	case !bytes.Equal(row.RequestSha256, r.SHA256[:]):
		return nil, ErrReused
	case row.State != "done" || row.Status == nil:
		return nil, &InProgressError{Left: time.Duration(row.LockedSeconds * float64(time.Second))}
	}
	return &Answer{Status: int(*row.Status), Body: row.Body, Identity: row.Identity}, nil
}

// Purge forgets up to rowsMax keys whose time is over, and returns how many.
func (s *Store) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	n, err := s.queries.DeleteExpiredIdempotent(ctx, rowsMax)
	if err != nil {
		return 0, fmt.Errorf("forgetting idempotency keys: %w", err)
	}
	return n, nil
}
