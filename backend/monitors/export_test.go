package monitors

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

// RunInPlace runs a monitor without a queue: all steps of its task, one after the other.
func (s *Service) RunInPlace(ctx context.Context, teamID, id string) (string, error) {
	var runID string
	err := s.inTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
		row, err := s.begin(ctx, tx, q, teamID, id)
		if err != nil {
			return err
		}
		runID = row.ID
		_, err = jobs.Cancel(ctx, tx, RunsQueue, teamID, runID)
		return err
	})
	if err != nil {
		return "", err
	}
	result, err := executor{s}.Run(ctx, jobs.Task{Queue: RunsQueue, Group: runID, N: 1})
	if err != nil {
		return "", err
	}
	e, ok := result.(*ending)
	if !ok {
		return "", fmt.Errorf("run %s: got %v", runID, result)
	}
	return runID, s.inTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
		if _, err := q.LockMonitor(ctx, id); err != nil {
			return err
		}
		return s.end(ctx, tx, q, id, runID, e)
	})
}

// ParsePlace parses a cursor.
func ParsePlace(cursor string) (int64, error) {
	p, err := parsePlace(cursor)
	return int64(p), err
}

// CursorOf returns the cursor of a place.
func CursorOf(n int64) string { return *place(n).cursor() }
