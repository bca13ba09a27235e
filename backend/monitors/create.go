package monitors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var (
	errNoJobs  = errors.New("this process has no job queue")
	errNotMade = errors.New("a monitor already exists for this identity, or the team has too many monitors")
)

// Create adds a monitor, once for each identity, with the task that provisions it. streams says that the response is a
// stream: a stream is not stored for a repeated request but produced again.
func (s *Service) Create(ctx context.Context, c *principal.Caller, r *Request, streams bool) (*Monitor, error) {
	o, err := s.order(r)
	if err != nil {
		return nil, err
	}
	if s.jobs == nil {
		return nil, problem.Internal(errNoJobs)
	}
	var made *Monitor
	err = s.inTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
		row, err := s.insert(ctx, tx, q, c, o)
		if err != nil {
			return err
		}
		if made, err = s.monitor(row); err == nil {
			err = s.addConsents(ctx, tx, c.TeamID, made)
		}
		if err != nil || streams {
			return errors.Join(err, recordStream(ctx, tx, c, streams))
		}
		return c.Record(ctx, tx, made)
	})
	switch {
	case errors.Is(err, errNotMade):
		return s.notMade(ctx, c, o)
	case err != nil:
		return nil, problem.From(err)
	}
	s.jobs.Wake(PlansQueue)
	return made, nil
}

// recordStream records that a repeated request is answered from the identity of the work, as no response is stored.
func recordStream(ctx context.Context, tx pgx.Tx, c *principal.Caller, streams bool) error {
	if !streams {
		return nil
	}
	return c.Record(ctx, tx, nil)
}

// insert writes a monitor, the first event of its progress stream, and the task that provisions it.
func (s *Service) insert(ctx context.Context, tx pgx.Tx, q *db.Queries, c *principal.Caller, o *order) (*db.Monitor, error) {
	now := s.config.Now()
	policy, err := json.Marshal(o.policy)
	if err != nil {
		return nil, fmt.Errorf("writing a source policy: %w", err)
	}
	if err := q.LockTeamForMonitors(ctx, c.TeamID); err != nil {
		return nil, fmt.Errorf("locking team %s: %w", c.TeamID, err)
	}
	id := token.New(idPrefix)
	n, err := q.InsertMonitor(ctx, db.InsertMonitorParams{
		ID: id, TeamID: c.TeamID, Jti: c.IdentityID, RequestSha256: o.digest[:], AgentID: token.New(agentIDPrefix), Query: o.query,
		SourcePolicy: policy, OutputSchema: orNull(o.schema), Frequency: o.frequency, Cron: o.parsed.Cron, ScheduleText: o.parsed.Text,
		Notification: o.notification, Webhook: o.webhook, Metadata: o.metadata, Now: now,
		LimitRows: s.config.TeamMax,
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("inserting a monitor: %w", err)
	case n == 0:
		return nil, errNotMade
	}
	row, err := q.LockMonitor(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading monitor %s: %w", id, err)
	}
	if err := s.ask(ctx, tx, &row); err != nil {
		return nil, err
	}
	return &row, s.provisionLater(ctx, tx, q, &row)
}

// provisionLater adds the task that provisions a monitor.
func (s *Service) provisionLater(ctx context.Context, tx pgx.Tx, q *db.Queries, m *db.Monitor) error {
	begins := newProgress(s, q, m.ID)
	begins.phase(phaseProvisioning, "The monitor was created. Its agent is being set up.")
	if err := begins.flush(ctx); err != nil {
		return err
	}
	return s.jobs.Enqueue(ctx, tx, jobs.Work{Queue: PlansQueue, Lane: m.TeamID, TeamID: m.TeamID, Group: m.ID, Ns: []int32{m.Provisionings}})
}

// notMade returns the existing monitor for a repeated request, and refuses a team that has too many monitors.
func (s *Service) notMade(ctx context.Context, c *principal.Caller, o *order) (*Monitor, error) {
	row, err := s.queries.MonitorByIdentity(ctx, c.IdentityID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, problem.New(problem.InvalidState, fmt.Sprintf("The limit of %d monitors is reached. Delete one first.", s.config.TeamMax))
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("reading the monitor of an identity: %w", err))
	}
	if row.TeamID != c.TeamID || !bytes.Equal(row.RequestSha256, o.digest[:]) {
		return nil, problem.New(problem.InvalidState, "This authorization was already used for a different request.")
	}
	m, err := s.monitor(&row)
	if err == nil {
		err = s.addConsents(ctx, s.config.Pool, row.TeamID, m)
	}
	if err != nil {
		return nil, problem.Internal(err)
	}
	return m, nil
}

func (s *Service) inTx(ctx context.Context, f func(tx pgx.Tx, q *db.Queries) error) error {
	return s.queries.InTx(ctx, f)
}

func orNull(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	return data
}
