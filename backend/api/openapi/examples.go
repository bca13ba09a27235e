package openapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const (
	exampleUnix = 1767225600
	exampleTime = "2026-01-01T00:00:00Z"
	// exampleDepthMax ends examples of schemas that contain themselves.
	exampleDepthMax = 16
)

// exampleID returns an id with the prefix of its resource.
func exampleID(prefix string) string { return prefix + "_7w3v1m9x0q2k5t8c4n6d0f2h" }

// addExamples gives the parameters, the body and the response of an operation an example, unless they have one.
func (c *completer) addExamples(op *huma.Operation) {
	for _, p := range op.Parameters {
		if p.In == "path" && p.Example == nil && len(p.Schema.Examples) == 0 {
			p.Example = c.example(p.Schema, p.Name, "", true, 0)
		}
	}
	if hasBody(op) {
		for _, media := range op.RequestBody.Content {
			if media.Example == nil {
				media.Example = c.example(media.Schema, "", "", false, 0)
			}
		}
	}
	for code, response := range op.Responses {
		if code >= "400" {
			continue
		}
		for kind, media := range response.Content {
			switch {
			case media.Example != nil:
			case kind == "application/json" || kind == "text/event-stream":
				media.Example = c.example(media.Schema, "", "", true, 0)
			case kind == "text/markdown":
				media.Example = "# Example Domain\n\nThis domain is for use in documentation examples.\n"
			}
		}
	}
}

// example makes a value of a schema. object is that of the object which has the value as its field name. A whole value
// has all fields; otherwise it has the required ones, and those whose schemas have an example.
func (c *completer) example(s *huma.Schema, name, object string, whole bool, depth int) any {
	if s == nil || depth > exampleDepthMax {
		return nil
	}
	if len(s.Examples) > 0 {
		return s.Examples[0]
	}
	if constant, ok := s.Extensions["const"]; ok {
		return constant
	}
	if s.Nullable {
		return nil
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	if s.Ref != "" {
		return c.example(c.schemas.SchemaFromRef(s.Ref), name, object, whole, depth+1)
	}
	for _, forms := range [][]*huma.Schema{s.OneOf, s.AnyOf} {
		if len(forms) > 0 {
			return c.example(forms[0], name, object, whole, depth+1)
		}
	}
	switch s.Type {
	case huma.TypeObject:
		return c.exampleObject(s, whole, depth)
	case huma.TypeArray:
		return []any{c.example(s.Items, name, object, whole, depth+1)}
	case huma.TypeBoolean:
		return false
	case huma.TypeInteger, huma.TypeNumber:
		if name == "created" || name == "updated" || name == "start_epoch" {
			return exampleUnix
		}
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case huma.TypeString:
		return exampleText(s, name, object)
	}
	return map[string]any{}
}

func (c *completer) exampleObject(s *huma.Schema, whole bool, depth int) map[string]any {
	made := map[string]any{}
	object := ""
	if kind := s.Properties["object"]; kind != nil {
		object, _ = kind.Extensions["const"].(string)
	}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	for name, property := range s.Properties {
		if whole && required[name] || !whole && (required[name] || len(property.Examples) > 0) {
			made[name] = c.example(property, name, object, whole, depth+1)
		}
	}
	return made
}

func exampleText(s *huma.Schema, name, object string) string {
	switch prefix, isID := strings.CutSuffix(name, "_id"); {
	case s.Format == "date-time":
		return exampleTime
	case s.Format == "uri" || name == "url" || strings.HasSuffix(name, "_url") || name == "url_to_scrape" || name == "urls":
		return "https://example.com/"
	case name == "id" && object != "" && object != "list":
		return exampleID(strings.ReplaceAll(object, ".", "_"))
	case isID:
		return exampleID(prefix)
	}
	return "text"
}
