// Package fill reads data out of a page by a JSON Schema, without a language model: the same page and schema always give
// the same answer.
//
// The idea is that pages say most of what is asked of them in forms made for finding it: structured data, tables, pairs of
// label and value, lists under headings, cards that repeat, classes that are named for what they hold. Each is evidence: a
// label, a value and how much it is to be trusted. The names in the schema are compared with the labels, word by word and
// by a small lexicon of what things are called (lexicon.go), and the best evidence that has the right type is taken.
//
// Invariants:
//   - Nothing is made up. A value stands in the page, or is a number, date, truth or address that is written there in
//     another form, or a const or default of the schema. What is not found is null, also where the schema does not allow
//     null: see backend/jsonschema.
//   - Rather nothing than something wrong: evidence that is ambiguous is no evidence.
//   - Properties are in the order of the schema. Lists are in the order of the page and have at most a thousand items.
//   - Time and memory are bounded by those of the page's tree, which extract.Parse bounds.
package fill
