package plan

import (
	"context"
	"encoding/json"
	"time"
)

// Request is what a monitor is asked for.
type Request struct {
	// Query is what to watch, in somebody's words.
	Query string
	// SourcePolicy says where may be looked.
	SourcePolicy SourcePolicy
	// OutputSchema is a JSON Schema of an object; empty where none was given.
	OutputSchema json.RawMessage
	// MayAsk says whether the language model may be asked, before it is. Nil: it may.
	MayAsk func(ctx context.Context) (bool, error)
}

// Plan is what is done for a monitor, and why. It is stored as it is.
type Plan struct {
	Spec    Spec    `json:"spec"`
	DAG     DAG     `json:"dag"`
	Tracked Tracked `json:"tracked"`
}

// Status is how far a specification is.
type Status string

// The statuses.
const (
	// StatusReady is that of a plan that can be run.
	StatusReady Status = "ready"
	// StatusFailed is that of one that could not be made.
	StatusFailed Status = "failed"
)

// Spec says in words what was understood.
type Spec struct {
	SavedAt     time.Time `json:"saved_at"`
	Status      Status    `json:"status"`
	Goal        string    `json:"goal"`
	Reasoning   string    `json:"reasoning"`
	Constraints string    `json:"constraints"`
	Assumptions string    `json:"assumptions"`
	Input       Input     `json:"input"`
	Output      Output    `json:"output"`
	// ChatHistory is what was said between the service and a model; of rules, the request and what was understood.
	ChatHistory []Message `json:"chat_history"`
}

// Input is what a run begins with.
type Input struct {
	Query        string       `json:"query"`
	SourcePolicy SourcePolicy `json:"source_policy"`
}

// Output is what a run gives.
type Output struct {
	// Focus are the words of what is compared: "price", "stock". None: everything.
	Focus []string `json:"focus"`
	// Schema is the request's output schema; absent where none was given.
	Schema json.RawMessage `json:"output_schema,omitempty"`
	// Event is what a run reports, in words.
	Event string `json:"event"`
}

// Message is one of ChatHistory.
type Message struct {
	// Role is user or assistant.
	Role    string `json:"role"`
	Content string `json:"content"`
}

// IntentMode is what kind of thing is watched.
type IntentMode string

// The modes.
const (
	// IntentState is that of a thing whose state changes: a price, a version.
	IntentState IntentMode = "state"
	// IntentStream is that of things that come and go: posts, jobs.
	IntentStream IntentMode = "stream"
)

// StreamChange is which change of a stream is meant.
type StreamChange string

// The changes.
const (
	// StreamNone is that of what is no stream.
	StreamNone    StreamChange = "none"
	StreamAdded   StreamChange = "added"
	StreamRemoved StreamChange = "removed"
	StreamAny     StreamChange = "any"
)

// Strategy is how pages are come by.
type Strategy string

// The strategies.
const (
	StrategyDirect    Strategy = "direct"
	StrategySiteMap   Strategy = "site_map"
	StrategyWebSearch Strategy = "web_search"
)

// DAG is what a run does.
type DAG struct {
	UserQuery        string       `json:"user_query"`
	IntentMode       IntentMode   `json:"query_intent_mode"`
	StreamChangeType StreamChange `json:"query_intent_stream_change_type"`
	ScrapeStrategy   Strategy     `json:"scrape_strategy"`
	Subtasks         []Subtask    `json:"subtasks"`
	Graph            Graph        `json:"graph"`
	HasUnresolved    bool         `json:"has_unresolved"`
	Unresolved       []Unresolved `json:"unresolved"`
	Validation       Validation   `json:"validation"`
}

// Subtask is a node in words.
type Subtask struct {
	// Node is the id of the node that does it.
	Node        string `json:"node"`
	Description string `json:"description"`
}

// Unresolved is a part of the request that the plan does not do.
type Unresolved struct {
	// Part is the part, in the request's words.
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

// Validation is how a graph came to be valid, or not.
type Validation struct {
	IsValid bool `json:"is_valid"`
	// Attempts is how many there are in History.
	Attempts int       `json:"attempts"`
	History  []Attempt `json:"history"`
}

// Planner names who made an attempt.
const (
	ByModel = "model"
	ByRules = "rules"
)

// Attempt is one try at a plan.
type Attempt struct {
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
	// By is ByModel or ByRules.
	By      string `json:"by"`
	IsValid bool   `json:"is_valid"`
	// Errors are the faults found, fit for whoever asked.
	Errors []string `json:"errors"`
}

// NodeType is what a node does.
type NodeType string

// The types.
const (
	NodeDiscover  NodeType = "discover"
	NodeSearch    NodeType = "search"
	NodeFetch     NodeType = "fetch"
	NodeExtract   NodeType = "extract"
	NodeCompare   NodeType = "compare"
	NodeSummarize NodeType = "summarize"
	NodeNotify    NodeType = "notify"
)

// Graph is directed and acyclic.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Node is a step of each run.
type Node struct {
	// ID is of lower-case letters, digits and underscores, begins with a letter and has 32 at most.
	ID     string   `json:"id"`
	Type   NodeType `json:"type"`
	Label  string   `json:"label"`
	Params Params   `json:"params"`
}

// Params are a node's; each type has its own, and the others stay empty.
type Params struct {
	// URL is where a discover begins.
	URL string `json:"url,omitempty"`
	// Include are globs of what a discover keeps: "/blog/**". None: the whole site.
	Include []string `json:"include,omitempty"`
	// Query is what a search looks for; a discover takes the pages first that have to do with it.
	Query string `json:"query,omitempty"`
	// IncludeDomains and ExcludeDomains narrow a search.
	IncludeDomains []string `json:"include_domains,omitempty"`
	ExcludeDomains []string `json:"exclude_domains,omitempty"`
	// URLs are what a fetch reads, beside what the nodes before it found.
	URLs []string `json:"urls,omitempty"`
	// Limit is how many results of a discover or search go on, and how many pages a fetch reads at most.
	Limit int `json:"limit,omitempty"`
	// Mode is ModeContent or ModeFields, of an extract and a compare.
	Mode string `json:"mode,omitempty"`
	// Focus are the words of what a compare looks at. None: everything.
	Focus []string `json:"focus,omitempty"`
	// When is WhenChanged, of a notify.
	When string `json:"when,omitempty"`
}

// The modes of an extract and a compare.
const (
	// ModeContent is of the pages' text, block by block.
	ModeContent = "content"
	// ModeFields is of the output schema's fields.
	ModeFields = "fields"
)

// WhenChanged is that a change is told.
const WhenChanged = "changed"

// Edge has one node's results go to another.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// TrackedType is what kind of target is watched.
type TrackedType string

// The types.
const (
	TrackedURLs     TrackedType = "urls"
	TrackedSite     TrackedType = "site"
	TrackedWebQuery TrackedType = "web_query"
)

// Tracked is what is watched, in short.
type Tracked struct {
	Type TrackedType `json:"type"`
	// URLs are the pages, or where the sites begin.
	URLs []string `json:"urls"`
	// WebQuery is what is searched for; "" of the other types.
	WebQuery string `json:"web_query"`
}

// Phase is what a Planner is at.
type Phase string

// The phases.
const (
	PhaseSpec       Phase = "spec"
	PhasePlanning   Phase = "planning"
	PhaseValidating Phase = "validating"
)

// Event tells those who wait how far a plan is: it is either a phase that begins, or a piece of the reasoning.
type Event struct {
	// Phase is empty of a piece of reasoning.
	Phase Phase
	// Message says in words what the phase does.
	Message string
	// Token is the next piece of the reasoning; empty of a phase.
	Token string
}

// Error is that no plan could be made. Its text is for whoever asked: a monitor's error_message.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }
