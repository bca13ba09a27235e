package mcp

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text       string
		method, id, tool string
		payment, sent    string // sent is what the server gets, if it differs
	}{
		{name: "a call", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, method: "tools/call", id: "1", tool: "a"},
		{name: "an escaped name", text: `{"jsonrpc":"2.0","id":"1","method":"tools\/call","params":{"name":"\u0061"}}`, method: "tools/call", id: `"1"`, tool: "a"},
		{name: "a notification", text: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, method: "notifications/cancelled"},
		{name: "a response", text: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{name: "an error", text: `{"jsonrpc":"2.0","id":1,"error":{}}`},
		{name: "a resource", text: `{"jsonrpc":"2.0","id":-1,"method":"resources/read","params":{"uri":"a:b"}}`, method: "resources/read", id: "-1", tool: "a:b"},
		{name: "no params", text: ` {"jsonrpc":"2.0","id":0,"method":"ping"} `, method: "ping", id: "0"},
		{name: "other members", text: `{"jsonrpc":"2.0","id":0,"method":"ping","extra":1}`, method: "ping", id: "0"},
		{
			name:   "a payment",
			text:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a", "_meta": {"x":1, "x402/payment":{"b":[1]}},"arguments":{}}}`,
			method: "tools/call", id: "1", tool: "a", payment: `{"b":[1]}`,
			sent: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{},"_meta":{"x":1}}}`,
		},
		{
			name: "no payment", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"x402/payment":null}}}`,
			method: "tools/call", id: "1", tool: "a",
			sent: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := Read(edgewire.NewBody([]byte(tt.text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.sent == "" {
				tt.sent = tt.text
			}
			if m.Method != tt.method || string(m.ID) != tt.id || m.Name != tt.tool || string(m.Payment) != tt.payment || string(m.Text) != tt.sent {
				t.Errorf("got method %q, id %s, name %q, payment %s, text %s", m.Method, m.ID, m.Name, m.Payment, m.Text)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	for _, tt := range []struct {
		name, text string
		header     http.Header
		code       int
		id, says   string
	}{
		{"a batch", "[" + call + "]", nil, CodeInvalidRequest, "", "batch"},
		{"no object", `"text"`, nil, CodeInvalidRequest, "", "JSON object"},
		{"no version", `{"id":1,"method":"ping"}`, nil, CodeInvalidRequest, "", "jsonrpc"},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, CodeInvalidRequest, "", "id"},
		{"an id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, CodeInvalidRequest, "", "id"},
		{"nothing", `{"jsonrpc":"2.0","id":1}`, nil, CodeInvalidRequest, "1", "no method"},
		{"two kinds at once", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, nil, CodeInvalidRequest, "1", "a method and a result"},
		{"a method that is no text", `{"jsonrpc":"2.0","id":1,"method":1}`, nil, CodeInvalidRequest, "1", "method"},
		{"a request without an id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}`, nil, CodeInvalidRequest, "", "has no id"},
		{"a method in another case", `{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call"}`, nil, CodeInvalidRequest, "", ""},
		{"only a method in another case", `{"jsonrpc":"2.0","id":1,"Method":"tools/call"}`, nil, CodeInvalidRequest, "", "must be written"},
		{"a name in another case", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"a"}}`, nil, CodeInvalidRequest, "1", "must be written"},
		{"params that are a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, nil, CodeInvalidParams, "1", "params"},
		{"a name that is no text", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, nil, CodeInvalidParams, "1", "params.name"},
		{"another name in the header", call, http.Header{"Mcp-Name": {"b"}}, CodeHeaderMismatch, "1", `Mcp-Name: is "b", but the body has "a"`},
		{"two names in the header", call, http.Header{"Mcp-Name": {"a", "a"}}, CodeHeaderMismatch, "1", "Mcp-Name"},
		{"a name in base64 that is none", call, http.Header{"Mcp-Name": {"=?base64?YQ"}}, CodeHeaderMismatch, "1", "Mcp-Name"},
		{"another method in the header", call, http.Header{"Mcp-Method": {"ping"}}, CodeHeaderMismatch, "1", "Mcp-Method"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(edgewire.NewBody([]byte(tt.text)), tt.header)
			if _, twice := errors.AsType[*edgewire.JSONError](err); twice && tt.says == "" {
				return
			}
			refused, ok := errors.AsType[*Error](err)
			if !ok || refused.Code != tt.code || string(refused.ID) != tt.id || !strings.Contains(refused.Error(), tt.says) {
				t.Errorf("got %+v, want code %d, id %s, and a message about %q", err, tt.code, tt.id, tt.says)
			}
		})
	}
	for _, header := range []http.Header{{"Mcp-Name": {"a"}, "Mcp-Method": {"tools/call"}}, {"Mcp-Name": {"=?base64?YQ==?="}}} {
		if _, err := Read(edgewire.NewBody([]byte(call)), header); err != nil {
			t.Errorf("%v: got %v", header, err)
		}
	}
}

// A purchase is the same under another id and with other metadata, and differs with anything else.
func TestPurchase(t *testing.T) {
	t.Parallel()
	purchase := func(text string) string {
		m, err := Read(edgewire.NewBody([]byte(text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(m.Purchase())
	}
	const one = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":1}}}`
	want := purchase(one)
	for text, same := range map[string]bool{
		`{"jsonrpc":"2.0","id":"2","method":"tools/call","params":{"name":"a","_meta":{"x402/payment":{}},"arguments":{"b":1}}}`: true,
		strings.Replace(one, `"a"`, `"c"`, 1):                           false,
		strings.Replace(one, `1}`, `2}`, 1):                             false,
		strings.Replace(one, `tools/call`, `prompts/get`, 1):            false,
		strings.Replace(one, `"arguments"`, `"task":{},"arguments"`, 1): false,
	} {
		if got := purchase(text); (got == want) != same {
			t.Errorf("%s: got %q, want the same as %q: %t", text, got, want, same)
		}
	}
}

// FuzzRead checks that a message that was read is read alike by the server, which gets it without the payment.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"x402/payment":{"b":1},"c":[]},"arguments":{}}}`,
		`{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","method":"notifications/x","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\u0000"}}`, `[]`, `{}`, ``,
	} {
		f.Add([]byte(text), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		m, err := Read(edgewire.NewBody(text), http.Header{headerName: {name}})
		if err != nil {
			return
		}
		again, err := Read(edgewire.NewBody(m.Text), nil)
		if err != nil {
			t.Fatalf("the server cannot read %s: %v", m.Text, err)
		}
		if again.Method != m.Method || string(again.ID) != string(m.ID) || again.Name != m.Name || again.Payment != nil ||
			string(again.Purchase()) != string(m.Purchase()) {
			t.Errorf("got %+v, the server gets %+v", m, again)
		}
	})
}
