// Package e2e holds tests that use the service as a client does: the shipped
// Caddyfile in front of the real backend, both as processes of the real binary,
// on a Postgres of their own and a development chain.
//
// What they prove above all is what a refusal costs: nothing. Each case looks at
// the answer, and then at the balance, the ledger, the claims, the chain and the
// page that was not to be fetched.
//
// There is nothing here but tests. It imports whatever it needs to look behind
// the scenes.
package e2e
