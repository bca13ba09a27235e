package scrapes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// rowRetention is how long the row of deleted content stays, for operators.
const rowRetention = 30 * 24 * time.Hour

// Purge deletes up to rowsMax pieces of expired content, of any feature's pages; the remains of unfinished attempts at
// as many scrapes; and as many rows of content that was deleted long ago. It returns the largest of the three numbers.
// Any replica may run it, at any time and repeatedly.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	contents, err := s.purgeContents(ctx, now, rowsMax)
	if err != nil {
		return 0, err
	}
	scrapes, err := s.purgeUnfinished(ctx, now, rowsMax)
	if err != nil {
		return 0, err
	}
	forgotten, err := s.config.Queries.ForgetContents(ctx, db.ForgetContentsParams{PurgedBefore: now.Add(-rowRetention), RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("deleting the records of purged content: %w", err)
	}
	return max(contents, scrapes, int(forgotten)), nil
}

// purgeContents marks what it has deleted even if other deletions failed, so that these do not block the rest.
func (s *Service) purgeContents(ctx context.Context, now time.Time, rowsMax int32) (int, error) {
	rows, err := s.config.Queries.ListExpiredContents(ctx, db.ListExpiredContentsParams{ExpiredBefore: now, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing expired content: %w", err)
	}
	var ids []string
	var failed []error
	for _, row := range rows {
		if err := s.engine.Discard(ctx, row.RetrieveID, int(row.Attempts)); err != nil {
			failed = append(failed, err)
			continue
		}
		ids = append(ids, row.RetrieveID)
	}
	if len(ids) > 0 {
		if err := s.config.Queries.MarkContentsPurged(ctx, db.MarkContentsPurgedParams{Now: now, RetrieveIds: ids}); err != nil {
			failed = append(failed, fmt.Errorf("marking content purged: %w", err))
		}
	}
	return len(ids), errors.Join(failed...)
}

func (s *Service) purgeUnfinished(ctx context.Context, now time.Time, rowsMax int32) (int, error) {
	rows, err := s.config.Queries.ListUnfinishedScrapes(ctx, db.ListUnfinishedScrapesParams{
		ExpiredBefore: now, StaleBefore: s.staleBefore(now), RowsMax: rowsMax,
	})
	if err != nil {
		return 0, fmt.Errorf("listing unfinished scrapes: %w", err)
	}
	gone := db.MarkScrapesPurgedParams{PurgedAt: now}
	var failed []error
	for _, row := range rows {
		if err := s.engine.Discard(ctx, row.RetrieveID, int(row.Attempt)); err != nil {
			failed = append(failed, err)
			continue
		}
		gone.Ids, gone.Attempts = append(gone.Ids, row.ID), append(gone.Attempts, row.Attempt)
	}
	if len(gone.Ids) > 0 {
		if err := s.config.Queries.MarkScrapesPurged(ctx, gone); err != nil {
			failed = append(failed, fmt.Errorf("marking scrapes purged: %w", err))
		}
	}
	return len(gone.Ids), errors.Join(failed...)
}
