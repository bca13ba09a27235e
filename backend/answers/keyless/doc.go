// Package keyless answers tasks without a language model: it finds pages, reads them, and takes from them what they say
// under the names that the task has for it. The same task over the same pages always has the same answer.
//
// The idea is that a value is taken only where three things come together: the page, or a row or sentence of it, is about the
// subject of the task; a label, a heading or the words of a sentence name what is wanted; and the value is of the kind that is
// wanted. What a task names is compared with labels word by word, with a lexicon (lexicon.txt) of words that say the same.
//
// Invariants:
//   - Rather NOT_FOUND than something wrong: what another subject's page says, what is said of another year, and what pages of
//     equal standing say differently is not taken.
//   - How somebody is reached is of whom it stands with: what is at the edge of a page, or on other pages of the site too, is the site's,
//     and given where the task is about the site, or about whom that part of the page names.
//   - A page that has nothing of what the task tells its subject by, where or what it is, is a namesake's.
//   - Every value has passed ask.Check.
//   - Time and the number of pages are bounded; what has been found by then is the answer.
package keyless
