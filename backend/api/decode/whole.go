package decode

import (
	"fmt"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// Whole is a whole number as the client sent it, which must be written in digits. A schema also accepts 1e2 or 1.0 as
// an integer, which parsers read differently, and 1e300, which no type can hold.
type Whole []byte

// UnmarshalJSON keeps the text; Number parses it.
func (w *Whole) UnmarshalJSON(data []byte) error {
	*w = append([]byte(nil), data...)
	return nil
}

// MarshalJSON writes the text as it was sent.
func (w Whole) MarshalJSON() ([]byte, error) {
	if len(w) == 0 {
		return []byte("null"), nil
	}
	return w, nil
}

// Schema documents an integer with the bounds of the field's tags, and leaves the check to Number.
func (Whole) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{"type": huma.TypeInteger}}
}

// IsZero reports whether the value is missing or null.
func (w Whole) IsZero() bool { return len(w) == 0 || string(w) == "null" }

// Number returns the number, or a fault of a body field unless it is from least to most. Both bounds are at least 0.
func (w Whole) Number(field string, least, most int64) (int64, []problem.Fault) {
	n, err := strconv.ParseInt(string(w), 10, 64)
	if err != nil || n < least || n > most || w[0] == '+' || w[0] == '-' {
		return 0, []problem.Fault{problem.BodyFault(field, fmt.Sprintf("must be a whole number from %d to %d, in digits", least, most))}
	}
	return n, nil
}
