package schedules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	idPrefix  = "schedule"
	zoneOfAll = "UTC"
)

// ErrNoSchedule is returned for a schedule that does not exist, belongs to another team, or was removed.
var ErrNoSchedule = errors.New("no such schedule")

// Put implements [Scheduler].
func (s *Service) Put(
	ctx context.Context, tx pgx.Tx, teamID, endpoint, name, group string, f frequency.Frequency,
) (id string, due time.Time, err error) {
	id = token.New(idPrefix)
	now, offset := s.config.Now(), offset(id, &f)
	if due, err = next(f.Cron, zoneOfAll, offset, now); err != nil {
		return "", time.Time{}, err
	}
	_, err = s.queries.WithTx(tx).InsertSchedule(ctx, db.InsertScheduleParams{
		ID: id, TeamID: teamID, Type: string(TypeRecurring), Method: http.MethodPost, Endpoint: endpoint, CronExpression: &f.Cron,
		ExpressionTimezone: zoneOfAll, Text: f.Text, ScheduleName: name, ScheduleGroup: group, Managed: true,
		OffsetSeconds: seconds(offset), NextRunAt: due, Now: now,
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("creating a schedule of %s: %w", endpoint, err)
	}
	return id, due, nil
}

// Replace implements [Scheduler].
func (s *Service) Replace(ctx context.Context, tx pgx.Tx, teamID, id string, f frequency.Frequency) (time.Time, error) {
	now, offset := s.config.Now(), offset(id, &f)
	due, err := next(f.Cron, zoneOfAll, offset, now)
	if err != nil {
		return time.Time{}, err
	}
	state, err := s.queries.WithTx(tx).ReplaceSchedule(ctx, db.ReplaceScheduleParams{
		CronExpression: f.Cron, Text: f.Text, OffsetSeconds: seconds(offset), Now: now, NextRunAt: due, ID: id, TeamID: teamID,
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return time.Time{}, fmt.Errorf("schedule %s: %w", id, ErrNoSchedule)
	case err != nil:
		return time.Time{}, fmt.Errorf("replacing schedule %s: %w", id, err)
	case State(state) != StateEnabled:
		return time.Time{}, nil
	}
	return due, nil
}

// Pause implements [Scheduler].
func (s *Service) Pause(ctx context.Context, tx pgx.Tx, teamID, id string) error {
	queries := s.queries.WithTx(tx)
	n, err := queries.PauseSchedule(ctx, db.PauseScheduleParams{Now: s.config.Now(), ID: id, TeamID: teamID})
	if err == nil && n == 0 {
		err = ErrNoSchedule
	}
	if err == nil {
		err = queries.DropWaitingRun(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("pausing schedule %s: %w", id, err)
	}
	return nil
}

// Resume implements [Scheduler].
func (s *Service) Resume(ctx context.Context, tx pgx.Tx, teamID, id string) (time.Time, error) {
	queries := s.queries.WithTx(tx)
	row, err := queries.ScheduleToResume(ctx, db.ScheduleToResumeParams{ID: id, TeamID: teamID})
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNoSchedule
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("resuming schedule %s: %w", id, err)
	}
	now := s.config.Now()
	due, err := next(*row.CronExpression, row.ExpressionTimezone, time.Duration(row.OffsetSeconds)*time.Second, now)
	if err != nil {
		return time.Time{}, err
	}
	due, err = queries.ResumeSchedule(ctx, db.ResumeScheduleParams{NextRunAt: due, Now: now, ID: id, TeamID: teamID})
	if err != nil {
		return time.Time{}, fmt.Errorf("resuming schedule %s: %w", id, err)
	}
	return due.UTC(), nil
}

// Remove implements [Scheduler].
func (s *Service) Remove(ctx context.Context, tx pgx.Tx, teamID, id string) error {
	return s.remove(ctx, tx, teamID, id, true)
}

func (s *Service) remove(ctx context.Context, tx pgx.Tx, teamID, id string, managed bool) error {
	queries := s.queries.WithTx(tx)
	n, err := queries.RemoveSchedule(ctx, db.RemoveScheduleParams{Now: s.config.Now(), ID: id, TeamID: teamID, Managed: managed})
	if err == nil && n == 0 {
		err = ErrNoSchedule
	}
	if err == nil {
		err = queries.DropWaitingRun(ctx, id)
	}
	if err == nil {
		err = queries.ForgetPayload(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("removing schedule %s: %w", id, err)
	}
	return nil
}

func seconds(d time.Duration) int32 { return int32(d / time.Second) } //nolint:gosec // offsets are at most an hour
