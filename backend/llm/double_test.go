package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const testKey = "sk-test-0123456789abcdef"

// double stands in for a provider's server. It refuses requests that the real one would refuse, and otherwise sends the
// replies that the test has queued.
type double struct {
	*httptest.Server

	t        *testing.T
	provider Provider
	// formats are the JSON formats that the model supports.
	formats []string
	// tokensName is the name of the model's token limit with OpenAI.
	tokensName string
	// badSchema, if set, is the error for any schema.
	badSchema string

	mu       sync.Mutex
	answers  []answer
	requests []request
}

// answer is the next reply: text as a completion, or raw unchanged.
type answer struct {
	status  int
	header  map[string]string
	raw     string
	text    string
	stop    string
	refusal string
	hang    bool
}

// request is a request that the double received.
type request struct {
	system, user, format string
	maxTokens            int
	schema               json.RawMessage
}

func newDouble(t *testing.T, provider Provider, answers ...answer) *double {
	t.Helper()
	d := &double{t: t, provider: provider, answers: answers, tokensName: "max_tokens", formats: []string{"json_schema", "json_object", "output_config", "tool"}}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

// model returns a model of this server. Its waits are recorded and take no time.
func (d *double) model(t *testing.T, change ...func(*Config)) (Model, *[]time.Duration) {
	t.Helper()
	c := Config{Provider: d.provider, URL: d.URL, Key: testKey, Model: "toy-1"}
	if d.provider == OpenAI {
		c.URL += "/v1"
	}
	for _, f := range change {
		f(&c)
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	waits := &[]time.Duration{}
	record := func(ctx context.Context, pause time.Duration) error {
		*waits = append(*waits, pause)
		return ctx.Err()
	}
	switch m := m.(type) {
	case *openAI:
		m.wait = record
	case *anthropic:
		m.wait = record
	}
	return m, waits
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var asked request
	var fault *answer
	if d.provider == OpenAI {
		asked, fault = d.checkOpenAI(r, body)
	} else {
		asked, fault = d.checkAnthropic(r, body)
	}
	if fault != nil {
		d.write(w, *fault, asked)
		return
	}
	d.requests = append(d.requests, asked)
	if len(d.answers) == 0 {
		d.t.Errorf("request %d was not expected", len(d.requests))
		w.WriteHeader(http.StatusTeapot)
		return
	}
	next := d.answers[0]
	d.answers = d.answers[1:]
	if next.hang {
		<-r.Context().Done()
		return
	}
	d.write(w, next, asked)
}

func (d *double) write(w http.ResponseWriter, a answer, asked request) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if a.raw == "" {
		a.raw = d.completion(a, asked)
	}
	io.WriteString(w, a.raw)
}

// completion writes a reply as the APIs' references describe it, including fields that no one reads here.
func (d *double) completion(a answer, asked request) string {
	text, err := json.Marshal(a.text)
	if err != nil {
		d.t.Error(err)
	}
	if d.provider == OpenAI {
		if a.stop == "" {
			a.stop = "stop"
		}
		refusal := "null"
		if a.refusal != "" {
			refusal, text = fmt.Sprintf("%q", a.refusal), []byte("null")
		}
		return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"toy-1-2026","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":%s,"refusal":%s,"annotations":[]},"logprobs":null,"finish_reason":%q}],"usage":{"prompt_tokens":100,`+
			`"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":0}},"service_tier":"default","system_fingerprint":"fp"}`, text, refusal, a.stop)
	}
	content := fmt.Sprintf(`[{"type":"text","text":%s}]`, text)
	if a.stop == "" {
		a.stop = "end_turn"
	}
	if asked.format == "tool" && a.stop == "end_turn" {
		a.stop, content = "tool_use", fmt.Sprintf(`[{"type":"text","text":"Here it is."},{"type":"tool_use","id":"toolu_1","name":"answer","input":%s}]`, a.text)
	}
	if a.stop == "refusal" {
		content = "[]"
	}
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"toy-1-2026","content":%s,"stop_reason":%q,"stop_sequence":null,`+
		`"usage":{"input_tokens":90,"cache_creation_input_tokens":10,"cache_read_input_tokens":0,"output_tokens":20,"service_tier":"standard"}}`, content, a.stop)
}

func openAIFault(status int, kind, param, code, message string) *answer {
	quoted := "null"
	if param != "" {
		quoted = fmt.Sprintf("%q", param)
	}
	codeText := "null"
	if code != "" {
		codeText = fmt.Sprintf("%q", code)
	}
	return &answer{status: status, raw: fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":%s,"code":%s}}`, message, kind, quoted, codeText)}
}

func anthropicFault(status int, kind, message string) *answer {
	return &answer{status: status, raw: fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, message)}
}

// decodeStrictly refuses fields that the API does not know.
func decodeStrictly(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func (d *double) checkOpenAI(r *http.Request, body []byte) (request, *answer) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		return request{}, openAIFault(http.StatusNotFound, "invalid_request_error", "", "", "Invalid URL ("+r.Method+" "+r.URL.Path+")")
	}
	if r.Header.Get("Authorization") != "Bearer "+testKey {
		return request{}, openAIFault(http.StatusUnauthorized, "invalid_request_error", "", "invalid_api_key", "Incorrect API key provided: "+r.Header.Get("Authorization"))
	}
	if r.Header.Get("Content-Type") != "application/json" {
		return request{}, openAIFault(http.StatusBadRequest, "invalid_request_error", "", "", "you must provide a JSON body")
	}
	var in struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		MaxTokens           *int  `json:"max_tokens"`
		MaxCompletionTokens *int  `json:"max_completion_tokens"`
		Stream              *bool `json:"stream"`
		ResponseFormat      *struct {
			Type       string `json:"type"`
			JSONSchema *struct {
				Name   string          `json:"name"`
				Strict bool            `json:"strict"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := decodeStrictly(body, &in); err != nil {
		return request{}, openAIFault(http.StatusBadRequest, "invalid_request_error", "", "unknown_parameter", "Unrecognized request argument supplied: "+err.Error())
	}
	if in.Model == "" || len(in.Messages) == 0 || in.Stream != nil && *in.Stream {
		return request{}, openAIFault(http.StatusBadRequest, "invalid_request_error", "model", "", "you must provide a model and messages, and not stream")
	}
	if in.MaxTokens != nil && d.tokensName != "max_tokens" || in.MaxCompletionTokens != nil && d.tokensName != "max_completion_tokens" {
		return request{}, openAIFault(http.StatusBadRequest, "invalid_request_error", "max_tokens", "unsupported_parameter",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use '"+d.tokensName+"' instead.")
	}
	out := request{format: "text"}
	for _, tokens := range []*int{in.MaxTokens, in.MaxCompletionTokens} {
		if tokens != nil {
			out.maxTokens = *tokens
		}
	}
	for _, m := range in.Messages {
		switch m.Role {
		case "system":
			out.system += m.Content
		case "user":
			out.user += m.Content
		default:
			return request{}, openAIFault(http.StatusBadRequest, "invalid_request_error", "messages", "", "role "+m.Role)
		}
	}
	if in.ResponseFormat == nil {
		return out, nil
	}
	out.format = in.ResponseFormat.Type
	if !slices.Contains(d.formats, out.format) {
		return out, openAIFault(http.StatusBadRequest, "invalid_request_error", "", "",
			"Invalid parameter: 'response_format' of type '"+out.format+"' is not supported with this model. Learn more about supported models.")
	}
	if out.format == "json_object" && !strings.Contains(strings.ToLower(out.system+out.user), "json") {
		return out, openAIFault(http.StatusBadRequest, "invalid_request_error", "messages", "", "'messages' must contain the word 'json' in some form")
	}
	if schema := in.ResponseFormat.JSONSchema; schema != nil {
		out.schema = schema.Schema
		if fault := strictFault(schema.Schema, schema.Strict); fault != "" || d.badSchema != "" {
			return out, openAIFault(http.StatusBadRequest, "invalid_request_error", "response_format", "", "Invalid schema for response_format '"+schema.Name+"': "+fault+d.badSchema)
		}
	}
	return out, nil
}

func (d *double) checkAnthropic(r *http.Request, body []byte) (request, *answer) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		return request{}, anthropicFault(http.StatusNotFound, "not_found_error", "Not found")
	}
	if r.Header.Get("X-Api-Key") != testKey {
		return request{}, anthropicFault(http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
	}
	if r.Header.Get("Anthropic-Version") != "2023-06-01" || r.Header.Get("Content-Type") != "application/json" {
		return request{}, anthropicFault(http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required")
	}
	var in struct {
		Model     string `json:"model"`
		MaxTokens int    `json:"max_tokens"`
		System    string `json:"system"`
		Stream    bool   `json:"stream"`
		Messages  []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		OutputConfig *struct {
			Format struct {
				Type   string          `json:"type"`
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		ToolChoice *struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"tool_choice"`
	}
	if err := decodeStrictly(body, &in); err != nil {
		return request{}, anthropicFault(http.StatusBadRequest, "invalid_request_error", err.Error()+": Extra inputs are not permitted")
	}
	if in.Model == "" || in.MaxTokens <= 0 || len(in.Messages) == 0 || in.Messages[0].Role != "user" || in.Stream {
		return request{}, anthropicFault(http.StatusBadRequest, "invalid_request_error", "model, max_tokens, messages: Field required")
	}
	out := request{system: in.System, user: in.Messages[0].Content, maxTokens: in.MaxTokens, format: "text"}
	switch {
	case in.OutputConfig != nil:
		out.format, out.schema = "output_config", in.OutputConfig.Format.Schema
		if !slices.Contains(d.formats, out.format) {
			return out, anthropicFault(http.StatusBadRequest, "invalid_request_error", "output_config.format: This model does not support structured outputs.")
		}
		if fault := strictFault(out.schema, true); fault != "" || d.badSchema != "" {
			return out, anthropicFault(http.StatusBadRequest, "invalid_request_error", "output_config.format.schema: "+fault+d.badSchema)
		}
	case in.ToolChoice != nil:
		out.format = "tool"
		if !slices.Contains(d.formats, out.format) {
			return out, anthropicFault(http.StatusBadRequest, "invalid_request_error", "tool_choice: forced tools are not supported with this model")
		}
		if len(in.Tools) != 1 || in.ToolChoice.Type != "tool" || in.ToolChoice.Name != in.Tools[0].Name {
			return out, anthropicFault(http.StatusBadRequest, "invalid_request_error", "tool_choice: Tool not found in provided tools")
		}
		var schema struct {
			Type any `json:"type"`
		}
		if out.schema = in.Tools[0].InputSchema; json.Unmarshal(out.schema, &schema) != nil || schema.Type != "object" {
			return out, anthropicFault(http.StatusBadRequest, "invalid_request_error", "tools.0.custom.input_schema.type: Input should be 'object'")
		}
	}
	return out, nil
}

// strictFault returns the reason for which a server with strict schemas would refuse this one.
func strictFault(schema json.RawMessage, isStrict bool) string {
	var root map[string]any
	if !isStrict || json.Unmarshal(schema, &root) != nil {
		return "strict must be true, and schema an object"
	}
	if root["type"] != "object" {
		return "schema must be a JSON Schema of 'type: \"object\"'"
	}
	return strictFaultIn(root)
}

func strictFaultIn(schema map[string]any) string {
	for keyword, value := range schema {
		switch keyword {
		case "type", "description", "enum", "$ref", "required", "additionalProperties", "format":
		case "properties", "$defs", "definitions":
			members, _ := value.(map[string]any)
			for name, member := range members {
				inner, ok := member.(map[string]any)
				if !ok {
					return name + " is no schema"
				}
				if fault := strictFaultIn(inner); fault != "" {
					return fault
				}
			}
		case "items":
			inner, _ := value.(map[string]any)
			if fault := strictFaultIn(inner); fault != "" {
				return fault
			}
		case "anyOf":
			list, _ := value.([]any)
			for _, item := range list {
				inner, _ := item.(map[string]any)
				if fault := strictFaultIn(inner); fault != "" {
					return fault
				}
			}
		default:
			return "'" + keyword + "' is not permitted"
		}
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		required, _ := schema["required"].([]any)
		if schema["additionalProperties"] != false || len(required) != len(properties) {
			return "'additionalProperties' is required to be supplied and to be false, and 'required' to include every key in properties"
		}
	}
	if schema["type"] == nil && schema["anyOf"] == nil && schema["$ref"] == nil && schema["enum"] == nil {
		return "schema must have a 'type' key"
	}
	return ""
}
