package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

// contentSource is the source of a batch's content, in table content.
const contentSource = "batch"

var errItemNotOpen = errors.New("the item of a finished task is not open")

// Finish implements [jobs.Handler]: it ends items of one batch, with all consequences, in one transaction.
func (s *Service) Finish(ctx context.Context, done []jobs.Done) error {
	if len(done) == 0 {
		return nil
	}
	id := done[0].Group
	err := s.inTx(ctx, func(tx pgx.Tx) error { return s.finish(ctx, tx, id, done) })
	if !billing.IsOver(err) {
		return err
	}
	// The hold is gone, so nothing more can be done for this batch.
	s.config.Logger.ErrorContext(ctx, "a batch lost its hold and was ended", "batch", id, "error", err)
	return s.fail(ctx, id, func(*db.Batch) bool { return true })
}

func (s *Service) finish(ctx context.Context, tx pgx.Tx, id string, done []jobs.Done) error {
	queries := db.New(tx)
	b, err := queries.LockBatch(ctx, id)
	if err != nil {
		return fmt.Errorf("locking batch %s: %w", id, err)
	}
	valid, err := jobs.Complete(ctx, tx, done)
	if err != nil || len(valid) == 0 || b.Status != string(StatusInProgress) {
		return err
	}
	now := s.config.Now()
	ended := s.endings(ctx, &b, valid, now)
	b.Open, err = queries.FinishBatchItems(ctx, ended.items)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("finishing %d items of %s: %w", len(valid), id, errItemNotOpen)
	case err != nil:
		return fmt.Errorf("finishing %d items of %s: %w", len(valid), id, err)
	}
	if n := len(ended.contents.RetrieveIds); n > 0 {
		if err := queries.KeepContents(ctx, ended.contents); err != nil {
			return fmt.Errorf("storing the content of %s: %w", id, err)
		}
		if err := fundsOf(&b).Capture(ctx, tx, n); err != nil {
			return err
		}
	}
	if b.Open > 0 {
		return nil
	}
	return s.end(ctx, tx, &b, nil)
}

// endings are the rows of ended items.
type endings struct {
	items    db.FinishBatchItemsParams
	contents db.KeepContentsParams
}

func (s *Service) endings(ctx context.Context, b *db.Batch, done []jobs.Done, now time.Time) *endings {
	e := &endings{
		items:    db.FinishBatchItemsParams{BatchID: b.ID, FinishedAt: now},
		contents: db.KeepContentsParams{TeamID: b.TeamID, Source: contentSource, CreatedAt: now},
	}
	for i := range done {
		d := &done[i]
		kept, failure := s.result(ctx, d)
		state, code, detail := itemCompleted, "", ""
		if failure != nil {
			state, code, detail = itemFailed, string(failure.Code), failure.Detail
		} else {
			e.contents.RetrieveIds = append(e.contents.RetrieveIds, kept.RetrieveID)
			e.contents.Attempts = append(e.contents.Attempts, int32(kept.Attempts)) //nolint:gosec // a few for each round
			e.contents.Outcomes = append(e.contents.Outcomes, string(kept.Outcome))
			e.contents.Expiries = append(e.contents.Expiries, kept.Expires)
		}
		e.items.Ns, e.items.States = append(e.items.Ns, d.N), append(e.items.States, state)
		e.items.Codes, e.items.Details = append(e.items.Codes, code), append(e.items.Details, detail)
		e.items.Tries = append(e.items.Tries, tries(&d.Task))
	}
	return e
}

// result returns the outcome of a task: a stored page, or why there is none.
func (s *Service) result(ctx context.Context, d *jobs.Done) (page.Kept, *problem.Error) {
	if d.Err == nil {
		if kept, ok := d.Result.(page.Kept); ok {
			return kept, nil
		}
		d.Err = fmt.Errorf("the result of a page task has the type %T", d.Result)
	}
	if troubled, ok := errors.AsType[*troubledError](d.Err); ok {
		return troubled.kept, nil
	}
	if e, ok := errors.AsType[*problem.Error](d.Err); ok && e.Code != problem.InternalServerError {
		return page.Kept{}, e
	}
	s.config.Logger.ErrorContext(ctx, "a page of a batch failed with an internal error", "batch", d.Group, "item", d.N, "error", d.Err)
	return page.Kept{}, problem.Internal(errors.New("see the log"))
}
