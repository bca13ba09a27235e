package crawls

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
	// eventCompleted is the type of the event of a crawl's end.
	eventCompleted = "crawl.completed"
	// owedNote tells operators and payers why a payment is owed back.
	owedNote = "no page of the crawl could be fetched"
)

// end ends c, which must be locked and have no open URLs: it writes the end event and returns the unused part of the hold
// or payment. If outcome is nil, it follows from the counts.
func (s *Service) end(ctx context.Context, tx pgx.Tx, c *db.Crawl, outcome *string) error {
	over, err := db.New(tx).EndCrawl(ctx, db.EndCrawlParams{ID: c.ID, Outcome: outcome, CompletedAt: s.config.Now()})
	if err != nil {
		return fmt.Errorf("ending crawl %s: %w", c.ID, err)
	}
	*c = over
	if err := s.announce(ctx, tx, c); err != nil {
		return err
	}
	return s.settler.Settle(ctx, tx, fundsOf(c), int(c.Pages))
}

// announce writes the end event if the crawl has a webhook.
func (s *Service) announce(ctx context.Context, tx pgx.Tx, c *db.Crawl) error {
	if c.Webhook == nil {
		return nil
	}
	shown, err := s.object(c)
	if err != nil {
		return err
	}
	return outbox.Add(ctx, tx, outbox.Event{
		TeamID: c.TeamID, Type: eventCompleted, Subject: c.ID, Data: shown.notice(), Webhook: *c.Webhook,
	})
}

// Cancel ends a team's crawl. Done pages stay, and the rest of the hold is returned. A completed crawl is not changed.
func (s *Service) Cancel(ctx context.Context, c *principal.Caller, id string) (*Crawl, error) {
	var answer *Crawl
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		row, err := s.lock(ctx, tx, c.TeamID, id)
		if err != nil {
			return err
		}
		if row.Status == string(StatusInProgress) {
			if err := s.cancel(ctx, tx, row); err != nil {
				return err
			}
		}
		answer, err = s.object(row)
		return err
	})
	if err != nil {
		return nil, problem.From(err)
	}
	return answer, nil
}

func (s *Service) cancel(ctx context.Context, tx pgx.Tx, c *db.Crawl) error {
	if _, err := jobs.Cancel(ctx, tx, Queue, c.TeamID, c.ID); err != nil {
		return err
	}
	err := db.New(tx).SkipOpenPages(ctx, db.SkipOpenPagesParams{
		CrawlID: c.ID, Tries: triesMax, Reason: reasonCanceled, FinishedAt: s.config.Now(),
	})
	if err != nil {
		return fmt.Errorf("cancelling URLs of %s: %w", c.ID, err)
	}
	canceled := outcomeCanceled
	return s.end(ctx, tx, c, &canceled)
}

// lateMax is how many late crawls are ended in one run.
const lateMax = 1000

// EndLate ends the crawls in progress whose deadline has passed. Any replica may run it, at any time and repeatedly. If
// one cannot be ended, the others still are.
func (s *Service) EndLate(ctx context.Context) error {
	ids, err := s.queries.ListLateCrawls(ctx, db.ListLateCrawlsParams{Now: s.config.Now(), RowsMax: lateMax})
	if err != nil {
		return fmt.Errorf("listing late crawls: %w", err)
	}
	var errs []error
	for _, id := range ids {
		errs = append(errs, s.fail(ctx, id))
	}
	return errors.Join(errs...)
}

// fail ends a crawl in progress: its open URLs fail, and its waiting URLs are left out.
func (s *Service) fail(ctx context.Context, id string) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		c, err := db.New(tx).LockCrawl(ctx, id)
		if err != nil {
			return fmt.Errorf("locking crawl %s: %w", id, err)
		}
		if c.Status != string(StatusInProgress) {
			return nil
		}
		return s.expire(ctx, tx, &c)
	})
}

// expire does the work of fail for a locked crawl.
func (s *Service) expire(ctx context.Context, tx pgx.Tx, c *db.Crawl) error {
	if _, err := jobs.Cancel(ctx, tx, Queue, c.TeamID, c.ID); err != nil {
		return err
	}
	err := db.New(tx).FailOpenPages(ctx, db.FailOpenPagesParams{
		CrawlID: c.ID, Tries: triesMax, Reason: reasonLate, FinishedAt: s.config.Now(),
	})
	if err != nil {
		return fmt.Errorf("failing the open URLs of %s: %w", c.ID, err)
	}
	return s.end(ctx, tx, c, nil)
}
