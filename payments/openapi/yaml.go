package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

const (
	// yamlValuesMax is how many values a YAML document may have, with those that its aliases repeat: enough for any of
	// BytesMax without aliases, and an end for one that doubles itself.
	yamlValuesMax = 500_000
	// yamlDepthMax is how deep values may be nested. An alias of what it is in has no end otherwise.
	yamlDepthMax = 1000
)

// parseYAML reads a YAML document as the JSON value that it stands for. OpenAPI 3.1 (4.3) allows only what JSON has, so
// dates are strings, and keys are the text of the key.
func parseYAML(data []byte) (any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var document, more yaml.Node
	if err := dec.Decode(&document); err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("has trailing data")
	}
	r := &yamlReader{left: yamlValuesMax}
	return r.value(&document, 0)
}

// yamlReader counts the values that are left to read.
type yamlReader struct{ left int }

func (r *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("has more than %d values, counted with what aliases repeat", yamlValuesMax)
	}
	if depth > yamlDepthMax {
		return nil, fmt.Errorf("line %d: is nested deeper than %d levels", n.Line, yamlDepthMax)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0], depth)
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.MappingNode:
		return r.mapping(n, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, element := range n.Content {
			var err error
			if list[i], err = r.value(element, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.ScalarNode:
		return scalar(n), nil
	}
	return nil, fmt.Errorf("line %d: is no value", n.Line)
}

// mapping reads an object. The keys of a merge ("<<") are added to those that it has itself.
func (r *yamlReader) mapping(n *yaml.Node, depth int) (any, error) {
	object := map[string]any{}
	var merged []*yaml.Node
	for pair := range slices.Chunk(n.Content, 2) {
		key, value := pair[0], pair[1]
		switch {
		case key.ShortTag() == "!!merge":
			merged = append(merged, value)
			continue
		case key.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("line %d: a key must be a string", key.Line)
		}
		if _, twice := object[key.Value]; twice {
			return nil, fmt.Errorf("line %d: the key %.40q appears twice", key.Line, key.Value)
		}
		var err error
		if object[key.Value], err = r.value(value, depth); err != nil {
			return nil, err
		}
	}
	for _, value := range merged {
		if err := r.merge(object, value, depth); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// merge adds the keys of a mapping, or of a list of them, that an object does not have.
func (r *yamlReader) merge(object map[string]any, n *yaml.Node, depth int) error {
	value, err := r.value(n, depth)
	if err != nil {
		return err
	}
	sources, isList := value.([]any)
	if !isList {
		sources = []any{value}
	}
	for _, source := range sources {
		from, isObject := source.(map[string]any)
		if !isObject {
			return fmt.Errorf("line %d: << must have an object, or a list of objects", n.Line)
		}
		for key, value := range from {
			if _, isThere := object[key]; !isThere {
				object[key] = value
			}
		}
	}
	return nil
}

// scalar returns null, a boolean, a json.Number or a string.
func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var is bool
		if n.Decode(&is) == nil {
			return is
		}
	case "!!int":
		var i int64
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
		if n.Decode(&i) == nil { // 0x1F, 1_000
			return json.Number(strconv.FormatInt(i, 10))
		}
	case "!!float":
		var f float64
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
		if n.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) { // .5
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return n.Value
}
