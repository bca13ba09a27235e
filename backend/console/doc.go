// Package console is a small set of web pages for people: balance, keys, jobs, monitors and schedules of a team.
//
// The idea is that the console is a client of the public API like any other. Whoever signs in gives an API key, which is
// kept sealed in a cookie of their browser and nowhere else; every page is made of answers that the API gave to that key
// through the edge. So a page shows nothing that the key may not see, nothing is done that was not priced, charged and
// limited by the edge, and there is no second way to a team's data that would have to be guarded.
//
//	browser ── cookie ──> console ── Authorization: Bearer <key> ──> edge ──> API
//
// Invariants:
//   - A key is in a cookie only, encrypted and authenticated, for [SessionMax] at most. It is in no page, no address, no log.
//   - What changes something is a POST from a page of the console itself (http.CrossOriginProtection, and SameSite=Strict).
//   - What is spent by a form is spent once: the form carries the Idempotency-Key that the API is asked with.
//   - What came from outside (queries, titles, URLs, diffs, diagrams) is escaped by html/template wherever it stands; no
//     page has an inline script or style, and the policy of all pages allows none.
//   - Every page works without scripts.
//
// It imports payments/ratelimit for attempts to sign in, payments/token for idempotency keys, and nothing else of this tree:
// what it knows of the API is the API's documentation.
package console
