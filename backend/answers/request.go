package answers

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const (
	// TaskCharsMax is how long a task may be.
	TaskCharsMax = 10_000
	// FilesMax is how many context files a task may have.
	FilesMax = 10
)

// Request is the body of POST /v1/answers.
type Request struct {
	Task     string         `json:"task" minLength:"1" maxLength:"10000" doc:"The task in natural language. URLs in it are read first." example:"How many berths has the harbour of Elmsworth, and who runs it?"`
	Format   FormatInput    `json:"json_format,omitempty"`
	FileIDs  []string       `json:"file_ids,omitempty" maxItems:"10" nullable:"false" doc:"The ids of completed files with the purpose context, which are read as additional sources."`
	Metadata metadata.Input `json:"metadata,omitempty"`
}

// FormatInput is json_format as sent: an object or a string.
type FormatInput []byte

// UnmarshalJSON keeps the bytes that were sent.
func (f *FormatInput) UnmarshalJSON(data []byte) error {
	if *f = append([]byte(nil), data...); string(data) == "null" {
		*f = nil
	}
	return nil
}

// MarshalJSON writes the bytes that were sent.
func (f FormatInput) MarshalJSON() ([]byte, error) {
	if len(f) == 0 {
		return []byte("null"), nil
	}
	return f, nil
}

// Schema documents all forms.
func (FormatInput) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "The form of the result: an object with the fields to find, whose values are empty or describe the fields; a JSON Schema; " +
			`or a string that describes the result, for {"result": …}. Default: {"result": "…"}.`,
		OneOf: []*huma.Schema{
			{Type: huma.TypeObject, AdditionalProperties: true, Description: "An object with the fields to find or a JSON Schema."},
			{Type: huma.TypeString, Description: "A string that describes the result."},
		},
		Examples: []any{map[string]any{"berths": "how many ships can moor", "operator": ""}},
	}
}

// plan is a request, checked except for its files.
type plan struct {
	asked    string // the task, as it was sent
	task     string
	format   *ask.Format
	files    []string
	metadata map[string]string

	canonical []byte
	sha256    [sha256.Size]byte
}

// plan checks r except for its files. The error is a problem that names every fault.
func (r *Request) plan() (*plan, error) {
	p := &plan{asked: r.Task, task: strings.TrimSpace(r.Task), files: r.FileIDs}
	var faults []problem.Fault
	if n := utf8.RuneCountInString(r.Task); p.task == "" || n > TaskCharsMax || strings.ContainsRune(r.Task, 0) {
		faults = append(faults, problem.BodyFault("task", fmt.Sprintf("must be text of 1 to %d characters", TaskCharsMax)))
	}
	if len(r.FileIDs) > FilesMax {
		faults = append(faults, problem.BodyFault("file_ids", fmt.Sprintf("has %d ids, at most %d are allowed", len(r.FileIDs), FilesMax)))
	}
	seen := map[string]bool{}
	for i, id := range r.FileIDs {
		if seen[id] {
			faults = append(faults, fileFault(i, "is given more than once"))
		}
		seen[id] = true
	}
	var err error
	if p.format, err = ask.ParseFormat(json.RawMessage(r.Format)); err != nil {
		faults = append(faults, formatFaults(err)...)
	}
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	if p.metadata, err = metadata.Parse(r.Metadata); err != nil {
		return nil, err
	}
	if p.canonical, err = json.Marshal(r); err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	p.sha256 = sha256.Sum256(p.canonical)
	return p, nil
}

// formatFaults are the faults of a json_format, with their locations.
func formatFaults(err error) []problem.Fault {
	invalid, ok := errors.AsType[*jsonschema.Error](err)
	if !ok {
		return []problem.Fault{problem.BodyFault("json_format", err.Error())}
	}
	faults := make([]problem.Fault, len(invalid.Faults))
	for i, fault := range invalid.Faults {
		faults[i] = problem.Fault{Loc: append([]any{"body", "json_format"}, fault.Path()...), Msg: fault.Message, Type: problem.FaultInvalid}
	}
	return faults
}

func fileFault(i int, msg string) problem.Fault {
	return problem.Fault{Loc: []any{"body", "file_ids", i}, Msg: msg, Type: problem.FaultInvalid}
}
