package answers

import (
	"encoding/json"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const idPrefix = "answer"

// Answer is the resource as clients see it.
type Answer struct {
	ID              string            `json:"id" example:"answer_5s3cqknmzq4xhgwh2v3n7o2a7u"`
	Object          string            `json:"object" enum:"answer"`
	Created         int64             `json:"created" doc:"Unix time in seconds."`
	Metadata        map[string]string `json:"metadata" doc:"The metadata that you attached."`
	Task            string            `json:"task" doc:"The task, as it was sent."`
	CreditsConsumed money.Credits     `json:"credits_consumed" doc:"The cost of the answer, in credits; 0 if it was paid in USDC."`
	Result          Result            `json:"result"`
}

// Result is the result of a task.
type Result struct {
	JSON          *string     `json:"json_content" doc:"A string that contains JSON, in the form given by json_format. A value that no source supports is \"NOT_FOUND\"."`
	JSONObject    page.Object `json:"json" doc:"The same as json_content, as an object."`
	JSONHostedURL *string     `json:"json_hosted_url" doc:"A signed URL of the same JSON, valid for a limited time."`
	Sources       []string    `json:"sources" nullable:"false" doc:"The cited sources without duplicates, the most cited first: the URLs of pages, and file: with the id of a context file."`
	Citations     []Citation  `json:"citations" nullable:"false" doc:"The evidence for each value: its source, and the words in the source that support it."`
	Truncated     bool        `json:"truncated" doc:"Whether the time limit was reached. Values that are NOT_FOUND may be found with more time."`
	SizeExceeded  bool        `json:"size_exceeded" doc:"Whether the result is too large for a response. If so, json_content and json are null, the JSON is only available at json_hosted_url, and there are no citations."`
}

// Citation is the evidence for a value.
type Citation struct {
	Field string `json:"field" doc:"The field, as a JSON Pointer into the answer."`
	URL   string `json:"url" doc:"The source: the URL of a page, or file: with the id of a context file."`
	Quote string `json:"quote" doc:"The words in the source that support the value."`
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
