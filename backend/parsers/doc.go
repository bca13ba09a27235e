// Package parsers turns pages into JSON by declarative rules: those that ship with the service (@turnpike/article and so
// on) and those that a team writes, keeps in versions and tries out.
//
// The idea is that a definition is data, never a program: a tree of fields, each with a source on the page, transforms
// and a place in a JSON Schema. It is checked whole when it is stored, all faults at once, so that running it can fail
// only by what a page holds. What runs is bounded by the definition's size, by steps and by time, whatever the page.
//
// A definition is a stranger's all the same, and so is the page. What is not bounded in the code that reads them is
// bounded around it: definitions of teams are compiled and run in processes of their own (worker.go), this program started
// anew, which have limits, and at Linux only the system calls that computing takes. Requests and replies pass through pipes,
// in frames of bounded length. Built-in parsers run here: their code is ours, as is the reading of pages.
//
// Invariants:
//   - A version never changes. Versions of a name are consecutive, by however many processes they are made.
//   - Another team's parser and one that does not exist look the same.
//   - A result satisfies its schema, or there is none: then the caller is told which field is wrong, and not charged.
//   - Definitions load nothing: references in a schema stay in it, and regular expressions are RE2.
//   - No definition and no page ends the service: a worker that fails or hangs fails its own task.
//
// It imports backend/caller, confine, extract, fetch, pattern and problem, db, and payments/edgewire, money and token. Pages come through
// the interface [Pages], so that a URL is fetched by the guarded client alone.
package parsers
