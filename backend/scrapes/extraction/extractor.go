package extraction

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
)

// FillFunc fills a schema from the page without a language model, and leaves what it does not find null.
type FillFunc func(ctx context.Context, schema *jsonschema.Schema, source extract.Source, document *extract.Document) (json.RawMessage, error)

// WalletTokensDefault is how many tokens of a model, input and output together, an extraction paid by a wallet may use
// by default. At 0.15 USD for a million of input and 0.60 for a million of output they cost 0.0042 USD at most.
const WalletTokensDefault = 16_000

// Limits are the tokens of a model, input and output together, that one extraction may use.
type Limits struct {
	Tokens       int // paid in credits; 0: [llm.TokensDefault]
	WalletTokens int // paid by x402; 0: [WalletTokensDefault]
}

// of returns the limit of a task.
func (l Limits) of(task Task) int {
	if task.Wallet {
		return cmp.Or(l.WalletTokens, WalletTokensDefault)
	}
	return cmp.Or(l.Tokens, llm.TokensDefault)
}

// Result is the result of an [Extractor].
type Result struct {
	JSON json.RawMessage
	// Read is how much of the page a model was given. Nil: no model was used, and all of it was read.
	Read *Read
}

// Task is what llm_extract asks for: either Schema or Prompt.
type Task struct {
	// Schema is the JSON Schema of the result.
	Schema json.RawMessage
	// Prompt says in words what to extract.
	Prompt string
	// Wallet means that it is paid by x402, for which a model may use fewer tokens.
	Wallet bool
}

// Read is how much of a page a language model was given, in estimated tokens.
type Read struct {
	TokensMax         int  // of the extraction, input and output together
	PageTokens        int  // of the page's content and structured data
	Truncated         bool // something was left out
	ContentLeftOut    int
	StructuredLeftOut int
}

// Extractor extracts with a model, or fills schemas without one.
type Extractor struct {
	model  llm.Model
	fill   FillFunc
	limits Limits
	logger *slog.Logger
}

// New returns an extractor that uses model. Without a model (nil), fill fills schemas and prompts are refused.
func New(model llm.Model, fill FillFunc, limits Limits, logger *slog.Logger) *Extractor {
	return &Extractor{model: model, fill: fill, limits: limits, logger: logger}
}

// Check implements scrapes.Extractor.
func (e *Extractor) Check(task Task) error {
	asked, err := e.asked(task)
	if err != nil {
		return err
	}
	if e.model == nil && asked.Schema == nil {
		return problem.New(problem.ProviderNotConfigured, "This installation has no language model, which llm_extract.prompt requires. "+
			"Use llm_extract.schema, which is filled from the page's own labels, or ask the operator to configure a model.")
	}
	if e.model == nil {
		return nil
	}
	if _, err := asked.Room(); err != nil {
		msg := fmt.Sprintf("is too long: it leaves no room for the page in the %d tokens that one extraction may use", asked.TokensMax)
		if task.Wallet {
			msg += " when paid by x402; shorten it, or use an API key"
		}
		return problem.Validation(problem.BodyFault("llm_extract", msg))
	}
	return nil
}

// asked returns the model's task, without a page.
func (e *Extractor) asked(task Task) (llm.Task, error) {
	asked := llm.Task{Instruction: task.Prompt, TokensMax: e.limits.of(task)}
	var err error
	if len(task.Schema) > 0 {
		asked.Schema, err = compileSchema(task.Schema)
	}
	return asked, err
}

// Reads implements scrapes.Extractor.
func (e *Extractor) Reads() bool { return e.model == nil }

// compileSchema reports all faults of a schema, each at its place.
func compileSchema(text json.RawMessage) (*jsonschema.Schema, error) {
	schema, err := jsonschema.CompileObject(text)
	if err == nil {
		return schema, nil
	}
	invalid, ok := errors.AsType[*jsonschema.Error](err)
	if !ok {
		return nil, problem.Internal(fmt.Errorf("compiling a schema: %w", err))
	}
	var faults []problem.Fault
	for _, fault := range invalid.Faults {
		loc := append([]any{"body", "llm_extract", "schema"}, fault.Path()...)
		faults = append(faults, problem.Fault{Loc: loc, Msg: fault.Message, Type: problem.FaultInvalid})
	}
	return nil, problem.Validation(faults...)
}

// Extract implements scrapes.Extractor.
func (e *Extractor) Extract(ctx context.Context, task Task, source extract.Source, document *extract.Document) (Result, error) {
	asked, err := e.asked(task)
	if err != nil {
		return Result{}, err
	}
	if e.model == nil {
		data, err := e.fill(ctx, asked.Schema, source, document)
		if err != nil {
			return Result{}, fmt.Errorf("filling a schema: %w", err)
		}
		return Result{JSON: data}, nil
	}
	structured, err := json.Marshal(document.Structured)
	if err != nil {
		return Result{}, fmt.Errorf("writing structured data: %w", err)
	}
	asked.Page = llm.Page{URL: source.URL, Title: document.Metadata.Title, Markdown: document.Markdown, Structured: structured}
	outcome, err := llm.Extract(ctx, e.model, asked)
	read := outcome.Read
	e.logger.InfoContext(ctx, "requested an extraction from the language model", "model", outcome.Model, "tokens_in", outcome.Usage.Input,
		"tokens_out", outcome.Usage.Output, "left_out", read.ContentLeftOut+read.StructuredLeftOut, "repaired", outcome.Repaired, "ok", err == nil)
	if err != nil {
		return Result{}, modelProblem(err)
	}
	return Result{JSON: outcome.JSON, Read: &Read{
		TokensMax: asked.TokensMax, PageTokens: read.Page, ContentLeftOut: read.ContentLeftOut, StructuredLeftOut: read.StructuredLeftOut,
		Truncated: read.ContentLeftOut+read.StructuredLeftOut > 0,
	}}, nil
}

// modelProblem converts an error of the model to a problem.
func modelProblem(err error) error {
	said, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	because := func(detail string) error {
		e := problem.Wrap(problem.InvalidParserInput, detail+" Nothing was charged.", err)
		e.Metadata = map[string]any{"reason": string(said.Reason)}
		return e
	}
	switch said.Reason {
	case llm.ReasonUnavailable, llm.ReasonRateLimited:
		e := problem.Wrap(problem.Overloaded, "The language model is unavailable or overloaded. Nothing was charged; try again in a moment.", err)
		e.RetryAfter = max(said.RetryAfter, failure.OverloadRetry)
		return e
	case llm.ReasonTimeout:
		return problem.Wrap(problem.RequestTimeout, "The language model did not answer within the time limit. Nothing was charged.", err)
	case llm.ReasonTooLong:
		return because("The page exceeds the language model's input limit, or the result exceeds its output limit.")
	case llm.ReasonBadReply:
		return because("The language model did not return what llm_extract asks for, even on the second attempt.")
	case llm.ReasonContentFiltered:
		return because("The language model refused to process this page.")
	case llm.ReasonRefused, llm.ReasonBudget: // the operator's key or setting is wrong; a single completion has no budget
		return problem.Internal(err)
	}
	return problem.Internal(err)
}
