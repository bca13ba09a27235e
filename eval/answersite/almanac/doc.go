// Package almanac is a part of the gold set of answers about things that are known: encyclopedias, news, museums, herbariums,
// league tables, statutes, statistics, manuals and forums.
//
// The idea is a family of pages about things of one sort, each a row of facts, and a few whole pages, each of another maker, that
// the rows take turns in. What is said of a thing stands in the page's own markup, mostly in sentences and among figures of its
// neighbours, its namesakes and its other years. A fact that a row has no cell for takes the line that would say it off the page,
// and so a task that asks for it has no answer.
//
// It shares nothing with the other parts but the plumbing of answersite, which is all that it imports.
package almanac
