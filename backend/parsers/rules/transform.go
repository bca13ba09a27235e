package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/pattern"
	"github.com/turnpike-edge/turnpike/clip"
)

// transform is one step of a field's value. It works on each value of a list separately, unless whole is set.
type transform struct {
	name  string
	whole bool // works on a list as a whole
	// Text changes one text; false: the text cannot be converted, and there is no value.
	text func(r *run, s string) (any, bool)
	list func(list []any) any
	// pattern is the size of the transform's pattern.
	pattern int
}

const (
	// matchedBytesMax is how much of a text is matched. RE2's time is the product of text and pattern, and it cannot be interrupted.
	matchedBytesMax = 100_000
	// patternPart is the pattern size for which matching a byte costs one step.
	patternPart = 64
	// replacementBytesMax limits the text that is added per match, or between two values of a list.
	replacementBytesMax = 200
	mapMax              = 200
	splitMax            = 10_000
)

// plainTransforms are the transforms without options.
var plainTransforms = map[string]transform{
	"trim":         {text: func(_ *run, s string) (any, bool) { return strings.TrimSpace(s), true }},
	"collapse":     {text: func(_ *run, s string) (any, bool) { return fold(s), true }},
	"lower":        {text: func(_ *run, s string) (any, bool) { return strings.ToLower(s), true }},
	"upper":        {text: func(_ *run, s string) (any, bool) { return strings.ToUpper(s), true }},
	"absolute_url": {text: func(r *run, s string) (any, bool) { u, ok := r.absolute(s); return u, ok }},
	"currency":     {text: func(r *run, s string) (any, bool) { c := currencyOf(s); return c, c != "" }},
	"boolean":      {text: func(_ *run, s string) (any, bool) { b, ok := parseBoolean(s); return b, ok }},
	"number":       {text: func(r *run, s string) (any, bool) { n, ok := parseNumber(s, &r.numbers); return n, ok }},
	"integer":      {text: func(r *run, s string) (any, bool) { n, ok := parseInteger(s, &r.numbers); return n, ok }},
	"date":         {text: func(r *run, s string) (any, bool) { d, ok := parseDate(s, dateOptions{}); return d, ok }},
	"unique":       {whole: true, list: unique},
	"first":        {whole: true, list: func(list []any) any { return at(list, 0) }},
	"last":         {whole: true, list: func(list []any) any { return at(list, len(list)-1) }},
	"count":        {whole: true, list: func(list []any) any { return json.Number(strconv.Itoa(len(list))) }},
}

// optionTransforms are the transforms with required or optional options.
var optionTransforms = []string{"number", "integer", "date", "regex", "replace", "split", "join", "map"}

func at(list []any, i int) any {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

func unique(list []any) any {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(value any) bool {
		key, err := json.Marshal(value)
		again := err == nil && seen[string(key)]
		seen[string(key)] = true
		return again
	})
}

// transform applies t. A value that it cannot convert becomes nil, with a note.
func (r *run) transform(t transform, value any, path []any) (any, error) {
	if t.whole {
		list, ok := value.([]any)
		switch {
		case value == nil:
			return nil, nil
		case !ok:
			list = []any{value}
		}
		if err := r.budget.step(1 + len(list)); err != nil {
			return nil, err
		}
		changed := t.list(list)
		if text, ok := changed.(string); ok {
			return text, r.budget.take(len(text))
		}
		return changed, nil
	}
	switch v := value.(type) {
	case []any:
		var out []any
		for _, one := range v {
			changed, err := r.transform(t, one, path)
			if err != nil {
				return nil, err
			}
			if list, ok := changed.([]any); ok {
				out = append(out, list...)
			} else if !isEmpty(changed) {
				out = append(out, changed)
			}
		}
		return out, nil
	case string:
		return r.change(t, v, path)
	case json.Number:
		return r.change(t, v.String(), path)
	case bool:
		return r.change(t, strconv.FormatBool(v), path)
	}
	return value, nil // nil, or an object
}

func (r *run) change(t transform, s string, path []any) (any, error) {
	if s == "" {
		return nil, nil
	}
	if err := r.budget.take(len(s)); err != nil {
		return nil, err
	}
	if err := r.budget.look(len(s)); err != nil {
		return nil, err
	}
	if err := r.budget.step(min(len(s), matchedBytesMax) * t.pattern / patternPart); err != nil {
		return nil, err
	}
	changed, ok := t.text(r, s)
	if !ok {
		r.notef(path, "%s finds nothing in %q", t.name, clip.Bytes(s, 100))
		return nil, nil
	}
	return changed, r.budget.put(changed)
}

// transforms compiles a field's transforms.
func (c *Compiler) transforms(m map[string]any, loc []any) []transform {
	value, there := m["transforms"]
	if !there || value == nil {
		return nil
	}
	loc = In(loc, "transforms")
	list, ok := value.([]any)
	if !ok || len(list) > transformsMax {
		c.Invalidf(loc, "must be a list of at most %d transforms", transformsMax)
		return nil
	}
	out := make([]transform, 0, len(list))
	for i, one := range list {
		at := In(loc, i)
		switch v := one.(type) {
		case string:
			t, known := plainTransforms[v]
			if !known {
				c.Invalidf(at, "must be one of %s; or an object with one of %s", strings.Join(sortedKeys(plainTransforms), ", "), strings.Join(optionTransforms, ", "))
			}
			t.name = v
			out = append(out, t)
		case map[string]any:
			if len(v) != 1 {
				c.Invalidf(at, "must have exactly one member: the name of the transform")
				continue
			}
			name := sortedKeys(v)[0]
			t := c.optioned(name, v[name], In(at, name))
			t.name = name
			out = append(out, t)
		default:
			c.Invalidf(at, "must be a transform's name, or an object with its name and options")
		}
	}
	return out
}

func (c *Compiler) optioned(name string, options any, at []any) transform {
	m, isObject := options.(map[string]any)
	text, isText := options.(string)
	if isText && len(text) > expressionBytesMax {
		c.Invalidf(at, "is longer than %d bytes", expressionBytesMax)
		return transform{}
	}
	switch name {
	case "number", "integer":
		return c.numberTransform(name, m, isObject, at)
	case "date":
		return c.dateTransform(m, isObject, at)
	case "regex":
		if isText {
			m, isObject = map[string]any{"pattern": text}, true
		}
		return c.regexTransform(m, isObject, at)
	case "replace":
		return c.replaceTransform(m, isObject, at)
	case "split":
		if !isText || text == "" {
			c.Invalidf(at, "must be the text to split at")
		}
		return transform{text: func(_ *run, s string) (any, bool) { return splitText(s, text), true }}
	case "join":
		if !isText || len(text) > replacementBytesMax {
			c.Invalidf(at, "must be the text to put between the values, of up to %d bytes", replacementBytesMax)
		}
		return transform{whole: true, list: func(list []any) any { return joinText(list, text) }}
	case "map":
		return c.mapTransform(m, isObject, at)
	}
	c.Invalidf(at, "is not a transform with options: use one of %s", strings.Join(optionTransforms, ", "))
	return transform{}
}

func splitText(s, separator string) any {
	parts := strings.SplitN(s, separator, splitMax)
	list := make([]any, 0, len(parts))
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

func joinText(list []any, separator string) any {
	var parts []string
	for _, value := range list {
		if !isEmpty(value) {
			parts = append(parts, fmt.Sprint(value))
		}
	}
	return strings.Join(parts, separator)
}

func (c *Compiler) numberTransform(name string, m map[string]any, ok bool, at []any) transform {
	if !ok {
		c.Invalidf(at, "must be an object with decimal")
		return transform{}
	}
	c.Unknown(m, at, "decimal")
	mark, _ := c.Text(m, at, "decimal", 1)
	if mark != "." && mark != "," {
		c.Invalidf(In(at, "decimal"), `must be "." or ","`)
	}
	options := numberOptions{comma: mark == ",", certain: true}
	parse := parseNumber
	if name == "integer" {
		parse = parseInteger
	}
	return transform{text: func(_ *run, s string) (any, bool) { n, ok := parse(s, &options); return n, ok }}
}

func (c *Compiler) dateTransform(m map[string]any, ok bool, at []any) transform {
	if !ok {
		c.Invalidf(at, "must be an object with order or time_zone")
		return transform{}
	}
	c.Unknown(m, at, "order", "time_zone")
	var options dateOptions
	if options.order, ok = c.Text(m, at, "order", 3); ok && !slices.Contains([]string{"dmy", "mdy", "ymd"}, options.order) {
		c.Invalidf(In(at, "order"), "must be dmy, mdy or ymd")
	}
	if name, there := c.Text(m, at, "time_zone", nameBytesMax); there {
		zone, err := time.LoadLocation(name)
		if err != nil || name == "" || name == "Local" {
			c.Invalidf(In(at, "time_zone"), "must be a time zone such as UTC or Europe/Berlin")
		}
		options.zone = zone
	}
	return transform{text: func(_ *run, s string) (any, bool) { d, ok := parseDate(s, options); return d, ok }}
}

// pattern returns a pattern and its size.
func (c *Compiler) pattern(m map[string]any, at []any) (*regexp.Regexp, int) {
	text, there := c.Text(m, at, "pattern", pattern.BytesMax)
	if !there {
		if m["pattern"] == nil {
			c.Invalidf(In(at, "pattern"), "is required: a regular expression (RE2)")
		}
		return nil, 0
	}
	size, err := pattern.Size(text)
	if c.patterns += size; err == nil && c.patterns > pattern.TotalMax {
		err = errors.New("makes the patterns of this definition too large in total")
	}
	var compiled *regexp.Regexp
	if err == nil {
		compiled, err = regexp.Compile(text)
	}
	if err != nil {
		c.Invalidf(In(at, "pattern"), "%v", err)
	}
	return compiled, size
}

func (c *Compiler) regexTransform(m map[string]any, ok bool, at []any) transform {
	if !ok {
		c.Invalidf(at, "must be a pattern, or an object with pattern and group")
		return transform{}
	}
	c.Unknown(m, at, "pattern", "group")
	compiled, size := c.pattern(m, at)
	if compiled == nil {
		return transform{}
	}
	group := min(compiled.NumSubexp(), 1)
	if _, there := m["group"]; there {
		group = c.number(m, at, "group", 0, int64(compiled.NumSubexp()))
	}
	return transform{pattern: size, text: func(_ *run, s string) (any, bool) {
		match := compiled.FindStringSubmatch(clip.Bytes(s, matchedBytesMax))
		if match == nil || match[group] == "" {
			return nil, false
		}
		return match[group], true
	}}
}

func (c *Compiler) replaceTransform(m map[string]any, ok bool, at []any) transform {
	if !ok {
		c.Invalidf(at, "must be an object with pattern and with")
		return transform{}
	}
	c.Unknown(m, at, "pattern", "with")
	compiled, size := c.pattern(m, at)
	with, _ := c.Text(m, at, "with", replacementBytesMax)
	return transform{pattern: size, text: func(_ *run, s string) (any, bool) {
		return compiled.ReplaceAllString(clip.Bytes(s, matchedBytesMax), with), true
	}}
}

func (c *Compiler) mapTransform(m map[string]any, ok bool, at []any) transform {
	if !ok || len(m) == 0 || len(m) > mapMax {
		c.Invalidf(at, "must be an object that maps at most %d texts to values; * stands for all other texts", mapMax)
		return transform{}
	}
	table := make(map[string]any, len(m))
	for key, value := range m {
		switch value.(type) {
		case map[string]any, []any:
			c.Invalidf(In(at, key), "must be a string, a number, true, false or null")
		}
		table[strings.ToLower(fold(key))] = value
	}
	return transform{text: func(_ *run, s string) (any, bool) {
		if value, there := table[strings.ToLower(fold(s))]; there {
			return value, true
		}
		value, there := table["*"]
		return value, there
	}}
}
