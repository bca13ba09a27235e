package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// retryAfterMax is the longest wait before a retry that a target may ask for.
	retryAfterMax = 5 * time.Minute
	// triesMax is above what jobs give one item in a round: three tries, and a worker lost with each of three more.
	triesMax = 8
)

var errNotOpen = errors.New("the item is no longer open")

// Run implements [jobs.Handler]: it fetches the page of one item.
func (s *Service) Run(ctx context.Context, t jobs.Task) (any, error) {
	row, err := s.queries.BatchItemToRun(ctx, db.BatchItemToRunParams{BatchID: t.Group, N: t.N})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the batch and the task ended in the meantime
		return nil, errNotOpen
	case err != nil:
		return nil, jobs.Wait(problem.Internal(fmt.Errorf("reading item %d of %s: %w", t.N, t.Group, err)), 0)
	}
	ctx = admission.With(ctx, admission.Holder{Name: row.TeamID, Keyless: row.Paid == paidUSDC})
	job := page.Job{
		TeamID: row.TeamID, RetrieveID: row.RetrieveID, Attempt: int(row.Attempts + tries(&t)), URL: row.Url,
		Expires: s.config.Now().Add(s.config.Retention), Background: true,
	}
	if err := json.Unmarshal(row.Options, &job.Options); err != nil {
		return nil, fmt.Errorf("reading the options of %s: %w", t.Group, err)
	}
	kept, err := s.config.Pages.Keep(ctx, job)
	if err != nil {
		return nil, classify(err)
	}
	if kept.Troubled() {
		return nil, jobs.Later(&troubledError{kept}, min(kept.RetryAfter, retryAfterMax))
	}
	return kept, nil
}

// tries returns the number of the current try, unique in its round: a worker that was taken for dead may still be at
// its own try.
func tries(t *jobs.Task) int32 { return t.Attempt + t.Takeovers }

// troubledError carries a page whose server reports an error of its own. If that stays so, this page is the result: it
// is completed and paid, like a scrape of it.
type troubledError struct{ kept page.Kept }

func (e *troubledError) Error() string {
	return fmt.Sprintf("the target returned status %d", e.kept.StatusCode)
}

// classify tells jobs whether a failed page is retried.
func classify(err error) error {
	e, ok := errors.AsType[*page.Error](err)
	if !ok {
		return err
	}
	switch e.Class {
	case page.ClassWait:
		return jobs.Wait(e, e.After)
	case page.ClassLater:
		return jobs.Later(e)
	case page.ClassFinal:
	}
	return e
}
