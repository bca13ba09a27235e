package batches

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
)

// Retry runs the failed items of a completed batch again, at the batch's original price. It returns the batch: in
// progress again, with a separate hold for the round.
func (s *Service) Retry(ctx context.Context, c *principal.Caller, id string) (*Batch, error) {
	if s.config.Jobs == nil {
		return nil, problem.Internal(errNoJobs)
	}
	var answer *Batch
	repeated := false
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		b, err := s.lock(ctx, tx, c.TeamID, id)
		if err != nil {
			return err
		}
		if repeated = b.RoundJti == c.IdentityID && b.Round > 0; repeated {
			answer, err = s.object(b)
			return errors.Join(err, fundsOf(b).Repeated(ctx, credits.NewLedger(tx), c))
		}
		if err := retriable(b); err != nil {
			return err
		}
		if c.DryRun != nil {
			return nil
		}
		if err := billing.Covered(c, b.UnitCredits, int(b.Failed)); err != nil {
			return err
		}
		if err := s.reopen(ctx, tx, c, b); err != nil {
			return err
		}
		if answer, err = s.object(b); err != nil {
			return err
		}
		if err := c.Record(ctx, tx, principal.Priced[Batch]{Result: answer}); err != nil {
			return err
		}
		return adopt(ctx, tx, c, b)
	})
	switch {
	case err != nil:
		return nil, problem.From(err)
	case answer == nil || repeated:
		return answer, nil
	}
	s.begun(c, paidCredits)
	return answer, nil
}

// retriable refuses a batch that has nothing to run again.
func retriable(b *db.Batch) error {
	refused := func(detail string) error { return problem.New(problem.InvalidState, detail) }
	switch {
	case b.Paid != paidCredits:
		return refused("A batch that was paid per use cannot be retried: create another batch with its failed items.")
	case b.Status != string(StatusCompleted):
		return refused("This batch is in progress: its failed items can be retried when it is completed.")
	case *b.Outcome == outcomeCanceled:
		return refused("This batch was canceled: create another batch with the items that you need.")
	case b.Failed == 0:
		return refused("This batch has no failed items.")
	}
	return nil
}

// reopen begins another round of b, and updates b.
func (s *Service) reopen(ctx context.Context, tx pgx.Tx, c *principal.Caller, b *db.Batch) error {
	queries := db.New(tx)
	ns, err := queries.ReopenBatchItems(ctx, b.ID)
	if err != nil {
		return fmt.Errorf("reopening items of %s: %w", b.ID, err)
	}
	*b, err = queries.ReopenBatch(ctx, db.ReopenBatchParams{
		ID: b.ID, Jti: c.IdentityID, N: int32(len(ns)), DeadlineAt: s.config.Now().Add(s.config.Timeout), //nolint:gosec // ItemsMax at most
	})
	if err != nil {
		return fmt.Errorf("reopening batch with %d items: %w", len(ns), err)
	}
	return s.promise(ctx, tx, b, ns)
}
