package answers

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

const idPrefix = "answer"

// Answer is the resource as clients see it.
type Answer struct {
	ID              string            `json:"id" example:"answer_5s3cqknmzq4xhgwh2v3n7o2a7u"`
	Object          string            `json:"object" enum:"answer"`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	Metadata        map[string]string `json:"metadata" doc:"What you attached."`
	Task            string            `json:"task" doc:"As it was asked."`
	CreditsConsumed money.Credits     `json:"credits_consumed" doc:"What the answer did cost, in credits; 0 where it was paid in USDC."`
	Result          Result            `json:"result"`
}

// Result is the result of a task.
type Result struct {
	JSON          *string    `json:"json_content" doc:"A string that holds JSON, in the form that json_format asks for. What no source supports is \"NOT_FOUND\"."`
	JSONHostedURL *string    `json:"json_hosted_url" doc:"A signed URL of the same JSON, for a time."`
	Sources       []string   `json:"sources" nullable:"false" doc:"What is cited, each once, the most cited first: URLs of pages, and file: with the id of a context file."`
	Citations     []Citation `json:"citations" nullable:"false" doc:"The proof of each value: where it stands, and the words there."`
	Truncated     bool       `json:"truncated" doc:"The time limit came first. What is NOT_FOUND may be found with more time."`
	SizeExceeded  bool       `json:"size_exceeded" doc:"True where the result is too large for an answer: json_content is then null here, and only under json_hosted_url, and there are no citations."`
}

// Citation is the evidence for a value.
type Citation struct {
	Field string `json:"field" doc:"The field, as a JSON Pointer into the answer."`
	URL   string `json:"url" doc:"Where it stands: a page, or file: and the id of a context file."`
	Quote string `json:"quote" doc:"The words there that support it."`
}

// outcome describes stored content.
type outcome struct {
	// JSONBytes and CitationsBytes are the sizes of the two blobs.
	JSONBytes      int64    `json:"json_bytes"`
	CitationsBytes int64    `json:"citations_bytes"`
	Sources        []string `json:"sources"`
	Truncated      bool     `json:"truncated,omitempty"`
}

// content is the inline part of an answer.
type content struct {
	json      []byte
	citations []Citation
}

// record is a stored, successful answer.
type record struct {
	id, teamID, teamKind string
	attempt              int32
	task                 string
	metadata             map[string]string
	outcome              outcome
	credits              money.Credits
	created, expires     time.Time
}

// resource is the answer without its content.
func (r *record) resource() *Answer {
	return &Answer{
		ID: r.id, Object: idPrefix, Created: r.created.Unix(), Metadata: r.metadata, Task: r.task, CreditsConsumed: r.credits,
		Result: Result{Sources: r.outcome.Sources, Citations: []Citation{}, Truncated: r.outcome.Truncated},
	}
}

func (o *outcome) encode() ([]byte, error) { return json.Marshal(o) }

func decodeOutcome(data []byte) (outcome, error) {
	o := outcome{}
	err := json.Unmarshal(data, &o)
	if o.Sources == nil {
		o.Sources = []string{}
	}
	return o, err
}
