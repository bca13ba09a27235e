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

	// beginTries: a key that changes between two looks at it is looked at again.
	beginTries = 5

	// An edge captures what it has answered within some 50 ms, and a little later where
	// there is much to do. So long is waited for it, and looked again at first, and later.
	payerWait       = 2 * time.Second
	payerLook       = 20 * time.Millisecond
	payerLookLatest = 250 * time.Millisecond
)

// Why there is no attempt and no answer.
var (
	// ErrReused is returned for a key that was used for another request.
	ErrReused = errors.New("the key was used for another request")
	// ErrLost is returned to an attempt whose lease has ended and whose key another
	// has. What it did must not be committed.
	ErrLost = errors.New("the key has passed to another attempt")
)

// InProgressError is returned while another attempt has the key, or while it is not
// known whether its answer is paid.
type InProgressError struct {
	// Left is how long that attempt's lease still runs; 0 where nobody has the key.
	Left time.Duration
}

func (e *InProgressError) Error() string {
	if e.Left == 0 {
		return "it is not known yet who pays for the answer"
	}
	return fmt.Sprintf("another attempt has the key for %s", e.Left)
}

// NotCoveredError is returned for an answer that is to be paid, and costs more than
// the request may.
type NotCoveredError struct{ Cost int64 }

func (e *NotCoveredError) Error() string { return fmt.Sprintf("the answer costs %d", e.Cost) }

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
	// Payer is the id of the hold or claim that it brings along, and Covered the most
	// that it may cost: in the unit in which its team pays, as all costs here.
	Payer   uuid.UUID
	Covered int64
}

// Answer is what a request was answered.
type Answer struct {
	Status int
	// Body is nil if it was not kept: then the work of Identity has it.
	Body     []byte
	Identity string
	// Cost is what it costs the request at hand: 0 where it is paid.
	Cost int64
}

// Store is the table of keys.
type Store struct {
	queries *db.Queries
	lease   time.Duration
	leaving chan struct{} // holds one for each key that is let go of in the background
}

// New makes a Store. lease is how long a key stays with an attempt that is not
// heard of; 0 is [LeaseDefault].
func New(queries *db.Queries, lease time.Duration) *Store {
	if lease <= 0 {
		lease = LeaseDefault
	}
	return &Store{queries: queries, lease: lease, leaving: make(chan struct{}, leavingMax)}
}

// Begin takes the key for r, or returns what r was answered: for nothing if that is
// paid, and at its price, to be paid by r's own hold or claim, if it certainly is not.
// While that is not known it waits, for two seconds at most. The error is ErrReused,
// an *InProgressError or a *NotCoveredError if there is neither attempt nor answer.
func (s *Store) Begin(ctx context.Context, r *Request) (*Attempt, *Answer, error) {
	var insteadOf uuid.UUID
	for range beginTries {
		attempt, err := s.begin(ctx, r, insteadOf)
		if attempt != nil || err != nil {
			return attempt, nil, err
		}
		row, err := s.look(ctx, r)
		switch {
		case errors.Is(err, pgx.ErrNoRows): // let go of since
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
	return nil, nil, &InProgressError{} // of many who ask at once, others were faster each time
}

// errMoved: somebody else was faster.
var errMoved = errors.New("the key has changed")

// The states of a key.
const (
	running = "running"
	done    = "done"
)

// payment is what is known of the hold or claim that is to pay.
type payment string

const (
	paid   payment = "paid"
	open   payment = "open"   // it is not known
	unpaid payment = "unpaid" // for certain, and for ever
	undone payment = "undone" // unpaid, and what the answer speaks of may have come to nothing
)

// kept is what is kept of a key.
type kept struct {
	db.IdempotentAnswerRow

	left    time.Duration // of the lease of an attempt
	payment payment
}

// matters reports whether the payment decides what becomes of the request.
func (k *kept) matters() bool {
	if k.State == done {
		return k.Cost > 0
	}
	return k.left == 0
}

// look reads what is kept of r's key, again and again while it waits for a payment.
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
		case row.Payer == r.Payer && k.payment == open: // it comes again, and pays
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

// follow goes on with what is kept of r's key. The error is errMoved if somebody else
// has done so.
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

// Purge forgets up to rowsMax keys whose time is over, and returns how many.
func (s *Store) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	n, err := s.queries.DeleteExpiredIdempotent(ctx, rowsMax)
	if err != nil {
		return 0, fmt.Errorf("forgetting idempotency keys: %w", err)
	}
	return n, nil
}
