// Package ask defines tasks, the form of their answers, sources and values, and checks that each value is supported by
// its source. Components that answer tasks share these types.
//
// No finder of values is trusted, whether a model or our own reader: a value is in the answer only if Check finds it in
// the source. Check looks for the quote in the source, and for the value in the quote, by the type of its field. Compose
// builds the answer from the accepted values.
//
// Invariants:
//   - A quote matches whole words of the source, whatever its white space, quotation marks and dashes. The value is
//     looked for in the source's own text, not in the quote as given.
//   - A number must match a whole number of the text, a date a whole date, an address must match literally, and a boolean
//     must be stated explicitly.
//   - An answer is valid for its schema except for NotFound, and each of its values has a citation.
//   - No form, value or source makes the package panic, and its time is bounded by their size.
package ask
