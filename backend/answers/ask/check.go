package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const (
	valueBytesMax = 64 << 10
	// QuoteBytesMax is the maximum length of a quote.
	QuoteBytesMax = 64 << 10
	// EntriesMax is how many entries a list of an answer may have.
	EntriesMax = 500
)

// The reasons why a value is refused.
var (
	ErrNoField   = errors.New("the format has no such field")
	ErrNoSource  = errors.New("no source has this URL")
	ErrNoQuote   = errors.New("the quote does not stand in the source")
	ErrNotQuoted = errors.New("the quote does not say the value")
	ErrWrongType = errors.New("the value is not of the field's type")
)

// Refusal is a value that was not accepted.
type Refusal struct {
	Value Value
	// Err is or wraps one of the errors above.
	Err error
}

// Check returns the values that are in their sources, in order, and why the others were refused. Values that are null or
// NotFound are in neither list, since they claim nothing.
func Check(format *Format, values []Value, sources []*Source) ([]Value, []Refusal) {
	c := NewChecker(format)
	for _, source := range sources {
		c.Add(source)
	}
	var kept []Value
	var refused []Refusal
	for _, value := range values {
		switch err := c.Check(value); {
		case err == nil:
			kept = append(kept, value)
		case !errors.Is(err, errNothing):
			refused = append(refused, Refusal{value, err})
		}
	}
	return kept, refused
}

// errNothing means that a value claims nothing.
var errNothing = errors.New("there is no value")

// Checker checks values against sources. It reads each source once, and sources may be added as they are opened. It is
// not safe for concurrent use.
type Checker struct {
	format  *Format
	sources map[string]*Source
	read    map[string]*evidence
}

// NewChecker returns a Checker without sources.
func NewChecker(format *Format) *Checker {
	return &Checker{format: format, sources: map[string]*Source{}, read: map[string]*evidence{}}
}

// Add adds a source by its URL; of two with the same URL the first counts.
func (c *Checker) Add(source *Source) {
	if source != nil && c.sources[source.URL] == nil {
		c.sources[source.URL] = source
	}
}

// Check returns why a value is refused, or nil if its quote is in its source, as whole words, and the value is in the quote.
func (c *Checker) Check(v Value) error {
	field, ok := c.format.Field(v.Path)
	if !ok {
		return fmt.Errorf("%w: %.200s", ErrNoField, v.Path)
	}
	if len(v.JSON) > valueBytesMax {
		return fmt.Errorf("%w: it is longer than %d bytes", ErrWrongType, valueBytesMax)
	}
	value, err := jsonschema.Parse(v.JSON)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWrongType, err)
	}
	if value == nil || value == NotFound {
		return errNothing
	}
	if err := ofType(field, value); err != nil {
		return err
	}
	source := c.sources[v.URL]
	if source == nil {
		return fmt.Errorf("%w: %.200s", ErrNoSource, v.URL)
	}
	if strings.TrimSpace(v.Quote) == "" || len(v.Quote) > QuoteBytesMax {
		return ErrNoQuote
	}
	e := c.read[v.URL]
	if e == nil {
		e = newEvidence(source)
		c.read[v.URL] = e
	}
	for {
		spans := e.find(v.Quote)
		for _, s := range nearest(spans) {
			if (statement{s, e.language, field}).says(value) {
				return nil
			}
		}
		if e.grow() {
			continue
		}
		if len(spans) == 0 {
			return fmt.Errorf("%w: %.120q", ErrNoQuote, v.Quote)
		}
		return fmt.Errorf("%w: %.120q", ErrNotQuoted, v.Quote)
	}
}

// Field returns the field for a value's path, which has indexes within lists. For an entry of a list of single values, it
// is the field of an entry.
func (f *Format) Field(path string) (Field, bool) {
	if !strings.HasPrefix(path, "/") {
		return Field{}, false
	}
	return fieldAt(f.Fields, parts(path))
}

// fieldAt recurses as deep as fields nest.
func fieldAt(fields []Field, path []string) (Field, bool) {
	for _, field := range fields {
		own := parts(field.Path)
		if len(own) > len(path) || !slices.Equal(own, path[:len(own)]) {
			continue
		}
		rest := path[len(own):]
		if len(rest) == 0 {
			return field, len(field.Items) == 0
		}
		if _, ok := index(rest[0]); !ok || field.Type != "array" {
			continue
		}
		if len(field.Items) > 0 {
			return fieldAt(field.Items, rest[1:])
		}
		if len(rest) == 1 {
			entry := field
			entry.Type, entry.ItemType = field.ItemType, ""
			return entry, true
		}
	}
	return Field{}, false
}

// index parses a list index.
func index(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < EntriesMax && strconv.Itoa(n) == s
}

// ofType checks a value against the type of its field; the schema checks formats and bounds.
func ofType(field Field, value any) error {
	if list, ok := value.([]any); ok {
		if field.Type != "array" && field.Type != "" || len(list) == 0 || len(list) > EntriesMax {
			return fmt.Errorf("%w: it must be %s", ErrWrongType, article(field.Type))
		}
		entry := field
		entry.Type, entry.ItemType = field.ItemType, ""
		for _, item := range list {
			if _, nested := item.([]any); nested {
				return fmt.Errorf("%w: lists in lists are not checked", ErrWrongType)
			}
			if err := ofType(entry, item); err != nil {
				return err
			}
		}
		return nil
	}
	got := ""
	switch v := value.(type) {
	case string:
		got = "string"
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("%w: it is empty", ErrWrongType)
		}
	case json.Number:
		got = "number"
		if r, ok := new(big.Rat).SetString(v.String()); field.Type == "integer" && ok && r.IsInt() {
			got = "integer"
		}
	case bool:
		got = "boolean"
	}
	if got == "" || field.Type != "" && field.Type != got {
		return fmt.Errorf("%w: it must be %s", ErrWrongType, article(field.Type))
	}
	if s, ok := value.(string); ok && len(field.Enum) > 0 && !slices.Contains(field.Enum, s) {
		return fmt.Errorf("%w: it must be one of %s", ErrWrongType, strings.Join(field.Enum, ", "))
	}
	return nil
}

func article(kind string) string {
	switch kind {
	case "":
		return "a single value"
	case "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}

// statement is a quote in its source, as evidence for a field.
type statement struct {
	span     span
	language string
	field    Field
}

func (s statement) says(value any) bool {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if !s.says(item) {
				return false
			}
		}
		return true
	case json.Number:
		return s.saysNumber(v)
	case bool:
		return s.saysTruth(v)
	case string:
		return s.saysString(v)
	}
	return false
}

// around is how much text beside a quote is read, to see that its first and last number are whole.
const around = 40

func (s statement) saysNumber(value json.Number) bool {
	wanted, ok := new(big.Rat).SetString(value.String())
	if !ok {
		return false
	}
	text := s.span.piece.text
	from, to := max(0, s.span.start-around), min(len(text), s.span.end+around)
	for _, n := range NumbersIn(text[from:to], s.language) {
		if from+n.Start < s.span.start || from+n.End > s.span.end || conflicts(s.field, n.Unit) {
			continue
		}
		if n.Value.Cmp(wanted) == 0 {
			return true
		}
	}
	return false
}

func (s statement) saysString(value string) bool {
	text := s.span.text()
	switch {
	case len(s.field.Enum) > 0:
		return saysChoice(text, value)
	case s.field.Form == "email", s.field.Form == "idn-email":
		return saysLiteral(text, value)
	case strings.HasPrefix(s.field.Form, "ur"), strings.HasPrefix(s.field.Form, "iri"), isAddress(value):
		return saysLiteral(text, strings.TrimSuffix(value, "/"))
	case weekdays[value] && contains(text, value+"s"):
		return true
	case isDate(value) && saysDate(text, value, s.language):
		return true
	}
	return contains(text, value)
}

func isAddress(value string) bool {
	u, err := url.Parse(value)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// contains reports whether text contains value as whole words, ignoring white space.
func contains(text, value string) bool {
	p := newPiece(text)
	return len((&evidence{pieces: []*piece{p}}).find(value)) > 0
}

// addressRunes are characters with which a URL or email address may continue.
const addressRunes = "abcdefghijklmnopqrstuvwxyz0123456789-._~%@/?#=&+"

// saysLiteral reports whether text contains an address literally, ignoring case.
func saysLiteral(text, value string) bool {
	text, value = strings.ToLower(text), strings.ToLower(Plain(value))
	if value == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(value)
		before := start == 0 || !strings.ContainsRune(addressRunes, rune(text[start-1])) || strings.Contains(value, "://")
		rest := strings.TrimPrefix(text[end:], "/")
		rest = strings.TrimLeft(rest, ".?") // punctuation of the sentence
		if before && (rest == "" || !strings.ContainsRune(addressRunes, rune(rest[0]))) {
			return true
		}
		from = start + 1
	}
}

// saysChoice reports whether text contains the words of an enum value without a negation before them.
func saysChoice(text, value string) bool {
	all, wanted := fold(text), words(value)
	if len(wanted) == 0 {
		return contains(text, value)
	}
	for i := 0; i+len(wanted) <= len(all); i++ {
		if slices.Equal(all[i:i+len(wanted)], wanted) && (i == 0 || !negations[all[i-1]]) {
			return true
		}
	}
	joined := strings.Join(wanted, "")
	return slices.Contains(all, joined) && !slices.ContainsFunc(all, func(word string) bool { return negations[word] })
}

// words are the words of a name; "in_stock" and "inStock" have two each.
func words(name string) []string {
	var out strings.Builder
	lower := false
	for _, r := range name {
		if lower && r >= 'A' && r <= 'Z' {
			out.WriteByte(' ')
		}
		lower = r >= 'a' && r <= 'z'
		out.WriteRune(r)
	}
	return fold(strings.ReplaceAll(out.String(), "_", " "))
}

// marshal encodes a JSON value without HTML escapes.
func marshal(value any) json.RawMessage { return bytes.TrimSpace(jsonschema.Encode(value)) }
