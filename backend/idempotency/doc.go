// Package idempotency keeps what became of requests that carry an Idempotency-Key,
// so that the work of one key is done once and a repetition gets the same answer.
//
// The one idea is a lease with a fencing token. The first request of a key takes
// it for a while and renews it while it works; one that dies lets go of it, and the
// next goes on under the first one's identity, so that work which is done once for
// each identity is not done again. The answer is written by who has the token, in
// the transaction of the work wherever there is one: the work is then done if and
// only if its answer is kept, and an attempt that was taken for dead commits
// neither.
//
// Invariants:
//   - Of any number of attempts with one key, at most one at a time has the token.
//   - A key belongs to one team and one route, and to the request that it was first
//     used for: with another it is refused, for as long as it is kept.
//   - The clock is the database's.
//
// It imports db.
package idempotency
