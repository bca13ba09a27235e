// Command chaos kills every process of an installation under load, again and again, and then holds the books against
// what the clients were given (`make chaos`).
//
// An installation is two edges, an upstream and Postgres, each a process; the chain and the clients are in this one,
// and outlive everything. Clients spend credits by key and pay by x402 all the while. In each round every process gets
// SIGKILL once (Postgres together with all its backends), in an order and at moments that the seed decides, sometimes
// several at once, and is started again.
//
// The upstream is one of this program that does next to nothing, for much load; with -backend it is the web data
// service behind the shipped Caddyfile, and a page of this process is scraped.
//
// What must hold afterwards, for each key and each payment and not only in sum:
//
//   - Every answer stands on an authorisation that is still in the database.
//   - 0 ≤ served − charged, and what was served and not charged was in flight, or served and not yet captured, when
//     its edge was killed: a capture takes at most two batches, unless the database was down.
//   - No balance is negative, no hold is left open, and the ledger agrees with itself.
//   - An x402 payment that was answered with 200 has one claim, one transfer on the chain and one in the ledger; one
//     that was not has moved nothing, unless a refund is recorded.
//   - The upstream did the work of no hold and no claim twice.
//
// It exits with 1 if any of it does not.
package main
