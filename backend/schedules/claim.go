package schedules

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

// over is the next time of a schedule that is never due again.
var over = time.Unix(0, 0).UTC()

// Claim takes up to rowsMax due schedules that no other replica is claiming, advances each to its first time after now,
// and enqueues a run for each whose last run has ended, all in one transaction. It returns the numbers of schedules and
// of runs. If claimed is rowsMax, more may be due.
func (s *Service) Claim(ctx context.Context, rowsMax int) (claimed, enqueued int, err error) {
	now := s.config.Now()
	err = pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) error {
		claimed, enqueued, err = s.claim(ctx, tx, now, rowsMax)
		return err
	})
	if err != nil {
		return 0, 0, fmt.Errorf("claiming due schedules: %w", err)
	}
	s.metrics.claimed.Add(float64(claimed))
	s.metrics.enqueued.Add(float64(enqueued))
	return claimed, enqueued, nil
}

func (s *Service) claim(ctx context.Context, tx pgx.Tx, now time.Time, rowsMax int) (claimed, enqueued int, err error) {
	queries := s.queries.WithTx(tx)
	rows, err := queries.LockDueSchedules(ctx, db.LockDueSchedulesParams{Now: now, RowsMax: int32(rowsMax)}) //nolint:gosec // a constant's size
	if err != nil || len(rows) == 0 {
		return 0, 0, err
	}
	if err := queries.PlanForClaims(ctx); err != nil {
		return 0, 0, err
	}
	given := db.AdvanceSchedulesParams{
		Ids: make([]string, len(rows)), Dues: make([]time.Time, len(rows)), Nexts: make([]time.Time, len(rows)), Runs: make([]uuid.UUID, len(rows)),
	}
	for i := range rows {
		row := &rows[i]
		given.Ids[i], given.Dues[i], given.Nexts[i] = row.ID, row.DueAt, over
		if row.CronExpression != nil {
			// An expression that became unreadable (a removed time zone, a row written by hand) must not block the others.
			due, err := next(*row.CronExpression, row.ExpressionTimezone, time.Duration(row.OffsetSeconds)*time.Second, now)
			if err != nil {
				s.config.Logger.ErrorContext(ctx, "a schedule has no next time and is disabled", "schedule", row.ID, "error", err)
			} else {
				given.Nexts[i] = due
			}
		}
		if !row.IsOpen {
			given.Runs[i] = uuid.New()
		}
	}
	result, err := queries.AdvanceSchedules(ctx, given)
	return int(result.Advanced), int(result.Enqueued), err
}
