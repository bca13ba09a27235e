package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// RunsQueue is the queue of runs. A task's group is the run's id.
const RunsQueue = "monitor-runs"

const (
	// runSpare is how long the task of a run may take beyond the run itself, to write the results.
	runSpare = 2 * time.Minute
	// holdSpare is how long a run's hold lasts beyond all attempts of the run.
	holdSpare = time.Hour
	// runTries is how often a run is tried that fails because of an internal error.
	runTries = 3
	// databaseWait is the delay before a run that could not start is tried again.
	databaseWait = 5 * time.Second

	// soldAs names the operation in usage reports.
	soldAs = "monitor"

	snapshotName = "snapshot.json"
	stateName    = "state.json"
	jsonType     = "application/json"
)

// Runs is the queue of runs, for jobs.Config.
func (s *Service) Runs() jobs.Queue {
	return jobs.Queue{
		Name: RunsQueue, Handler: executor{s}, Slots: 16, LaneMax: 4, AttemptsMax: runTries, Timeout: s.config.RunTime + runSpare, Flights: 8,
	}
}

type executor struct{ *Service }

// ending is the outcome of a run.
type ending struct {
	status   RunStatus
	outcome  run.Outcome
	message  string // why it failed or was skipped
	snapshot string // keys in the blob store; "" if nothing was stored
	state    string
}

// folder is the blob store's prefix for a monitor, and runFolder for one of its runs.
func folder(monitor string) string              { return "monitors/" + monitor }
func runFolder(monitor, runID string) string    { return folder(monitor) + "/" + runID }
func attemptKey(m, r, attempt, n string) string { return runFolder(m, r) + "/" + attempt + "/" + n }

// Run implements [jobs.Handler]: it holds the most that the plan may cost, and carries the plan out.
func (s executor) Run(ctx context.Context, t jobs.Task) (any, error) {
	row, err := s.queries.MonitorRunToExecute(ctx, t.Group)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the monitor is gone
		return nil, nil //nolint:nilnil // Finish ends the task, and finds nothing to write
	case err != nil:
		return nil, jobs.Wait(fmt.Errorf("reading run %s: %w", t.Group, err), databaseWait)
	}
	m := &row.Monitor
	var p plan.Plan
	if err := json.Unmarshal(m.Plan, &p); err != nil {
		return nil, fmt.Errorf("reading the plan of %s: %w", m.ID, err)
	}
	previous, err := s.previous(ctx, m)
	if err != nil {
		return nil, jobs.Later(err)
	}
	most, _, err := s.config.Runner.Cost(ctx, m.TeamID, p)
	if err != nil {
		return nil, jobs.Later(fmt.Errorf("pricing run %s: %w", t.Group, err))
	}
	held, err := s.hold(ctx, m, t.Group, most)
	if short, ok := errors.AsType[*credits.Insufficient](err); ok {
		message := fmt.Sprintf("The run was skipped: it may cost %d credits, and %d are available.", short.Required, short.Available)
		return &ending{status: RunSkipped, message: message}, nil
	}
	switch {
	case errors.Is(err, errRefused):
		return nil, nil //nolint:nilnil // as above
	case err != nil:
		return nil, jobs.Wait(err, databaseWait)
	}
	return s.execute(ctx, m, t.Group, p, previous, held)
}

// hold holds the most that a run may cost, and returns that amount, or the amount that an earlier attempt has held. It
// locks the monitor, so that nothing is held for a run that was cut meanwhile: such a hold would never be released. In
// that case the error is errRefused.
func (s *Service) hold(ctx context.Context, m *db.Monitor, runID string, most money.Credits) (held money.Credits, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
		row, err := q.LockMonitor(ctx, m.ID)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errRefused
		case err != nil:
			return fmt.Errorf("locking monitor %s: %w", m.ID, err)
		case Status(row.Status) == StatusDeleted || row.Running == nil || *row.Running != runID:
			return errRefused
		}
		ledger := credits.NewLedger(tx)
		h, err := ledger.JobHold(ctx, runID)
		if errors.Is(err, credits.ErrNoHold) {
			h, err = ledger.OpenHold(ctx, credits.NewJobHold{
				JobID: runID, TeamID: m.TeamID, Operation: soldAs, Amount: most, Lasts: runTries*(s.config.RunTime+runSpare) + holdSpare,
			})
		}
		held = h.Amount
		return err
	})
	return held, err
}

// previous is the state that a run is compared with.
func (s *Service) previous(ctx context.Context, m *db.Monitor) (run.Previous, error) {
	var previous run.Previous
	if m.StateKey == nil {
		return previous, nil
	}
	data, err := s.config.Blobs.Read(ctx, *m.StateKey)
	if errors.Is(err, blob.ErrNotFound) {
		// Content can be lost with a bucket. The monitor starts over with a baseline; otherwise it could never run again.
		s.config.Logger.ErrorContext(ctx, "a monitor's state is missing: its next run is a baseline", "monitor", m.ID, "key", *m.StateKey)
		return previous, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &previous)
	}
	if err != nil {
		return previous, fmt.Errorf("reading the state of %s: %w", m.ID, err)
	}
	return previous, nil
}

// execute carries a plan out and stores what it read. If its context ends, the run is tried again.
func (s *Service) execute(ctx context.Context, m *db.Monitor, runID string, p plan.Plan, previous run.Previous, most money.Credits) (*ending, error) {
	outcome, err := s.config.Runner.Run(ctx, m.TeamID, p, previous, run.Limits{Credits: most, Time: s.config.RunTime})
	if ctx.Err() != nil {
		return nil, jobs.Later(ctx.Err())
	}
	e := &ending{status: RunCompleted, outcome: outcome}
	if err != nil {
		s.config.Logger.InfoContext(ctx, "a monitor run failed", "monitor", m.ID, "run", runID, "error", err)
		e.status, e.message = RunFailed, reason(err)
		return e, nil
	}
	state, err := json.Marshal(outcome.Next)
	if err != nil {
		return nil, fmt.Errorf("writing the state of %s: %w", m.ID, err)
	}
	attempt := token.Random() // attempts share no keys, so an attempt that is wrongly presumed dead overwrites nothing
	e.snapshot, e.state = attemptKey(m.ID, runID, attempt, snapshotName), attemptKey(m.ID, runID, attempt, stateName)
	for key, data := range map[string][]byte{e.snapshot: outcome.Snapshot, e.state: state} {
		if err := s.config.Blobs.Put(ctx, key, jsonType, data); err != nil {
			return nil, jobs.Later(fmt.Errorf("storing the results of run %s: %w", runID, err))
		}
	}
	return e, nil
}

// Finish implements [jobs.Handler]: it writes the outcomes of runs.
func (s executor) Finish(ctx context.Context, done []jobs.Done) error {
	for _, d := range done {
		row, err := s.queries.MonitorRunToExecute(ctx, d.Group)
		gone := errors.Is(err, pgx.ErrNoRows)
		if err != nil && !gone {
			return fmt.Errorf("reading run %s: %w", d.Group, err)
		}
		e, _ := d.Result.(*ending)
		if d.Err != nil || e == nil {
			s.config.Logger.ErrorContext(ctx, "a monitor run was not completed", "run", d.Group, "error", d.Err)
			e = &ending{status: RunFailed, message: reason(d.Err)}
		}
		written := false
		err = s.inTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
			if !gone {
				if _, err := q.LockMonitor(ctx, row.Monitor.ID); err != nil {
					return fmt.Errorf("locking monitor %s: %w", row.Monitor.ID, err)
				}
			}
			ended, err := jobs.Complete(ctx, tx, []jobs.Done{d})
			if err != nil || len(ended) == 0 || gone {
				return err
			}
			written = true
			return s.end(ctx, tx, q, row.Monitor.ID, d.Group, e)
		})
		if err != nil {
			return err
		}
		if written {
			s.metrics.ended(e)
		}
	}
	return nil
}

// end writes the outcome of a run under its monitor's lock: the charge, the run, the event and the notifications.
func (s *Service) end(ctx context.Context, tx pgx.Tx, q *db.Queries, monitor, runID string, e *ending) error {
	if err := s.settle(ctx, tx, runID, e); err != nil {
		return err
	}
	now := s.config.Now()
	p, err := endParams(runID, e, now)
	if err != nil {
		return err
	}
	r, err := q.EndMonitorRun(ctx, *p)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("ending run %s: %w", runID, err)
	}
	if r.Baseline && r.Credits > 0 {
		if err := q.PayModelPlans(ctx, monitor); err != nil {
			return fmt.Errorf("marking the plan of %s as paid: %w", monitor, err)
		}
	}
	m, err := q.CountMonitorRun(ctx, db.CountMonitorRunParams{
		MonitorID: monitor, RunID: runID, Status: r.Status, FailuresMax: s.config.FailuresMax, Now: now, StateKey: orNone(e.state),
		ErrorMessage: fmt.Sprintf("%d runs in a row failed. The last error: %s", s.config.FailuresMax, e.message),
	})
	if err != nil {
		return fmt.Errorf("counting run %s: %w", runID, err)
	}
	event, err := q.InsertMonitorEvent(ctx, db.InsertMonitorEventParams{
		ID: token.New(eventIDPrefix), MonitorID: m.ID, TeamID: m.TeamID, RunID: r.ID, Seq: m.Events, Status: r.Status, Changed: r.Changed,
		Summary: r.Summary, SnapshotKey: r.SnapshotKey, Now: now,
	})
	if err != nil {
		return fmt.Errorf("adding the event of run %s: %w", runID, err)
	}
	if Status(m.Status) == StatusFailed {
		if err := s.pauseSchedule(ctx, tx, &m); err != nil {
			return err
		}
	}
	return s.tellOf(ctx, tx, &m, &r, &event, e)
}

// endParams are the parameters of the statement that ends a run.
func endParams(runID string, e *ending, now time.Time) (*db.EndMonitorRunParams, error) {
	o := &e.outcome
	p := &db.EndMonitorRunParams{
		RunID: runID, Status: string(e.status), Changed: e.status == RunCompleted && o.Changed && !o.Baseline, Baseline: e.status == RunCompleted && o.Baseline,
		Error: orNone(e.message), Summary: o.Summary, Credits: o.Credits, SnapshotKey: orNone(e.snapshot), Diff: orNull(o.Diff), Now: now,
	}
	if e.message != "" {
		p.Summary = e.message
	}
	if o.Steps == nil {
		o.Steps = []run.Step{}
	}
	var err error
	if p.Steps, err = json.Marshal(o.Steps); err != nil {
		return nil, fmt.Errorf("writing the steps of run %s: %w", runID, err)
	}
	return p, nil
}

// settle charges what the run cost, and releases the rest of its hold.
func (s *Service) settle(ctx context.Context, tx pgx.Tx, runID string, e *ending) error {
	ledger := credits.NewLedger(tx)
	if e.outcome.Credits > 0 {
		paid := 0
		for _, step := range e.outcome.Steps {
			if step.Credits > 0 {
				paid++
			}
		}
		err := ledger.CaptureHold(ctx, runID, e.outcome.Credits, max(paid, 1))
		if errors.Is(err, credits.ErrHoldExpired) || errors.Is(err, credits.ErrHoldClosed) {
			// The run took longer than all its attempts may take. The operator bears the loss.
			s.config.Logger.ErrorContext(ctx, "a monitor run could not be charged", "run", runID, "credits", e.outcome.Credits, "error", err)
			e.outcome.Credits = 0
		} else if err != nil {
			return fmt.Errorf("charging run %s: %w", runID, err)
		}
	}
	if _, err := ledger.CloseHold(ctx, runID); err != nil && !errors.Is(err, credits.ErrNoHold) {
		return fmt.Errorf("closing the hold of run %s: %w", runID, err)
	}
	return nil
}

// tellOf sends the notification of a run: of a change, of its completion, or that the monitor failed with it.
func (s *Service) tellOf(ctx context.Context, tx pgx.Tx, m *db.Monitor, r *db.MonitorRun, event *db.MonitorEvent, e *ending) error {
	shown, err := s.event(event)
	if err != nil {
		return err
	}
	diff, err := diffOf(r.Diff)
	if err != nil {
		return err
	}
	switch {
	case Status(m.Status) == StatusFailed && e.status == RunFailed:
		shown.Summary = *m.ErrorMessage
		return s.tell(ctx, tx, m, outbox.EventFailed, shown, nil)
	case e.status != RunCompleted:
		return nil
	case r.Changed && e.outcome.Notify:
		return s.tell(ctx, tx, m, outbox.EventChanged, shown, diff)
	default:
		return s.tell(ctx, tx, m, outbox.EventCompleted, shown, diff)
	}
}

// tell adds an event to the outbox if a webhook or channel of the monitor receives it.
func (s *Service) tell(ctx context.Context, tx pgx.Tx, m *db.Monitor, kind string, event *Event, diff *compare.Diff) error {
	notification, err := notificationOf(m)
	if err != nil {
		return err
	}
	e := outbox.Event{TeamID: m.TeamID, Type: idPrefix + "." + kind, Subject: m.ID}
	if m.Webhook != nil && wants(notification.Events, kind) {
		e.Webhook = *m.Webhook
	}
	if e.Webhook == "" && len(audience(notification, kind)) == 0 {
		return nil
	}
	if event.ID == "" {
		event.ID = token.New(eventIDPrefix)
	}
	event.Object, e.OwnID = eventObject, event.ID
	told := Told{Event: *event, MonitorID: m.ID, Query: m.Query, Diff: diff}
	if err := json.Unmarshal(m.Metadata, &told.Metadata); err != nil {
		return fmt.Errorf("reading metadata of %s: %w", m.ID, err)
	}
	e.Data = told
	return outbox.Add(ctx, tx, e)
}

func orNone(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// diffOf reads a diff; nil if there is none.
func diffOf(data []byte) (*compare.Diff, error) {
	if len(data) == 0 {
		return nil, nil //nolint:nilnil // documented
	}
	d := &compare.Diff{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("reading a diff: %w", err)
	}
	if d.Changes == nil {
		d.Changes = []compare.Change{}
	}
	return d, nil
}
