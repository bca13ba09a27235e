package maps

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

// Purge deletes the URLs of up to rowsMax expired maps, and returns how many it processed. Any replica may run it at any
// time, and repeat it.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	ids, err := s.config.Queries.ListMapsToPurge(ctx, db.ListMapsToPurgeParams{ExpiredBefore: now, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing maps to purge: %w", err)
	}
	for i, id := range ids {
		if err := s.config.Blobs.DeleteAll(ctx, folder(id)); err != nil {
			return i, fmt.Errorf("deleting the URLs of %s: %w", id, err)
		}
		if err := s.config.Queries.MarkMapPurged(ctx, db.MarkMapPurgedParams{ID: id, PurgedAt: now}); err != nil {
			return i, fmt.Errorf("marking map %s purged: %w", id, err)
		}
	}
	return len(ids), nil
}
