package edgewire

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Members returns the members of an object in their written order: each name decoded, each value as written. The text
// must have passed [CheckJSON]: valid JSON can be split without looking at each byte, and a body can have 16 MiB. A
// text that is no object has no members.
func Members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		rest := inside(object, '{')
		for len(rest) > 0 {
			length := stringLength(rest)
			name, _ := Text(rest[:length])
			rest = skipTo(rest[length:])
			length = valueLength(rest)
			if !yield(name, rest[:length]) {
				return
			}
			rest = skipTo(rest[length:])
		}
	}
}

// Elements is [Members] for the values of an array.
func Elements(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := inside(list, '[')
		for len(rest) > 0 {
			length := valueLength(rest)
			if !yield(rest[:length]) {
				return
			}
			rest = skipTo(rest[length:])
		}
	}
}

// IsObject reports whether a text that has passed [CheckJSON] is an object.
func IsObject(text []byte) bool { return begins(text, '{') }

// IsList reports whether a text that has passed [CheckJSON] is an array.
func IsList(text []byte) bool { return begins(text, '[') }

// Text returns the decoded string of a value that has passed [CheckJSON]; ok is false if it is not a string.
func Text(value []byte) (text string, ok bool) {
	switch {
	case len(value) < 2 || value[0] != '"':
		return "", false
	case bytes.IndexByte(value, '\\') < 0:
		return string(value[1 : len(value)-1]), true
	}
	return text, json.Unmarshal(value, &text) == nil
}

const spaces = " \t\r\n"

func begins(text []byte, with byte) bool {
	text = bytes.TrimLeft(text, spaces)
	return len(text) > 0 && text[0] == with
}

// inside returns the text between the brackets of an object or array, trimmed; nil for anything else.
func inside(text []byte, bracket byte) []byte {
	if !begins(text, bracket) {
		return nil
	}
	text = bytes.Trim(text, spaces)
	return bytes.Trim(text[1:len(text)-1], spaces)
}

// skipTo returns rest from the next value or name on, after a colon or comma.
func skipTo(rest []byte) []byte {
	rest = bytes.TrimLeft(rest, spaces)
	if len(rest) == 0 {
		return nil
	}
	return bytes.TrimLeft(rest[1:], spaces)
}

// valueLength returns the length of the value at the start of text.
func valueLength(text []byte) int {
	switch text[0] {
	case '"':
		return stringLength(text)
	case '{', '[':
		for at, depth := 0, 0; ; at++ {
			switch text[at] {
			case '"':
				at += stringLength(text[at:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
	}
	return scalarLength(text)
}

// scalarLength returns the length of the number, true, false or null at the start of text.
func scalarLength(text []byte) int {
	if n := bytes.IndexAny(text, ",]} \t\n\r"); n >= 0 {
		return n
	}
	return len(text)
}
