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
// An answer is kept with what it costs and the payer: the id of the hold or claim of
// the request that is to pay for it. The statement that reads it reads what became of
// that. A repetition has the answer for nothing if it is paid, and becomes its payer if
// it certainly is not.
//
// Invariants:
//   - Of any number of attempts with one key, at most one at a time has the token.
//   - An answer that costs something is given for nothing only where its payer has paid,
//     and has one payer at a time: another only once it is certain that it never will.
//   - An attempt that nobody knows of lets go of its key.
//   - A key belongs to one team and one route, and to the request that it was first
//     used for: with another it is refused, for as long as it is kept.
//   - The clock is the database's.
//
// It imports db.
package idempotency
