package run

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Limits bound a run. Zero values are the defaults, but for Credits.
type Limits struct {
	// Credits is what the run may spend: what is held for it. 0: only what is free.
	Credits money.Credits
	// Pages is how many are read at most. Default 50.
	Pages int
	// Bytes is how long their bodies are together; pages that are under way when it is reached are still read. Default 64 MiB.
	Bytes int64
	// Time is for the whole run. Default 10 minutes.
	Time time.Duration
}

// Previous is what is known from the runs before. It is stored as JSON between runs, and nobody but this package reads it.
// The zero value is that of a monitor that has not run: its next run is the baseline.
type Previous struct {
	// Snapshot is a compare.Snapshot; empty before the baseline.
	Snapshot json.RawMessage `json:"snapshot,omitempty"`
	// Noise is a compare.Noise, learned from all runs.
	Noise json.RawMessage `json:"noise,omitempty"`
	// Pages are those that are known, by URL.
	Pages map[string]Known `json:"pages,omitempty"`
	// Listed reports that sites were listed, or the web searched, whole at least once: what is found since is new.
	Listed bool `json:"listed,omitempty"`
}

// Known is what is known of a page.
type Known struct {
	// Page is the page's URL in the snapshot; "" where it is not in it.
	Page string `json:"page,omitempty"`
	// Read is when it was last read, or found to be as it was; zero where it never was.
	Read       time.Time  `json:"read,omitzero"`
	Validators Validators `json:"validators,omitzero"`
	// Wanted reports that it was to be read and could not be: the next run tries again.
	Wanted bool `json:"wanted,omitempty"`
	// New reports that it was not there before, and has not been told.
	New bool `json:"new,omitempty"`
}

// IsBaseline reports whether there is nothing to compare with.
func (p Previous) IsBaseline() bool { return len(p.Snapshot) == 0 }

// Validators are what a host gave with a page (RFC 9110 section 8.8).
type Validators struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// StepStatus is how a step ended.
type StepStatus string

// The statuses.
const (
	StepSucceeded StepStatus = "succeeded"
	// StepPartial is that of a step of which some failed and some did not.
	StepPartial StepStatus = "partial"
	StepFailed  StepStatus = "failed"
	// StepSkipped is that of a step that there was no use for.
	StepSkipped StepStatus = "skipped"
)

// Step is what came of a node.
type Step struct {
	// ID is the node's.
	ID        string        `json:"id"`
	Type      plan.NodeType `json:"type"`
	Status    StepStatus    `json:"status"`
	StartedAt time.Time     `json:"started_at"`
	EndedAt   time.Time     `json:"ended_at"`
	// Credits is what it cost.
	Credits money.Credits `json:"credits"`
	// Detail says in words what was done: "3 pages read, 1 unchanged".
	Detail string `json:"detail,omitempty"`
	// Errors say what failed, fit for the team; at most ErrorsMax.
	Errors []string `json:"errors,omitempty"`
}

// ErrorsMax is how many errors a step names.
const ErrorsMax = 20

// Outcome is what came of a run. Execute returns one in any case: of a run that failed it has the steps until then, and costs
// nothing.
type Outcome struct {
	Steps []Step
	// Credits is what was done and is to be paid: the sum of the steps'. It is never more than Limits.Credits.
	Credits money.Credits
	// Baseline reports that there was nothing to compare with; then nothing has changed.
	Baseline bool
	// Changed reports whether a change was found that is not noise.
	Changed bool
	// Notify reports whether the change is to be told.
	Notify bool
	// Summary says in words what the run found.
	Summary string
	// Snapshot is what was read, as JSON (compare.Snapshot); nil of a run that failed.
	Snapshot json.RawMessage
	// Diff is what changed, as JSON (compare.Diff: changed, changes, unified, summary); nil of a run that failed.
	Diff json.RawMessage
	// Unified is the change as a unified diff; empty where nothing changed.
	Unified string
	// Pages is how many were read, NotModified how many of them their hosts said to be as they were, Failed how many could
	// not be read.
	Pages, NotModified, Failed int
	// Next is what the next run is to be given. Of a run that failed it is what this one was given.
	Next Previous
}
