package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// MethodCall is the method that calls a tool. No other runs anything that is sold: the others open and end sessions, and
// read what tools have made.
const MethodCall = "tools/call"

// paymentKey is the member of `_meta` that pays for a call, by x402's binding for MCP.
const paymentKey = "x402/payment"

// Message is a message of a client: a request, a notification, or a response to a request of the server.
type Message struct {
	// Method is empty in a response.
	Method string
	// ID is a request's id as it is written; nil in anything else.
	ID json.RawMessage
	// Name is the tool or prompt that a request names, or the URI of its resource.
	Name string
	// Payment is the value that pays for the request; nil if there is none.
	Payment json.RawMessage
	// Text is the message as the server gets it: without the payment.
	Text []byte

	params []byte
}

// IsRequest reports whether the client expects a response.
func (m *Message) IsRequest() bool { return m.ID != nil }

// IsCall reports whether the message calls a tool.
func (m *Message) IsCall() bool { return m != nil && m.Method == MethodCall }

// Purchase is what a payment for the message buys: everything but the id and `_meta`, which differ when a client repeats
// the call.
func (m *Message) Purchase() []byte {
	text := append([]byte(nil), m.Method...)
	text = append(text, 0)
	return append(text, set(m.params, "_meta", nil)...)
}

// Read reads the message of an HTTP request. Its error is an *[Error], or that of [edgewire.CheckJSON].
func Read(body *edgewire.Body, header http.Header) (*Message, error) {
	if err := body.Check(); err != nil {
		return nil, err
	}
	text := body.Text()
	switch {
	case edgewire.IsList(text):
		return nil, invalid(nil, in(), "a batch of messages is not accepted: send each message in a request of its own")
	case !edgewire.IsObject(text):
		return nil, invalid(nil, in(), "the body is not a message: want a JSON object")
	}
	m := &Message{Text: text}
	if err := m.read(text); err != nil {
		return nil, err
	}
	return m, m.checkHeader(header)
}

// read reads the members of the message.
func (m *Message) read(text []byte) error {
	members, err := exact(in(), text, "jsonrpc", "id", "method", "params", "result", "error")
	if err != nil {
		return err
	}
	if version, _ := edgewire.Text(members["jsonrpc"]); version != "2.0" {
		return invalid(nil, in("jsonrpc"), `want "2.0"`)
	}
	id := members["id"]
	if id != nil && !isID(id) {
		return invalid(nil, in("id"), "want a string or an integer")
	}
	isResponse := members["result"] != nil || members["error"] != nil
	if members["method"] == nil {
		if !isResponse || id == nil {
			return invalid(id, in(), "the message has no method: want a request, a notification, or a response with an id")
		}
		return nil
	}
	var ok bool
	if m.Method, ok = edgewire.Text(members["method"]); !ok || m.Method == "" {
		return invalid(id, in("method"), "want a name")
	}
	if isResponse {
		return invalid(id, in(), "the message has a method and a result: want one of them")
	}
	if m.ID = id; id == nil && !strings.HasPrefix(m.Method, "notifications/") {
		return invalid(nil, in(), "the request %s has no id", quoted(m.Method))
	}
	return m.readParams(members["params"])
}

func (m *Message) readParams(params []byte) error {
	if m.params = []byte("{}"); params == nil {
		if m.IsCall() {
			return m.refuse(CodeInvalidParams, inName, "is missing: want the name of a tool")
		}
		return nil
	}
	if !edgewire.IsObject(params) {
		return m.refuse(CodeInvalidParams, in("params"), "want a JSON object")
	}
	m.params = params
	members, err := exact(in("params"), params, "name", "uri", "arguments", "_meta")
	if err != nil {
		err.ID = m.ID
		return err
	}
	m.Name, _ = edgewire.Text(members[m.nameMember()])
	if m.IsCall() && m.Name == "" {
		return m.refuse(CodeInvalidParams, inName, "is missing: want the name of a tool")
	}
	meta := members["_meta"]
	if meta == nil || !edgewire.IsObject(meta) {
		return nil
	}
	for name, value := range edgewire.Members(meta) {
		if name == paymentKey {
			m.Payment = value
		}
	}
	if m.Payment == nil {
		return nil
	}
	if isNull(m.Payment) {
		m.Payment = nil
	}
	m.params = set(params, "_meta", set(meta, paymentKey, nil))
	m.Text = set(m.Text, "params", m.params)
	return nil
}

// nameMember is the parameter that Mcp-Name repeats.
func (m *Message) nameMember() string {
	if m.Method == "resources/read" {
		return "uri"
	}
	return "name"
}

// The headers with which clients since version 2026-07-28 say what the body has.
const (
	headerMethod = "Mcp-Method"
	headerName   = "Mcp-Name"
)

// checkHeader refuses headers that differ from the body. A server, or something on the way to it, might go by the headers.
func (m *Message) checkHeader(header http.Header) error {
	for name, want := range map[string]string{headerMethod: m.Method, headerName: m.Name} {
		values := header.Values(name)
		if len(values) == 0 {
			continue
		}
		if got, ok := headerText(values[0]); len(values) > 1 || !ok || got != want {
			return m.refuse(CodeHeaderMismatch, []any{"header", name}, "is %s, but the body has %s", quoted(strings.Join(values, ", ")), quoted(want))
		}
	}
	return nil
}

// headerText decodes a header's value: text with other characters than visible ASCII is in base64.
func headerText(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	if encoded, ok = strings.CutSuffix(encoded, "?="); !ok {
		return "", false
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	return string(text), err == nil
}

// exact returns the named members of the object at a place. A member whose name differs from one of them only in case is an error:
// some readers would take it for that one.
func exact(at []any, object []byte, names ...string) (map[string][]byte, *Error) {
	members := make(map[string][]byte, len(names))
	for name, value := range edgewire.Members(object) {
		for _, want := range names {
			switch {
			case name == want:
				members[want] = value
			case strings.EqualFold(name, want):
				return nil, invalid(nil, append(at, name), "must be written %s", quoted(want))
			}
		}
	}
	return members, nil
}

// isID reports whether a value is the id of a request: a string or an integer.
func isID(value []byte) bool {
	return value[0] == '"' || len(bytes.Trim(value, "-0123456789")) == 0
}

func isNull(value []byte) bool { return string(value) == "null" }

// set returns an object with another value of a member, or without the member if the value is nil. The others keep their
// text and their order.
func set(object []byte, name string, value []byte) []byte {
	out := make([]byte, 0, len(object)+len(name)+len(value)+8)
	out = append(out, '{')
	add := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(name) // a string cannot fail
		out = append(append(append(out, quoted...), ':'), value...)
	}
	for other, text := range edgewire.Members(object) {
		if other != name {
			add(other, text)
		}
	}
	if value != nil {
		add(name, value)
	}
	return append(out, '}')
}
