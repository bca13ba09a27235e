// Package console implements a small web console for people: a team's balance, keys, jobs, monitors and schedules.
//
// The console is a client of the public API like any other. A user signs in with an API key, which is kept only in an encrypted
// cookie of the browser. Every page is built from API responses to that key, through the edge. So a page shows nothing that the
// key may not see, the edge prices, charges and limits every action, and no second access path to a team's data needs protection.
//
//	browser ── cookie ──> console ── Authorization: Bearer <key> ──> edge ──> API
//
// Invariants:
//   - A key is only in a cookie, encrypted and authenticated, for at most [SessionMax]. It is in no page, URL or log.
//   - Every change is a POST from a page of the console itself (http.CrossOriginProtection, and SameSite=Strict).
//   - A form spends once: it carries the Idempotency-Key that is sent to the API.
//   - External text (queries, titles, URLs, diffs, diagrams) is always escaped by html/template. No page has an inline
//     script or style, and the policy of all pages allows none.
//   - Every page works without scripts.
//
// It imports payments/ratelimit for sign-in attempts, payments/token for idempotency keys, and nothing else of this tree:
// it relies only on the documentation of the API.
package console
