package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

// group holds the operations of one tag.
type group struct {
	Name       string
	Operations []operation
}

type operation struct {
	ID, Method, Path, Summary, Description, Access, Example string
	Parameters, Body, Answer                                []field
}

type field struct {
	Name, Type, Description string
	Required                bool
}

// groupsOf flattens an OpenAPI document into groups by tag, in the order in which the features registered: the order
// in which to read them.
func groupsOf(doc *huma.OpenAPI, operations []*huma.Operation, publicURL, paidPrefix string) []group {
	var groups []group
	for _, op := range operations {
		if op.Hidden {
			continue
		}
		name := "Other"
		if len(op.Tags) > 0 {
			name = op.Tags[0]
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.Name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{Name: name})
		}
		groups[i].Operations = append(groups[i].Operations, operationOf(doc, op, publicURL, paidPrefix))
	}
	return groups
}

func operationOf(doc *huma.OpenAPI, op *huma.Operation, publicURL, paidPrefix string) operation {
	out := operation{
		ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, Description: op.Description,
		Access: accessText(doc, op, paidPrefix),
	}
	for _, p := range op.Parameters {
		field := fieldOf(doc, p.Name, p.Schema)
		field.Required = p.Required
		field.Description = cmp.Or(p.Description, field.Description)
		out.Parameters = append(out.Parameters, field)
	}
	body := ""
	if op.RequestBody != nil {
		if media := op.RequestBody.Content["application/json"]; media != nil {
			out.Body = fieldsOf(doc, media.Schema)
			if example, err := json.Marshal(media.Example); err == nil && media.Example != nil {
				body = string(example)
			}
		}
	}
	if answer := op.Responses["200"]; answer != nil {
		if media := answer.Content["application/json"]; media != nil {
			out.Answer = fieldsOf(doc, media.Schema)
			for i := range out.Answer {
				out.Answer[i].Required = false // a response field, which the server always sends
			}
		}
	}
	if op.Method == http.MethodGet || body != "" {
		out.Example = curlExample(publicURL, op.Method, op.Path, principal.AccessOf(op) == principal.Keyed, body)
	}
	return out
}

func accessText(doc *huma.OpenAPI, op *huma.Operation, paidPrefix string) string {
	switch principal.AccessOf(op) {
	case principal.Public:
		return "Requires no API key."
	case principal.Readable:
		return "With an API key, returns what the team created. Without one, returns what a payment created, to anyone who has its id."
	case principal.Keyed:
	}
	if doc.Paths[paidPrefix+op.Path] != nil {
		return "Requires an API key, or a payment under " + paidPrefix + op.Path + "."
	}
	return "Requires an API key."
}

// resolve follows references and picks the first of several forms.
func resolve(doc *huma.OpenAPI, s *huma.Schema) *huma.Schema {
	for s != nil {
		switch {
		case s.Ref != "":
			s = doc.Components.Schemas.SchemaFromRef(s.Ref)
		case len(s.OneOf) > 0 && s.Type == "":
			s = s.OneOf[0]
		case len(s.AnyOf) > 0 && s.Type == "":
			s = s.AnyOf[0]
		default:
			return s
		}
	}
	return &huma.Schema{}
}

// fieldsOf lists an object's fields and, with dotted names, the fields of nested objects.
func fieldsOf(doc *huma.OpenAPI, s *huma.Schema) []field {
	return appendFields(nil, doc, resolve(doc, s), "", 0)
}

// requires reports whether the document requires a field. This includes fields that only the feature checks, not Huma.
func requires(s *huma.Schema, name string) bool {
	names, _ := s.Extensions["required"].([]string)
	return slices.Contains(names, name) || slices.Contains(s.Required, name)
}

// depthMax is enough for all resources here, and stops at a schema that contains itself.
const depthMax = 3

func appendFields(fields []field, doc *huma.OpenAPI, s *huma.Schema, prefix string, depth int) []field {
	for _, name := range sortedNames(s) {
		field := fieldOf(doc, prefix+name, s.Properties[name])
		field.Required = prefix == "" && requires(s, name)
		fields = append(fields, field)
		if inner := resolve(doc, s.Properties[name]); len(inner.Properties) > 0 && depth < depthMax {
			fields = appendFields(fields, doc, inner, prefix+name+".", depth+1)
		}
	}
	return fields
}

// sortedNames returns the field names, required fields first.
func sortedNames(s *huma.Schema) []string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		needA, needB := requires(s, a), requires(s, b)
		if needA != needB {
			if needA {
				return -1
			}
			return 1
		}
		return cmp.Compare(a, b)
	})
	return names
}

func fieldOf(doc *huma.OpenAPI, name string, s *huma.Schema) field {
	if s == nil {
		return field{Name: name}
	}
	return field{Name: name, Type: typeText(doc, s), Description: s.Description}
}

func typeText(doc *huma.OpenAPI, s *huma.Schema) string {
	if all := slices.Concat(s.OneOf, s.AnyOf); len(all) > 0 {
		forms := make([]string, 0, len(all))
		for _, form := range all {
			forms = append(forms, typeText(doc, form))
		}
		return strings.Join(forms, " or ")
	}
	s = resolve(doc, s)
	text := s.Type
	if shown, ok := s.Extensions["type"].(string); ok && text == "" { // a type that Huma does not validate, as a body.Whole's
		text = shown
	}
	switch {
	case s.Type == huma.TypeArray && s.Items != nil:
		text = "list of " + typeText(doc, s.Items)
	case len(s.Enum) > 0:
		values := make([]string, 0, len(s.Enum))
		for _, value := range s.Enum {
			if value != nil { // null, which is added below
				values = append(values, fmt.Sprint(value))
			}
		}
		text += ": " + strings.Join(values, ", ")
	case s.Extensions["const"] != nil:
		text += ": " + fmt.Sprint(s.Extensions["const"])
	case s.Minimum != nil && s.Maximum != nil:
		text += fmt.Sprintf(", %.15g to %.15g", *s.Minimum, *s.Maximum)
	}
	if s.Nullable {
		text += " or null"
	}
	return text
}
