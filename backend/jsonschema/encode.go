package jsonschema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Encode writes a value of Parse's types without white space and deterministically: properties in the order of the
// schema, null for missing ones, and then any others by name.
func (s *Schema) Encode(value any) json.RawMessage {
	var out bytes.Buffer
	encode(&out, s.root, value)
	return out.Bytes()
}

// Encode writes a value like Schema.Encode, but without a schema: members are sorted by name.
func Encode(value any) json.RawMessage {
	var out bytes.Buffer
	encode(&out, nil, value)
	return out.Bytes()
}

// completedBytesMax is the size from which missing properties are omitted: thousands of empty objects with hundreds of
// properties are not worth writing.
const completedBytesMax = 4 << 20

// encode recurses as deep as the value.
func encode(out *bytes.Buffer, n *Node, value any) {
	switch v := value.(type) {
	case map[string]any:
		encodeObject(out, n, v)
	case []any:
		var items *Node
		if n != nil {
			items = n.View().Items
		}
		out.WriteByte('[')
		for i, item := range v {
			separate(out, i)
			encode(out, items, item)
		}
		out.WriteByte(']')
	default:
		writeScalar(out, v)
	}
}

func encodeObject(out *bytes.Buffer, n *Node, members map[string]any) {
	out.WriteByte('{')
	written := map[string]bool{}
	if n != nil {
		for _, p := range n.View().Properties {
			if _, ok := members[p.Name]; !ok && out.Len() > completedBytesMax {
				continue
			}
			separate(out, len(written))
			writeScalar(out, p.Name)
			out.WriteByte(':')
			encode(out, p.Node, members[p.Name])
			written[p.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if written[name] {
			continue
		}
		separate(out, len(written))
		writeScalar(out, name)
		out.WriteByte(':')
		encode(out, nil, members[name])
		written[name] = true
	}
	out.WriteByte('}')
}

func separate(out *bytes.Buffer, before int) {
	if before > 0 {
		out.WriteByte(',')
	}
}

// writeValue writes a value in its original order.
func writeValue(out *bytes.Buffer, value any) {
	switch v := value.(type) {
	case *object:
		out.WriteByte('{')
		for i, name := range v.names {
			separate(out, i)
			writeScalar(out, name)
			out.WriteByte(':')
			writeValue(out, v.values[name])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			separate(out, i)
			writeValue(out, item)
		}
		out.WriteByte(']')
	default:
		writeScalar(out, v)
	}
}

// writeScalar does not escape < and &, because the result is JSON, not part of a page.
func writeScalar(out *bytes.Buffer, value any) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Only malformed numbers could fail, and Parse refuses those.
		out.WriteString("null")
		return
	}
	out.Truncate(out.Len() - 1) // the encoder ends each value with a line break
}
