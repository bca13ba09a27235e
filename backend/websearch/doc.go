// Package websearch finds pages by words: over what this installation has read itself (package local), and by the search
// services that the operator has keys for.
//
// The idea is that all of them are one small interface, in the configured order: the next is asked where one fails or
// knows nothing, and what went wrong is told apart, since a key that is wrong is the operator's affair and a service that
// is busy is nobody's. One that fails again and again is left alone for a while (circuit), so that nobody waits for it.
//
// Invariants:
//   - Keys are in no error and in no log, and neither is what was looked for, unless a service repeats it.
//   - Services are told the words and the domains of a query, never whose it is.
//   - Requests, answers and waits are bounded; no redirect is followed; a search with a service is one request.
//   - Results are held to the query here, whatever a service makes of it: domains, limit, each URL once. Text is plain.
//   - Every failure is an *Error with a Reason, or the caller's own cancellation.
//
// The package imports nothing of this module. It may reach private addresses: its URLs are the operator's, never a caller's.
package websearch
