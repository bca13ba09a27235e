package body

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// Explain takes what Huma found wrong with a value of a schema, and says of what is in none of the forms that it may have
// (oneOf, anyOf) what is right: the faults that it has as the one form that is of its JSON type, or else which forms there
// are. Huma itself says only that none matched. All other errors are as they were.
func Explain(r huma.Registry, s *huma.Schema, errs []error) []error {
	explained := make([]error, 0, len(errs))
	for _, err := range errs {
		detail, ok := errors.AsType[*huma.ErrorDetail](err)
		if !ok || detail.Message != validation.MsgExpectedMatchExactlyOneSchema && detail.Message != validation.MsgExpectedMatchAtLeastOneSchema {
			explained = append(explained, err)
			continue
		}
		loc := Location(detail.Location)
		explained = append(explained, explainForms(r, formsAt(r, s, loc[min(1, len(loc)):]), detail)...)
	}
	return append(explained, missing(r, s, errs)...)
}

// missing are the fields that the document alone requires (the extension "required") and that are not beside a field that is
// unknown. Whoever tells of them otherwise is not asked where validation finds a fault, and one field may be the other, mistyped.
func missing(r huma.Registry, s *huma.Schema, errs []error) []error {
	names, _ := deref(r, s).Extensions["required"].([]string)
	for _, err := range errs {
		detail, ok := errors.AsType[*huma.ErrorDetail](err)
		if !ok || detail.Message != validation.MsgUnexpectedProperty || len(Location(detail.Location)) != 2 {
			continue
		}
		object, _ := detail.Value.(map[string]any)
		var faults []error
		for _, name := range names {
			if _, is := object[name]; !is && object != nil {
				msg := huma.ErrorFormatter(validation.MsgExpectedRequiredProperty, name)
				faults = append(faults, &huma.ErrorDetail{Location: "body", Message: msg, Value: object})
			}
		}
		return faults
	}
	return nil
}

func explainForms(r huma.Registry, forms []*huma.Schema, detail *huma.ErrorDetail) []error {
	if name := oneOfNames(forms); name != "" && kindOf(detail.Value) == huma.TypeObject {
		msg := huma.ErrorFormatter(validation.MsgExpectedRequiredProperty, name)
		return []error{&huma.ErrorDetail{Location: detail.Location, Message: msg, Value: detail.Value}}
	}
	var same []*huma.Schema
	for _, form := range forms {
		if kindOf(detail.Value) == form.Type {
			same = append(same, form)
		}
	}
	if len(same) == 1 {
		var found huma.ValidateResult
		path := huma.NewPathBuffer([]byte(detail.Location), len(detail.Location))
		huma.Validate(r, same[0], path, huma.ModeWriteToServer, detail.Value, &found)
		if len(found.Errors) > 0 {
			return Explain(r, same[0], found.Errors)
		}
	}
	texts := make([]string, 0, len(forms))
	for _, form := range forms {
		texts = append(texts, formText(r, form))
	}
	msg := "is in none of the forms that this may have"
	if len(texts) > 0 {
		msg = "must be " + strings.Join(texts, ", or ")
	}
	return []error{&huma.ErrorDetail{Location: detail.Location, Message: msg, Value: detail.Value}}
}

// oneOfNames is the first name of a field that is required by one of several names, where that is what forms say: each
// requires one, and nothing else. It is "" where they say something else.
func oneOfNames(forms []*huma.Schema) string {
	for _, form := range forms {
		if form.Type != huma.TypeObject || len(form.Required) != 1 || len(form.Properties) != 1 || !anything(form.Properties[form.Required[0]]) {
			return ""
		}
	}
	if len(forms) == 0 {
		return ""
	}
	return forms[0].Required[0]
}

// anything reports whether s lets a value be what it likes.
func anything(s *huma.Schema) bool {
	return s != nil && s.Type == "" && s.Ref == "" && len(s.OneOf)+len(s.AnyOf) == 0
}

// formsAt are the forms that the value at loc, which leads from a value of s, may have. None where s does not say.
func formsAt(r huma.Registry, s *huma.Schema, loc []any) []*huma.Schema {
	at := []*huma.Schema{s}
	for _, part := range loc {
		var next []*huma.Schema
		for _, s := range at {
			for _, form := range append(formsOf(r, s), deref(r, s)) {
				switch part := part.(type) {
				case string:
					next = appendSchema(next, form.Properties[part])
				case int:
					next = appendSchema(next, form.Items)
				}
			}
		}
		at = next
	}
	var forms []*huma.Schema
	for _, s := range at {
		forms = append(forms, formsOf(r, s)...)
	}
	return forms
}

// appendSchema adds s, if it is one and not there yet.
func appendSchema(all []*huma.Schema, s *huma.Schema) []*huma.Schema {
	if s == nil || slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

func deref(r huma.Registry, s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	return s
}

// formsOf are the forms of s, which has at least itself.
func formsOf(r huma.Registry, s *huma.Schema) []*huma.Schema {
	s = deref(r, s)
	several := slices.Concat(s.OneOf, s.AnyOf)
	if len(several) == 0 {
		return []*huma.Schema{s}
	}
	var forms []*huma.Schema
	for _, form := range several {
		forms = append(forms, formsOf(r, form)...)
	}
	return forms
}

// formText names a form, by its description if it has one: "an object with id".
func formText(r huma.Registry, s *huma.Schema) string {
	if text := strings.TrimSuffix(s.Description, "."); text != "" {
		return strings.ToLower(text[:1]) + text[1:]
	}
	switch s.Type {
	case huma.TypeObject:
		if len(s.Required) > 0 {
			return "an object with " + strings.Join(s.Required, " and ")
		}
		return "an object"
	case huma.TypeArray:
		if s.Items != nil && deref(r, s.Items).Type == huma.TypeString {
			return "a list of strings"
		}
		return "a list"
	case huma.TypeInteger:
		return "a whole number"
	case huma.TypeBoolean:
		return "true or false"
	case "":
		return "another form"
	default:
		return "a " + s.Type
	}
}

// kindOf is the type of a value as JSON gives it, in the words of JSON Schema.
func kindOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return huma.TypeObject
	case []any:
		return huma.TypeArray
	case string:
		return huma.TypeString
	case bool:
		return huma.TypeBoolean
	case float64:
		return huma.TypeNumber
	default:
		return ""
	}
}

// Location reads a place as Huma writes it, "body.formats[0].type", as ["body", "formats", 0, "type"].
func Location(text string) []any {
	loc := []any{}
	for part := range strings.SplitSeq(text, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if name != "" {
			loc = append(loc, name)
		}
		for index := range strings.SplitSeq(rest, "[") {
			if n, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
				loc = append(loc, n)
			}
		}
	}
	return loc
}
