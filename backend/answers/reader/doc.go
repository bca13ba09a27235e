// Package reader reads pages without a language model: it answers tasks from what they name, or what a search finds (reader.go), and fills
// JSON Schemas from a page (fill.go). The same task or schema over the same pages always has the same result.
//
// A page is split into blocks (page.go). In these, and in the page's structured data, it looks for candidates: spans of the shape that a
// field's kind has, such as prices, dates, names or what follows a colon (spans.go, candidates.go, lists.go). Each has figures: how well the
// words of the field's name and description, and of the task, fit those beside it, above it, in its label and in its element, how rare they
// are, and what its rivals have (figures.go). Words are compared by their stems. A table of pairs of words, a forest that ranks the
// candidates and one that compares the best of them give the probability that a candidate is the value (model.go, rank.go).
//
// Fill takes what the structured data of the page's subject states first (stated.go), and then what was learned. Lists of objects come from
// structured data, tables and elements that repeat (records.go, card.go), by names and forms alone.
//
// The weights (weights.bin.gz) are written by the training program in eval/real, which learns from labels of real pages. Training and use
// compute figures with the same code.
//
// Invariants:
//   - A value is given only above the trust at which precision holds on pages that were not learned from. It has the field's type and unit.
//   - There are no rules for a subject, a site or a phrase. What is fixed are forms: currencies, units, months, the elements of HTML, and
//     where schema.org has what callers ask for.
//   - Every value of an answer has passed ask.Check. Every value of a schema is allowed by it.
//   - Properties are in the order of the schema. What is not found is null, even if the schema does not allow null: see backend/jsonschema.
//   - Time and memory are bounded by blocksMax and the numbers of candidates.
package reader
