package hostlimits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/db"
)

// idleAfter is how long a host's row must be unused to be deleted.
const idleAfter = time.Hour

// store runs the statements of queries/fetch.sql.
type store struct {
	queries *db.Queries
	config  Config
	now     func() *time.Time // nil: the database's time
}

// burst is how far requests may run ahead of an even spread, in milliseconds.
func (s *store) burst() int64 {
	return int64(max(s.config.Burst-1, 0)) * s.config.Interval.Milliseconds()
}

func (s *store) enter(ctx context.Context, host, lease string) (bool, error) {
	n, err := s.queries.EnterHost(ctx, db.EnterHostParams{
		Host: host, Lease: lease, Now: s.now(),
		IntervalMs: s.config.Interval.Milliseconds(), BurstMs: s.burst(), LeaseMs: s.config.Lease.Milliseconds(),
		Concurrency: s.config.Concurrency,
	})
	if err != nil {
		return false, fmt.Errorf("taking a turn at a host: %w", err)
	}
	return n == 1, nil
}

// wait returns how long a host's pace requires to wait, and whether all its turns are taken as well.
func (s *store) wait(ctx context.Context, host string) (due time.Duration, full bool, err error) {
	row, err := s.queries.HostWait(ctx, db.HostWaitParams{
		Host: host, Now: s.now(), BurstMs: s.burst(), Concurrency: s.config.Concurrency,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil // it was purged in between
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading the wait for a turn at a host: %w", err)
	}
	return time.Duration(row.DueMs) * time.Millisecond, row.LapseMs > 0, nil
}

func (s *store) leave(ctx context.Context, host, lease string, refused bool, o fetch.Outcome) error {
	return s.queries.LeaveHost(ctx, db.LeaveHostParams{
		Host: host, Lease: lease, Now: s.now(), Refused: refused, Answered: o.StatusCode != 0,
		RetryAfterMs: min(o.RetryAfter, s.config.RetryAfterMax).Milliseconds(),
		BackOffMs:    s.config.BackOff.Milliseconds(), BackOffMaxMs: s.config.BackOffMax.Milliseconds(),
	})
}

func (s *store) deleteIdle(ctx context.Context, now time.Time) (int64, error) {
	n, err := s.queries.DeleteIdleHosts(ctx, now.Add(-idleAfter))
	if err != nil {
		return 0, fmt.Errorf("deleting idle hosts: %w", err)
	}
	return n, nil
}

func (s *store) deleteRobots(ctx context.Context, now time.Time) (int64, error) {
	n, err := s.queries.DeleteStaleRobots(ctx, db.DeleteStaleRobotsParams{
		ExpiredBefore: now.Add(-idleAfter), UnreachableBefore: now.Add(-2 * unreachableMax),
	})
	if err != nil {
		return 0, fmt.Errorf("deleting stale robots files: %w", err)
	}
	return n, nil
}
