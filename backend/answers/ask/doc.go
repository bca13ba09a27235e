// Package ask holds what those who answer tasks say to each other: the task and the form of its answer, the sources, the
// values that were found in them, and the check that each of these stands in its source.
//
// The idea is that nobody who finds values is believed: whoever it was, a model or our own reader, a value is in the
// answer only where the check has found it in what the source says. Check finds the quote in the source, and the value in
// the quote, by the type of its field; Compose writes the answer of the values that are left.
//
// Invariants:
//   - A quote stands in the source as whole words, whatever its white space and its kind of quotation marks and dashes. The value
//     is looked for in the source's own words, not in the quote as it was given.
//   - A number is a whole number of the text, a date a whole date, an address is literal, a truth is said outright.
//   - An answer is valid for its schema but for NotFound, and each value in it has a citation.
//   - No form, value or source makes the package panic, and its time is bounded by their size.
//
// It imports backend/extract, jsonschema and, for what a search returns, websearch.
package ask
