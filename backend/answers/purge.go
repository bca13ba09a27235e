package answers

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

// Purge deletes the content of up to rowsMax expired answers, and what failed or dead attempts have left; it returns how many
// it handled. Any replica may run it at any time, repeatedly. An answer that cannot be deleted does not block the others.
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
