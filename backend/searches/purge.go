package searches

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

// Purge deletes the data of up to rowsMax expired searches: the JSON of their links and the links' content, of all
// attempts. It returns how many it processed. A failed deletion does not stop the others. Any replica may run it at any
// time, and repeat it.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	rows, err := s.config.Queries.ListSearchesToPurge(ctx, db.ListSearchesToPurgeParams{
		ExpiredBefore: now, StaleBefore: s.staleBefore(now), RowsMax: rowsMax,
	})
	if err != nil {
		return 0, fmt.Errorf("listing searches to purge: %w", err)
	}
	purged := 0
	var failed []error
	for _, row := range rows {
		if err := s.discard(ctx, &row); err != nil {
			failed = append(failed, err)
			continue
		}
		if err := s.config.Queries.MarkSearchPurged(ctx, db.MarkSearchPurgedParams{ID: row.ID, Attempt: row.Attempt, PurgedAt: now}); err != nil {
			failed = append(failed, fmt.Errorf("marking search %s purged: %w", row.ID, err))
			continue
		}
		purged++
	}
	return purged, errors.Join(failed...)
}

func (s *Service) discard(ctx context.Context, row *db.ListSearchesToPurgeRow) error {
	for _, id := range row.RetrieveIds {
		if err := s.config.Pages.Discard(ctx, id, int(row.Attempt)); err != nil {
			return err
		}
	}
	if err := s.config.Blobs.DeleteAll(ctx, folder(row.ID)); err != nil {
		return fmt.Errorf("deleting the links of %s: %w", row.ID, err)
	}
	return nil
}
