package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/backend/metadata"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// refusalsMax is how often a change is tried whose refusal was over before its reason could be read.
const refusalsMax = 5

// errRefused is that a statement changed nothing: the monitor is not as it must be.
var errRefused = errors.New("the monitor is not in a state for this")

// notFound is the answer for what is not there, and for what is another team's.
func notFound() error {
	return problem.New(problem.MonitorNotFound, "There is no monitor with this id.")
}

// change does something to a team's monitor in a transaction, until it does it or why says why not. do returns errRefused
// where its statement had no row; why then gets the monitor, and returns nil where there is no reason any more.
func (s *Service) change(
	ctx context.Context, c *caller.Caller, id string, do func(tx pgx.Tx, q *db.Queries) error, why func(m *db.Monitor) error,
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

// row is a team's monitor. The error is a problem.
func (s *Service) row(ctx context.Context, c *caller.Caller, id string) (*db.Monitor, error) {
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

// refused is err, and errRefused for one of a statement without a row.
func refused(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errRefused
	}
	return err
}

// whileProvisioning is the answer to whoever would change what is being made.
func whileProvisioning() error {
	e := problem.New(problem.InvalidState, "The monitor is being provisioned. Try again when its status is active.")
	e.RetryAfter = time.Second
	return e
}

// Update changes what is given of a monitor, all of it or nothing.
func (s *Service) Update(ctx context.Context, c *caller.Caller, id string, r *UpdateRequest) (*Monitor, error) {
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
		// It may be changed, so there would be too many keys, unless that is over by now.
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

// patch is what an update changes, and the frequency where that is among it. The error is a problem that names every fault.
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
	// Against nothing, so that only what is given is checked: how many keys there may be says the statement.
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

// Pause has a monitor run no more until it is resumed. A run that is under way goes on.
func (s *Service) Pause(ctx context.Context, c *caller.Caller, id string) (*Monitor, error) {
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

// Resume has a paused monitor run again. One that has no plan gets another try at one.
func (s *Service) Resume(ctx context.Context, c *caller.Caller, id string) (*Monitor, error) {
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
		case StatusPaused: // by now
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

// cutShort is what the run of a monitor says that was deleted meanwhile.
const cutShort = "The monitor was deleted."

// Delete ends a monitor for good. What it found can be read as long as it is kept.
func (s *Service) Delete(ctx context.Context, c *caller.Caller, id string) (*Monitor, error) {
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

// cut ends the run that is under way, which costs nothing.
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

// RunNow has a monitor run at once, and returns the run. One that is under way is returned as it stands.
func (s *Service) RunNow(ctx context.Context, c *caller.Caller, id string) (*Run, error) {
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
			return problem.WrongState("Only an active monitor runs: this one is " + m.Status + ". Resume it first.")
		case StatusActive:
		}
		if m.Running == nil { // it has ended by now
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

// errUnderWay is that a run need not be made.
var errUnderWay = errors.New("a run is under way")

// begin makes a run of a monitor, and the task that does it. The error is errRefused where the monitor takes none.
func (s *Service) begin(ctx context.Context, tx pgx.Tx, q *db.Queries, teamID, id string) (*db.MonitorRun, error) {
	row, err := q.BeginMonitorRun(ctx, db.BeginMonitorRunParams{RunID: token.New(runIDPrefix), MonitorID: id, TeamID: teamID, Now: s.config.Now()})
	if err != nil {
		return nil, refused(err)
	}
	err = s.jobs.Enqueue(ctx, tx, jobs.Work{Queue: RunsQueue, Lane: teamID, TeamID: teamID, Group: row.ID, Ns: []int32{1}})
	return &row, err
}
