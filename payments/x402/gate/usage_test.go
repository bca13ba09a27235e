package gate

import (
	"encoding/json"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func shape(schema, example string) x402.Shape {
	return x402.Shape{Schema: raw(schema), Example: raw(example)}
}

// reportUsage describes a request with every field set.
func reportUsage() *x402.Usage {
	return &x402.Usage{
		Method: "POST", Template: "/reports/{id}/notes",
		PathParams:  shape(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, `{"id":"7"}`),
		QueryParams: shape(`{"type":"object","properties":{"deep":{"type":["boolean","null"]}}}`, `{}`),
		BodyType:    "json",
		Body:        shape(`{"type":"object","properties":{"text":{"type":"string"},"at":{"type":"object","required":["x"]},"any":true},"required":["text","at"]}`, `{"text":"a","at":{"x":1}}`),
		OutputType:  "application/json",
		Output:      shape(`{"type":"object","properties":{"ok":{"type":"boolean"}}}`, `{"ok":true}`),
	}
}
