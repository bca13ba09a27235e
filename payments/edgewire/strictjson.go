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

// JSONDepthMax is how deep objects and arrays may nest in a request body.
const JSONDepthMax = 64

// JSONValuesMax is how many values a body may hold, counting objects, arrays and
// what is in them. It is what 16 MiB of useful data have, and a thirtieth of what
// 16 MiB of brackets would: to walk them takes seconds, and to decode them a
// hundred times their size.
const JSONValuesMax = 1_000_000

// JSONError says why a body was refused by [CheckJSON]. Its text is fit for the caller.
type JSONError struct {
	// Offset is the byte at which the fault was noticed.
	Offset int64
	reason string
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("body at byte %d: %s", e.Offset, e.reason)
}

// CheckJSON returns a *JSONError unless body is exactly one JSON text (RFC 8259)
// that every parser reads alike: valid UTF-8, at most JSONDepthMax levels deep and
// of at most JSONValuesMax values, nothing after it, and in no object two keys that are equal or differ only in
// case.
//
// The edge prices a body and the upstream works by it. Where one reads the first
// of two equal keys and the other the last, or one folds case and the other does
// not, a request is priced as one thing and done as another. So both sides call
// this before they look at anything in it.
func CheckJSON(body []byte) error {
	if offset := invalidUTF8(body); offset >= 0 {
		return &JSONError{Offset: int64(offset), reason: "not valid UTF-8"}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return &JSONError{reason: "empty, want a JSON value"}
	}
	// The decoder's token stream is laxer than its grammar check, so the whole is checked first.
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return syntaxError(err, len(body))
	}
	return checkKeys(body)
}

// level is an object or array that is open while its tokens are read.
type level struct {
	keys  map[string]string // folded to as written; nil in an array
	isKey bool              // the next token is a key or the object's end
}

// checkKeys reads body, which is valid JSON, token by token.
func checkKeys(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var open []level
	values := 0
	for decoder.More() || len(open) > 0 {
		token, err := decoder.Token()
		if err != nil {
			return syntaxError(err, len(body))
		}
		delim, _ := token.(json.Delim)
		if top := len(open) - 1; delim != '}' && delim != ']' && !(top >= 0 && open[top].isKey) {
			if values++; values > JSONValuesMax {
				return &JSONError{Offset: decoder.InputOffset(), reason: fmt.Sprintf("more than %d values", JSONValuesMax)}
			}
		}
		switch delim {
		case '{', '[':
			if len(open) == JSONDepthMax {
				return &JSONError{
					Offset: decoder.InputOffset(),
					reason: fmt.Sprintf("nested deeper than %d levels", JSONDepthMax),
				}
			}
			next := level{}
			if delim == '{' {
				next = level{keys: map[string]string{}, isKey: true}
			}
			open = append(open, next)
			continue
		case '}', ']':
			open = open[:len(open)-1]
		default:
			if top := len(open) - 1; top >= 0 && open[top].isKey {
				key, _ := token.(string) // a key is always one: the grammar was checked
				if err := open[top].addKey(key); err != nil {
					return &JSONError{Offset: decoder.InputOffset(), reason: err.Error()}
				}
				open[top].isKey = false
				continue
			}
		}
		// A value ended: in an object a key follows.
		if top := len(open) - 1; top >= 0 && open[top].keys != nil {
			open[top].isKey = true
		}
	}
	return nil
}

func (l *level) addKey(key string) error {
	folded := foldKey(key)
	before, found := l.keys[folded]
	switch {
	case !found:
		l.keys[folded] = key
		return nil
	case before == key:
		return fmt.Errorf("the key %s is there twice", quoteKey(key))
	default:
		return fmt.Errorf("the keys %s and %s differ only in case", quoteKey(before), quoteKey(key))
	}
}

// foldKey maps every rune to the smallest of those that case folding makes equal,
// as encoding/json does when it matches fields: "K", "k" and the Kelvin sign are one.
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
