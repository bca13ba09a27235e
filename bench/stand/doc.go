// Package stand runs the whole product on this machine for a benchmark: its own Postgres, a team that can pay, a backend,
// and an edge that charges for the backend by key.
//
// It measures the built binary, started as an operator starts it and used as a customer uses it. Audit compares the
// results with the ledger.
//
// It needs Linux.
package stand
