// Command chaos kills the processes of an installation under load, one at random every few seconds, and then holds the
// books against what the clients were told (`make chaos`).
//
// An installation is three edges with the shipped Caddyfile, the web data service, an upstream of this program that
// does next to nothing (for much load), and Postgres, each a process; the chain, the double of Stripe, the page that is
// scraped and the clients are in this one, and outlive everything. Teams spend credits at mixed prices, one of them much
// more than the others and some until they have none; they buy scrapes; some buy more credits by card, and spend them;
// wallets pay by x402. Stripe is slow and at times fails, before or after it has charged, and its events come late,
// doubled, in any order, or not at all. All of it goes on all the time: a client
// whose connection breaks or that is answered with 503 asks again, at whichever edge serves. A victim gets SIGKILL
// (Postgres together with all its backends) and is started again at once; now and then two are hit in the same moment.
//
// Each sort of load is a [kind]: its clients, the book they keep of what they were told, and its part of the audit.
// What must hold afterwards, for each key and each payment and not only in sum:
//
//   - Every answer stands on an authorisation of its team at its price, which is still in the database.
//   - 0 ≤ served − charged, in requests and in credits; and what was served and not charged was in flight, or served
//     and not yet captured, when its edge was killed: a capture takes at most two batches, unless Postgres was away.
//   - No balance is negative, no hold is left open, and the ledger agrees with itself.
//   - An x402 payment that was answered with 200 has one claim, one transfer on the chain and one in the ledger; one
//     that was not has moved nothing, unless a refund is recorded.
//   - What was charged to cards is credited, each payment for itself and exactly once, when the sweepers have run; who was
//     refused was not charged, and each client that asks again with its key is told what became of its purchase.
//   - The upstreams did the work of no hold and no claim twice.
//   - While there is no Postgres nothing is served, and an edge that outlives it serves again within 5 s of its return.
//
// It exits with 1 if any of it does not. Its tests are the drills that need no storm: credits that run out under many
// edges at once, reloads under load, Postgres away or hanging, and one payment that is used a hundred times at once.
package main
