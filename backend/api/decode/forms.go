package decode

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// Explain improves Huma's errors about a value that matches none of its forms (oneOf, anyOf), where Huma says only that
// none matched. If one form has the value's JSON type, Explain returns the faults against that form. Otherwise it lists
// the forms. Other errors are unchanged.
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

// missing returns the missing fields that only the document requires (the extension "required"), when there also is an unknown
// field, which may be a mistyped name. The feature, which checks them otherwise, does not run after a failed validation.
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
		if form = deref(r, form); kindOf(detail.Value) == form.Type {
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
	msg := "does not have an accepted form"
	if len(texts) > 0 {
		msg = "must be " + strings.Join(texts, ", or ")
	}
	return []error{&huma.ErrorDetail{Location: detail.Location, Message: msg, Value: detail.Value}}
}

// oneOfNames returns the first name of a field that has several names, exactly one of which is required: each form
// requires one name and nothing else. For other forms it returns "".
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

// anything reports whether s accepts any value.
func anything(s *huma.Schema) bool {
	return s != nil && s.Type == "" && s.Ref == "" && len(s.OneOf)+len(s.AnyOf) == 0
}

// formsAt returns the forms that the value at loc below s may have; none if s does not say.
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

// appendSchema adds s, unless it is nil or already present.
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

// formsOf returns the forms of s: at least s itself.
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

// formText describes a form, by its description if it has one: "an object with id".
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

// kindOf returns the JSON Schema type of a decoded JSON value.
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

// Location parses a location of Huma, "body.formats[0].type", into ["body", "formats", 0, "type"].
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
