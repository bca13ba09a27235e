// Package ask holds what those who answer tasks say to each other: the task and the form of its answer, the sources, the
// values that were found in them, and the check that each of these stands in its source.
//
// The idea is that nobody who finds values is believed: whoever it was, a model or our own reader, a value is in the
// answer only where the check has found it in what the source says.
//
// It imports backend/extract, jsonschema and, for what a search returns, websearch.
package ask
