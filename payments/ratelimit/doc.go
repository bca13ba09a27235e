// Package ratelimit counts requests against limits: so many per window for each
// class of requests, and so many in flight at once, for each key (a team, an
// address).
//
// The one idea is that a quota is one number. A bucket of tokens that fills at a
// steady rate is described by the time at which it will be full again (the
// generic cell rate algorithm, ITU-T I.371): a request moves that time one
// interval on, and is refused where that would be further off than a full bucket
// lasts. Nothing is counted down, no timer runs, and what is left, and when there
// will be one more, follow by subtraction. golang.org/x/time/rate keeps a float
// and a lock per bucket, and says neither of the two, which callers are told.
//
// Invariants:
//
//   - In no span of time are more requests let through than the burst and what
//     the rate adds in that span.
//   - A request that is refused, for whichever reason, uses nothing up.
//   - A key that has its full quotas and nothing in flight is forgotten when its
//     part of the table has doubled or a minute has passed. At most
//     Config.KeysMax are remembered, but for those with requests in flight: of
//     more, some that are near their full quota get it early.
//
// The state is this process's own: with n edges a key has up to n times the
// limit.
//
// It imports the standard library only.
package ratelimit
