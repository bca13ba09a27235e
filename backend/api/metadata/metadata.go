package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// The limits of the service contract. Keys and values are counted in characters.
const (
	KeysMax       = 50
	KeyCharsMax   = 40
	ValueCharsMax = 500
)

// Input is metadata as a client sent it: values are strings, numbers or booleans, or null to delete a key in an update.
type Input map[string]json.RawMessage

// Schema documents Input. Parse does the validation, because its errors have their own code.
func (Input) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:                 huma.TypeObject,
		AdditionalProperties: true,
		Description: fmt.Sprintf("Your own key-value pairs: at most %d keys of at most %d characters without square brackets, "+
			"values of at most %d characters. Numbers and booleans become strings.", KeysMax, KeyCharsMax, ValueCharsMax),
		Examples: []any{map[string]any{"order": "A-17"}},
	}
}

// Parse validates in and returns what is stored. The error is a *problem.Error that names every fault.
func Parse(in Input) (map[string]string, error) {
	return Merge(nil, in)
}

// Merge returns stored updated with in; a value of "" or null deletes its key. stored is not changed.
func Merge(stored map[string]string, in Input) (map[string]string, error) {
	out := make(map[string]string, len(stored)+len(in))
	maps.Copy(out, stored)
	var faults []problem.Fault
	for key, raw := range in {
		value, fault := parseEntry(key, raw)
		switch {
		case fault != "":
			faults = append(faults, problem.Fault{Loc: []any{"body", "metadata", key}, Msg: fault, Type: problem.FaultInvalid})
		case value == "":
			delete(out, key)
		default:
			out[key] = value
		}
	}
	if len(out) > KeysMax {
		msg := fmt.Sprintf("has %d keys, at most %d are allowed", len(out), KeysMax)
		faults = append(faults, problem.Fault{Loc: []any{"body", "metadata"}, Msg: msg, Type: problem.FaultInvalid})
	}
	if len(faults) == 0 {
		return out, nil
	}
	sort.Slice(faults, func(i, j int) bool { return faults[i].String() < faults[j].String() })
	err := problem.Validation(faults...)
	err.Code = problem.InvalidMetadata
	err.Detail = strings.Replace(err.Detail, "The request", "The metadata", 1)
	return nil, err
}

// parseEntry returns the value as stored, or what is wrong with the entry.
func parseEntry(key string, raw json.RawMessage) (value, fault string) {
	switch {
	case key == "":
		return "", "a key must not be empty"
	case utf8.RuneCountInString(key) > KeyCharsMax:
		return "", fmt.Sprintf("a key must have at most %d characters", KeyCharsMax)
	case strings.ContainsAny(key, "[]"):
		return "", "a key must not contain square brackets"
	}
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "" || text == "null":
		return "", ""
	case text[0] == '{' || text[0] == '[':
		return "", "a value must be a string, a number or a boolean, not an array or object"
	case text[0] == '"':
		if err := json.Unmarshal(raw, &value); err != nil {
			return "", "a value must be valid JSON"
		}
	default:
		value = text // a number or a boolean, as written
	}
	switch {
	case utf8.RuneCountInString(value) > ValueCharsMax:
		return "", fmt.Sprintf("a value must have at most %d characters", ValueCharsMax)
	case strings.ContainsRune(value, 0) || strings.ContainsRune(key, 0):
		return "", "must not contain a NUL character"
	}
	return value, ""
}
