// Package transport makes HTTP/1.1 round trips to an upstream without goroutines of
// its own.
//
// A gateway's small requests cost more in being handed about than in being
// read and written. net/http's client keeps two goroutines per connection, so that
// bodies can flow both ways at once; each request passes through both. Most requests need none
// of that: they have no body, or a short one, and one goroutine can write the
// request and then read the response. Those are made here, with net/http's own
// writer and parser of messages; all others are left to another transport.
package transport
