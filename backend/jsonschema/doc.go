// Package jsonschema compiles JSON Schemas from clients, and validates values against them.
//
// A schema is a small untrusted program: it can refer to the network (a remote $ref), take unlimited time (references
// that double at each step, patterns that backtrack), or contain a number with a billion zeros. So a schema is bounded
// before it is compiled, and each of its faults is reported with a JSON pointer.
//
// Data extracted from a page may lack anything that a schema requires. So a schema can be read as Forgiving, with one rule besides
// the standard's: null is allowed for every property, and a missing property counts as null. Schema.Encode always applies this rule.
//
// Invariants:
//   - No schema and no value makes the package panic, open a file or a connection, or run beyond its bounds.
//   - A reference leads to a schema within the same document, and never back to itself on the same value.
//   - Patterns run in time linear in the text (RE2).
package jsonschema
