// Command bench measures what the gate costs: stock Caddy, our binary with the gate removed, and our binary metering
// random keys and one hot key take turns in front of the same trivial upstream. The result is the ratios within a round
// of turns.
//
// The process under test has its own core. Everything else (the load, the upstream, Postgres) shares the other one, and
// the CPU time of each is reported separately. The load generator and the upstream are this same program, started again;
// they speak HTTP/1.1 over epoll with as few instructions as possible, which leaves the rest of their core to Postgres.
//
// A run counts only if it is correct: every response is checked, and after each metered turn the ledger must have taken
// exactly one credit per response.
//
// It needs Linux (epoll, CPU affinity, /proc).
package main
