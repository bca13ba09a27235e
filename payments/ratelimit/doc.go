// Package ratelimit limits requests per key (a team, an address): a rate for each class of requests, and a number of
// requests in flight at once.
//
// A quota is stored as one number. A token bucket that fills at a steady rate is described by the time at which it will
// be full again (the generic cell rate algorithm, ITU-T I.371). A request moves that time one interval on, and is
// refused if that would be further off than a full bucket lasts. No timer runs; what is left, and when there will be
// one more, follow by subtraction. golang.org/x/time/rate keeps a float and a lock per bucket, and reports neither of
// these two values, which clients receive.
//
// Invariants:
//
//   - In no span of time are more requests allowed than the burst plus what the rate adds in that span.
//   - A refused request uses nothing up, whatever the reason.
//   - A key with full quotas and nothing in flight is forgotten when its part of the table has doubled or a minute has
//     passed. At most Config.KeysMax keys are kept, plus those with requests in flight. Beyond that, some keys that are
//     near their full quota get it back early.
//
// The state belongs to this process: with n edges a key has up to n times the limit.
package ratelimit
