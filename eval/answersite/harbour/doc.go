// Package harbour is a part of the gold set of answers about what people ask of a town: firms and who works there, baths and
// museums with their fees, events and halls, boats and buses, courses, doctors, clubs, guides, data sheets and forums.
//
// The idea is a kind of thing with columns, rows of which many cells come of a seed, and the markup of several sites. A column
// also says how it is asked for, and which words would stand on a page that says it. A part of the markup whose fact a row has
// not is left out, so what a page says and what it does not is known from the row and the markup alone.
//
// Invariants: those of package answersite. It imports that, and shares nothing with the other parts.
package harbour
