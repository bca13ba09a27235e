package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// contact records since when the database has answered without a break, by its own clock. After a break, a process
// cannot tell a lost instance from one that could not reach the database either.
type contact struct{ since, last time.Time }

// heard records an answer. A gap of more than 1.5 heartbeats is a break, even if nothing failed: the process may have
// been stopped, or the database's clock may have changed, as after a failover.
func (c *contact) heard(at time.Time, heartbeat time.Duration) {
	if c.since.IsZero() || at.Sub(c.last) > 3*heartbeat/2 || at.Before(c.last) {
		c.since = at
	}
	c.last = at
}

func (c *contact) lost() { *c = contact{} }

// judge ends the lost instances, as far as it can decide, and returns how many. Each instance may be silent for
// the duration least, even if its lost_after is shorter: this process could not notice database outages of less than that.
func (c *contact) judge(ctx context.Context, q *db.Queries, least time.Duration) (int64, error) {
	if c.since.IsZero() {
		return 0, nil
	}
	ended, err := q.EndLostInstances(ctx, db.EndLostInstancesParams{LeastSeconds: least.Seconds(), HeardSince: c.since})
	if err != nil {
		return 0, fmt.Errorf("ending lost instances: %w", err)
	}
	return ended, nil
}

// Judge ends lost instances, for a process without an instance of its own, that is, one that starts nothing that others
// would have to finish.
type Judge struct {
	q       *db.Queries
	every   time.Duration
	contact contact
}

// NewJudge returns a judge whose Round is going to be called this often.
func NewJudge(conn db.DBTX, every time.Duration) *Judge { return &Judge{q: db.New(conn), every: every} }

// judgeBeats is how many rounds an instance must have missed at least: the least number of heartbeats in lost_after.
const judgeBeats = 3

// Round ends the lost instances, as far as it can decide yet. It returns how many silent ones it cannot decide on yet,
// and how long that still takes.
func (j *Judge) Round(ctx context.Context) (silent int, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, j.every)
	defer cancel()
	least := judgeBeats * j.every
	at, err := j.q.DatabaseTime(ctx)
	if err == nil {
		j.contact.heard(at, j.every)
		_, err = j.contact.judge(ctx, j.q, least)
	}
	var left db.SilentInstancesRow
	if err == nil {
		left, err = j.q.SilentInstances(ctx, least.Seconds())
	}
	if err != nil {
		j.contact.lost()
		return 0, 0, fmt.Errorf("looking for lost instances: %w", err)
	}
	heard := at.Sub(j.contact.since)
	patience := time.Duration(left.PatienceSeconds * float64(time.Second))
	return int(left.Silent), max(0, patience*2/3-heard), nil
}
