// Package parsers converts web pages to JSON by declarative rules: built-in parsers (@turnpike/article and so on), and
// parsers that a team writes, versions and tests.
//
// A definition is data, not a program: a tree of fields, each with a source on the page, transforms and a place in a JSON
// Schema. It is fully checked when it is stored, and all faults are reported at once, so that a run fails only because of
// the page. A run is bounded by the definition's size, by steps and by time, whatever the page.
//
// Definitions and pages are untrusted. Where code that reads them has no limits of its own, limits surround it: teams'
// definitions are compiled and run (package rules) in worker processes (worker.go), which are this program with resource
// limits and, on Linux, only the system calls needed to compute. Requests and replies pass through pipes, in frames of
// bounded length.
// Built-in parsers and the reading of pages run in this process, because their code is trusted.
//
// Invariants:
//   - A version never changes. The versions of a name are consecutive, however many processes create them.
//   - Another team's parser is indistinguishable from one that does not exist.
//   - A result satisfies its schema. Otherwise the client gets the faulty fields instead, and is not charged.
//   - Definitions load nothing: references stay within a schema, and regular expressions are RE2.
//   - No definition and no page can crash the service: a worker that fails or hangs fails only its own task.
//
// Pages come through the interface [Pages], so only the guarded client fetches URLs.
package parsers
