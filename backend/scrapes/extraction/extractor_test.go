package extraction

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// clerk is a model that always gives the same reply.
type clerk struct {
	reply llm.Reply
	err   error
	asked []llm.Prompt
}

func (c *clerk) Complete(_ context.Context, prompt llm.Prompt) (llm.Reply, error) {
	c.asked = append(c.asked, prompt)
	return c.reply, c.err
}

const titleSchema = `{"type":"object","properties":{"title":{"type":"string"},"a":{"type":"string"}}}`

func harbour() (extract.Source, *extract.Document) {
	return extract.Source{URL: "https://example.com/harbour", MediaType: "text/html", Body: []byte("<h1>Harbour</h1>")},
		&extract.Document{Markdown: "# Harbour", Metadata: extract.Metadata{Title: "The harbour"}, Structured: &extract.Structured{
			JSONLD: []*extract.Item{{Types: []string{"Place"}}},
		}}
}

func TestModelExtracts(t *testing.T) {
	t.Parallel()
	model := &clerk{reply: llm.Reply{Text: `{"a":null,"title":"Harbour"}`, Usage: llm.Usage{Input: 700, Output: 9}, Model: "m-1"}}
	var log bytes.Buffer
	e := New(model, nil, Limits{}, slog.New(slog.NewTextHandler(&log, nil)))
	if e.Reads() {
		t.Error("got that a page is read again, want that a model is waited for")
	}
	source, document := harbour()
	for _, task := range []Task{{Schema: json.RawMessage(titleSchema)}, {Prompt: "the title"}} {
		if err := e.Check(task); err != nil {
			t.Fatal(err)
		}
		got, err := e.Extract(t.Context(), task, source, document)
		if err != nil || !strings.Contains(string(got.JSON), `"title":"Harbour"`) || got.Read == nil || got.Read.Truncated {
			t.Errorf("got %+v, %v, want the title, of the whole page", got, err)
		}
	}
	if schema := model.asked[0].Schema; !bytes.Contains(schema, []byte("title")) {
		t.Errorf("got the schema %s, want the caller's", schema)
	}
	for _, want := range []string{"https://example.com/harbour", "The harbour", "# Harbour", "Place"} {
		if !strings.Contains(model.asked[1].User, want) {
			t.Errorf("got the prompt %q, want %q in it", model.asked[1].User, want)
		}
	}
	if !strings.Contains(log.String(), "tokens_in=700") || strings.Contains(log.String(), "harbour") {
		t.Errorf("got the log %q, want the tokens and nothing of the page", log.String())
	}
}

func TestModelThatFails(t *testing.T) {
	t.Parallel()
	source, document := harbour()
	for reason, want := range map[llm.Reason]problem.Code{
		llm.ReasonUnavailable: problem.Overloaded, llm.ReasonRateLimited: problem.Overloaded, llm.ReasonTimeout: problem.RequestTimeout,
		llm.ReasonTooLong: problem.InvalidParserInput, llm.ReasonBadReply: problem.InvalidParserInput,
		llm.ReasonContentFiltered: problem.InvalidParserInput, llm.ReasonRefused: problem.InternalServerError,
	} {
		e := New(&clerk{err: &llm.Error{Reason: reason, Message: "inner", RetryAfter: time.Minute}}, nil, Limits{}, slog.New(slog.DiscardHandler))
		_, err := e.Extract(t.Context(), Task{Prompt: "x"}, source, document)
		got := problem.From(err)
		if got.Code != want || strings.Contains(got.Detail, "inner") {
			t.Errorf("%s: got %s %q, want %s", reason, got.Code, got.Detail, want)
		}
		if want == problem.Overloaded && got.RetryAfter != time.Minute {
			t.Errorf("%s: got Retry-After %s, want the server's", reason, got.RetryAfter)
		}
	}
	e := New(&clerk{err: context.Canceled}, nil, Limits{}, slog.New(slog.DiscardHandler))
	if _, err := e.Extract(t.Context(), Task{Prompt: "x"}, source, document); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
}

// Without a model, a schema is filled by rules, and a prompt is refused before anything is fetched.
func TestExtractorWithoutModel(t *testing.T) {
	t.Parallel()
	filled := errors.New("filled")
	e := New(nil, func(_ context.Context, schema *jsonschema.Schema, source extract.Source, document *extract.Document) (json.RawMessage, error) {
		if !bytes.Contains(schema.Text(), []byte("title")) || source.URL == "" || document.Markdown == "" {
			t.Errorf("got %s of %+v, %+v", schema.Text(), source, document)
		}
		if document.Type == "forum" {
			return nil, filled
		}
		return json.RawMessage(`{"title":null}`), nil
	}, Limits{}, slog.New(slog.DiscardHandler))
	if !e.Reads() {
		t.Error("got that nothing is read, want that the page is")
	}
	source, document := harbour()
	task := Task{Schema: json.RawMessage(titleSchema)}
	if err := e.Check(task); err != nil {
		t.Error(err)
	}
	if got, err := e.Extract(t.Context(), task, source, document); err != nil || string(got.JSON) != `{"title":null}` || got.Read != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	document.Type = "forum"
	if _, err := e.Extract(t.Context(), task, source, document); !errors.Is(err, filled) {
		t.Errorf("got %v, want the failure", err)
	}
	if err := e.Check(Task{Prompt: "x"}); problem.From(err).Code != problem.ProviderNotConfigured || !strings.Contains(err.Error(), "schema") {
		t.Errorf("got %v, want that there is no model, and what there is", err)
	}
}

func TestSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	e := New(&clerk{}, nil, Limits{}, slog.New(slog.DiscardHandler))
	for name, tt := range map[string]struct{ schema, want string }{
		"a list":      {`{"type":"array"}`, `["body","llm_extract","schema","type"]`},
		"a bad type":  {`{"type":"object","properties":{"a/b":{"type":"text"}}}`, `["body","llm_extract","schema","properties","a/b"`},
		"a bad bound": {`{"type":"object","properties":{"a":{"type":"string","maxLength":-1}}}`, `["body","llm_extract","schema","properties","a"`},
	} {
		got := problem.From(e.Check(Task{Schema: json.RawMessage(tt.schema)}))
		said, err := json.Marshal(got.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		if got.Code != problem.ValidationError || !strings.Contains(string(said), tt.want) {
			t.Errorf("%s: got %s %s, want a fault at %s", name, got.Code, said, tt.want)
		}
	}
}
