package batches

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// eventCompleted is the type of the event of a batch's end.
	eventCompleted = "batch.completed"
	// owedNote tells operators and payers why a payment is refunded.
	owedNote = "no page of the batch could be fetched"
	// lateDetail is the error of items that were open at the batch's deadline.
	lateDetail = "The batch reached its time limit before this page was fetched. Nothing was charged."
)

// end ends the round of b, which is locked and has no open items. It notifies the webhook and returns the unused money.
// Without an outcome, the counts decide it.
func (s *Service) end(ctx context.Context, tx pgx.Tx, b *db.Batch, outcome *string) error {
	ended, err := db.New(tx).EndBatch(ctx, db.EndBatchParams{ID: b.ID, Outcome: outcome, CompletedAt: s.config.Now()})
	if err != nil {
		return fmt.Errorf("ending batch %s: %w", b.ID, err)
	}
	*b = ended
	if err := s.tell(ctx, tx, b); err != nil {
		return err
	}
	return s.settler.Settle(ctx, tx, fundsOf(b), int(b.Completed))
}

// tell writes the event of b's end, if the request named a webhook.
func (s *Service) tell(ctx context.Context, tx pgx.Tx, b *db.Batch) error {
	if b.Webhook == nil {
		return nil
	}
	shown, err := s.object(b)
	if err != nil {
		return err
	}
	return outbox.Add(ctx, tx, outbox.Event{
		TeamID: b.TeamID, Type: eventCompleted, Subject: b.ID, Data: shown.notice(), Webhook: *b.Webhook,
	})
}

// Cancel ends a team's batch: results stay, and the unused money is returned. A completed batch is unchanged.
func (s *Service) Cancel(ctx context.Context, c *principal.Caller, id string) (*Batch, error) {
	var answer *Batch
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		b, err := s.lock(ctx, tx, c.TeamID, id)
		if err != nil {
			return err
		}
		if b.Status == string(StatusInProgress) {
			if err := s.cancel(ctx, tx, b); err != nil {
				return err
			}
		}
		answer, err = s.object(b)
		return err
	})
	if err != nil {
		return nil, problem.From(err)
	}
	return answer, nil
}

func (s *Service) cancel(ctx context.Context, tx pgx.Tx, b *db.Batch) error {
	if _, err := jobs.Cancel(ctx, tx, Queue, b.TeamID, b.ID); err != nil {
		return err
	}
	err := db.New(tx).CancelOpenBatchItems(ctx, db.CancelOpenBatchItemsParams{BatchID: b.ID, Tries: triesMax, FinishedAt: s.config.Now()})
	if err != nil {
		return fmt.Errorf("cancelling items of %s: %w", b.ID, err)
	}
	outcome := outcomeCanceled
	return s.end(ctx, tx, b, &outcome)
}

// lateMax is how many late batches are ended in one run.
const lateMax = 1000

// EndLate ends the batches in progress whose deadline has passed. Any replica may run it, at any time and repeatedly. If
// one cannot be ended, the others still are.
func (s *Service) EndLate(ctx context.Context) error {
	now := s.config.Now()
	ids, err := s.queries.ListLateBatches(ctx, db.ListLateBatchesParams{Now: now, RowsMax: lateMax})
	if err != nil {
		return fmt.Errorf("listing late batches: %w", err)
	}
	var errs []error
	for _, id := range ids {
		// By now it may have a further round, with a deadline of its own.
		errs = append(errs, s.fail(ctx, id, func(b *db.Batch) bool { return !b.DeadlineAt.After(now) }))
	}
	return errors.Join(errs...)
}

// fail ends a batch in progress for which meant returns true: its open items fail.
func (s *Service) fail(ctx context.Context, id string, meant func(*db.Batch) bool) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		queries := db.New(tx)
		b, err := queries.LockBatch(ctx, id)
		if err != nil {
			return fmt.Errorf("locking batch %s: %w", id, err)
		}
		if b.Status != string(StatusInProgress) || !meant(&b) {
			return nil
		}
		if _, err := jobs.Cancel(ctx, tx, Queue, b.TeamID, b.ID); err != nil {
			return err
		}
		err = queries.FailOpenBatchItems(ctx, db.FailOpenBatchItemsParams{
			BatchID: id, Code: string(problem.RequestTimeout), Detail: lateDetail, Tries: triesMax, FinishedAt: s.config.Now(),
		})
		if err != nil {
			return fmt.Errorf("failing the open items of %s: %w", id, err)
		}
		return s.end(ctx, tx, &b, nil)
	})
}
