// Package e2e tests the service as a client uses it: the shipped Caddyfile in front of the real backend, both as
// processes of the real binary, with their own Postgres and a development chain.
//
// Above all the tests prove that a refusal costs nothing. Each case checks the response, and then the balance, the
// ledger, the claims, the chain and the page that must not be fetched.
//
// There are only tests here. They import whatever they need to inspect the internals.
package e2e
