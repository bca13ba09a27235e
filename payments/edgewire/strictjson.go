package edgewire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// JSONDepthMax is how deeply objects and arrays may nest in a request body.
const JSONDepthMax = 64

// JSONValuesMax is how many values a body may hold, counting objects, arrays and their contents. That is what 16 MiB of
// useful data have, and a thirtieth of 16 MiB of brackets, which take seconds to walk, and a hundred times their size
// to decode.
const JSONValuesMax = 1_000_000

// JSONError says why [CheckJSON] refused a body. Its text can be shown to the client.
type JSONError struct {
	// Offset is the byte at which the error was found.
	Offset int64
	reason string
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("body at byte %d: %s", e.Offset, e.reason)
}

// CheckJSON returns a *JSONError unless body is exactly one JSON text (RFC 8259) that every parser reads in the same
// way: valid UTF-8, at most JSONDepthMax levels deep and of at most JSONValuesMax values, nothing after it, and in no
// object two keys that are equal or differ only in case.
//
// The edge prices a body and the upstream works by it. If one of them reads the first of two equal keys and the other
// the last, or only one ignores case, the request is priced as one thing and executed as another. So both sides call
// this before they look at the content.
func CheckJSON(body []byte) error {
	if offset := invalidUTF8(body); offset >= 0 {
		return &JSONError{Offset: int64(offset), reason: "not valid UTF-8"}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return &JSONError{reason: "empty, want a JSON value"}
	}
	if !json.Valid(body) {
		var whole json.RawMessage
		return syntaxError(json.Unmarshal(body, &whole), len(body))
	}
	return checkKeys(body)
}

// level is an object or array whose tokens are being read.
type level struct {
	keys  map[string]string // from the folded key to the key as written; nil in an array
	isKey bool              // the next string is a key
}

// checkKeys reads body, which is valid JSON, token by token. It decodes only keys: a body can have 16 MiB, and arrives
// before it is paid for.
func checkKeys(body []byte) error {
	var open []level
	values := 0
	for at := 0; at < len(body); {
		end := at + 1 // of the token
		isValue := false
		top := len(open) - 1
		switch body[at] {
		case ' ', '\t', '\n', '\r', ':':
		case ',':
			open[top].isKey = open[top].keys != nil
		case '}', ']':
			open = open[:top]
		case '{', '[':
			if isValue = true; len(open) == JSONDepthMax {
				return &JSONError{Offset: int64(end), reason: fmt.Sprintf("nested deeper than %d levels", JSONDepthMax)}
			}
			next := level{}
			if body[at] == '{' {
				next = level{keys: map[string]string{}, isKey: true}
			}
			open = append(open, next)
		case '"':
			end = at + stringLength(body[at:])
			if isValue = top < 0 || !open[top].isKey; !isValue {
				open[top].isKey = false
				if err := open[top].addKey(body[at:end]); err != nil {
					return &JSONError{Offset: int64(end), reason: err.Error()}
				}
			}
		default: // a number, true, false or null
			end, isValue = at+scalarLength(body[at:]), true
		}
		if isValue {
			if values++; values > JSONValuesMax {
				return &JSONError{Offset: int64(end), reason: fmt.Sprintf("more than %d values", JSONValuesMax)}
			}
		}
		at = end
	}
	return nil
}

// stringLength returns the length of the string at the start of text, with its quotes.
func stringLength(text []byte) int {
	for end := 1; ; {
		end += bytes.IndexByte(text[end:], '"') + 1
		escapes := 0
		for text[end-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}

func (l *level) addKey(quoted []byte) error {
	var key string
	if err := json.Unmarshal(quoted, &key); err != nil {
		return err
	}
	folded := foldKey(key)
	before, found := l.keys[folded]
	switch {
	case !found:
		l.keys[folded] = key
		return nil
	case before == key:
		return fmt.Errorf("the key %s appears more than once", quoteKey(key))
	default:
		return fmt.Errorf("the keys %s and %s differ only in case", quoteKey(before), quoteKey(key))
	}
}

// foldKey maps every rune to the smallest of those that are equal under case folding, as encoding/json does when it
// matches fields: "K", "k" and the Kelvin sign are one.
func foldKey(key string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, key)
}

func quoteKey(key string) string {
	const runesShown = 60
	if runes := []rune(key); len(runes) > runesShown {
		key = string(runes[:runesShown]) + "…"
	}
	return fmt.Sprintf("%q", key)
}

func syntaxError(err error, size int) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &JSONError{Offset: syntax.Offset, reason: "not JSON: " + syntax.Error()}
	}
	return &JSONError{Offset: int64(size), reason: "not JSON"}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(body []byte) int {
	if utf8.Valid(body) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
