// Package run executes a monitor's plan once: it finds and fetches pages, compares them with those of the last run,
// summarizes what changed, and decides whether to notify.
//
// A run touches only a World, a small interface that fetches pages and knows the price of each operation. It returns a value, the
// Outcome, which the caller writes in one transaction. So a run can be tested without network or database, and is never half done.
//
// Invariants:
//   - No page is read that the source policy does not allow, not even after a redirect.
//   - A run never spends more than Limits.Credits: it asks for the price before each operation, and skips what is not
//     covered. Failed operations cost nothing.
//   - Rereading a page (compare.Settle) is never charged, obeys the source policy too, and changes nothing if it fails.
//   - A page that could not be read is not "removed": its last version is kept and compared when it is read again.
//   - A run that read nothing fails, and leaves what was known unchanged.
//   - Pages, bytes and time are bounded, whatever a plan says.
package run
