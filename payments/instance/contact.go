package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// contact is since when the database has answered without a break, by its own clock. Whoever has been away from it, or
// whom it has been away from, cannot tell an instance that is lost from one that had no chance to be heard.
type contact struct{ since, last time.Time }

// heard notes an answer. Two that are further apart than one heartbeat and a half have a break between them, even if
// nothing failed: the process may have been stopped, or the database's clock be another's.
func (c *contact) heard(at time.Time, heartbeat time.Duration) {
	if c.since.IsZero() || at.Sub(c.last) > 3*heartbeat/2 || at.Before(c.last) {
		c.since = at
	}
	c.last = at
}

func (c *contact) lost() { *c = contact{} }

// judge ends the instances that are lost, as far as that can be told, and returns how many. Of one that may be silent
// for less than the least of this caller, it would miss the outages that are as long.
func (c *contact) judge(ctx context.Context, q *db.Queries, least time.Duration) (int64, error) {
	if c.since.IsZero() {
		return 0, nil
	}
	ended, err := q.EndLostInstances(ctx, db.EndLostInstancesParams{LeastSeconds: least.Seconds(), HeardSince: c.since})
	if err != nil {
		return 0, fmt.Errorf("ending instances that are lost: %w", err)
	}
	return ended, nil
}

// Judge ends instances that are lost, for a process that has none of its own: one that begins nothing that others would
// have to finish.
type Judge struct {
	q       *db.Queries
	every   time.Duration
	contact contact
}

// NewJudge returns a judge that is going to be asked this often.
func NewJudge(conn db.DBTX, every time.Duration) *Judge { return &Judge{q: db.New(conn), every: every} }

// judgeBeats is how many rounds an instance must have missed at least: as many as heartbeats make lost_after.
const judgeBeats = 3

// Round ends the instances that are lost, as far as that can be told by now. It returns how many are silent and still to
// be judged, and how long that takes yet.
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
		return 0, 0, fmt.Errorf("judging instances: %w", err)
	}
	heard := at.Sub(j.contact.since)
	patience := time.Duration(left.PatienceSeconds * float64(time.Second))
	return int(left.Silent), max(0, patience*2/3-heard), nil
}
