package problem

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/clip"
)

// Fault is one entry of a validation error's metadata.errors.
type Fault struct {
	// Loc is the path to the value: ["body", "formats", 0].
	Loc []any  `json:"loc"`
	Msg string `json:"msg"`
	// Type is the kind of fault: "missing", "unknown_field", "invalid".
	Type string `json:"type"`
}

// The types of faults.
const (
	FaultMissing = "missing"
	FaultUnknown = "unknown_field"
	FaultInvalid = "invalid"
)

// BodyFault returns a fault of one field of the body.
func BodyFault(field, msg string) Fault {
	return Fault{Loc: []any{"body", field}, Msg: msg, Type: FaultInvalid}
}

// Limits on how much of the request a response repeats, so that a long body does not get a longer response.
const (
	faultsMax   = 50
	locRunesMax = 100 // of each part
	msgRunesMax = 400
)

// Validation returns a validation error that lists the first 50 faults and the number of further ones.
func Validation(faults ...Fault) *Error {
	named := make([]Fault, min(len(faults), faultsMax))
	said := make([]string, 0, len(named)+1)
	for i := range named {
		named[i] = faults[i].shortened()
		said = append(said, named[i].String())
	}
	if more := len(faults) - len(named); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return &Error{
		Code:     ValidationError,
		Detail:   "The request is not valid: " + strings.Join(said, "; ") + ".",
		Metadata: map[string]any{"errors": named},
	}
}

func (f Fault) shortened() Fault {
	loc := make([]any, len(f.Loc))
	for i, part := range f.Loc {
		if name, ok := part.(string); ok {
			part = clip.Chars(name, locRunesMax)
		}
		loc[i] = part
	}
	f.Loc, f.Msg = loc, clip.Chars(f.Msg, msgRunesMax)
	return f
}

// String returns text such as "body.formats.0: expected …".
func (f Fault) String() string {
	var b strings.Builder
	for i, part := range f.Loc {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, part)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(f.Msg)
	return b.String()
}
