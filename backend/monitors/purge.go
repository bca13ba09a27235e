package monitors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// progressRetention is how long the progress of a provisioning can be read again.
const progressRetention = 24 * time.Hour

// Purge deletes up to rowsMax runs, with their events and snapshots, that are past their retention or exceed RunsMax, and
// monitors that were deleted longer ago than the retention. It returns how many rows it handled. Any replica may run it
// at any time, repeatedly. Content is deleted before the rows that refer to it, so that no content is orphaned.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	before := now.Add(-s.config.Retention)
	old, err := s.queries.ListOldMonitorRuns(ctx, db.ListOldMonitorRunsParams{Before: before, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing runs of monitors to purge: %w", err)
	}
	surplus, err := s.queries.ListSurplusMonitorRuns(ctx, db.ListSurplusMonitorRunsParams{RunsMax: s.config.RunsMax, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing surplus runs of monitors: %w", err)
	}
	for _, row := range surplus {
		old = append(old, db.ListOldMonitorRunsRow(row))
	}
	runs, failed := s.purgeRuns(ctx, old)
	gone, err := s.purgeMonitors(ctx, before, rowsMax)
	failed = errors.Join(failed, err)
	if _, err := s.queries.DeleteMonitorProgress(ctx, now.Add(-progressRetention)); err != nil {
		failed = errors.Join(failed, fmt.Errorf("deleting the progress of monitors: %w", err))
	}
	if _, err := s.queries.DeleteOldModelPlans(ctx, now.Add(-unpaidFor)); err != nil {
		failed = errors.Join(failed, fmt.Errorf("deleting old plans: %w", err))
	}
	return max(runs, gone), failed
}

// purgeRuns deletes runs. A run that cannot be deleted does not block the others.
func (s *Service) purgeRuns(ctx context.Context, rows []db.ListOldMonitorRunsRow) (int, error) {
	var ids []string
	var failed []error
	for _, row := range rows {
		if err := s.config.Blobs.DeleteAll(ctx, runFolder(row.MonitorID, row.ID)); err != nil {
			failed = append(failed, fmt.Errorf("deleting the results of run %s: %w", row.ID, err))
			continue
		}
		ids = append(ids, row.ID)
	}
	if len(ids) > 0 {
		if _, err := s.queries.DeleteMonitorRuns(ctx, ids); err != nil {
			failed = append(failed, fmt.Errorf("deleting runs of monitors: %w", err))
		}
	}
	return len(ids), errors.Join(failed...)
}

// purgeMonitors deletes all data of monitors that were deleted long ago.
func (s *Service) purgeMonitors(ctx context.Context, before time.Time, rowsMax int32) (int, error) {
	rows, err := s.queries.ListGoneMonitors(ctx, db.ListGoneMonitorsParams{Before: before, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing deleted monitors: %w", err)
	}
	var ids []string
	var failed []error
	for _, id := range rows {
		if err := s.config.Blobs.DeleteAll(ctx, folder(id)); err != nil {
			failed = append(failed, fmt.Errorf("deleting the results of monitor %s: %w", id, err))
			continue
		}
		ids = append(ids, id)
	}
	if len(ids) > 0 {
		if _, err := s.queries.DropMonitors(ctx, ids); err != nil {
			failed = append(failed, fmt.Errorf("deleting monitors: %w", err))
		}
	}
	return len(ids), errors.Join(failed...)
}
