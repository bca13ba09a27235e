package answers

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

// Purge deletes the content of up to rowsMax answers whose time is over, and what attempts that failed or died have left
// behind; it returns how many it dealt with. It may be run by any replica, at any time, again. What cannot be deleted is
// not in the way of the rest.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	rows, err := s.config.Queries.ListAnswersToPurge(ctx, db.ListAnswersToPurgeParams{
		ExpiredBefore: now, StaleBefore: s.staleBefore(now), RowsMax: rowsMax,
	})
	if err != nil {
		return 0, fmt.Errorf("listing answers to purge: %w", err)
	}
	gone := db.MarkAnswersPurgedParams{PurgedAt: now}
	var failed []error
	for _, row := range rows {
		if err := s.config.Blobs.DeleteAll(ctx, folder(row.ID)); err != nil {
			failed = append(failed, fmt.Errorf("deleting the content of %s: %w", row.ID, err))
			continue
		}
		gone.Ids, gone.Attempts = append(gone.Ids, row.ID), append(gone.Attempts, row.Attempt)
	}
	if len(gone.Ids) > 0 {
		if err := s.config.Queries.MarkAnswersPurged(ctx, gone); err != nil {
			failed = append(failed, fmt.Errorf("marking answers purged: %w", err))
		}
	}
	return len(gone.Ids), errors.Join(failed...)
}
