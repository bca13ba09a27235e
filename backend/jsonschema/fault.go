package jsonschema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const (
	faultsMax       = 20
	faultBytesMax   = 300
	pointerBytesMax = 1000
)

// Fault is one fault of a schema or a value.
type Fault struct {
	// Pointer is its location as JSON Pointer (RFC 6901); empty for the whole.
	Pointer string
	// Message says what is wrong, and usually how to correct it.
	Message string
}

func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}

// Path is the pointer as a list: numbers for list indexes, and names.
func (f Fault) Path() []any {
	if f.Pointer == "" {
		return nil
	}
	var path []any
	for part := range strings.SplitSeq(f.Pointer[1:], "/") {
		if n, err := strconv.Atoi(part); err == nil {
			path = append(path, n)
			continue
		}
		path = append(path, pointerUnescaper.Replace(part))
	}
	return path
}

// Error lists the faults, at least one and at most twenty.
type Error struct{ Faults []Fault }

func (e *Error) Error() string {
	said := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		said[i] = fault.String()
	}
	return strings.Join(said, "; ")
}

// faults collects faults up to the limit.
type faults []Fault

func (f *faults) addf(pointer, format string, args ...any) {
	if len(*f) < faultsMax {
		*f = append(*f, Fault{Pointer: clip(pointer, pointerBytesMax), Message: clip(fmt.Sprintf(format, args...), faultBytesMax)})
	}
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Faults: f}
}

// read adds the validator's innermost errors. The outer ones only say that there are inner ones.
func (f *faults) read(err error) {
	var invalid *santhosh.ValidationError
	if !errors.As(err, &invalid) {
		f.addf("", "%v", err)
		return
	}
	f.leaves(invalid, message.NewPrinter(language.English))
}

// leaves recurses as deep as the value and the schema nest, which is bounded.
func (f *faults) leaves(e *santhosh.ValidationError, printer *message.Printer) {
	if len(*f) >= faultsMax {
		return
	}
	if len(e.Causes) == 0 {
		f.addf(pointerOf(e.InstanceLocation), "%s", e.ErrorKind.LocalizedString(printer))
		return
	}
	for _, cause := range e.Causes {
		f.leaves(cause, printer)
	}
}

func pointerOf(path []string) string {
	var out strings.Builder
	for _, name := range path {
		out.WriteByte('/')
		out.WriteString(escapePointer(name))
	}
	return out.String()
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escapePointer(name string) string { return pointerEscaper.Replace(name) }

func clip(s string, bytesMax int) string {
	if len(s) <= bytesMax {
		return s
	}
	return strings.ToValidUTF8(s[:bytesMax], "") + "…"
}
