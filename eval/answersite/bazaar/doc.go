// Package bazaar is a part of the gold set of answers about what is for sale: shops, price tables, hotels, menus, cars, jobs,
// software, courses, tickets, homes, and the terms, questions and contacts that stand beside them.
//
// The idea is a row of facts and the markup of several sites for each kind of thing. A site's markup names the facts that it
// shows by their columns, and a line of it whose fact a row has not is left out; so what a page says and what it does not is known
// from the row and the markup alone.
//
// Invariants: those of package answersite. It imports that, and shares nothing with the other parts.
package bazaar
