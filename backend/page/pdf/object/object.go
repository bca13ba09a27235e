package object

import "math"

// Objects of a PDF are nil, bool, int, float64, Name, String, Array, Dict, Ref and *Stream (ISO 32000-1, 7.3).
type (
	Name   string
	String []byte
	Array  []any
	Dict   map[Name]any
	// Ref leads to the object with this number, of whatever generation.
	Ref int

	// Stream is a stream whose data are still as they are in the file.
	Stream struct {
		Dict Dict
		data []byte
		// number and generation are part of the key in older encryption.
		number, generation int
		// plain streams are never encrypted: those that hold the table of objects.
		plain bool
	}
)

// number reads an int or a float64. What is not finite is none: it would spoil every sum that it enters.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return 0, false
}

// integer reads an int, or a float64 that is one.
func integer(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<52 {
			return int(v), true
		}
	}
	return 0, false
}
