// Package websearch finds web pages by words: in the pages that this installation has fetched itself (package local), and
// with the search services that the operator has configured.
//
// All providers implement one small interface and are asked in the configured order: the next one is asked if one fails or
// finds nothing. Failures are classified: a wrong key must be fixed by the operator, a busy service needs only time. A
// provider that fails repeatedly is not asked for a while (circuit), so that no search waits for it.
//
// Invariants:
//   - No error or log contains a key, or the query, unless a service repeats it.
//   - Services receive the words and domains of a query, never the team.
//   - Requests, responses and waits are limited; no redirect is followed; a search with a service is one request.
//   - Results are filtered here, whatever a service returns: domains, limit, each URL once. Text is plain.
//   - Every failure is an *Error with a Reason, or the caller's own cancellation.
//
// It may reach private addresses: its URLs come from the operator, never from a client.
package websearch
