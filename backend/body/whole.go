package body

import (
	"fmt"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

// Whole is a whole number as it was sent, which is to be written in digits: what a schema lets through as an integer, such
// as 1e2 or 1.0, is no number that everybody reads alike, and 1e300 would be one beyond all types.
type Whole []byte

// UnmarshalJSON keeps what was sent; Number reads it.
func (w *Whole) UnmarshalJSON(data []byte) error {
	*w = append([]byte(nil), data...)
	return nil
}

// MarshalJSON writes what was sent.
func (w Whole) MarshalJSON() ([]byte, error) {
	if len(w) == 0 {
		return []byte("null"), nil
	}
	return w, nil
}

// Schema documents an integer, whose bounds the field's tags give, and leaves checking it to Number.
func (Whole) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{"type": huma.TypeInteger}}
}

// IsZero reports whether nothing was sent, or null.
func (w Whole) IsZero() bool { return len(w) == 0 || string(w) == "null" }

// Number is the number, from least to most, which are not negative, or a fault of a field of the body.
func (w Whole) Number(field string, least, most int64) (int64, []problem.Fault) {
	n, err := strconv.ParseInt(string(w), 10, 64)
	if err != nil || n < least || n > most || w[0] == '+' || w[0] == '-' {
		return 0, []problem.Fault{problem.BodyFault(field, fmt.Sprintf("must be a whole number from %d to %d, in digits", least, most))}
	}
	return n, nil
}
