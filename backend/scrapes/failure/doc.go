// Package failure converts the errors of fetching, rendering and reading a page to problems for clients.
//
// The problem says what the client can do about it, and reveals nothing of the operator's network. Classify says for jobs
// whether the same page is worth another attempt.
package failure
