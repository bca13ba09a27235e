// Command chaos kills the processes of an installation under load, one at random every few seconds, and then holds the
// books against what the clients were told (`make chaos`).
//
// An installation is three edges with the shipped Caddyfile, the web data service, an upstream of this program that
// does next to nothing (for much load), Postgres, and before it PgBouncer in transaction mode, each a process; two chains,
// the double of Stripe, the page that is scraped and the clients are in this one, and outlive everything. One edge settles
// on one network, the others on two. Teams spend credits at mixed prices, one of them much
// more than the others and some until they have none; they buy scrapes; some buy more credits by card, and spend them;
// wallets pay by x402. Stripe is slow and at times fails, before or after it has charged, and its events come late,
// doubled, in any order, or not at all. Clients by key and wallets ask several times for one thing, with one
// Idempotency-Key, at any edge, with another payment each time or the same, and at times leave before the answer. All of it
// goes on all the time: a client whose connection breaks or that is answered with 503 asks again, at whichever edge serves.
// A victim gets SIGKILL (Postgres together with all its backends) and is started again at once; now and then two are hit in
// the same moment. Edges are given configurations that differ in a setting of x402 alone. And once in each storm Postgres
// is away for longer than lost_after, PgBouncer for a second, and the row of an account is locked for 20 s: see [trial].
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
//   - What is asked for repeatedly is answered alike and paid once. Nothing is given for nothing unless what paid for it is
//     captured or settled, and was not given back.
//   - While there is no database nothing is served, and an edge that outlives it serves again within 5 s of its return.
//   - While a row of an account is locked its team gets nothing, and all others are served.
//   - Each trial happened, and there were repetitions, clients that left, reloads, and payments on both networks.
//
// It exits with 1 if any of it does not. Its tests are the drills that need no storm: credits that run out under many
// edges at once, reloads under load, Postgres away or hanging, and one payment that is used a hundred times at once.
package main
