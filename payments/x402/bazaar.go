package x402

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// ExtensionBazaar names the extension that tells catalogs how to call a paid resource (bazaar extension of the version 2
// specification).
const ExtensionBazaar = "bazaar"

const (
	// ChallengeBytesMax is how long a PAYMENT-REQUIRED header with bazaar data may be. A proxy in front may accept no
	// more than 4 KiB for all headers of a response (nginx by default), and stock clients send the extensions back with
	// their payment, which is read up to [HeaderBytesMax].
	ChallengeBytesMax = 3 << 10
	// outputSchemaBytesMax is the limit for version 1, which repeats the data for each network. A challenge leaves out what does
	// not fit: see [ChallengeV1.Encode].
	outputSchemaBytesMax = 16 << 10
)

// Shape describes a part of a request, or a response.
type Shape struct {
	// Schema is a JSON Schema without references; nil if there is no such part.
	Schema json.RawMessage
	// Example fits the schema; nil if none is known.
	Example json.RawMessage
}

// Usage says how a route is called and what it returns.
type Usage struct {
	Method string
	// Template is the path as the client sends it, with variables in braces: "/x402/v1/reports/{id}". A final segment
	// `*` stands for any further segments.
	Template    string
	PathParams  Shape
	QueryParams Shape
	// BodyType is "json", "form-data", "text", or empty if there is no body.
	BodyType string
	Body     Shape
	// OutputType is the response's media type, empty if it is not known.
	OutputType string
	Output     Shape
}

// bazaar is the extension on the wire. Info is an example that fits Schema.
type bazaar struct {
	Info          bazaarInfo     `json:"info"`
	RouteTemplate string         `json:"routeTemplate,omitempty"`
	Schema        map[string]any `json:"schema"`
}

type bazaarInfo struct {
	Input  bazaarInput   `json:"input"`
	Output *bazaarOutput `json:"output,omitempty"`
}

type bazaarInput struct {
	Type        string          `json:"type"`
	Method      string          `json:"method"`
	PathParams  json.RawMessage `json:"pathParams,omitempty"`
	QueryParams json.RawMessage `json:"queryParams,omitempty"`
	BodyType    string          `json:"bodyType,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
}

type bazaarOutput struct {
	Type    string          `json:"type"`
	Format  string          `json:"format,omitempty"`
	Example json.RawMessage `json:"example,omitempty"`
}

var bazaarMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodDelete, http.MethodPost, http.MethodPut, http.MethodPatch,
}

func (u *Usage) takesBody() bool {
	return u.BodyType != "" && (u.Method == http.MethodPost || u.Method == http.MethodPut || u.Method == http.MethodPatch)
}

// Bazaar returns the extension in all its forms, the fullest first: complete, without the response, with terse schemas
// of the request, and without schemas. It returns nil for a method that the extension does not know. See [Offer.Bazaar].
func (u *Usage) Bazaar() []json.RawMessage {
	if !slices.Contains(bazaarMethods, u.Method) {
		return nil
	}
	input, output := u.input(), u.output()
	whole := bazaar{RouteTemplate: u.routeTemplate(), Info: bazaarInfo{Input: input, Output: output}, Schema: u.schema(output)}
	asked := bazaar{RouteTemplate: whole.RouteTemplate, Info: bazaarInfo{Input: input}, Schema: u.schema(nil)}
	brief := bazaar{RouteTemplate: whole.RouteTemplate, Info: asked.Info, Schema: schemaOf(map[string]any{
		"input": map[string]any{"type": "object"},
	})}
	all := []bazaar{whole, asked}
	for _, levels := range []int{8, 2, 1} {
		terse := asked
		terse.Schema = u.terse(levels).schema(nil)
		all = append(all, terse)
	}
	var forms []json.RawMessage
	for _, form := range append(all, brief) {
		raw, err := json.Marshal(form)
		if err != nil {
			return nil // a schema or example is not valid JSON: leave the extension out
		}
		if last := len(forms) - 1; last < 0 || len(raw) < len(forms[last]) {
			forms = append(forms, raw)
		}
	}
	return forms
}

func (u *Usage) input() bazaarInput {
	in := bazaarInput{Type: "http", Method: u.Method, PathParams: u.PathParams.Example, QueryParams: u.QueryParams.Example}
	if u.takesBody() {
		in.BodyType, in.Body = u.BodyType, u.Body.Example
	}
	return in
}

func (u *Usage) output() *bazaarOutput {
	if u.OutputType == "" {
		return nil
	}
	if u.OutputType == "application/json" || strings.HasSuffix(u.OutputType, "+json") {
		return &bazaarOutput{Type: "json", Example: u.Output.Example}
	}
	return &bazaarOutput{Type: "text", Format: u.OutputType, Example: u.Output.Example}
}

// schema is the JSON Schema that info must fit. A part without an example is described but not required.
func (u *Usage) schema(output *bazaarOutput) map[string]any {
	properties := map[string]any{
		"type":   map[string]any{"type": "string", "const": "http"},
		"method": map[string]any{"type": "string", "enum": []string{u.Method}},
	}
	required := []string{"type", "method"}
	part := func(name string, shape Shape) {
		if shape.Schema == nil {
			return
		}
		properties[name] = shape.Schema
		if shape.Example != nil {
			required = append(required, name)
		}
	}
	part("pathParams", u.PathParams)
	part("queryParams", u.QueryParams)
	if u.takesBody() {
		properties["bodyType"] = map[string]any{"type": "string", "enum": []string{u.BodyType}}
		required = append(required, "bodyType")
		part("body", u.Body)
	}
	parts := map[string]any{"input": map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}}
	if output != nil {
		answer := map[string]any{"type": map[string]any{"type": "string"}, "format": map[string]any{"type": "string"}}
		if u.Output.Schema != nil {
			answer["example"] = u.Output.Schema
		}
		parts["output"] = map[string]any{"type": "object", "properties": answer, "required": []string{"type"}}
	}
	return schemaOf(parts)
}

// terse returns the usage with schemas cut to the names and types of the given number of levels of members.
func (u *Usage) terse(levels int) *Usage {
	short := *u
	for _, s := range []*Shape{&short.PathParams, &short.QueryParams, &short.Body} {
		var schema any
		if s.Schema == nil || json.Unmarshal(s.Schema, &schema) != nil {
			continue
		}
		if shortened, err := json.Marshal(terseSchema(schema, levels)); err == nil {
			s.Schema = shortened
		}
	}
	return &short
}

// terseSchema drops keywords. This only widens a schema: what fitted it still does.
func terseSchema(schema any, levels int) any {
	words, isObject := schema.(map[string]any)
	if !isObject {
		return map[string]any{}
	}
	short := map[string]any{}
	for _, word := range []string{"type", "required", "enum"} {
		if value, isThere := words[word]; isThere && (word != "required" || levels > 0) {
			short[word] = value
		}
	}
	if items, isThere := words["items"]; isThere {
		short["items"] = terseSchema(items, levels)
	}
	members, isThere := words["properties"].(map[string]any)
	if !isThere || levels == 0 {
		return short
	}
	properties := make(map[string]any, len(members))
	for name, member := range members {
		properties[name] = terseSchema(member, levels-1)
	}
	short["properties"] = properties
	return short
}

func schemaOf(properties map[string]any) map[string]any {
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
		"properties": properties, "required": []string{"input"},
	}
}

var (
	templateVariable = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	// Catalogs accept only these.
	routeTemplateShape = regexp.MustCompile(`^/[a-zA-Z0-9_/:.\-~]+$`)
)

// routeTemplate writes variables with colons, as catalogs do. It is empty for a path without variables, and where a
// variable cannot be told from the text around it.
func (u *Usage) routeTemplate() string {
	if !strings.Contains(u.Template, "{") || strings.Contains(u.Template, ":") {
		return ""
	}
	written := templateVariable.ReplaceAllString(u.Template, ":$1")
	if !routeTemplateShape.MatchString(written) || strings.Contains(written, "..") {
		return ""
	}
	return written
}

// OutputSchema returns the same description for version 1, which lists the members of a request one by one. It returns
// nil for a method that catalogs do not know, or if the description is too long.
func (u *Usage) OutputSchema() json.RawMessage {
	if !slices.Contains(bazaarMethods, u.Method) {
		return nil
	}
	input := map[string]any{"type": "http", "method": u.Method, "discoverable": true}
	if fields := fieldsOf(u.QueryParams.Schema); len(fields) > 0 {
		input["queryParams"] = fields
	}
	if fields := fieldsOf(u.PathParams.Schema); len(fields) > 0 {
		input["pathParams"] = fields
	}
	if u.takesBody() {
		input["bodyType"] = u.BodyType
		if fields := fieldsOf(u.Body.Schema); len(fields) > 0 {
			input["bodyFields"] = fields
		}
	}
	described := map[string]any{"input": input}
	if u.Output.Schema != nil {
		described["output"] = u.Output.Schema
	}
	raw, err := json.Marshal(described)
	if err == nil && len(raw) > outputSchemaBytesMax {
		delete(described, "output")
		raw, err = json.Marshal(described)
	}
	if err != nil || len(raw) > outputSchemaBytesMax {
		return nil
	}
	return raw
}

// fieldsOf returns the members of an object's schema in the form of version 1: each with one type and its own `required`.
func fieldsOf(schema json.RawMessage) map[string]any {
	var from struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &from) != nil {
		return nil
	}
	fields := make(map[string]any, len(from.Properties))
	for name, raw := range from.Properties {
		field := map[string]any{}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if dec.Decode(&field) != nil || field == nil {
			field = map[string]any{} // the schema `true`: any value
		}
		if types, isList := field["type"].([]any); isList && len(types) > 0 {
			field["type"] = types[0]
		}
		if _, isObject := field["required"]; !isObject {
			field["required"] = slices.Contains(from.Required, name)
		}
		fields[name] = field
	}
	return fields
}

// Header encodes the challenge with the first of the bazaar forms that fits, or with none.
func (c ChallengeV2) Header(forms []json.RawMessage) (string, error) {
	own := c.Extensions
	for _, form := range forms {
		// The terms of even one network take more than this.
		const termsBytesMin = 300
		if len(form)+termsBytesMin > ChallengeBytesMax/4*3 {
			continue
		}
		c.Extensions = make(map[string]json.RawMessage, len(own)+1)
		maps.Copy(c.Extensions, own)
		c.Extensions[ExtensionBazaar] = form
		header, err := EncodeHeader(c)
		if err != nil || len(header) <= ChallengeBytesMax {
			return header, err
		}
	}
	c.Extensions = own
	return EncodeHeader(c)
}
