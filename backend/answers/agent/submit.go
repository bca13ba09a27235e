package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const (
	// valuesMax is how many values of a submission are checked, refusalsMax how many refusals are reported.
	valuesMax   = 300
	refusalsMax = 20
)

// submitted are the arguments of submit_answer.
type submitted struct {
	Values []struct {
		Field string          `json:"field"`
		Value json.RawMessage `json:"value"`
		URL   string          `json:"url"`
		Quote string          `json:"quote"`
	} `json:"values"`
}

// submit takes the values that are in their sources, and reports the others. A resubmitted field is replaced, a list only
// by one with at least as many values, because the same index in two lists need not be the same entry.
func (r *request) submit(arguments json.RawMessage) (text string, failed bool) {
	var in submitted
	if json.Unmarshal(arguments, &in) != nil || in.Values == nil {
		return `the arguments must be {"values":[{"field":"…","value":…,"url":"…","quote":"…"}]}`, true
	}
	groups := map[string][]ask.Value{}
	var refusals []string
	for _, v := range in.Values[:min(len(in.Values), valuesMax)] {
		value := ask.Value{Path: v.Field, JSON: r.inForm(v.Field, v.Value), URL: v.URL, Quote: visible(v.Quote)}
		if source := r.open[r.nameOf(v.URL)]; source != nil {
			value.URL = source.URL
		}
		if isNothing(value.JSON) {
			continue
		}
		if err := r.checker.Check(value); err != nil {
			refusals = append(refusals, fmt.Sprintf("%.100q: %s", v.Field, reasonOf(err)))
			continue
		}
		if value.Path != "" {
			group := r.groupOf(value.Path)
			groups[group] = append(groups[group], value)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if values := groups[group]; len(values) >= len(r.supported[group]) {
			r.supported[group] = values
		}
	}
	r.refused += len(refusals)
	if len(refusals) == 0 {
		r.submitted = true
		return "accepted", false
	}
	if len(refusals) > refusalsMax {
		refusals = append(refusals[:refusalsMax], fmt.Sprintf("and %d more", len(refusals)-refusalsMax))
	}
	return "These values were refused; the others were accepted. Submit again what a source states, with its exact words, or submit without them:\n" +
		strings.Join(refusals, "\n"), true
}

// reasonOf is why a value was refused, without the model's own text.
func reasonOf(err error) string {
	for _, reason := range []error{ask.ErrNoField, ask.ErrNoSource, ask.ErrNoQuote, ask.ErrNotQuoted, ask.ErrWrongType} {
		if errors.Is(err, reason) {
			return reason.Error()
		}
	}
	return "it cannot be used"
}

func isNothing(value json.RawMessage) bool {
	text := strings.TrimSpace(string(value))
	return text == "" || text == "null" || text == `""` || text == `"`+ask.NotFound+`"`
}

// groupOf is the unit in which a value is replaced: its whole list, or itself.
func (r *request) groupOf(path string) string {
	for _, field := range r.task.Format.Fields {
		if field.Type == "array" && (path == field.Path || strings.HasPrefix(path, field.Path+"/")) {
			return field.Path
		}
	}
	return path
}

// inForm converts between numbers and strings to match the field's type.
func (r *request) inForm(path string, value json.RawMessage) json.RawMessage {
	field, ok := r.task.Format.Field(path)
	if !ok {
		return value
	}
	parsed, err := jsonschema.Parse(value)
	if err != nil {
		return value
	}
	switch v := parsed.(type) {
	case string:
		number, err := jsonschema.Parse([]byte(strings.TrimSpace(v)))
		if _, isNumber := number.(json.Number); err == nil && isNumber && (field.Type == "number" || field.Type == "integer") {
			return ask.MarshalValue(number)
		}
		return ask.MarshalValue(visible(v))
	case json.Number:
		if field.Type == "string" {
			return ask.MarshalValue(v.String())
		}
	}
	return value
}

// values are all supported values, in the order of their fields.
func (r *request) values() []ask.Value {
	var out []ask.Value
	for _, group := range slices.Sorted(maps.Keys(r.supported)) {
		out = append(out, r.supported[group]...)
	}
	return out
}
