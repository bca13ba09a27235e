package openapi

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"
)

// fits reports whether a value certainly fits a written schema. It knows only the keywords that words writes. Readers
// may refuse the whole description if an example does not fit its schema.
func fits(schema, value any, depth int) bool {
	if depth > schemaDepthMax+valueDepthMax {
		return false
	}
	if open, isBool := schema.(bool); isBool {
		return open
	}
	words, isObject := schema.(map[string]any)
	if !isObject {
		return false
	}
	if types, isThere := words["type"]; isThere && !isOfTypes(value, types) {
		return false
	}
	if constant, isThere := words["const"]; isThere && !same(constant, value) {
		return false
	}
	if enum, isThere := words["enum"].([]any); isThere && !slices.ContainsFunc(enum, func(one any) bool { return same(one, value) }) {
		return false
	}
	if !fitsBranches(words, value, depth) {
		return false
	}
	switch v := value.(type) {
	case string:
		return fitsText(words, v)
	case json.Number:
		return fitsNumber(words, v)
	case []any:
		return fitsList(words, v, depth)
	case map[string]any:
		return fitsObject(words, v, depth)
	}
	return true
}

func fitsBranches(words map[string]any, value any, depth int) bool {
	fit := func(branch any) bool { return fits(branch, value, depth+1) }
	if all, isThere := words["allOf"].([]any); isThere && slices.ContainsFunc(all, func(one any) bool { return !fit(one) }) {
		return false
	}
	if some, isThere := words["anyOf"].([]any); isThere && !slices.ContainsFunc(some, fit) {
		return false
	}
	return true
}

func fitsText(words map[string]any, value string) bool {
	if !withinCount(words, "minLength", "maxLength", utf8.RuneCountInString(value)) {
		return false
	}
	pattern, isThere := words["pattern"].(string)
	if !isThere {
		return true
	}
	expression, err := regexp.Compile(pattern)
	return err == nil && expression.MatchString(value)
}

func fitsNumber(words map[string]any, value json.Number) bool {
	got, ok := rational(value)
	if !ok {
		return false
	}
	for word, fit := range map[string]func(order int) bool{
		"minimum":          func(order int) bool { return order >= 0 },
		"maximum":          func(order int) bool { return order <= 0 },
		"exclusiveMinimum": func(order int) bool { return order > 0 },
		"exclusiveMaximum": func(order int) bool { return order < 0 },
	} {
		if words[word] == nil {
			continue
		}
		limit, ok := rational(words[word])
		if !ok || !fit(got.Cmp(limit)) {
			return false
		}
	}
	if words["multipleOf"] == nil {
		return true
	}
	step, ok := rational(words["multipleOf"])
	return ok && step.Sign() > 0 && new(big.Rat).Quo(got, step).IsInt()
}

// rational reads a number exactly. It refuses exponents: one of a few digits makes a number of as many digits as it
// says.
func rational(v any) (*big.Rat, bool) {
	n, isNumber := v.(json.Number)
	if !isNumber || len(n) > 40 || bytes.ContainsAny([]byte(n), "eE") {
		return nil, false
	}
	return new(big.Rat).SetString(n.String())
}

func fitsList(words map[string]any, value []any, depth int) bool {
	if !withinCount(words, "minItems", "maxItems", len(value)) {
		return false
	}
	if items, isThere := words["items"]; isThere {
		for _, item := range value {
			if !fits(items, item, depth+1) {
				return false
			}
		}
	}
	if words["uniqueItems"] == true {
		if len(value) > listMax {
			return false // each item is compared with each other one
		}
		for i := range value {
			if slices.ContainsFunc(value[:i], func(other any) bool { return same(other, value[i]) }) {
				return false
			}
		}
	}
	return true
}

func fitsObject(words, value map[string]any, depth int) bool {
	if !withinCount(words, "minProperties", "maxProperties", len(value)) {
		return false
	}
	required, _ := words["required"].([]any)
	for _, name := range required {
		if _, isThere := value[text(name)]; !isThere {
			return false
		}
	}
	properties := object(words["properties"])
	for name, member := range value {
		schema, isKnown := properties[name]
		if !isKnown {
			schema, isKnown = words["additionalProperties"]
		}
		if isKnown && !fits(schema, member, depth+1) {
			return false
		}
	}
	return true
}

func withinCount(words map[string]any, least, most string, got int) bool {
	if n, isNumber := words[least].(json.Number); isNumber {
		if limit, err := n.Int64(); err != nil || int64(got) < limit {
			return false
		}
	}
	if n, isNumber := words[most].(json.Number); isNumber {
		if limit, err := n.Int64(); err != nil || int64(got) > limit {
			return false
		}
	}
	return true
}

// same compares the JSON texts of two values.
func same(a, b any) bool {
	left, err := json.Marshal(a)
	if err != nil {
		return false
	}
	right, err := json.Marshal(b)
	return err == nil && bytes.Equal(left, right)
}
