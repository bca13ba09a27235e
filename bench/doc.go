// Command bench measures what the toll costs: stock Caddy, our binary with the
// gate removed, and our binary metering random keys and one hot key take turns in
// front of the same trivial upstream, and what counts is the ratios within a
// round of turns.
//
// The process under test has a core to itself. Everything else (the load, the
// upstream, Postgres) shares the other one, and the CPU time of each is reported
// apart. The load generator and the upstream are this same program, started
// again; they speak HTTP/1.1 over epoll with as few instructions as they can, so
// that what is left of their core is Postgres'.
//
// A run counts only if it is right: every response is checked, and after each
// metered turn the ledger must have taken exactly one credit per response.
//
// It needs Linux (epoll, CPU affinity, /proc).
package main
