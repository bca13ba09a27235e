package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// ValueDepthMax is how deep a validated value may nest.
	ValueDepthMax = 32
	// valuesMax is how many values, members and items a text may contain.
	valuesMax = 20_000
	// numberBytesMax and numberExponentMax keep exact arithmetic cheap.
	numberBytesMax    = 100
	numberExponentMax = 400
)

// object is a JSON object that keeps the order of its members.
type object struct {
	names  []string
	values map[string]any
}

// Parse parses one JSON value of bounded depth and size: map[string]any, []any, string, json.Number, bool or nil. Of
// members with the same name the last counts.
func Parse(text []byte) (any, error) {
	value, err := decode(text, ValueDepthMax, false)
	if err != nil {
		return nil, err
	}
	return plain(value), nil
}

// decode parses one JSON value, with *object for objects. If unique is set, duplicate names are an error.
func decode(text []byte, depthMax int, unique bool) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("is not UTF-8")
	}
	d := decoder{json: json.NewDecoder(bytes.NewReader(text)), depthMax: depthMax, unique: unique}
	d.json.UseNumber()
	value, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("has more than one JSON value: the second begins at byte %d", d.json.InputOffset())
	}
	return value, nil
}

type decoder struct {
	json     *json.Decoder
	depthMax int
	unique   bool
	values   int
}

// value recurses; its depth is bounded.
func (d *decoder) value(depth int) (any, error) {
	if d.values++; d.values > valuesMax {
		return nil, fmt.Errorf("has more than %d values", valuesMax)
	}
	token, err := d.json.Token()
	if err != nil {
		return nil, syntax(err, d.json.InputOffset())
	}
	switch t := token.(type) {
	case json.Number:
		return t, checkNumber(string(t))
	case json.Delim:
		if depth >= d.depthMax {
			return nil, fmt.Errorf("nests deeper than %d levels", d.depthMax)
		}
		if t == '[' {
			return d.list(depth)
		}
		return d.object(depth)
	}
	return token, nil
}

func (d *decoder) list(depth int) (any, error) {
	list := []any{}
	for d.json.More() {
		item, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	if _, err := d.json.Token(); err != nil {
		return nil, syntax(err, d.json.InputOffset())
	}
	return list, nil
}

func (d *decoder) object(depth int) (any, error) {
	o := &object{values: map[string]any{}}
	for d.json.More() {
		token, err := d.json.Token()
		if err != nil {
			return nil, syntax(err, d.json.InputOffset())
		}
		name, _ := token.(string)
		_, twice := o.values[name]
		if twice && d.unique {
			return nil, fmt.Errorf("has the member %.100q twice", name)
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if !twice {
			o.names = append(o.names, name)
		}
		o.values[name] = value
	}
	if _, err := d.json.Token(); err != nil {
		return nil, syntax(err, d.json.InputOffset())
	}
	return o, nil
}

func syntax(err error, offset int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("is not JSON: it ends too early, at byte %d", offset)
	}
	return fmt.Errorf("is not JSON: at byte %d: %w", offset, err)
}

// checkNumber refuses numbers that are a few bytes of text but a gigabyte in memory: 1e999999999.
func checkNumber(s string) error {
	if len(s) > numberBytesMax {
		return fmt.Errorf("has a number of more than %d characters", numberBytesMax)
	}
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(s[at+1:])
		if err != nil || exponent > numberExponentMax || exponent < -numberExponentMax {
			return fmt.Errorf("has the number %s, whose exponent is beyond ±%d", s, numberExponentMax)
		}
	}
	return nil
}

// deeper reports whether a value has more than the given levels of lists and objects.
func deeper(value any, levels int) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if levels == 0 || deeper(member, levels-1) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if levels == 0 || deeper(item, levels-1) {
				return true
			}
		}
	}
	return false
}

// plain converts objects in value to maps.
func plain(value any) any {
	switch v := value.(type) {
	case *object:
		members := make(map[string]any, len(v.names))
		for name, member := range v.values {
			members[name] = plain(member)
		}
		return members
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = plain(item)
		}
		return items
	}
	return value
}
