// Package stand has the whole product on this machine for a benchmark: a Postgres of its own, a team that can pay, a
// backend, and an edge that sells what the backend has by key.
//
// The one idea: what is measured is the built binary, started as an operator starts it, and asked as a customer asks it.
// What it did is held against the ledger by Audit.
//
// It imports bench/proc, dev/postgres and dev/rig, db, backend/jobs for its migrations, and payments/apikey, credits, money
// and token. It needs Linux.
package stand
