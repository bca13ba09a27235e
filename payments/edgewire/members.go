package edgewire

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Members are the members of an object, in the order in which they are written, each name as it means and each value as
// it is written. The text must have passed [CheckJSON]: what is valid is split without a look at each of its bytes, and a
// body is up to 16 MiB. Of what is no object there are none.
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

// Elements is [Members] for the values of a list.
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

// IsObject reports whether a text that has passed [CheckJSON] is an object; IsList whether it is a list.
func IsObject(text []byte) bool { return begins(text, '{') }

// IsList is documented at [IsObject].
func IsList(text []byte) bool { return begins(text, '[') }

// Text is what a string means, of a text that has passed [CheckJSON]. ok: it is a string.
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

// inside is what an object or list has between its brackets, without space around; nothing of what is neither.
func inside(text []byte, bracket byte) []byte {
	if !begins(text, bracket) {
		return nil
	}
	text = bytes.Trim(text, spaces)
	return bytes.Trim(text[1:len(text)-1], spaces)
}

// skipTo is rest from the next value or name on, behind a colon or comma.
func skipTo(rest []byte) []byte {
	rest = bytes.TrimLeft(rest, spaces)
	if len(rest) == 0 {
		return nil
	}
	return bytes.TrimLeft(rest[1:], spaces)
}

// valueLength is how long the value is that text begins with.
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

// scalarLength is how long the number, true, false or null is that text begins with.
func scalarLength(text []byte) int {
	if n := bytes.IndexAny(text, ",]} \t\n\r"); n >= 0 {
		return n
	}
	return len(text)
}
