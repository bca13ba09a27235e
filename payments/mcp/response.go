package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// receiptKey is the member of a result's `_meta` that says how a payment was settled, by x402's binding for MCP.
const receiptKey = "x402/payment-response"

// codePaymentRequired is the code of an unpaid request that has no tool result. The first version of x402's binding has it.
const codePaymentRequired = 402

type kind int

const (
	kindOther    kind = iota // a notification, or something that is no message
	kindRequest              // of the server
	kindProgress             // a notification about the progress of the call
	kindResponse             // to the call
)

// classify says what a message of the server is, and whether it is a response that is worth nothing: an error, a result
// that says so, or one that asks for more before there is a result.
func (m *Message) classify(text []byte) (is kind, failed bool) {
	if !json.Valid(text) || !edgewire.IsObject(text) {
		return kindOther, false
	}
	var method, id, result, failure []byte
	for name, value := range edgewire.Members(text) {
		switch name {
		case "method":
			method = value
		case "id":
			id = value
		case "result":
			result = value
		case "error":
			failure = value
		}
	}
	name, _ := edgewire.Text(method)
	switch {
	case method != nil && id != nil:
		return kindRequest, false
	case name == "notifications/progress":
		return kindProgress, false
	case method != nil || result == nil && failure == nil:
		return kindOther, false
	case failure != nil:
		return kindResponse, true
	case !sameID(id, m.ID):
		return kindOther, false
	}
	for name, value := range edgewire.Members(result) {
		switch name {
		case "isError":
			failed = failed || string(value) == "true"
		case "resultType":
			kind, _ := edgewire.Text(value)
			failed = failed || kind == "input_required" || kind == "payment_required"
		}
	}
	return kindResponse, failed
}

func sameID(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	textA, okA := edgewire.Text(a)
	textB, okB := edgewire.Text(b)
	return okA && okB && textA == textB
}

// Answer returns a response to the message from one that may have been to another message for the same purchase. receipt
// is the JSON object that says how it was paid for, or nil.
func (m *Message) Answer(response []byte, receipt json.RawMessage) []byte {
	if !json.Valid(response) || !edgewire.IsObject(response) {
		return response
	}
	answer := set(response, "id", m.ID)
	if receipt == nil {
		return answer
	}
	for name, result := range edgewire.Members(answer) {
		if name == "result" && edgewire.IsObject(result) {
			return set(answer, "result", m.withReceipt(result, receipt))
		}
	}
	return answer
}

func (m *Message) withReceipt(result, receipt []byte) []byte {
	meta := []byte("{}")
	for name, value := range edgewire.Members(result) {
		if name == "_meta" && edgewire.IsObject(value) {
			meta = value
		}
	}
	return set(result, "_meta", set(meta, receiptKey, receipt))
}

// content is one part of a tool's result.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// toolResult is a result that says that the call failed.
type toolResult struct {
	ResultType string                     `json:"resultType"` // since version 2026-07-28
	Content    []content                  `json:"content"`
	Structured json.RawMessage            `json:"structuredContent,omitempty"`
	IsError    bool                       `json:"isError"`
	Meta       map[string]json.RawMessage `json:"_meta,omitempty"`
}

// Refuse returns the response that says why a request was not served: a tool's result, or an error if no tool was called.
// It has no structured content, because clients compare that with the tool's schema, even of an error. receipt may be nil.
func (m *Message) Refuse(text string, receipt json.RawMessage) []byte {
	if !m.IsCall() {
		return errorResponse(m.ID, CodeInternal, text, nil)
	}
	return m.result(toolResult{Content: []content{{"text", text}}}, receipt)
}

// RequirePayment returns the response that asks for a payment. required is x402's PaymentRequired, as JSON; text says the
// same to people. receipt is that of a payment that was not settled, or nil.
func (m *Message) RequirePayment(required json.RawMessage, text string, receipt json.RawMessage) []byte {
	if !m.IsCall() {
		return errorResponse(m.ID, codePaymentRequired, text, required)
	}
	parts := []content{{"text", string(required)}}
	if text != "" {
		parts = append(parts, content{"text", text})
	}
	return m.result(toolResult{Content: parts, Structured: required}, receipt)
}

func (m *Message) result(result toolResult, receipt json.RawMessage) []byte {
	result.ResultType, result.IsError = "complete", true
	if receipt != nil {
		result.Meta = map[string]json.RawMessage{receiptKey: receipt}
	}
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  toolResult      `json:"result"`
	}{"2.0", m.ID, result})
}

func errorResponse(id json.RawMessage, code int, message string, data json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	type failure struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{code, message, data}})
}

// encode encodes a response. Its parts are valid JSON, so it cannot fail.
func encode(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return bytes.TrimRight(out.Bytes(), "\n")
}
