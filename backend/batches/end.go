package batches

import (
	"context"
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

// deadlineArgs is the system job that ends a round at its deadline.
type deadlineArgs struct {
	Batch string `json:"batch"`
	Round int32  `json:"round"`
}

// Kind implements river.JobArgs.
func (deadlineArgs) Kind() string { return "batch_deadline" }

// Work registers the system jobs of batches with j. Call it before j is started.
func (s *Service) Work(j *jobs.Jobs) { jobs.AddWorker(j, s.deadline) }

// deadline fails the open items of a round. A later round has its own deadline.
func (s *Service) deadline(ctx context.Context, args deadlineArgs) error {
	return s.endLate(ctx, args.Batch, func(b *db.Batch) bool { return b.Round == args.Round })
}

// endLate ends a batch in progress for which meant returns true: its open items fail.
func (s *Service) endLate(ctx context.Context, id string, meant func(*db.Batch) bool) error {
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
