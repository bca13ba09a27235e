// Package jsonschema compiles the JSON Schemas that callers send, and holds values against them.
//
// The idea is that a schema is a small program of a stranger's: it can ask for the network (a remote $ref), for more time
// than there is (references that double at each step, patterns that backtrack), or for a number with a billion zeros. So a
// schema is bounded before it is compiled, and what is wrong with it is said with a JSON pointer for each fault.
//
// What is read of a page may lack anything that a schema asks for. So a schema can be read as Forgiving, by one rule that
// is added to the standard's: null is allowed wherever a property has a value, and a property that is missing is null.
// Schema.Encode keeps to it always.
//
// Invariants:
//   - No schema and no value makes the package panic, open a file or a connection, or run beyond its bounds.
//   - A reference leads to a schema within the same document, and never back to itself on the same value.
//   - Patterns run in time linear in the text (RE2).
//
// The package imports backend/pattern.
package jsonschema
