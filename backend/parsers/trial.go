package parsers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	urlBytesMax = 8192
	// htmlBytesMax is what the request body has room for.
	htmlBytesMax = 1 << 20
)

// TestRequest is the body of POST /v1/parsers/test. The type only documents it: readTrial reads the body.
type TestRequest struct {
	Parser  triedParser `json:"parser"`
	URL     string      `json:"url,omitempty" maxLength:"8192" doc:"The page to fetch, as an absolute http or https URL. Give either url or html." example:"https://example.com/"`
	HTML    string      `json:"html,omitempty" doc:"The HTML of the page. With it, nothing is fetched or charged."`
	BaseURL string      `json:"base_url,omitempty" maxLength:"8192" doc:"With html: the URL of the page, to resolve relative references."`
}

// triedParser documents the two forms of parser. The definition's own schema is that of POST /v1/parsers.
type triedParser struct{}

// Schema documents both forms.
func (triedParser) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "The parser to test: a reference to a parser, as a string or an object with id, or a definition as in POST /v1/parsers.",
		OneOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeObject, AdditionalProperties: true}},
		Examples:    []any{"@turnpike/article"},
	}
}

// TestResult is the result of a trial.
type TestResult struct {
	Object          string          `json:"object" enum:"parser_test"`
	Parser          string          `json:"parser" doc:"The version that was tested, or the name in the definition." example:"shop-item@3"`
	URL             string          `json:"url" doc:"The URL of the page."`
	Valid           bool            `json:"valid" doc:"Whether there is a result that satisfies the schema. If not, a scrape with this parser would fail and cost nothing."`
	Result          json.RawMessage `json:"result" doc:"The result. Null if the parser does not apply to the page."`
	Errors          []problem.Fault `json:"errors" nullable:"false" doc:"The reasons why the result is not valid, by field."`
	Warnings        []problem.Fault `json:"warnings" nullable:"false" doc:"Fields for which nothing was found, or whose transforms could not convert the value."`
	CreditsConsumed money.Credits   `json:"credits_consumed" doc:"The cost in credits; 0 if it was paid in USDC."`
}

// TransformSchema documents the result, which has a schema of its own.
func (TestResult) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["result"] = &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Nullable: true, Description: s.Properties["result"].Description,
	}
	return s
}

// trial is a checked request.
type trial struct {
	parser    reference
	inline    []byte // a definition; nil: use parser
	url, html string
	isHTML    bool
	base      string
	raw       []byte
}

// readTrial reads a request, except for a definition in it. If it returns an error, faults may be incomplete.
func readTrial(raw []byte) (*trial, []problem.Fault, error) {
	value, err := rules.DecodeJSON(raw)
	m, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil, nil, problem.Validation(problem.Fault{Loc: []any{"body"}, Msg: "must be an object with parser, and url or html", Type: problem.FaultInvalid})
	}
	c := &rules.Compiler{}
	loc := []any{"body"}
	t := &trial{raw: raw}
	c.Unknown(m, loc, "parser", "url", "html", "base_url")
	t.readParser(c, m["parser"], raw, rules.In(loc, "parser"))
	var hasURL, hasBase bool
	t.url, hasURL = c.Text(m, loc, "url", urlBytesMax)
	t.html, t.isHTML = c.Text(m, loc, "html", htmlBytesMax)
	t.base, hasBase = c.Text(m, loc, "base_url", urlBytesMax)
	switch {
	case m["url"] == nil && m["html"] == nil:
		c.Faultf(rules.In(loc, "url"), problem.FaultMissing, "is required: url or html")
	case m["url"] != nil && m["html"] != nil:
		c.Invalidf(rules.In(loc, "html"), "cannot be combined with url: give only one of them")
	case hasURL && m["base_url"] != nil:
		c.Invalidf(rules.In(loc, "base_url"), "can be used only with html: a fetched page has its own URL")
	case hasURL:
		checkURL(c, t.url, rules.In(loc, "url"))
	case t.isHTML && strings.TrimSpace(t.html) == "":
		c.Invalidf(rules.In(loc, "html"), "is empty")
	}
	if hasBase {
		checkURL(c, t.base, rules.In(loc, "base_url"))
	}
	return t, c.Faults, nil
}

func checkURL(c *rules.Compiler, text string, loc []any) {
	if _, err := fetch.ParseURL(text); err != nil {
		msg := err.Error()
		if e, ok := errors.AsType[*fetch.Error](err); ok && e.Err != nil {
			msg = e.Err.Error() // without the URL, which the client knows
		}
		c.Invalidf(loc, "%s", msg)
	}
}

func (t *trial) readParser(c *rules.Compiler, value any, raw []byte, loc []any) {
	m, isObject := value.(map[string]any)
	if id, ok := m["id"].(string); ok && len(m) == 1 {
		value, isObject = id, false
	}
	switch v := value.(type) {
	case nil:
		c.Faultf(loc, problem.FaultMissing, "is required: a definition, or a reference to a parser")
	case string:
		var err error
		if t.parser, err = parseReference(v); err != nil {
			c.Invalidf(loc, "%v", err)
		}
	default:
		if !isObject {
			c.Invalidf(loc, "must be a definition, or a reference to a parser")
			return
		}
		var parts struct {
			Parser json.RawMessage `json:"parser"`
		}
		if err := json.Unmarshal(raw, &parts); err != nil {
			c.Invalidf(loc, "cannot be read: %v", err)
			return
		}
		t.inline = parts.Parser
	}
}

// Test runs a parser on a page and returns its result. A fetched page is paid once for each identity. A dry run makes the
// same checks and returns nil.
func (s *Service) Test(ctx context.Context, c *principal.Caller, raw []byte) (*TestResult, error) {
	t, faults, err := readTrial(raw)
	if err != nil {
		return nil, err
	}
	name, run, more, err := s.tried(ctx, c, t)
	if faults = append(faults, more...); len(faults) > 0 { // reports all at once
		return nil, problem.Validation(faults...)
	}
	if err != nil {
		return nil, err
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: the quote is the response
	}
	leave, err := principal.Enter(ctx, s.config.Places, "trials of parsers", overloadRetry)
	if err != nil {
		return nil, err
	}
	defer leave()
	if c.Cost() == 0 { // a repeat costs nothing
		return s.try(ctx, c, t, name, run)
	}
	return s.tryOnce(ctx, c, t, name, run)
}

// tried is the parser that t names or contains, or the faults of the definition.
func (s *Service) tried(ctx context.Context, c *principal.Caller, t *trial) (string, rules.Runner, []problem.Fault, error) {
	if t.inline != nil {
		head, faults, err := s.check(ctx, t.inline, "body", "parser")
		if err != nil || len(faults) > 0 {
			return "", nil, faults, err
		}
		return head.Name, &own{s.workers, t.inline}, nil, nil
	}
	if t.parser == (reference{}) {
		return "", nil, nil, nil // readTrial has reported that fault
	}
	found, err := s.find(ctx, c.TeamID, t.parser, false)
	if err != nil {
		return "", nil, nil, err
	}
	return found.summary().Reference, s.runner(found), nil, nil
}

// tryOnce does the work of an identity once: a repeated request gets the stored response.
func (s *Service) tryOnce(ctx context.Context, c *principal.Caller, t *trial, name string, run rules.Runner) (*TestResult, error) {
	now := s.config.Now()
	attempt, done, err := s.store.start(ctx, &claim{
		identityID: c.IdentityID, teamID: c.TeamID, requestSHA256: sha256.Sum256(t.raw), now: now,
		expires: now.Add(trialRetention), staleBefore: now.Add(-s.config.Timeout - staleAfter),
	})
	switch {
	case errors.Is(err, errRunning):
		return nil, problem.Wrap(problem.InvalidState, "The same request is already in progress. Wait for its response, then try again.", err)
	case errors.Is(err, errTakenFor):
		return nil, problem.Wrap(problem.InvalidState, "This payment or authorisation was used for another request.", err)
	case err != nil:
		return nil, problem.Internal(err)
	case done != nil:
		stored := &TestResult{}
		if err := json.Unmarshal(done, stored); err != nil {
			return nil, problem.Internal(fmt.Errorf("reading a trial's result: %w", err))
		}
		c.SetCredits(stored.CreditsConsumed)
		return stored, nil
	}
	return s.attempt(ctx, c, t, name, run, attempt)
}

// attempt does the work and records its end, even if the request is gone or the code panics: an attempt without an end
// blocks its identity until it counts as dead.
func (s *Service) attempt(ctx context.Context, c *principal.Caller, t *trial, name string, run rules.Runner, attempt int32) (*TestResult, error) {
	writing := func(do func(ctx context.Context) error) error {
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		return do(cleanup)
	}
	ended := false
	defer func() {
		if ended {
			return
		}
		if err := writing(func(ctx context.Context) error { return s.store.fail(ctx, c.IdentityID, attempt) }); err != nil {
			s.config.Logger.ErrorContext(ctx, "a parser's trial could not be marked as failed", "identity", c.IdentityID, "error", err)
		}
	}()
	result, err := s.try(ctx, c, t, name, run)
	if err != nil {
		return nil, err
	}
	answer, err := rules.EncodeJSON(result)
	if err != nil {
		return nil, problem.Internal(err)
	}
	err = writing(func(ctx context.Context) error { return s.store.finish(ctx, c.IdentityID, attempt, answer) })
	switch {
	case errors.Is(err, errRunning):
		ended = true // ended by the attempt that took over
		return nil, problem.Wrap(problem.RequestTimeout, "The page took too long, and another attempt took over.", err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	ended = true
	return result, nil
}

// workBytes estimates the memory of parsing a page: it is read, and then its tree is built again.
func workBytes(source extract.Source) int64 {
	return membudget.ReadBytes(source.MediaType, source.Body) * 3 / 2
}

// try fetches and parses a page.
func (s *Service) try(ctx context.Context, c *principal.Caller, t *trial, name string, run rules.Runner) (*TestResult, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	hold := s.config.Memory.Hold()
	defer hold.Release()
	source := extract.Source{URL: t.base, MediaType: "text/html", Body: []byte(t.html)}
	if !t.isHTML {
		var err error
		if source, err = s.config.Pages.Page(ctx, c.TeamID, t.url, hold); err != nil {
			return nil, problem.From(err)
		}
	}
	release, err := s.config.Memory.Take(ctx, workBytes(source))
	if err != nil {
		return nil, runProblem(ctx, err, source)
	}
	defer release()
	out, err := run.Do(ctx, source, nil)
	if err != nil {
		return nil, runProblem(ctx, err, source)
	}
	result := &TestResult{
		Object: "parser_test", Parser: name, URL: source.URL, Valid: len(out.Faults) == 0, Result: out.JSON,
		Errors: resultFaults(out.Faults), Warnings: []problem.Fault{},
	}
	if c.Unit == edgewire.UnitCredit {
		result.CreditsConsumed = c.Credits
	}
	if out.JSON == nil {
		result.Result = json.RawMessage("null")
	}
	for _, n := range out.Notes {
		result.Warnings = append(result.Warnings, problem.Fault{Loc: rules.In([]any{"result"}, n.Path...), Msg: n.Msg, Type: problem.FaultMissing})
	}
	return result, nil
}
