package reader

import (
	"encoding/json"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// ofFiles is the value that context files have under the field's name, if they have one only.
func (f *finder) ofFiles(field ask.Field) []ask.Value {
	var found []ask.Value
	for _, file := range f.files {
		value, err := jsonschema.Parse(file.JSON)
		if err != nil {
			continue
		}
		f.members(&found, file, field, "", value, 0)
	}
	for _, v := range found {
		if string(v.JSON) != string(found[0].JSON) {
			return nil
		}
	}
	return found
}

func (f *finder) members(found *[]ask.Value, file *ask.Source, field ask.Field, name string, value any, depth int) {
	if depth > itemDepthMax {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			f.members(found, file, field, key, inner, depth+1)
		}
		return
	case []any:
		for _, inner := range v {
			f.members(found, file, field, "", inner, depth+1)
		}
		return
	}
	if name == "" || !slices.Equal(nameStems(name), nameStems(field.Name)) {
		return
	}
	written, err := json.Marshal(value)
	if err != nil {
		return
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return
	}
	for _, quote := range []string{ask.Statement(name, value), string(quoted) + ": " + string(written)} {
		got := ask.Value{Path: field.Path, JSON: written, URL: file.URL, Quote: quote}
		if f.checker.Check(got) == nil {
			*found = append(*found, got)
			return
		}
	}
}
