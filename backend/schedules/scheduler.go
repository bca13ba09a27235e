package schedules

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/frequency"
)

// Scheduler is for features that have schedules of their own, and change them in their own transactions. [Service]
// implements it. It uses only types that every feature may import.
type Scheduler interface {
	// Put adds a team's recurring POST to an endpoint such as "v1/monitors/monitor_…/run", without a body, in UTC. name
	// and group are schedule_name and schedule_group. It returns the schedule's id and when it is due first.
	Put(ctx context.Context, tx pgx.Tx, teamID, endpoint, name, group string, f frequency.Frequency) (id string, next time.Time, err error)
	// Replace gives a schedule another frequency. A paused schedule stays paused, and next is then the zero time.
	Replace(ctx context.Context, tx pgx.Tx, teamID, id string, f frequency.Frequency) (next time.Time, err error)
	// Pause stops a schedule (DISABLED), until Resume. Both may be repeated.
	Pause(ctx context.Context, tx pgx.Tx, teamID, id string) error
	Resume(ctx context.Context, tx pgx.Tx, teamID, id string) (next time.Time, err error)
	// Remove ends a schedule for good (DELETED). It may be repeated.
	Remove(ctx context.Context, tx pgx.Tx, teamID, id string) error
}
