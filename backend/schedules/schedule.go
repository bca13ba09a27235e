package schedules

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/db"
)

// State says whether a schedule is active.
type State string

// The states. A one-time schedule that has passed is disabled. A deleted schedule stays deleted.
const (
	StateEnabled  State = "ENABLED"
	StateDisabled State = "DISABLED"
	StateDeleted  State = "DELETED"
)

// Type says whether a schedule recurs.
type Type string

// The types.
const (
	TypeRecurring Type = "recurring"
	TypeOnetime   Type = "onetime"
)

// RunState is the state of a run.
type RunState string

// The states of a run. An unpaid run was refused because the team had too few credits.
const (
	RunWaiting   RunState = "waiting"
	RunRunning   RunState = "running"
	RunSucceeded RunState = "succeeded"
	RunFailed    RunState = "failed"
	RunUnpaid    RunState = "unpaid"
)

// Schedule is a schedule as clients see it.
type Schedule struct {
	TeamID             string          `json:"team_id"`
	ScheduleID         string          `json:"schedule_id" example:"schedule_7w3v9k2m4n6p8q0r1s5t7v9x"`
	Type               Type            `json:"type" enum:"recurring,onetime"`
	Method             string          `json:"method" enum:"GET,POST"`
	Endpoint           string          `json:"endpoint" doc:"The endpoint to call, without the host." example:"v1/scrapes"`
	Payload            json.RawMessage `json:"payload" doc:"The body of the calls; an empty object if there is none."`
	CronExpression     *string         `json:"cron_expression,omitempty" doc:"The times of a recurring schedule as a cron expression." example:"0 9 * * 1-5"`
	ExecuteAt          *time.Time      `json:"execute_at" doc:"The time of a one-time schedule; null on recurring ones."`
	ExpressionTimezone string          `json:"expression_timezone" doc:"The IANA time zone of the times." example:"UTC"`
	Text               string          `json:"text" doc:"The cron expression in words, or unchanged if there are no words for it." example:"every weekday at 09:00"`
	ScheduleName       string          `json:"schedule_name"`
	ScheduleGroup      string          `json:"schedule_group"`
	CreatedAt          time.Time       `json:"created_at"`
	UpdatedAt          time.Time       `json:"updated_at"`
	State              State           `json:"state" enum:"ENABLED,DISABLED,DELETED"`
	NextRunAt          *time.Time      `json:"next_run_at" doc:"When the schedule is due next, to the second; null if it has no further times or is paused. If text names no time, calls are up to an hour later than cron_expression, by the same offset each time."`
	LastRun            *Run            `json:"last_run" doc:"The outcome of the latest run; null before the first one."`
}

// Run is one time at which a schedule was due.
type Run struct {
	ID         string     `json:"id" example:"run_6f1c2b3a4d5e6f708192a3b4c5d6e7f8"`
	Status     RunState   `json:"status" enum:"waiting,running,succeeded,failed,unpaid" doc:"The status of the run. unpaid means that there were too few credits, so the call was not made."`
	DueAt      time.Time  `json:"due_at"`
	StartedAt  *time.Time `json:"started_at"`
	EndedAt    *time.Time `json:"ended_at"`
	HTTPStatus *int32     `json:"http_status" doc:"The HTTP status of the response to the call."`
	Credits    *int64     `json:"credits" doc:"The cost of the call in credits; null if the call created a resource that reports its own cost, such as a crawl."`
	Made       *string    `json:"made" doc:"The id of the resource that the call created."`
	Error      *string    `json:"error" doc:"Why the call failed."`
}

// view converts a row for clients.
func view(row *db.Schedule, lastRun []byte) (*Schedule, error) {
	s := &Schedule{
		TeamID: row.TeamID, ScheduleID: row.ID, Type: Type(row.Type), Method: row.Method, Endpoint: row.Endpoint,
		Payload: json.RawMessage(row.Payload), CronExpression: row.CronExpression, ExecuteAt: utc(row.ExecuteAt),
		ExpressionTimezone: row.ExpressionTimezone, Text: row.Text, ScheduleName: row.ScheduleName, ScheduleGroup: row.ScheduleGroup,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), State: State(row.State), NextRunAt: utc(row.NextRunAt),
	}
	if s.Payload == nil {
		s.Payload = json.RawMessage("{}")
	}
	var run *struct {
		ID         string     `json:"id"`
		State      RunState   `json:"state"`
		DueAt      time.Time  `json:"due_at"`
		StartedAt  *time.Time `json:"started_at"`
		EndedAt    *time.Time `json:"ended_at"`
		HTTPStatus *int32     `json:"http_status"`
		Cost       *int64     `json:"cost"`
		Made       *string    `json:"made"`
		Error      *string    `json:"error"`
	}
	if err := json.Unmarshal(lastRun, &run); err != nil {
		return nil, fmt.Errorf("reading the last run of %s: %w", row.ID, err)
	}
	if run != nil {
		s.LastRun = &Run{
			ID: runID(run.ID), Status: run.State, DueAt: run.DueAt.UTC(), StartedAt: utc(run.StartedAt), EndedAt: utc(run.EndedAt),
			HTTPStatus: run.HTTPStatus, Credits: run.Cost, Made: run.Made, Error: run.Error,
		}
	}
	return s, nil
}

// runID is the public id of a run.
func runID(id string) string {
	public := []byte("run_")
	for i := range len(id) {
		if id[i] != '-' {
			public = append(public, id[i])
		}
	}
	return string(public)
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	in := t.UTC()
	return &in
}

// spreadMax is the longest time over which schedules without a named time are spread.
const spreadMax = time.Hour

// offset shifts the times of a schedule without a named time by a fixed part of its interval. A million hourly schedules
// are then 278 per second, instead of all in the first second.
func offset(id string, f *frequency.Frequency) time.Duration {
	if f.Named {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id))                                                                   // never fails
	return time.Duration(hash.Sum64()%uint64(min(f.Interval, spreadMax)/time.Second)) * time.Second //nolint:gosec // an interval is positive
}

// places caches time zones, so that their files are not read for each schedule.
var places sync.Map // of *time.Location, by name

// placeOf returns an IANA time zone.
func placeOf(name string) (*time.Location, error) {
	if known, ok := places.Load(name); ok {
		return known.(*time.Location), nil //nolint:forcetypeassert // nothing else is stored
	}
	if name == "" || name == "Local" { // the machine's zone, which no schedule means
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	place, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	places.Store(name, place)
	return place, nil
}

// next returns the first time after a given time at which an expression is due.
func next(expr, timezone string, offset time.Duration, after time.Time) (time.Time, error) {
	c, err := frequency.Cached(expr)
	if err != nil {
		return time.Time{}, fmt.Errorf("cron expression %q: %w", expr, err)
	}
	place, err := placeOf(timezone)
	if err != nil {
		return time.Time{}, err
	}
	due := c.Next(after.Add(-offset), place)
	if due.IsZero() {
		return time.Time{}, fmt.Errorf("cron expression %q has no next time", expr)
	}
	return due.Add(offset).UTC(), nil
}
