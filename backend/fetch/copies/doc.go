// Package copies spares hosts the pages that have not changed: what a team has fetched is kept for a day where the host
// gave it an ETag or a Last-Modified, and the next fetch of that team asks whether it is still so (RFC 9110 section 13).
//
// Copies are a team's own, as what a host shows may differ for reasons that it does not state, and what one team asks
// for is nobody else's business. A host is asked every time: this is no cache that answers by itself.
//
// Invariants:
//   - Only answers to plain GETs are kept: status 200 at the URL that was asked for, fetched directly and without
//     credentials; none that says no-store or varies by everything.
//   - A copy is used only if the host says 304 to its validators, and only whole: its body's hash is checked.
//   - Whatever is wrong with copies, the page is fetched; an outage of theirs is logged and no failure of a fetch.
//
// The package imports backend/fetch and db.
package copies
