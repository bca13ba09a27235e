package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

// Attempt is a request that has its key.
type Attempt struct {
	// Identity is the first attempt's: what the work is done once for.
	Identity string

	store              *Store
	teamID, route, key string
	token              uuid.UUID
	takenOver          bool
}

// Record writes the answer, in tx or, where that is nil, at once. A body above
// [BodyBytesMax] is not kept. The error is ErrLost if another has the key, or if an
// answer was recorded before.
func (a *Attempt) Record(ctx context.Context, tx pgx.Tx, status int, body []byte) error {
	queries := a.store.queries
	if tx != nil {
		queries = queries.WithTx(tx)
	}
	if len(body) > BodyBytesMax {
		body = nil
	}
	n, err := queries.RecordIdempotent(ctx, db.RecordIdempotentParams{
		TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token, Status: int32(status), Body: body, //nolint:gosec // of HTTP
	})
	switch {
	case err != nil:
		return fmt.Errorf("recording an answer: %w", err)
	case n == 0:
		return ErrLost
	}
	return nil
}

// Release lets go of the key as if the request had not been made; not if an answer
// was recorded. An attempt that had it of one that died leaves it to the next under
// the first one's identity, whose work may be there.
func (a *Attempt) Release(ctx context.Context) error {
	var err error
	if a.takenOver {
		err = a.store.queries.YieldIdempotent(ctx, db.YieldIdempotentParams{TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token})
	} else {
		err = a.store.queries.ReleaseIdempotent(ctx, db.ReleaseIdempotentParams{TeamID: a.teamID, Route: a.route, Key: a.key, Token: a.token})
	}
	if err != nil {
		return fmt.Errorf("releasing an idempotency key: %w", err)
	}
	return nil
}

// renewals is how many times a lease is renewed in its length: two may fail.
const renewals = 3

// Keep renews the lease until stop is called, ctx ends, or the key is another's.
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
				return // or recorded; any other error may pass before the lease does
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
