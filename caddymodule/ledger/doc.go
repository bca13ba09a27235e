// Package ledger has the modules that keep API keys, prepaid credits and x402 payments: in a Postgres database, or in
// memory for trials.
package ledger
