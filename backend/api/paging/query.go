package paging

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// Query parses the query parameters of a list strictly: each at most once, and only valid values. Huma reads an empty
// parameter as missing, and takes the last of several.
type Query struct {
	values url.Values
	errs   []error
}

// NewQuery returns the query of a request.
func NewQuery(ctx huma.Context) *Query {
	u := ctx.URL()
	return &Query{values: u.Query()}
}

// Errors returns the faults of the parameters that were read, for a Huma resolver to return.
func (q *Query) Errors() []error { return q.errs }

// one returns a parameter and whether it was given.
func (q *Query) one(name string) (string, bool) {
	values := q.values[name]
	if len(values) > 1 {
		q.refuse(name, "must be given only once")
		return "", false
	}
	return q.values.Get(name), len(values) == 1
}

func (q *Query) refuse(name, msg string) {
	q.errs = append(q.errs, &huma.ErrorDetail{Location: "query." + name, Message: msg})
}

// Number returns a parameter from least to most, written in digits.
func (q *Query) Number(name string, least, most, fallback int32) int32 {
	text, given := q.one(name)
	if !given {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < int64(least) || n > int64(most) || text[0] == '+' {
		q.refuse(name, fmt.Sprintf("must be a whole number from %d to %d, in digits", least, most))
		return fallback
	}
	return int32(n)
}

// Word returns a parameter that must be one of words, or "" if it is missing.
func (q *Query) Word(name string, words ...string) string {
	text, given := q.one(name)
	if given && !slices.Contains(words, text) {
		q.refuse(name, "must be one of "+strings.Join(words, ", "))
	}
	return text
}

// Opaque returns a parameter with a value from an earlier response, or "" if it is missing.
func (q *Query) Opaque(name string) string {
	text, given := q.one(name)
	if given && text == "" {
		q.refuse(name, "must not be empty: omit it for the first page")
	}
	return text
}

// Text returns a text parameter of at most bytesMax bytes, or "" if it is missing.
func (q *Query) Text(name string, bytesMax int) string {
	text, given := q.one(name)
	switch {
	case !given:
	case strings.TrimSpace(text) == "":
		q.refuse(name, "must not be empty: omit it to get all")
	case len(text) > bytesMax:
		q.refuse(name, fmt.Sprintf("must have at most %d bytes", bytesMax))
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		q.refuse(name, "must be valid UTF-8 without NUL characters")
	}
	return text
}

// NumberParam documents a parameter that [Query.Number] reads.
func NumberParam(name, doc string, least, most float64, fallback any) *huma.Param {
	return &huma.Param{Name: name, In: inQuery, Description: doc, Schema: &huma.Schema{
		Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: fallback,
	}}
}

// WordParam documents one that [Query.Word] reads.
func WordParam(name, doc string, words ...any) *huma.Param {
	return &huma.Param{Name: name, In: inQuery, Description: doc, Schema: &huma.Schema{Type: huma.TypeString, Enum: words}}
}

// TextParam documents one that [Query.Opaque] or [Query.Text] reads.
func TextParam(name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: inQuery, Description: doc, Schema: &huma.Schema{Type: huma.TypeString}}
}

const inQuery = "query"
