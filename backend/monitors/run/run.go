package run

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Limits bound a run. Zero values are the defaults, except for Credits.
type Limits struct {
	// Credits is what the run may spend: the amount held for it. 0: only what is free.
	Credits money.Credits
	// Pages is how many are read at most. Default 50.
	Pages int
	// Bytes is the total size of the page bodies; reads in progress when it is reached still finish. Default 64 MiB.
	Bytes int64
	// Time is for the whole run. Default 10 minutes.
	Time time.Duration
}

// Previous is what is known from earlier runs. It is stored as JSON between runs, and only this package reads it. The
// zero value means that the monitor has not run: its next run is the baseline.
type Previous struct {
	// Snapshot is a compare.Snapshot; empty before the baseline.
	Snapshot json.RawMessage `json:"snapshot,omitempty"`
	// Noise is a compare.Noise, learned from all runs.
	Noise json.RawMessage `json:"noise,omitempty"`
	// Pages are the known pages, by URL.
	Pages map[string]Known `json:"pages,omitempty"`
	// Listed reports that sites were listed, or the web was searched, completely at least once: URLs found since are new.
	Listed bool `json:"listed,omitempty"`
}

// Known is what is known of a page.
type Known struct {
	// Page is the page's URL in the snapshot; "" if it is not in there.
	Page string `json:"page,omitempty"`
	// Read is when the page was last read or found unmodified; zero if never.
	Read       time.Time  `json:"read,omitzero"`
	Validators Validators `json:"validators,omitzero"`
	// Wanted reports that the page should have been read but could not: the next run tries again.
	Wanted bool `json:"wanted,omitempty"`
	// New reports that the page is new and has not been reported yet.
	New bool `json:"new,omitempty"`
}

// IsBaseline reports whether there is nothing to compare with.
func (p Previous) IsBaseline() bool { return len(p.Snapshot) == 0 }

// Validators are the cache validators of a page (RFC 9110 section 8.8).
type Validators struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// StepStatus is how a step ended.
type StepStatus string

// The statuses.
const (
	StepSucceeded StepStatus = "succeeded"
	// StepPartial means that part of the step failed.
	StepPartial StepStatus = "partial"
	StepFailed  StepStatus = "failed"
	// StepSkipped means that the step was not needed.
	StepSkipped StepStatus = "skipped"
)

// Step is the result of a node.
type Step struct {
	// ID is the node's.
	ID        string        `json:"id"`
	Type      plan.NodeType `json:"type"`
	Status    StepStatus    `json:"status"`
	StartedAt time.Time     `json:"started_at"`
	EndedAt   time.Time     `json:"ended_at"`
	// Credits is what the step cost.
	Credits money.Credits `json:"credits"`
	// Detail says in words what was done: "3 pages read, 1 unchanged".
	Detail string `json:"detail,omitempty"`
	// Errors say what failed, in words for the team; at most ErrorsMax.
	Errors []string `json:"errors,omitempty"`
}

// ErrorsMax is how many errors a step lists.
const ErrorsMax = 20

// Outcome is the result of a run. Execute always returns one: that of a failed run has the steps so far and costs nothing.
type Outcome struct {
	Steps []Step
	// Credits is the amount to charge: the sum of the steps'. It is never more than Limits.Credits.
	Credits money.Credits
	// Baseline reports that there was nothing to compare with; then nothing has changed.
	Baseline bool
	// Changed reports whether a change other than noise was found.
	Changed bool
	// Notify reports whether to notify of the change.
	Notify bool
	// Summary says in words what the run found.
	Summary string
	// Snapshot is what was read, as JSON (compare.Snapshot); nil if the run failed.
	Snapshot json.RawMessage
	// Diff is what changed, as JSON (compare.Diff: changed, changes, unified, summary); nil if the run failed.
	Diff json.RawMessage
	// Unified is the change as a unified diff; empty if nothing changed.
	Unified string
	// Pages is how many pages were read, NotModified how many of them were unmodified according to their hosts, and
	// Failed how many could not be read.
	Pages, NotModified, Failed int
	// Next is the Previous of the next run. For a failed run it is this run's own Previous.
	Next Previous
}
