// Package market is a site of commerce and work: a shop, rentals, tariffs, jobs, a tender, a menu, a timetable. Its ten pages are of
// ten makers, each with a layout of its own, and each is a file.
//
// Dates and times of day go with the run (today), counters creep with it, and what a server draws for each answer is drawn of the run.
//
// Invariants:
//
//   - Edits are in the main content, and are asked for in each run, so that Collect finds them all.
//   - No noise says what an edit says.
package market
