package console

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// monitor is the part of a monitor that the console reads (service specification, "Monitor").
type monitor struct {
	ID      string `json:"id"`
	Query   string `json:"query"`
	Tracked struct {
		Type     string   `json:"type"`
		URLs     []string `json:"urls"`
		WebQuery string   `json:"web_query"`
	} `json:"tracked"`
	SourcePolicy struct {
		IncludeURLs    []string `json:"include_urls"`
		ExcludeURLs    []string `json:"exclude_urls"`
		IncludeDomains []string `json:"include_domains"`
		ExcludeDomains []string `json:"exclude_domains"`
	} `json:"source_policy"`
	Schedule struct {
		Frequency string `json:"frequency"`
		Text      string `json:"text"`
		Cron      string `json:"cron"`
		Timezone  string `json:"timezone"`
		NextRunAt string `json:"next_run_at"`
	} `json:"schedule"`
	Notification struct {
		Events   []string  `json:"events"`
		Channels []channel `json:"channels"`
	} `json:"notification"`
	MailConsent []struct {
		Address string `json:"address"`
		Status  string `json:"status"`
	} `json:"mail_consent"`
	Webhook struct {
		URL string `json:"url"`
	} `json:"webhook"`
	OutputSchema json.RawMessage `json:"output_schema"`
	Status       string          `json:"status"`
	ErrorMessage string          `json:"error_message"`
	LastRun      struct {
		ID             string `json:"id"`
		Status         string `json:"status"`
		ChangeDetected bool   `json:"change_detected"`
		RanAt          string `json:"ran_at"`
	} `json:"last_run"`
	CreditsPerMonth *int64 `json:"estimated_credits_per_month"`
	Created         int64  `json:"created"`
	TotalCount      int64  `json:"total_count"`
	Diagram         string `json:"mermaid_diagram"`
}

type channel struct {
	Type   string   `json:"type,omitempty"`
	Target string   `json:"target"`
	Events []string `json:"events,omitempty"`
}

// The states of a monitor.
const (
	stateProvisioning = "provisioning"
	stateActive       = "active"
	statePaused       = "paused"
	stateFailed       = "failed"
	stateDeleted      = "deleted"
)

// CanPause and the following methods decide which buttons a page has (service contract, "Monitors").
func (m *monitor) CanPause() bool     { return m.Status == stateActive || m.Status == stateFailed }
func (m *monitor) CanResume() bool    { return m.Status == statePaused }
func (m *monitor) CanRun() bool       { return m.Status == stateActive }
func (m *monitor) CanDelete() bool    { return m.Status != stateDeleted }
func (m *monitor) Provisioning() bool { return m.Status == stateProvisioning }
func (m *monitor) Deleted() bool      { return m.Status == stateDeleted }

// Consent says why a channel's target gets no mail; "" if it gets its mail.
func (m *monitor) Consent(target string) string {
	for _, c := range m.MailConsent {
		switch {
		case c.Address != target:
		case c.Status == "unsubscribed":
			return "has unsubscribed and receives no emails"
		case c.Status != "confirmed":
			return "has not confirmed and receives no emails yet"
		}
	}
	return ""
}

type monitorList struct {
	Monitors []monitor `json:"monitors"`
	Count    int       `json:"count"`
}

type planning struct {
	Spec struct {
		Status      string `json:"status"`
		Goal        string `json:"goal"`
		Reasoning   string `json:"reasoning"`
		Constraints string `json:"constraints"`
		Assumptions string `json:"assumptions"`
	} `json:"spec"`
	DAG struct {
		Graph      graph `json:"graph"`
		Unresolved []struct {
			Part   string `json:"part"`
			Reason string `json:"reason"`
		} `json:"unresolved"`
	} `json:"dag"`
}

type graph struct {
	Nodes []struct {
		ID    string `json:"id"`
		Type  string `json:"type"`
		Label string `json:"label"`
	} `json:"nodes"`
	Edges []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"edges"`
}

type monitorEvent struct {
	ID          string `json:"id"`
	RunID       string `json:"run_id"`
	Created     int64  `json:"created"`
	Status      string `json:"status"`
	Changed     bool   `json:"changed"`
	Summary     string `json:"summary"`
	SnapshotURL string `json:"snapshot_url"`
}

type eventList struct {
	Data       []monitorEvent `json:"data"`
	HasMore    bool           `json:"has_more"`
	NextCursor string         `json:"next_cursor"`
	TotalCount int64          `json:"total_count"`
}

type monitorRun struct {
	ID        string      `json:"id"`
	Status    string      `json:"status"`
	StartedAt string      `json:"started_at"`
	EndedAt   string      `json:"ended_at"`
	Changed   bool        `json:"changed"`
	Baseline  bool        `json:"baseline"`
	Summary   string      `json:"summary"`
	Error     string      `json:"error"`
	Credits   int64       `json:"credits_consumed"`
	Snapshot  string      `json:"snapshot_url"`
	Steps     []runStep   `json:"steps"`
	Diff      *diffAnswer `json:"diff"`
}

// Found describes the result of a run.
func (r *monitorRun) Found() string {
	switch {
	case r.Status != "completed":
		return "–"
	case r.Baseline:
		return "baseline"
	case r.Changed:
		return "a change"
	default:
		return "no change"
	}
}

type runStep struct {
	ID        string   `json:"id"`
	Type      string   `json:"type"`
	Status    string   `json:"status"`
	StartedAt string   `json:"started_at"`
	EndedAt   string   `json:"ended_at"`
	Credits   int64    `json:"credits"`
	Detail    string   `json:"detail"`
	Errors    []string `json:"errors"`
}

// Took is the duration of a step in words; "" if it is not known.
func (s *runStep) Took() string {
	from, err := time.Parse(time.RFC3339, s.StartedAt)
	if err != nil {
		return ""
	}
	to, err := time.Parse(time.RFC3339, s.EndedAt)
	if err != nil || to.Before(from) {
		return ""
	}
	return fmt.Sprintf("%.1f s", to.Sub(from).Seconds())
}

type runList struct {
	Data []monitorRun `json:"data"`
}

// Monitor is the id of the monitor that a schedule runs; "" for any other call.
func (s *schedule) Monitor() string {
	for part := range strings.SplitSeq(s.Endpoint, "/") {
		if isID(part, "monitor") {
			return part
		}
	}
	return ""
}

// StateWord is a schedule's state in the spelling of other states.
func (s *schedule) StateWord() string { return strings.ToLower(s.State) }
