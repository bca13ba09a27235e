package openapi

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/clip"
)

// Kinds of request bodies.
const (
	BodyJSON = "json"
	BodyForm = "form-data"
	BodyText = "text"
)

// Shape describes a value.
type Shape struct {
	// Schema is a JSON Schema without references, nil if there is no such value.
	Schema json.RawMessage
	// Example fits the schema; nil if none is known.
	Example json.RawMessage
}

// Operation describes a request and its response.
type Operation struct {
	Route

	Summary     string
	Description string
	// Path and Query are objects with a member for each parameter.
	Path  Shape
	Query Shape
	// BodyType is BodyJSON, BodyForm, BodyText, or empty if there is no body.
	BodyType     string
	BodyRequired bool
	Body         Shape
	// AnswerType is the media type of a successful response, empty if there is none.
	AnswerType string
	Answer     Shape
}

// Describe returns an operation. Its time is proportional to the size of the result, which is bounded.
func (d *Document) Describe(route Route) (Operation, bool) {
	op := Operation{Route: route}
	item := d.deref(object(d.root["paths"])[route.Path])
	found := object(item[strings.ToLower(route.Method)])
	if found == nil {
		return op, false
	}
	op.Summary = clip.Chars(text(found["summary"]), descriptionRunesMax)
	op.Description = clip.Chars(text(found["description"]), descriptionRunesMax)
	parameters := d.parameters(item, found)
	op.Path = d.shapeOf(parameters, "path")
	op.Query = d.shapeOf(parameters, "query")
	d.describeBody(&op, found)
	d.describeAnswer(&op, found)
	return op, true
}

type parameter struct{ in, name string }

// parameters returns an operation's own parameters and those of its path.
func (d *Document) parameters(item, operation map[string]any) map[parameter]map[string]any {
	all := map[parameter]map[string]any{}
	for _, list := range []any{item["parameters"], operation["parameters"]} {
		entries, _ := list.([]any)
		for _, entry := range entries[:min(len(entries), parametersMax)] {
			p := d.deref(entry)
			if name := text(p["name"]); name != "" {
				all[parameter{text(p["in"]), name}] = p
			}
		}
	}
	return all
}

const parametersMax = 100

// shapeOf combines the parameters of one place (path or query) into one object.
func (d *Document) shapeOf(all map[parameter]map[string]any, in string) Shape {
	writer := d.newWriter()
	properties, example := map[string]any{}, map[string]any{}
	var required []any
	for _, key := range sortedParameters(all) {
		if key.in != in || isReserved(key.name) {
			continue
		}
		p := all[key]
		schema := p["schema"]
		if schema == nil {
			_, media := pickMedia(p["content"])
			schema = media["schema"]
		}
		written := writer.schema(schema, 1)
		if words, isObject := written.(map[string]any); isObject && words["description"] == nil && text(p["description"]) != "" {
			words["description"] = clip.Chars(text(p["description"]), descriptionRunesMax)
		}
		properties[key.name] = written
		isRequired := in == "path" || p["required"] == true
		if isRequired {
			required = append(required, key.name)
		}
		given, isGiven := exampleOf(p)
		value, ok := fitting(written, given, isGiven)
		if ok && (isRequired || isGiven) {
			example[key.name] = value
		}
	}
	if len(properties) == 0 {
		return Shape{}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return makeShape(schema, example, true)
}

func sortedParameters(all map[parameter]map[string]any) []parameter {
	keys := make([]parameter, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b parameter) int { return cmp.Or(cmp.Compare(a.in, b.in), cmp.Compare(a.name, b.name)) })
	return keys
}

func (d *Document) describeBody(op *Operation, found map[string]any) {
	body := d.deref(found["requestBody"])
	mediaType, media := pickMedia(body["content"])
	if media == nil {
		return
	}
	op.BodyRequired = body["required"] == true
	switch {
	case isJSON(mediaType):
		op.BodyType = BodyJSON
	case mediaType == "multipart/form-data" || mediaType == "application/x-www-form-urlencoded":
		op.BodyType = BodyForm
	default:
		op.BodyType = BodyText
	}
	op.Body = d.shape(media)
}

// describeAnswer takes the first successful response that describes its content.
func (d *Document) describeAnswer(op *Operation, found map[string]any) {
	responses := object(found["responses"])
	for _, status := range []string{"200", "201", "202", "203", "2XX", "default"} {
		mediaType, media := pickMedia(d.deref(responses[status])["content"])
		if media != nil {
			op.AnswerType, op.Answer = mediaType, d.shape(media)
			return
		}
	}
}

func (d *Document) shape(media map[string]any) Shape {
	schema := d.newWriter().schema(media["schema"], 0)
	given, isGiven := exampleOf(media)
	value, ok := fitting(schema, given, isGiven)
	return makeShape(schema, value, ok)
}

// makeShape encodes schema and example. It omits an example that may not fit.
func makeShape(schema, example any, hasExample bool) Shape {
	var s Shape
	var err error
	if s.Schema, err = json.Marshal(schema); err != nil {
		return Shape{Schema: json.RawMessage("{}")}
	}
	if !hasExample || !fits(schema, example, 0) {
		return s
	}
	if s.Example, err = json.Marshal(example); err != nil || len(s.Example) > exampleBytesMax {
		s.Example = nil
	}
	return s
}

// exampleOf returns the example that a parameter or media type gives.
func exampleOf(of map[string]any) (any, bool) {
	if value, isThere := of["example"]; isThere {
		return value, true
	}
	named := object(of["examples"])
	for _, name := range sortedKeys(named) {
		if value, isThere := object(named[name])["value"]; isThere {
			return value, true
		}
	}
	return nil, false
}

// pickMedia returns the most informative media type: JSON before forms before others.
func pickMedia(content any) (string, map[string]any) {
	all := object(content)
	best, rank := "", -1
	for _, name := range sortedKeys(all) {
		mediaType, _, _ := strings.Cut(strings.ToLower(name), ";")
		mediaType = strings.TrimSpace(mediaType)
		at := 0
		switch {
		case mediaType == "application/json":
			at = 3
		case isJSON(mediaType):
			at = 2
		case strings.Contains(mediaType, "form"):
			at = 1
		}
		if _, isObject := all[name].(map[string]any); isObject && at > rank && len(mediaType) <= 100 {
			best, rank = name, at
		}
	}
	if rank < 0 {
		return "", nil
	}
	mediaType, _, _ := strings.Cut(strings.ToLower(best), ";")
	return strings.TrimSpace(mediaType), object(all[best])
}

func isJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
