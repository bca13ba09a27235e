package schedules

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/frequency"
)

// Scheduler is what features need that have schedules of their own, in the transactions in which they change: a [Service]
// is one. It names only what every feature may import.
type Scheduler interface {
	// Put makes a team's recurring POST of an endpoint such as "v1/monitors/monitor_…/run", without a body, in UTC. name and
	// group are schedule_name and schedule_group. It returns the schedule's id and when it is due first.
	Put(ctx context.Context, tx pgx.Tx, teamID, endpoint, name, group string, f frequency.Frequency) (id string, next time.Time, err error)
	// Replace gives a schedule another frequency. One that is paused stays so, and next is then the zero time.
	Replace(ctx context.Context, tx pgx.Tx, teamID, id string, f frequency.Frequency) (next time.Time, err error)
	// Pause stops a schedule (DISABLED), until Resume. Both may be repeated.
	Pause(ctx context.Context, tx pgx.Tx, teamID, id string) error
	Resume(ctx context.Context, tx pgx.Tx, teamID, id string) (next time.Time, err error)
	// Remove ends a schedule for good (DELETED). It may be repeated.
	Remove(ctx context.Context, tx pgx.Tx, teamID, id string) error
}
