package stripe

import (
	"context"
	"errors"
	"fmt"
	"time"

	stripego "github.com/stripe/stripe-go/v76"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// resendFor is how long a row's idempotency key may be sent. Stripe forgets keys after 24 hours at the earliest,
	// and charges again for a forgotten key.
	resendFor = 23 * time.Hour
	// giveUpAfter is when a payment that Stripe does not list counts as never made: no request with its key can still
	// be in progress.
	giveUpAfter = 24 * time.Hour
	// leaseFor is how long one sweeper has a row to itself.
	leaseFor = 2 * time.Minute
	// sweepMost is how many rows one round takes at a time; lookEvery and lookMost are the first and the longest time
	// between two looks at a row.
	sweepMost = 20
	lookEvery = 30 * time.Second
	lookMost  = 10 * time.Minute
	// eventsKept is longer than Stripe, or a person in its dashboard, resends events.
	eventsKept = 60 * day
)

// Run finds the outcome of purchases until ctx ends, and returns ctx's error. Several services on one database share
// the work.
func (s *Service) Run(ctx context.Context) error {
	ticks := s.cfg.Ticks
	if ticks == nil {
		ticker := time.NewTicker(s.cfg.SweepEvery)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Logger.Warn("some top-ups still have an unknown outcome", "error", err)
			}
		}
	}
}

// Sweep is one round of Run. It returns the errors of this round; the next round tries again.
func (s *Service) Sweep(ctx context.Context) error {
	var errs []error
	for {
		now := s.cfg.Now()
		rows, err := s.q.TakeDueTopups(ctx, db.TakeDueTopupsParams{
			Livemode: s.live, Now: now, LeaseUntil: now.Add(leaseFor), BatchSize: sweepMost,
		})
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("taking top-ups that are due: %w", err))...)
		}
		for i := range rows {
			if err := s.end(ctx, &rows[i]); err != nil {
				errs = append(errs, err)
			}
		}
		if len(rows) < sweepMost || ctx.Err() != nil {
			break
		}
	}
	if _, err := s.q.ForgetStripeEvents(ctx, s.cfg.Now().Add(-eventsKept)); err != nil {
		errs = append(errs, fmt.Errorf("deleting old events: %w", err))
	}
	return errors.Join(errs...)
}

// end tries to complete one row.
func (s *Service) end(ctx context.Context, row *db.Topup) error {
	ctx, cancel := context.WithTimeout(ctx, leaseFor/2)
	defer cancel()
	var err error
	if row.Kind == kindHosted {
		err = s.endHosted(ctx, row)
	} else {
		err = s.endSaved(ctx, row)
	}
	wait := min(lookEvery<<min(row.Looks-1, 8), lookMost)
	again := s.q.LookAgainAt(ctx, db.LookAgainAtParams{ID: row.ID, NextLookAt: s.cfg.Now().Add(wait)})
	return errors.Join(err, again)
}

func (s *Service) endSaved(ctx context.Context, row *db.Topup) error {
	out := s.find(ctx, row)
	switch {
	case out.chargeStatus == statusCharged:
		return s.sync(ctx, out.intent.ID, nil)
	case out.chargeStatus == statusUnknown && out.err == nil && s.age(row) >= giveUpAfter:
		out = outcome{chargeStatus: statusRefused, code: codeFailed, message: "The payment was not made."}
	case out.chargeStatus == statusUnknown, out.chargeStatus == statusBarred:
		_, err := s.settle(ctx, row, &out)
		return errors.Join(out.err, err)
	}
	_, err := s.settle(ctx, row, &out)
	return err
}

// find learns the chargeStatus of a row's payment without ever making a second one: by its id if that is known; by sending the
// request again with the same key, while Stripe certainly remembers it; or by searching the customer's payments.
func (s *Service) find(ctx context.Context, row *db.Topup) outcome {
	if row.PaymentIntentID != nil {
		pi, err := s.api.PaymentIntents.Get(*row.PaymentIntentID, &stripego.PaymentIntentParams{Params: params(ctx, "")})
		if err != nil {
			return outcome{err: fmt.Errorf("reading payment %s: %w", *row.PaymentIntentID, err)}
		}
		return outcomeOf(pi)
	}
	if s.age(row) >= resendFor {
		return s.lookup(ctx, row)
	}
	out := s.charge(ctx, row)
	if out.chargeStatus != statusUnknown && out.chargeStatus != statusInvalid {
		return out
	}
	// The first request may have made the payment; its response was lost, or Stripe stored an error for its key.
	found := s.lookup(ctx, row)
	if found.chargeStatus != statusUnknown {
		return found
	}
	if out.chargeStatus == statusInvalid && found.err != nil {
		return found
	}
	return out
}

func (s *Service) age(row *db.Topup) time.Duration { return s.cfg.Now().Sub(row.CreatedAt) }
