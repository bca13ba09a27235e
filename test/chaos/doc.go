// Command chaos kills processes of an installation under load, one at random every few seconds, and then compares all
// records with the responses that the clients received (`make chaos`).
//
// An installation is three edges with the shipped Caddyfile, the web data service, a nearly idle upstream of this program
// (for high load), Postgres, and PgBouncer in transaction mode in front of it, each in its own process. Two chains, the
// Stripe fake, the scraped page and the clients run in this process and outlive everything. One edge settles on one
// network, the others on two. Teams spend credits at mixed prices, one of them much more than the others and some until
// they have none; they buy scrapes; some buy more credits by card, and spend them; wallets pay by x402. Stripe is slow
// and at times fails, before or after it has charged, and its events come late, twice, in any order, or not at all.
// Clients by key and wallets repeat requests with one Idempotency-Key, at any edge, with the same or another payment, and
// at times leave before the response. All of it happens all the time: a client whose connection breaks or that gets 503
// tries again at any edge that serves. A victim gets SIGKILL (Postgres together with all its backends) and is restarted
// at once; now and then two are killed in the same moment. Edges are reloaded with configurations that differ only in an
// x402 setting. Once in each storm Postgres is down for longer than lost_after, PgBouncer is down for a second, and the
// row of an account is locked for 20 s: see [trial].
//
// Each sort of load is a [kind]: its clients, their record of the responses, and its part of the audit. Afterwards these
// must hold, for each key and each payment and not only in sum:
//
//   - Every response has an authorisation of its team at its price, which is still in the database.
//   - 0 ≤ served − charged, in requests and in credits. Anything served and not charged was in flight, or not yet
//     captured, when its edge was killed: a capture takes at most two batches, unless Postgres was down.
//   - No balance is negative, no hold is left open, and the ledger is consistent.
//   - An x402 payment that got 200 has one claim, one transfer on the chain and one in the ledger; any other has moved
//     nothing, unless a refund is recorded.
//   - Card charges are credited, each payment exactly once, when the sweepers have run; a refused client was not
//     charged, and each client that retries with its key learns the outcome of its purchase.
//   - The upstreams did the work of no hold and no claim twice.
//   - Repeated requests get the same response and are paid once. A free response repeats one whose payment was captured
//     or settled, and was not refunded.
//   - Without a database nothing is served, and an edge that outlives the outage serves again within 5 s of its end.
//   - While a row of an account is locked its team gets nothing, and all others are served.
//   - Each trial happened, and there were repeated requests, clients that left, reloads, and payments on both networks.
//
// It exits with 1 if any of these fails. Its tests are the drills that need no storm: credits that run out under many
// edges at once, reloads under load, Postgres down or hanging, and one payment that is used a hundred times at once.
package main
