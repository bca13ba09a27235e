package problem

import (
	"fmt"
	"strings"
)

// Fault is one entry of a validation error's metadata.errors.
type Fault struct {
	// Loc leads to the value: ["body", "formats", 0].
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

// BodyFault is a fault of one field of the body.
func BodyFault(field, msg string) Fault {
	return Fault{Loc: []any{"body", field}, Msg: msg, Type: FaultInvalid}
}

// Validation returns a validation error that names every fault.
func Validation(faults ...Fault) *Error {
	said := make([]string, 0, len(faults))
	for _, f := range faults {
		said = append(said, f.String())
	}
	return &Error{
		Code:     ValidationError,
		Detail:   "The request is not valid: " + strings.Join(said, "; ") + ".",
		Metadata: map[string]any{"errors": faults},
	}
}

// String reads "body.formats.0: expected …".
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
