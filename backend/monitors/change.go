package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// refusalsMax is how often a refused change is tried if the reason no longer holds when it is looked up.
const refusalsMax = 5

// errRefused means that a statement changed no row: the monitor is not in a state that permits the change.
var errRefused = errors.New("the monitor's status does not permit this")

// notFound is the error for a monitor that does not exist or belongs to another team.
func notFound() error {
	return problem.New(problem.MonitorNotFound, "There is no monitor with this id.")
}

// change runs do in a transaction, and retries until do succeeds or why gives a reason. do returns errRefused when its
// statement changed no row. why then gets the monitor, and returns nil if the reason no longer holds.
func (s *Service) change(
	ctx context.Context, c *principal.Caller, id string, do func(tx pgx.Tx, q *db.Queries) error, why func(m *db.Monitor) error,
) error {
	if s.jobs == nil {
		return problem.Internal(errNoJobs)
	}
	for range refusalsMax {
		err := s.inTx(ctx, do)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errRefused) {
			return problem.From(err)
		}
		row, err := s.row(ctx, c, id)
		if err != nil {
			return err
		}
		if row.Status == string(StatusDeleted) {
			return notFound()
		}
		if err := why(row); err != nil {
			return err
		}
	}
	return problem.Internal(fmt.Errorf("monitor %s: %w", id, errRefused))
}

// row returns a team's monitor. The error is a problem.
func (s *Service) row(ctx context.Context, c *principal.Caller, id string) (*db.Monitor, error) {
	if c.Anonymous() || !token.Is(id, idPrefix) {
		return nil, notFound()
	}
	row, err := s.queries.MonitorByID(ctx, db.MonitorByIDParams{ID: id, TeamID: c.TeamID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, notFound()
	case err != nil:
		return nil, problem.Internal(fmt.Errorf("reading monitor %s: %w", id, err))
	}
	return &row, nil
}

// refused returns err, or errRefused if err says that a statement returned no row.
func refused(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errRefused
	}
	return err
}

// whileProvisioning is the error for a change to a monitor that is still being provisioned.
func whileProvisioning() error {
	e := problem.New(problem.InvalidState, "The monitor is being provisioned. Try again when its status is active.")
	e.RetryAfter = time.Second
	return e
}

// Update changes the given fields of a monitor, all or none.
func (s *Service) Update(ctx context.Context, c *principal.Caller, id string, r *UpdateRequest) (*Monitor, error) {
	p, schedule, err := s.patch(r)
	if err != nil {
		return nil, err
	}
	p.ID, p.TeamID = id, c.TeamID
	var row db.Monitor
	err = s.change(ctx, c, id, func(tx pgx.Tx, q *db.Queries) error {
		p.Now = s.config.Now()
		var err error
		if row, err = q.UpdateMonitor(ctx, *p); err != nil {
			return refused(err)
		}
		if r.Notification != nil && r.Notification.Channels != nil {
			if err := s.ask(ctx, tx, &row); err != nil {
				return err
			}
		}
		if schedule == nil || row.ScheduleID == nil {
			return nil
		}
		due, err := s.config.Scheduler.Replace(ctx, tx, row.TeamID, *row.ScheduleID, *schedule)
		if err == nil {
			row, err = scheduled(ctx, q, &row, *row.ScheduleID, due)
		}
		return err
	}, func(m *db.Monitor) error {
		if m.Status == string(StatusProvisioning) {
			return whileProvisioning()
		}
		// The state permits the change, so the cause is too many metadata keys, unless another request removed some meanwhile.
		stored := map[string]string{}
		if err := json.Unmarshal(m.Metadata, &stored); err != nil {
			return problem.Internal(fmt.Errorf("reading metadata of %s: %w", id, err))
		}
		_, err := metadata.Merge(stored, r.Metadata)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, &row)
}

// patch returns what an update changes, and the frequency if it is among that. The error is a problem that names every fault.
func (s *Service) patch(r *UpdateRequest) (*db.UpdateMonitorParams, *frequency.Frequency, error) {
	p := &db.UpdateMonitorParams{MetadataKeysMax: metadata.KeysMax}
	var faults []problem.Fault
	var schedule *frequency.Frequency
	if r.Frequency != nil {
		text := *r.Frequency
		if text == "" {
			text = FrequencyDefault
		}
		f, wrong := parseFrequency(text)
		faults = append(faults, wrong...)
		schedule, p.Frequency, p.Cron, p.ScheduleText = &f, &text, &f.Cron, &f.Text
	}
	notification, wrong := s.notification(r.Notification)
	faults = append(faults, wrong...)
	p.SetWebhook = r.Webhook != nil
	p.Webhook, wrong = s.webhook(r.Webhook)
	if faults = append(faults, wrong...); len(faults) > 0 {
		return nil, nil, problem.Validation(faults...)
	}
	// Merging with nothing checks only the given keys. The SQL statement checks the number of keys.
	given, err := metadata.Merge(nil, r.Metadata)
	if err != nil {
		return nil, nil, err
	}
	p.MetadataGone = []string{}
	for key := range r.Metadata {
		if _, kept := given[key]; !kept {
			p.MetadataGone = append(p.MetadataGone, key)
		}
	}
	if p.Metadata, err = json.Marshal(given); err == nil {
		p.Notification, err = json.Marshal(notification)
	}
	if err != nil {
		return nil, nil, problem.Internal(fmt.Errorf("writing a change: %w", err))
	}
	return p, schedule, nil
}

// Pause stops a monitor's runs until it is resumed. A run that is in progress continues.
func (s *Service) Pause(ctx context.Context, c *principal.Caller, id string) (*Monitor, error) {
	var row db.Monitor
	err := s.change(ctx, c, id, func(tx pgx.Tx, q *db.Queries) error {
		var err error
		if row, err = q.PauseMonitor(ctx, db.PauseMonitorParams{ID: id, TeamID: c.TeamID, Now: s.config.Now()}); err != nil {
			return refused(err)
		}
		return s.pauseSchedule(ctx, tx, &row)
	}, func(m *db.Monitor) error {
		if m.Status == string(StatusProvisioning) {
			return whileProvisioning()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, &row)
}

func (s *Service) pauseSchedule(ctx context.Context, tx pgx.Tx, m *db.Monitor) error {
	if m.ScheduleID == nil {
		return nil
	}
	return s.config.Scheduler.Pause(ctx, tx, m.TeamID, *m.ScheduleID)
}

// Resume lets a paused monitor run again. A monitor without a plan is planned again.
func (s *Service) Resume(ctx context.Context, c *principal.Caller, id string) (*Monitor, error) {
	var row db.Monitor
	err := s.change(ctx, c, id, func(tx pgx.Tx, q *db.Queries) error {
		var err error
		if row, err = q.ResumeMonitor(ctx, db.ResumeMonitorParams{ID: id, TeamID: c.TeamID, Now: s.config.Now()}); err != nil {
			return refused(err)
		}
		if row.Status == string(StatusProvisioning) {
			return s.provisionLater(ctx, tx, q, &row)
		}
		if row.ScheduleID == nil {
			return nil
		}
		due, err := s.config.Scheduler.Resume(ctx, tx, row.TeamID, *row.ScheduleID)
		if err == nil {
			row, err = scheduled(ctx, q, &row, *row.ScheduleID, due)
		}
		return err
	}, func(m *db.Monitor) error {
		switch Status(m.Status) {
		case StatusPaused: // changed meanwhile
			return nil
		case StatusProvisioning:
			return whileProvisioning()
		case StatusActive, StatusFailed, StatusDeleted:
		}
		return problem.WrongState("Only a paused monitor can be resumed: this one is " + m.Status + ".")
	})
	if err != nil {
		return nil, err
	}
	s.jobs.Wake(PlansQueue)
	return s.whole(ctx, &row)
}

// cutShort is the error of a run whose monitor was deleted while it was in progress.
const cutShort = "The monitor was deleted."

// Delete ends a monitor for good. Its results can be read for as long as they are kept.
func (s *Service) Delete(ctx context.Context, c *principal.Caller, id string) (*Monitor, error) {
	var row db.Monitor
	err := s.change(ctx, c, id, func(tx pgx.Tx, q *db.Queries) error {
		var err error
		if row, err = q.DeleteMonitor(ctx, db.DeleteMonitorParams{ID: id, TeamID: c.TeamID, Now: s.config.Now()}); err != nil {
			return refused(err)
		}
		if _, err := jobs.Cancel(ctx, tx, PlansQueue, row.TeamID, row.ID); err != nil {
			return err
		}
		if row.ScheduleID != nil {
			if err := s.config.Scheduler.Remove(ctx, tx, row.TeamID, *row.ScheduleID); err != nil {
				return err
			}
		}
		return s.cut(ctx, tx, q, &row)
	}, func(*db.Monitor) error { return nil })
	if err != nil {
		return nil, err
	}
	s.news.tell()
	return s.whole(ctx, &row)
}

// cut ends the run in progress, at no cost.
func (s *Service) cut(ctx context.Context, tx pgx.Tx, q *db.Queries, m *db.Monitor) error {
	if m.Running == nil {
		return nil
	}
	if _, err := jobs.Cancel(ctx, tx, RunsQueue, m.TeamID, *m.Running); err != nil {
		return err
	}
	if err := q.CutMonitorRun(ctx, db.CutMonitorRunParams{RunID: *m.Running, Error: cutShort, Now: s.config.Now()}); err != nil {
		return fmt.Errorf("ending run %s: %w", *m.Running, err)
	}
	if _, err := credits.NewLedger(tx).CloseHold(ctx, *m.Running); err != nil && !errors.Is(err, credits.ErrNoHold) {
		return err
	}
	return nil
}

// RunNow starts a run at once and returns it. If a run is in progress, RunNow returns that run as it is.
func (s *Service) RunNow(ctx context.Context, c *principal.Caller, id string) (*Run, error) {
	var made, under *Run
	err := s.change(ctx, c, id, func(tx pgx.Tx, q *db.Queries) error {
		row, err := s.begin(ctx, tx, q, c.TeamID, id)
		if err != nil {
			return err
		}
		if made, err = s.runOf(row); err != nil {
			return err
		}
		return c.Record(ctx, tx, made)
	}, func(m *db.Monitor) error {
		switch Status(m.Status) {
		case StatusProvisioning:
			return whileProvisioning()
		case StatusPaused, StatusFailed, StatusDeleted:
			return problem.WrongState("Only an active monitor can run: this one is " + m.Status + ". Resume it first.")
		case StatusActive:
		}
		if m.Running == nil { // it has ended meanwhile
			return nil
		}
		var err error
		if under, err = s.Run(ctx, c, id, *m.Running); err != nil {
			return err
		}
		return errUnderWay
	})
	switch {
	case errors.Is(err, errUnderWay):
		return under, nil
	case err != nil:
		return nil, err
	}
	s.jobs.Wake(RunsQueue)
	return made, nil
}

// errUnderWay means that a run is in progress, so no new one is needed.
var errUnderWay = errors.New("a run is in progress")

// begin adds a run of a monitor and its task. The error is errRefused if the monitor is not in a state to run.
func (s *Service) begin(ctx context.Context, tx pgx.Tx, q *db.Queries, teamID, id string) (*db.MonitorRun, error) {
	row, err := q.BeginMonitorRun(ctx, db.BeginMonitorRunParams{RunID: token.New(runIDPrefix), MonitorID: id, TeamID: teamID, Now: s.config.Now()})
	if err != nil {
		return nil, refused(err)
	}
	err = s.jobs.Enqueue(ctx, tx, jobs.Work{Queue: RunsQueue, Lane: teamID, TeamID: teamID, Group: row.ID, Ns: []int32{1}})
	return &row, err
}
