// Package campus is a part of the gold set of answers that is written as prose: what its pages say stands in subordinate clauses,
// appositions and parentheses, beside facts that are nearly the same.
//
// The idea is a row of facts and several texts for each kind of thing. A text names the facts that it tells by their columns;
// what a text does not name is absent from the page, and so a task that asks for it has no answer.
//
// It shares nothing with the other parts but the plumbing of answersite, which is all that it imports.
package campus
