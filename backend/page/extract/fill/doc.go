// Package fill extracts data from a page by a JSON Schema, without a language model: the same page and schema always give
// the same result.
//
// Pages present most data in forms that are easy to recognise: structured data, tables, pairs of label and value, lists
// under headings, repeated cards, classes named after their content. Each is evidence: a label, a value and a degree of
// trust. The names in the schema are compared with the labels, word by word and with a small lexicon of synonyms
// (lexicon.go), and the best evidence of the right type is taken.
//
// Invariants:
//   - Nothing is invented. A value is on the page, or is a number, date, truth value or address that is written there in
//     another form, or a const or default of the schema. What is not found is null, even if the schema does not allow
//     null: see backend/jsonschema.
//   - Nothing is better than something wrong: ambiguous evidence does not count.
//   - Properties are in the order of the schema. Lists are in the order of the page and have at most a thousand items.
//   - Time and memory are bounded by those of the page's tree, which extract.Parse bounds.
package fill
