package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// PlansQueue is the queue of provisioning. A task's group is the monitor; its number counts the monitor's provisionings.
const PlansQueue = "monitor-plans"

const (
	// planTime is how long planning may take.
	planTime = 5 * time.Minute
	// scheduleGroup is the group name of the monitors' schedules.
	scheduleGroup = "monitors"
	// month is the period of a cost estimate.
	month = 30 * 24 * time.Hour
	// oddPlan is the error message when planning fails because of an internal error.
	oddPlan = "The monitor could not be planned because of an internal error. Pause and resume it to try again."
)

// Plans is the queue of provisioning, for jobs.Config.
func (s *Service) Plans() jobs.Queue {
	return jobs.Queue{Name: PlansQueue, Handler: provisioner{s}, Slots: 16, LaneMax: 4, Timeout: planTime, Flights: 8}
}

type provisioner struct{ *Service }

// planned is the result of planning.
type planned struct {
	plan  plan.Plan
	usual money.Credits // what a run usually costs
}

// Run implements [jobs.Handler]: it makes the plan.
func (s provisioner) Run(ctx context.Context, t jobs.Task) (any, error) {
	row, err := s.queries.MonitorToProvision(ctx, db.MonitorToProvisionParams{ID: t.Group, Provisioning: t.N})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // deleted, or provisioned already
		return nil, nil //nolint:nilnil // Finish ends the task, and finds nothing to write
	case err != nil:
		return nil, jobs.Wait(fmt.Errorf("reading monitor %s: %w", t.Group, err), time.Second)
	}
	request, err := requestOf(&row)
	if err != nil {
		return nil, err
	}
	request.MayAsk = func(ctx context.Context) (bool, error) { return s.mayAskModel(ctx, &row) }
	told := newProgress(s.Service, s.queries, row.ID)
	p, err := s.config.Planner.Plan(ctx, request, func(e plan.Event) { told.emit(ctx, e) })
	if flushErr := told.flush(ctx); flushErr != nil {
		return nil, jobs.Later(flushErr)
	}
	if err != nil {
		if _, final := errors.AsType[*plan.Error](err); final {
			return &planned{plan: p}, err
		}
		return &planned{plan: p}, jobs.Later(fmt.Errorf("planning %s: %w", row.ID, err))
	}
	_, usual, err := s.config.Runner.Cost(ctx, row.TeamID, p)
	if err != nil {
		return nil, jobs.Later(fmt.Errorf("pricing the plan of %s: %w", row.ID, err))
	}
	return &planned{plan: p, usual: usual}, nil
}

// unpaidFor is how long a plan counts that no run has paid for.
const unpaidFor = 24 * time.Hour

// mayAskModel records that a model is asked for a plan, and refuses if the team has too many that no run has paid for.
// Creating a monitor costs only its baseline run, so a run that costs nothing does not pay for the model.
func (s *Service) mayAskModel(ctx context.Context, m *db.Monitor) (may bool, err error) {
	now := s.config.Now()
	err = s.inTx(ctx, func(_ pgx.Tx, q *db.Queries) error {
		if err := q.LockTeamForMonitors(ctx, m.TeamID); err != nil {
			return err
		}
		n, err := q.AskModelPlan(ctx, db.AskModelPlanParams{
			MonitorID: m.ID, TeamID: m.TeamID, Now: now, Since: now.Add(-unpaidFor), PlansMax: s.config.ModelPlansMax,
		})
		may = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("counting the plans of team %s: %w", m.TeamID, err)
	}
	return may, nil
}

// requestOf is the planner's request for a monitor.
func requestOf(m *db.Monitor) (plan.Request, error) {
	r := plan.Request{Query: m.Query, OutputSchema: m.OutputSchema}
	if err := json.Unmarshal(m.SourcePolicy, &r.SourcePolicy); err != nil {
		return r, fmt.Errorf("reading the source policy of %s: %w", m.ID, err)
	}
	return r, nil
}

// Finish implements [jobs.Handler]: a planned monitor becomes active and gets a schedule and a first run; others fail.
func (s provisioner) Finish(ctx context.Context, done []jobs.Done) error {
	for _, d := range done {
		if err := s.finish(ctx, d); err != nil {
			return err
		}
	}
	s.news.tell()
	if s.jobs != nil {
		s.jobs.Wake(RunsQueue)
	}
	return nil
}

func (s provisioner) finish(ctx context.Context, d jobs.Done) error {
	outcome := Status("")
	err := s.inTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
		if _, err := q.LockMonitor(ctx, d.Group); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("locking monitor %s: %w", d.Group, err)
		}
		ended, err := jobs.Complete(ctx, tx, []jobs.Done{d})
		if err != nil || len(ended) == 0 {
			return err
		}
		made, _ := d.Result.(*planned)
		switch {
		case d.Err != nil:
			outcome = StatusFailed
			return s.failPlan(ctx, tx, q, d, made)
		case made == nil:
			return nil
		}
		outcome = StatusActive
		return s.activate(ctx, tx, q, d, made)
	})
	if err == nil && outcome != "" {
		s.metrics.plans.WithLabelValues(string(outcome)).Inc()
	}
	return err
}

// activate makes a monitor active with its plan.
func (s provisioner) activate(ctx context.Context, tx pgx.Tx, q *db.Queries, d jobs.Done, made *planned) error {
	told := newProgress(s.Service, q, d.Group)
	told.phase(phaseScheduling, "The plan is ready. The monitor is scheduled, and its first run starts.")
	if err := told.flush(ctx); err != nil {
		return err
	}
	text, err := json.Marshal(made.plan)
	if err != nil {
		return fmt.Errorf("writing the plan of %s: %w", d.Group, err)
	}
	row, err := q.FinishProvisioning(ctx, db.FinishProvisioningParams{
		ID: d.Group, Provisioning: d.N, Plan: text, CreditsRun: int64(made.usual), Now: s.config.Now(),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("finishing the provisioning of %s: %w", d.Group, err)
	}
	f, err := frequency.Parse(row.Frequency)
	if err != nil {
		return fmt.Errorf("reading the frequency of %s: %w", row.ID, err)
	}
	id, due, err := s.config.Scheduler.Put(ctx, tx, row.TeamID, "v1/monitors/"+row.ID+"/run", row.ID, scheduleGroup, f)
	if err != nil {
		return fmt.Errorf("scheduling %s: %w", row.ID, err)
	}
	if _, err := scheduled(ctx, q, &row, id, due); err != nil {
		return err
	}
	_, err = s.begin(ctx, tx, q, row.TeamID, row.ID)
	return err
}

// offsetMax is the most by which a schedule may be due later than its cron says.
const offsetMax = time.Hour

// scheduled records a monitor's schedule, and by how much it is due later than the cron says. due is the zero time for a
// paused schedule, whose offset is not known.
func scheduled(ctx context.Context, q *db.Queries, m *db.Monitor, id string, due time.Time) (db.Monitor, error) {
	cron, err := frequency.Cached(m.Cron)
	if err != nil {
		return *m, fmt.Errorf("reading the cron of %s: %w", m.ID, err)
	}
	row, err := q.SetMonitorSchedule(ctx, db.SetMonitorScheduleParams{ID: m.ID, ScheduleID: id, OffsetSeconds: offsetOf(cron, due)})
	if err != nil {
		return *m, fmt.Errorf("scheduling %s: %w", m.ID, err)
	}
	return row, nil
}

// offsetOf is the number of seconds between due and the cron's last time before it.
func offsetOf(cron *frequency.Cron, due time.Time) int32 {
	if due.IsZero() {
		return 0
	}
	offset := int32(0)
	for at := cron.Next(due.Add(-offsetMax-time.Second), time.UTC); !at.After(due); at = cron.Next(at, time.UTC) {
		offset = int32(due.Sub(at) / time.Second) //nolint:gosec // an hour and a second at most
	}
	return offset
}

// failPlan fails a monitor that could not be planned, and writes why.
func (s provisioner) failPlan(ctx context.Context, tx pgx.Tx, q *db.Queries, d jobs.Done, made *planned) error {
	message := oddPlan
	if e, ok := errors.AsType[*plan.Error](d.Err); ok {
		message = e.Message
	} else {
		s.config.Logger.ErrorContext(ctx, "planning a monitor failed", "monitor", d.Group, "error", d.Err)
	}
	p := db.FailProvisioningParams{ID: d.Group, Provisioning: d.N, ErrorMessage: message, Now: s.config.Now()}
	if made != nil {
		var err error
		if p.Plan, err = json.Marshal(made.plan); err != nil {
			return fmt.Errorf("writing the plan of %s: %w", d.Group, err)
		}
	}
	row, err := q.FailProvisioning(ctx, p)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("failing the provisioning of %s: %w", d.Group, err)
	}
	told := newProgress(s.Service, q, row.ID)
	told.fail(message)
	if err := told.flush(ctx); err != nil {
		return err
	}
	return s.tell(ctx, tx, &row, outbox.EventFailed, &Event{Created: s.config.Now().Unix(), Status: RunFailed, Summary: message}, nil)
}

// countedMax is how many runs are counted for an estimate. More frequent runs are extrapolated from their rate.
const countedMax = 300

// perMonth is the cost of the runs in the 30 days from now; nil if the cost of a run is not known.
func perMonth(usual *money.Credits, cron *frequency.Cron, now time.Time) *money.Credits {
	if usual == nil {
		return nil
	}
	first := cron.Next(now, time.UTC)
	runs, at := int64(0), first
	for at.Sub(now) <= month {
		if runs++; runs > countedMax {
			return new(money.Credits(math.Round(float64(*usual) * float64(month) / (float64(at.Sub(first)) / float64(runs-1)))))
		}
		at = cron.Next(at, time.UTC)
	}
	return new(*usual * money.Credits(runs))
}

// reason describes an error for the team.
func reason(err error) string {
	if e, ok := errors.AsType[*problem.Error](err); ok && e.Code != problem.InternalServerError {
		return e.Detail
	}
	return "The run failed because of an internal error."
}
