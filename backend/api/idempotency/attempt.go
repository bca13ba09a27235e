package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// writeTimeout is for statements that continue when their request ends, so that their outcome is known.
	writeTimeout = 5 * time.Second

	// leavingMax bounds how many keys are released in the background at once. The leases of the others expire.
	leavingMax        = 256
	leaveAgain        = 50 * time.Millisecond
	leaveAgainLongest = 5 * time.Second
)

// Attempt is a request that holds its key.
type Attempt struct {
	// Identity is the first attempt's. The work is done once for each identity.
	Identity string
	// Paid reports that another request has paid for the work but its response was not recorded. This request costs nothing.
	Paid bool

	store              *Store
	teamID, route, key string
	token              uuid.UUID
	takenOver          bool
}

// attempt returns an Attempt with its own new token, not yet in the table. With that token the key can be released even
// if it is unknown whether the attempt got it.
func (s *Store) attempt(r *Request, identity string) *Attempt {
	return &Attempt{Identity: identity, store: s, teamID: r.TeamID, route: r.Route, key: r.Key, token: uuid.New()}
}

// begin takes r's key if it is new or has expired. Otherwise it returns no attempt and no error.
func (s *Store) begin(ctx context.Context, r *Request, insteadOf uuid.UUID) (*Attempt, error) {
	a := s.attempt(r, r.Identity)
	return a.had(ctx, "taking an idempotency key", func(ctx context.Context) (int64, error) {
		return s.queries.BeginIdempotent(ctx, db.BeginIdempotentParams{
			TeamID: r.TeamID, Route: r.Route, Key: r.Key, RequestSha256: r.SHA256[:], Identity: r.Identity, Payer: r.Payer, Token: a.token,
			LeaseSeconds: s.lease.Seconds(), KeptSeconds: Kept.Seconds(), InsteadOf: insteadOf,
		})
	})
}

// take takes over what is stored for r's key, or returns errMoved.
func (s *Store) take(ctx context.Context, r *Request, k *kept) (*Attempt, error) {
	a := s.attempt(r, k.Identity)
	payer := r.Payer
	if a.takenOver, a.Paid = true, k.payment == paid; a.Paid {
		payer = k.Payer
	}
	a, err := a.had(ctx, "continuing with an idempotency key", func(ctx context.Context) (int64, error) {
		return s.queries.TakeIdempotent(ctx, db.TakeIdempotentParams{
			TeamID: r.TeamID, Route: r.Route, Key: r.Key, Payer: payer, Token: a.token, LeaseSeconds: s.lease.Seconds(), Was: k.Token, State: k.State,
		})
	})
	if a == nil && err == nil {
		err = errMoved
	}
	return a, err
}

// had runs the statement that gives a its key, and returns a if it got the key. A client that disconnects does not
// interrupt the statement; the key is then released.
func (a *Attempt) had(ctx context.Context, doing string, take func(ctx context.Context) (int64, error)) (*Attempt, error) {
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	n, err := take(writing)
	switch {
	case err != nil:
		if !neverSent(err) {
			a.leave()
		}
		return nil, fmt.Errorf("%s: %w", doing, err)
	case n == 0:
		return nil, nil //nolint:nilnil // documented
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), a.Release(writing))
	}
	return a, nil
}

// neverSent reports whether a statement certainly had no effect.
func neverSent(err error) bool {
	_, noConnection := errors.AsType[*pgconn.ConnectError](err)
	return noConnection || pgconn.SafeToRetry(err)
}

// Record stores the response and its cost, in tx or, if that is nil, at once. A body above [BodyBytesMax] is not kept.
// The error is ErrLost if another attempt has the key or a response is already recorded.
func (a *Attempt) Record(ctx context.Context, tx pgx.Tx, status int, cost int64, body []byte) error {
	queries := a.store.queries
	if tx != nil {
		queries = queries.WithTx(tx)
	}
	if len(body) > BodyBytesMax {
		body = nil
	}
	n, err := queries.RecordIdempotent(ctx, db.RecordIdempotentParams{
		TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token, Status: int32(status), Cost: cost, Body: body, //nolint:gosec // of HTTP
	})
	switch {
	case err != nil:
		return fmt.Errorf("recording a response: %w", err)
	case n == 0:
		return ErrLost
	}
	return nil
}

// Release gives up the key as if the request had not been made, unless a response was recorded. An attempt that took
// the key over leaves it to the next one under the first identity, because that identity's work may exist. If Release
// fails, it is retried in the background.
func (a *Attempt) Release(ctx context.Context) error {
	_, err := a.release(ctx)
	if err != nil {
		a.leave()
	}
	return err
}

func (a *Attempt) release(ctx context.Context) (n int64, err error) {
	if a.takenOver {
		n, err = a.store.queries.YieldIdempotent(ctx, db.YieldIdempotentParams{TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token})
	} else {
		n, err = a.store.queries.ReleaseIdempotent(ctx, db.ReleaseIdempotentParams{TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token})
	}
	if err != nil {
		return 0, fmt.Errorf("releasing an idempotency key: %w", err)
	}
	return n, nil
}

// leave releases the key in the background. It tries for the length of a lease: the database may be down, and a
// statement that was sent may still take effect.
func (a *Attempt) leave() {
	select {
	case a.store.leaving <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-a.store.leaving }()
		ctx, cancel := context.WithTimeout(context.Background(), a.store.lease)
		defer cancel()
		for wait := leaveAgain; ; wait = min(2*wait, leaveAgainLongest) {
			if n, err := a.release(ctx); err == nil && n > 0 {
				return
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
	}()
}

// renewals is how often a lease is renewed within its length: two renewals may fail.
const renewals = 3

// Keep renews the lease until stop is called, ctx ends, or another attempt has the key.
func (a *Attempt) Keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(a.store.lease / renewals)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := a.renew(ctx); errors.Is(err, ErrLost) {
				return // or recorded; other errors may pass before the lease expires
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (a *Attempt) renew(ctx context.Context) error {
	n, err := a.store.queries.RenewIdempotent(ctx, db.RenewIdempotentParams{
		TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token, LeaseSeconds: a.store.lease.Seconds(),
	})
	switch {
	case err != nil:
		return fmt.Errorf("renewing the lease of an idempotency key: %w", err)
	case n == 0:
		return ErrLost
	}
	return nil
}
