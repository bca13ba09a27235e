package batches

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

// purgeChunk is how many items of a batch are looked up at once.
const purgeChunk = 500

// Purge deletes what failed tries may have left in the blob store, for up to rowsMax batches that ended longer ago than
// content is kept, and returns how many it handled. Any replica may run it, at any time and repeatedly.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	ids, err := s.queries.ListBatchesToPurge(ctx, db.ListBatchesToPurgeParams{CompletedBefore: now.Add(-s.config.Retention), RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing batches to purge: %w", err)
	}
	for i, id := range ids {
		if err := s.discard(ctx, id); err != nil {
			return i, err
		}
		if err := s.queries.MarkBatchPurged(ctx, db.MarkBatchPurgedParams{ID: id, PurgedAt: now}); err != nil {
			return i, fmt.Errorf("marking batch %s purged: %w", id, err)
		}
	}
	return len(ids), nil
}

func (s *Service) discard(ctx context.Context, id string) error {
	for after := int32(0); ; {
		rows, err := s.queries.ListUnfinishedContents(ctx, db.ListUnfinishedContentsParams{BatchID: id, AfterN: after, RowsMax: purgeChunk})
		if err != nil {
			return fmt.Errorf("listing the leftover content of %s: %w", id, err)
		}
		for _, row := range rows {
			if err := s.config.Pages.Discard(ctx, row.RetrieveID, int(row.Attempts)); err != nil {
				return fmt.Errorf("deleting the leftover content of item %d of %s: %w", row.N, id, err)
			}
			after = row.N
		}
		if len(rows) < purgeChunk {
			return nil
		}
	}
}
