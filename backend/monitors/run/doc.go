// Package run carries out a plan: it comes by the pages, reads them, compares them with those of the last run, says in words
// what changed, and decides whether that is told.
//
// The idea is that a run touches nothing but a World, a small interface that comes by pages, knows what each operation costs
// and does nothing else; and that it returns a value, the Outcome, which whoever asked for it writes down in one transaction.
// So the whole of a run can be tested without a network or a database, and cannot be half done.
//
// Invariants:
//   - No page is read that the source policy does not allow, nor one that such a page leads to by a redirect.
//   - A run never spends more than Limits.Credits: before each operation its price is asked for, and what is not covered is
//     not done. What failed costs nothing.
//   - Further looks at a page (compare.Settle) are never paid for, are as bound by the source policy, and change nothing when
//     they fail.
//   - A page that could not be read is not "removed": what was known of it stays, and is compared when it is read again.
//   - A run that read nothing fails, and what was known stays as it was.
//   - Pages, bytes and time are bounded, whatever a plan says.
//
// It imports backend/monitors/plan, backend/compare, extract, fetch, glob, jsonschema, and no feature.
package run
