// Package parsers turns pages into JSON by declarative rules: those that ship with the service (@turnpike/article and so
// on) and those that a team writes, keeps in versions and tries out.
//
// The idea is that a definition is data, never a program: a tree of fields, each with a source on the page, transforms
// and a place in a JSON Schema. It is checked whole when it is stored, all faults at once, so that running it can fail
// only by what a page holds. What runs is bounded by the definition's size, by steps and by time, whatever the page.
//
// Invariants:
//   - A version never changes. Versions of a name are consecutive, by however many processes they are made.
//   - Another team's parser and one that does not exist look the same.
//   - A result satisfies its schema, or there is none: then the caller is told which field is wrong, and not charged.
//   - Definitions load nothing: references in a schema stay in it, and regular expressions are RE2.
//
// It imports backend/caller, extract, fetch and problem, db, and payments/edgewire, money and token. Pages come through
// the interface [Pages], so that a URL is fetched by the guarded client alone.
package parsers
