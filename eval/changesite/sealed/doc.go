// Package sealed is a site of ten pages by ten makers, written to judge change detection with and not shown to it before: a shop's
// product and its shelf, the prices of a service, a blog, a project's releases, a town's notices, a conference's programme,
// vacancies, a status page and a museum's opening hours.
//
// The idea is that each page has noise of the five families that every site has (clocks, counters, adverts, shuffled lists,
// session ids) and some that its kind is known for, about three in four drawn for each answer and the others once for a run.
// The hour of a run is the hour it is judged at, and what counts up never counts down between runs.
//
// Invariants, which its test holds:
//
//   - What a page visibly says, but for noise, changes in a run if and only if an edit is planned for it.
//   - Data says the same in each answer of a run, whatever the noise.
//   - Two answers of one run never say the same.
package sealed
