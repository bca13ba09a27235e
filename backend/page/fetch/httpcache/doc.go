// Package httpcache is an HTTP cache that revalidates on every use. A page that a team has fetched is kept for a day if the
// host sent an ETag or a Last-Modified, and the team's next fetch asks whether it has changed (RFC 9110 section 13).
//
// Copies belong to one team: a host may vary pages for reasons that it does not state, and one team's requests are not
// another's business.
//
// Invariants:
//   - Only responses to plain GETs are kept: status 200 at the requested URL, fetched directly and without credentials;
//     none with no-store or Vary: *.
//   - A copy is used only if the host answers 304 to its validators, and only complete: its body's hash is checked.
//   - A fault of the cache never fails a fetch: it is logged, and the page is fetched.
package httpcache
