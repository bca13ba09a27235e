package monitors

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	idPrefix      = "monitor"
	agentIDPrefix = "agent"
	runIDPrefix   = "run"
	eventIDPrefix = "event"
)

// Status is the state of a monitor.
type Status string

// The states.
const (
	StatusProvisioning Status = "provisioning"
	StatusActive       Status = "active"
	StatusPaused       Status = "paused"
	StatusFailed       Status = "failed"
	StatusDeleted      Status = "deleted"
)

// statuses are all states.
var statuses = []string{
	string(StatusProvisioning), string(StatusActive), string(StatusPaused), string(StatusFailed), string(StatusDeleted),
}

// RunStatus is the state of a run.
type RunStatus string

// The states of runs. A skipped run did nothing, because the team had too few credits.
const (
	RunInProgress RunStatus = "in_progress"
	RunCompleted  RunStatus = "completed"
	RunFailed     RunStatus = "failed"
	RunSkipped    RunStatus = "skipped"
)

// Monitor is the resource as clients see it.
type Monitor struct {
	ID              string            `json:"id" example:"monitor_5s3cqknmzq4xhgwh2v3n7o2a"`
	Object          string            `json:"object" enum:"monitor"`
	Query           string            `json:"query" doc:"What the monitor watches, as given in the request."`
	Tracked         *plan.Tracked     `json:"tracked" doc:"What the monitor watches, according to its plan; null until there is a plan."`
	SourcePolicy    plan.SourcePolicy `json:"source_policy" doc:"The URLs and domains that the monitor may read."`
	Schedule        Schedule          `json:"schedule"`
	Notification    Notification      `json:"notification"`
	MailConsent     []outbox.Consent  `json:"mail_consent,omitempty" nullable:"false" doc:"The consent status of each email address among the channels; absent if there are none."`
	Webhook         Webhook           `json:"webhook"`
	OutputSchema    JSONObject        `json:"output_schema" doc:"The schema of the fields that are extracted from each page; null if whole pages are compared."`
	Status          Status            `json:"status" enum:"provisioning,active,paused,failed,deleted"`
	ErrorMessage    *string           `json:"error_message" doc:"Why the monitor failed; null if it has not failed."`
	LastRun         *LastRun          `json:"last_run,omitempty" doc:"The last finished run; absent before the first one, and in lists."`
	Agent           Agent             `json:"agent"`
	Metadata        map[string]string `json:"metadata" doc:"The metadata that you attached."`
	CreditsPerMonth *money.Credits    `json:"estimated_credits_per_month" doc:"The estimated cost of the runs in 30 days, in credits; null until there is a plan."`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	Updated         int64             `json:"updated" doc:"Unix time in seconds."`
	TotalCount      *int64            `json:"total_count,omitempty" doc:"The number of events the monitor has ever had, including those that are no longer stored."`
	Diagram         *string           `json:"mermaid_diagram,omitempty" doc:"The plan as a Mermaid flowchart; absent if it was not requested, and until there is a plan."`
}

// Schedule is when a monitor runs.
type Schedule struct {
	Frequency string  `json:"frequency" doc:"The frequency as given in the request."`
	Text      string  `json:"text" doc:"How the frequency was understood, in words."`
	Cron      string  `json:"cron"`
	Timezone  string  `json:"timezone" enum:"UTC"`
	NextRunAt *string `json:"next_run_at" format:"date-time" doc:"When the monitor runs next, to the second; null unless the monitor is active. If frequency names no time, runs are up to an hour later than cron, by the same offset each time."`
}

// Notification says which events are reported, and to whom.
type Notification struct {
	Events   []string         `json:"events" nullable:"false" doc:"The events that are sent to the webhook, and to channels without events of their own: changed, completed, failed."`
	Channels []outbox.Channel `json:"channels" nullable:"false"`
}

// Webhook is the URL that a monitor POSTs to.
type Webhook struct {
	URL string `json:"url" doc:"The URL that events are sent to; empty if there is none."`
}

// LastRun is a run in brief.
type LastRun struct {
	ID             string    `json:"id"`
	Status         RunStatus `json:"status" enum:"completed,failed,skipped"`
	ChangeDetected bool      `json:"change_detected"`
	RanAt          string    `json:"ran_at" format:"date-time"`
}

// Agent identifies what plans and runs a monitor.
type Agent struct {
	ID string `json:"id"`
}

// List is a page of monitors.
type List struct {
	Monitors []*Monitor `json:"monitors" nullable:"false" doc:"The monitors, latest first."`
	Count    int        `json:"count" doc:"The number of monitors in this response."`

	paging.Page[*Monitor, string]
}

// Planning is how a monitor was planned.
type Planning struct {
	Spec plan.Spec `json:"spec"`
	DAG  plan.DAG  `json:"dag"`
}

// Event reports the outcome of a run.
type Event struct {
	ID          string    `json:"id"`
	Object      string    `json:"object" enum:"monitor.event"`
	RunID       string    `json:"run_id"`
	Created     int64     `json:"created" doc:"Unix time in seconds."`
	Status      RunStatus `json:"status" enum:"completed,failed,skipped" doc:"The outcome of the run."`
	Changed     bool      `json:"changed" doc:"Whether the run found a change."`
	Summary     string    `json:"summary"`
	SnapshotURL *string   `json:"snapshot_url" doc:"A signed, temporary URL of the snapshot of what the run read; null if it read nothing."`
}

// Told is the event payload for webhooks and channels.
type Told struct {
	Event

	MonitorID string            `json:"monitor_id"`
	Query     string            `json:"query"`
	Metadata  map[string]string `json:"metadata"`
	Diff      *compare.Diff     `json:"diff"`
}

// EventList is a page of events.
type EventList struct {
	paging.List[*Event]

	TotalCount int64 `json:"total_count" doc:"The number of events the monitor has ever had, including those that are no longer stored."`
}

// EventDiff is the change that an event reports.
type EventDiff struct {
	EventID   string `json:"event_id"`
	Object    string `json:"object" enum:"monitor.diff"`
	MonitorID string `json:"monitor_id"`
	RunID     string `json:"run_id"`

	compare.Diff
}

// Run is one execution of a monitor's plan.
type Run struct {
	ID              string        `json:"id"`
	Object          string        `json:"object" enum:"monitor.run"`
	MonitorID       string        `json:"monitor_id"`
	Number          int64         `json:"number" doc:"The number of the run, counted from the monitor's first run, 1."`
	Status          RunStatus     `json:"status" enum:"in_progress,completed,failed,skipped"`
	Changed         bool          `json:"changed"`
	Baseline        bool          `json:"baseline" doc:"Whether the run had nothing to compare with, as in a first run."`
	Error           *string       `json:"error"`
	Summary         string        `json:"summary"`
	CreditsConsumed money.Credits `json:"credits_consumed" doc:"The total cost of the run's operations, in credits."`
	StartedAt       string        `json:"started_at" format:"date-time"`
	EndedAt         *string       `json:"ended_at" format:"date-time"`
	DurationMs      *int64        `json:"duration_ms"`
	SnapshotURL     *string       `json:"snapshot_url" doc:"A signed, temporary URL of the snapshot of what the run read."`
	Steps           []run.Step    `json:"steps,omitempty" doc:"The steps of the run; absent in lists."`
	Diff            *compare.Diff `json:"diff,omitempty" doc:"What changed; absent in lists, and if there was nothing to compare with."`
}

// RunList is a page of runs.
type RunList struct{ paging.Page[*Run, string] }

// JSONObject is a JSON object, kept as it was sent.
type JSONObject []byte

// UnmarshalJSON keeps the bytes that were sent.
func (o *JSONObject) UnmarshalJSON(data []byte) error {
	if *o = append([]byte(nil), data...); string(data) == "null" {
		*o = nil
	}
	return nil
}

// MarshalJSON writes the bytes that were sent.
func (o JSONObject) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return o, nil
}

// Schema documents an object that may be null.
func (JSONObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}
