package edgewire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// Body is the JSON body of a request. It is checked once and each of its members is decoded once, when the first asks:
// prices, quotes, the operation's schema and its fields all see the same values. A nil Body is empty. One goroutine uses
// it at a time.
type Body struct {
	// Request is what the upstream's operation made of the body.
	Request any

	text    []byte
	checked bool
	err     error
	members map[string]any
	decoded int
}

// NewBody returns the body with a text, which may be nil.
func NewBody(text []byte) *Body { return &Body{text: text} }

// Text is the body as it was sent.
func (b *Body) Text() []byte {
	if b == nil {
		return nil
	}
	return b.text
}

// IsEmpty reports whether the body has nothing but white space.
func (b *Body) IsEmpty() bool { return len(bytes.TrimSpace(b.Text())) == 0 }

// Check is [CheckJSON].
func (b *Body) Check() error {
	if b == nil {
		return CheckJSON(nil)
	}
	if !b.checked {
		b.checked, b.err = true, CheckJSON(b.text)
	}
	return b.err
}

// Value returns the decoded body: integers that fit are int64 and exact, other numbers are float64, and those out of its
// range json.Number. Callers share the value and must not change it. The error is that of Check.
func (b *Body) Value() (any, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	if !IsObject(b.text) {
		return b.decode(b.text), nil
	}
	return b.Members()
}

// Members returns the decoded members of a body that is an object, like Value. Those named in except are nil, unless
// somebody else decoded them: they may be most of the body.
func (b *Body) Members(except ...string) (map[string]any, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	if b.members == nil {
		b.members = map[string]any{}
	}
	members := b.members
	if len(except) > 0 {
		members = map[string]any{}
	}
	for name, text := range Members(b.text) {
		value, known := b.members[name]
		if !known && !slices.Contains(except, name) {
			value = b.decode(text)
			b.members[name] = value
		}
		members[name] = value
	}
	return members, nil
}

// Decoded returns how many bytes of the text have been decoded: at most its length, however many have asked.
func (b *Body) Decoded() int { return b.decoded }

func (b *Body) decode(text []byte) any {
	b.decoded += len(text)
	return decoded(text)
}

// decoded decodes a value that has passed [CheckJSON].
func decoded(text []byte) any {
	text = bytes.Trim(text, spaces)
	switch text[0] {
	case '"':
		s, _ := Text(text)
		return s
	case '{':
		object := map[string]any{}
		for name, value := range Members(text) {
			object[name] = decoded(value)
		}
		return object
	case '[':
		list := []any{}
		for value := range Elements(text) {
			list = append(list, decoded(value))
		}
		return list
	case 't', 'f':
		return text[0] == 't'
	case 'n':
		return nil
	}
	number := string(text)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(number, 64); err == nil {
		return f
	}
	return json.Number(number)
}
