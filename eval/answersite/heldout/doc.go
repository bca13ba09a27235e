// Package heldout is the part of the gold set that readers are judged with and not worked on with: who changes a reader
// looks at its figures, not at its pages and tasks. It is of the canton of Aarlen, its lakes, clinics, bicycles, concerts
// and clubs.
//
// The idea and the invariants are those of package answersite, which it imports and nothing else of ours. It shares no
// world, name, template, sentence or wording of a task with package devset.
package heldout
