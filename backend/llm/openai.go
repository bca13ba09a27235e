package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// form is how a server is made to reply with JSON, from the strictest. A form that the server refuses is remembered: New
// makes one server for one model.
type form int32

const (
	formSchema form = iota
	// formSecond is any JSON object with OpenAI, and a forced tool call with Anthropic.
	formSecond
	formText
)

// capabilities records what a server can do.
type capabilities struct{ form atomic.Int32 }

// first is the form to try first.
func (c *capabilities) first(prompt Prompt, hasSchema bool) form {
	switch {
	case len(prompt.Schema) == 0 && !prompt.JSON:
		return formText
	case !hasSchema:
		return max(formSecond, form(c.form.Load()))
	}
	return form(c.form.Load())
}

// learn records that the server does not support a form.
func (c *capabilities) learn(refused form) {
	for {
		known := c.form.Load()
		if known > int32(refused) || c.form.CompareAndSwap(known, int32(refused)+1) {
			return
		}
	}
}

// complainsOf reports whether a server refused a request and named one of the words.
func complainsOf(err error, words ...string) bool {
	var failure *Error
	var said *apiError
	if !errors.As(err, &failure) || failure.Reason != ReasonRefused || !errors.As(failure.Err, &said) {
		return false
	}
	if failure.Status != http.StatusBadRequest && failure.Status != http.StatusUnprocessableEntity {
		return false
	}
	text := said.text()
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// refusesSchema reports whether the server refuses this schema rather than all.
func refusesSchema(err error) bool {
	return complainsOf(err, "invalid schema", "too complex", "compiled grammar", "recursive", "unsupported schema", "schema is invalid")
}

// openAI is a client of chat completions.
type openAI struct {
	*server
	capabilities
	model     string
	maxTokens int
	prices    Prices
	// completionTokens is set if the server calls the token limit max_completion_tokens, like newer models of OpenAI;
	// others call it max_tokens.
	completionTokens atomic.Bool
	// noUsage is set if a stream cannot end with its token count, noStream if the server cannot stream.
	noUsage, noStream atomic.Bool
}

func newOpenAI(c Config) *openAI {
	if c.URL == "" {
		c.URL = openAIURL
	}
	header := http.Header{}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	o := &openAI{server: newServer(c, c.URL+"/chat/completions", header), model: c.Model, maxTokens: c.MaxTokens, prices: c.Prices}
	o.completionTokens.Store(c.URL == openAIURL)
	return o
}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *openAIFormat   `json:"response_format,omitempty"`
}

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openAIFormat struct {
	Type       string            `json:"type"`
	JSONSchema *openAIJSONSchema `json:"json_schema,omitempty"`
}

type openAIJSONSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type openAIReply struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// Complete implements Model.
func (o *openAI) Complete(ctx context.Context, prompt Prompt) (Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	schema, hasSchema := strict(prompt.Schema)
	how := o.first(prompt, hasSchema)
	renamed := false
	for {
		reply, err := o.ask(ctx, prompt, schema, how)
		if !renamed && complainsOf(err, "max_tokens", "max_completion_tokens") {
			o.completionTokens.Store(!o.completionTokens.Load())
			renamed = true
			continue
		}
		if how == formText || !refusesSchema(err) && !complainsOf(err, "response_format", "json_schema", "json_object") {
			return reply, err
		}
		if !refusesSchema(err) {
			o.learn(how)
		}
		how++
	}
}

func (o *openAI) ask(ctx context.Context, prompt Prompt, schema json.RawMessage, how form) (Reply, error) {
	request := openAIRequest{Model: o.model}
	if prompt.System != "" {
		request.Messages = append(request.Messages, openAIMessage{"system", prompt.System})
	}
	request.Messages = append(request.Messages, openAIMessage{"user", prompt.User})
	tokens := prompt.MaxTokens
	if tokens == 0 {
		tokens = o.maxTokens
	}
	if o.completionTokens.Load() {
		request.MaxCompletionTokens = tokens
	} else {
		request.MaxTokens = tokens
	}
	switch how {
	case formSchema:
		request.ResponseFormat = &openAIFormat{"json_schema", &openAIJSONSchema{Name: "answer", Strict: true, Schema: schema}}
	case formSecond:
		request.ResponseFormat = &openAIFormat{Type: "json_object"}
	case formText:
	}
	var answer openAIReply
	if err := o.post(ctx, request, &answer); err != nil {
		return Reply{}, err
	}
	return o.read(answer)
}

// read takes the text from a response. An unusable response still counts its tokens.
func (o *openAI) read(answer openAIReply) (Reply, error) {
	reply := Reply{Usage: Usage{Input: answer.Usage.PromptTokens, Output: answer.Usage.CompletionTokens}, Model: answer.Model}
	if reply.Model == "" {
		reply.Model = o.model
	}
	reply.Cost = o.prices.Of(reply.Usage)
	if len(answer.Choices) == 0 {
		return reply, &Error{Reason: ReasonUnavailable, Status: http.StatusOK, Message: "the response has no choices"}
	}
	choice := answer.Choices[0]
	reply.Text = choice.Message.Content
	switch {
	case choice.Message.Refusal != "", choice.FinishReason == "content_filter":
		return reply, filtered()
	case choice.FinishReason == "length":
		return reply, cut()
	}
	return reply, nil
}

func filtered() *Error {
	return &Error{Reason: ReasonContentFiltered, Status: http.StatusOK, Message: "the model refused to answer"}
}

func cut() *Error {
	return &Error{Reason: ReasonTooLong, Status: http.StatusOK, Message: "the reply was cut off at its token limit"}
}
