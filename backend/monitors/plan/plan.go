package plan

import (
	"context"
	"encoding/json"
	"time"
)

// Request is the request for a monitor.
type Request struct {
	// Query is what to watch, in the user's words.
	Query string
	// SourcePolicy says which pages may be read.
	SourcePolicy SourcePolicy
	// OutputSchema is a JSON Schema of an object; empty if none was given.
	OutputSchema json.RawMessage
	// MayAsk is called before the language model is asked, and says whether that is allowed. Nil: always.
	MayAsk func(ctx context.Context) (bool, error)
}

// Plan is what a monitor's runs do, and why. It is stored as JSON.
type Plan struct {
	Spec    Spec    `json:"spec"`
	DAG     DAG     `json:"dag"`
	Tracked Tracked `json:"tracked"`
}

// Status is the state of a specification.
type Status string

// The statuses.
const (
	// StatusReady means that the plan can be run.
	StatusReady Status = "ready"
	// StatusFailed means that no plan could be made.
	StatusFailed Status = "failed"
)

// Spec says in words how the request was understood.
type Spec struct {
	SavedAt     time.Time `json:"saved_at"`
	Status      Status    `json:"status"`
	Goal        string    `json:"goal"`
	Reasoning   string    `json:"reasoning"`
	Constraints string    `json:"constraints"`
	Assumptions string    `json:"assumptions"`
	Input       Input     `json:"input"`
	Output      Output    `json:"output"`
	// ChatHistory is the conversation with a model; for a plan by rules, the request and how it was understood.
	ChatHistory []Message `json:"chat_history"`
}

// Input is the input of a run.
type Input struct {
	Query        string       `json:"query"`
	SourcePolicy SourcePolicy `json:"source_policy"`
}

// Output is the output of a run.
type Output struct {
	// Focus are the words for what is compared: "price", "stock". None: everything.
	Focus []string `json:"focus"`
	// Schema is the request's output schema; absent if none was given.
	Schema json.RawMessage `json:"output_schema,omitempty"`
	// Event is what a run reports, in words.
	Event string `json:"event"`
}

// Message is an entry of ChatHistory.
type Message struct {
	// Role is user or assistant.
	Role    string `json:"role"`
	Content string `json:"content"`
}

// IntentMode is the kind of thing that is watched.
type IntentMode string

// The modes.
const (
	// IntentState is a thing whose state changes: a price, a version.
	IntentState IntentMode = "state"
	// IntentStream is a collection whose items come and go: posts, jobs.
	IntentStream IntentMode = "stream"
)

// StreamChange is the kind of change of a stream that is reported.
type StreamChange string

// The changes.
const (
	// StreamNone is for plans whose mode is not a stream.
	StreamNone    StreamChange = "none"
	StreamAdded   StreamChange = "added"
	StreamRemoved StreamChange = "removed"
	StreamAny     StreamChange = "any"
)

// Strategy is how pages are found.
type Strategy string

// The strategies.
const (
	StrategyDirect    Strategy = "direct"
	StrategySiteMap   Strategy = "site_map"
	StrategyWebSearch Strategy = "web_search"
)

// DAG is the work of a run.
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

// Subtask describes a node.
type Subtask struct {
	// Node is the id of the node.
	Node        string `json:"node"`
	Description string `json:"description"`
}

// Unresolved is a part of the request that the plan does not cover.
type Unresolved struct {
	// Part quotes the request.
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

// Validation says whether a graph is valid, and how many attempts that took.
type Validation struct {
	IsValid bool `json:"is_valid"`
	// Attempts is the number of entries in History.
	Attempts int       `json:"attempts"`
	History  []Attempt `json:"history"`
}

// ByModel and ByRules say who made an attempt.
const (
	ByModel = "model"
	ByRules = "rules"
)

// Attempt is one attempt to make a plan.
type Attempt struct {
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
	// By is ByModel or ByRules.
	By      string `json:"by"`
	IsValid bool   `json:"is_valid"`
	// Errors are the faults found, in words for the client.
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
	// ID consists of lower-case letters, digits and underscores, begins with a letter and has at most 32 characters.
	ID     string   `json:"id"`
	Type   NodeType `json:"type"`
	Label  string   `json:"label"`
	Params Params   `json:"params"`
}

// Params are a node's parameters. Each type uses its own; the others stay empty.
type Params struct {
	// URL is where a discover starts.
	URL string `json:"url,omitempty"`
	// Include are globs of the pages that a discover keeps: "/blog/**". None: the whole site.
	Include []string `json:"include,omitempty"`
	// Query is what a search looks for. A discover takes the pages that relate to it first.
	Query string `json:"query,omitempty"`
	// IncludeDomains and ExcludeDomains restrict a search.
	IncludeDomains []string `json:"include_domains,omitempty"`
	ExcludeDomains []string `json:"exclude_domains,omitempty"`
	// URLs are what a fetch reads in addition to what the nodes before it found.
	URLs []string `json:"urls,omitempty"`
	// Limit is how many results a discover or search passes on, and how many pages a fetch reads at most.
	Limit int `json:"limit,omitempty"`
	// Mode of an extract or compare is ModeContent or ModeFields.
	Mode string `json:"mode,omitempty"`
	// Focus are the words for what a compare looks at. None: everything.
	Focus []string `json:"focus,omitempty"`
	// When of a notify is WhenChanged.
	When string `json:"when,omitempty"`
}

// The modes of an extract and a compare.
const (
	// ModeContent compares the text of pages, block by block.
	ModeContent = "content"
	// ModeFields compares the fields of the output schema.
	ModeFields = "fields"
)

// WhenChanged notifies when something changed.
const WhenChanged = "changed"

// Edge passes the results of one node to another.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// TrackedType is the kind of target that is watched.
type TrackedType string

// The types.
const (
	TrackedURLs     TrackedType = "urls"
	TrackedSite     TrackedType = "site"
	TrackedWebQuery TrackedType = "web_query"
)

// Tracked is what is watched, in brief.
type Tracked struct {
	Type TrackedType `json:"type"`
	// URLs are the pages, or the start URLs of sites.
	URLs []string `json:"urls"`
	// WebQuery is the search query; "" for the other types.
	WebQuery string `json:"web_query"`
}

// Phase is the current phase of planning.
type Phase string

// The phases.
const (
	PhaseSpec       Phase = "spec"
	PhasePlanning   Phase = "planning"
	PhaseValidating Phase = "validating"
)

// Event reports the progress of planning: the start of a phase, or a piece of the reasoning.
type Event struct {
	// Phase is empty for a piece of reasoning.
	Phase Phase
	// Message describes the phase.
	Message string
	// Token is the next piece of the reasoning; empty for a phase.
	Token string
}

// Error means that no plan could be made. Its text is for the client: a monitor's error_message.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }
