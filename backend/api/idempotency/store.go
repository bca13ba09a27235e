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
	// Kept is how long a response is kept, counted from the first request with its key.
	Kept = 24 * time.Hour
	// LeaseDefault is how long an attempt keeps its key without renewing the lease.
	LeaseDefault = time.Minute
	// BodyBytesMax is the largest response body that is kept. A larger one is rebuilt from the work.
	BodyBytesMax = 64 << 10

	// beginTries bounds how often Begin reads a key again that has changed since the last read.
	beginTries = 5

	// An edge captures a payment within about 50 ms of its response, and later under load. Begin waits up to payerWait
	// for that: it looks again after payerLook at first, and at longer intervals up to payerLookLatest.
	payerWait       = 2 * time.Second
	payerLook       = 20 * time.Millisecond
	payerLookLatest = 250 * time.Millisecond
)

// The reasons why there is neither attempt nor response.
var (
	// ErrReused is returned for a key that another request has used.
	ErrReused = errors.New("the key was used for another request")
	// ErrLost is returned to an attempt whose lease has expired and whose key another attempt has. Its work must not be
	// committed.
	ErrLost = errors.New("the key was taken over by another attempt")
)

// InProgressError is returned while another attempt has the key, or while it is unknown whether the response is paid.
type InProgressError struct {
	// Left is how long that attempt's lease still runs; 0 if no attempt has the key.
	Left time.Duration
}

func (e *InProgressError) Error() string {
	if e.Left == 0 {
		return "the payment for the response is not final yet"
	}
	return fmt.Sprintf("another attempt holds the key for %s", e.Left)
}

// NotCoveredError is returned if the response must be paid for and costs more than the request may.
type NotCoveredError struct{ Cost int64 }

func (e *NotCoveredError) Error() string { return fmt.Sprintf("the response costs %d", e.Cost) }

// Request is a request with a key.
type Request struct {
	TeamID string
	// Route is the method and path that the key is valid for.
	Route string
	Key   string
	// SHA256 is the hash of everything else that identifies the request.
	SHA256 [32]byte
	// Identity is the id under which the work is done once, if this request is the first.
	Identity string
	// Payer is the id of the request's hold or claim. Covered is the most that the request may cost, in the team's
	// unit, as all costs here.
	Payer   uuid.UUID
	Covered int64
}

// Answer is the response to a request.
type Answer struct {
	Status int
	// Body is nil if it was not kept; it is then rebuilt from the work of Identity.
	Body     []byte
	Identity string
	// Cost is what the response costs this request: 0 if it is already paid.
	Cost int64
}

// Store is the table of keys.
type Store struct {
	queries *db.Queries
	lease   time.Duration
	leaving chan struct{} // one entry for each key that is being released in the background
}

// New makes a Store. lease is how long an attempt keeps its key without renewing it; 0 is [LeaseDefault].
func New(queries *db.Queries, lease time.Duration) *Store {
	if lease <= 0 {
		lease = LeaseDefault
	}
	return &Store{queries: queries, lease: lease, leaving: make(chan struct{}, leavingMax)}
}

// Begin takes the key for r, or returns the stored response. The response is free if it is paid. If it certainly never
// will be, r's own hold or claim pays its price. While that is unknown, Begin waits for two seconds at most. Without
// attempt or response, the error is ErrReused, an *InProgressError or a *NotCoveredError.
func (s *Store) Begin(ctx context.Context, r *Request) (*Attempt, *Answer, error) {
	var insteadOf uuid.UUID
	for range beginTries {
		attempt, err := s.begin(ctx, r, insteadOf)
		if attempt != nil || err != nil {
			return attempt, nil, err
		}
		row, err := s.look(ctx, r)
		switch {
		case errors.Is(err, pgx.ErrNoRows): // released since
			continue
		case err != nil:
			return nil, nil, err
		case row.State == done && row.Cost > 0 && row.payment == undone:
			insteadOf = row.Token
			continue
		}
		attempt, answer, err := s.follow(ctx, r, row)
		if !errors.Is(err, errMoved) {
			return attempt, answer, err
		}
	}
	return nil, nil, &InProgressError{} // many requests at once: another was faster each time
}

// errMoved: another attempt was faster.
var errMoved = errors.New("the key has changed")

// The states of a key in the table.
const (
	running = "running"
	done    = "done"
)

// payment is the known state of the hold or claim that is to pay.
type payment string

const (
	paid   payment = "paid"
	open   payment = "open"   // not known
	unpaid payment = "unpaid" // certain and final
	undone payment = "undone" // unpaid, and the work behind the response may have been undone
)

// kept is what is stored for a key.
type kept struct {
	db.IdempotentAnswerRow

	left    time.Duration // of the lease of an attempt
	payment payment
}

// matters reports whether the payment decides the outcome of the request.
func (k *kept) matters() bool {
	if k.State == done {
		return k.Cost > 0
	}
	return k.left == 0
}

// look reads what is stored for r's key, repeatedly while it waits for a payment.
func (s *Store) look(ctx context.Context, r *Request) (*kept, error) {
	deadline := time.Now().Add(payerWait)
	for wait := payerLook; ; wait = min(2*wait, payerLookLatest) {
		row, err := s.queries.IdempotentAnswer(ctx, db.IdempotentAnswerParams{TeamID: r.TeamID, Route: r.Route, Key: r.Key})
		if err != nil {
			return nil, fmt.Errorf("reading an idempotency key: %w", err)
		}
		k := &kept{IdempotentAnswerRow: row, left: time.Duration(row.LockedSeconds * float64(time.Second)), payment: payment(row.Payment)}
		switch {
		case !bytes.Equal(row.RequestSha256, r.SHA256[:]):
			return nil, ErrReused
		case row.Payer == r.Payer && k.payment == open: // the same payer comes again, and pays
			k.payment = unpaid
			return k, nil
		case k.payment != open || !k.matters() || time.Until(deadline) < wait:
			return k, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// follow handles what is stored for r's key. The error is errMoved if another attempt has done so first.
func (s *Store) follow(ctx context.Context, r *Request, k *kept) (*Attempt, *Answer, error) {
	answer := &Answer{Body: k.Body, Identity: k.Identity}
	if k.Status != nil {
		answer.Status = int(*k.Status)
	}
	switch {
	case k.State == running && k.left > 0:
		return nil, nil, &InProgressError{Left: k.left}
	case k.State == done && (k.Cost == 0 || k.payment == paid):
		return nil, answer, nil
	case k.payment == open:
		return nil, nil, &InProgressError{}
	case k.State == done && k.Cost > r.Covered:
		return nil, nil, &NotCoveredError{Cost: k.Cost}
	}
	attempt, err := s.take(ctx, r, k)
	if err != nil {
		return nil, nil, err
	}
	if k.State == done {
		answer.Cost = k.Cost
		return nil, answer, nil
	}
	return attempt, nil, nil
}

// Purge deletes up to rowsMax expired keys and returns how many.
func (s *Store) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	n, err := s.queries.DeleteExpiredIdempotent(ctx, rowsMax)
	if err != nil {
		return 0, fmt.Errorf("deleting idempotency keys: %w", err)
	}
	return n, nil
}
