// Package idempotency stores the outcome of requests with an Idempotency-Key, so that the work of a key is done once
// and a retry gets the same response.
//
// It uses a lease with a fencing token. The first request with a key takes the lease and renews it while it works. If it dies,
// the lease expires, and the next request continues under the first one's identity; work is done once for each identity, so it
// is not done again. Only the holder of the token writes the response, in the transaction of the work if there is one. So the
// work is done if and only if its response is stored, and an attempt that was taken for dead commits neither.
//
// A response is stored with its cost and its payer: the id of the hold or claim of the request that is to pay for it.
// The statement that reads the response also reads the state of that payment. A retry gets a paid response for free. If
// the response will certainly never be paid, the retry becomes its payer.
//
// Invariants:
//   - At most one attempt with a key holds the token at a time.
//   - A response that costs something is free only if its payer has paid. It has one payer at a time; another replaces
//     it only when it is certain that it never pays.
//   - An attempt with an unknown outcome releases its key.
//   - A key belongs to one team, one route and the first request that used it. While the key is kept, another request
//     with it is refused.
//   - The database's clock decides.
package idempotency
