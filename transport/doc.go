// Package transport makes HTTP/1.1 round trips to an upstream without goroutines of its own.
//
// For small requests, a gateway spends more on passing them between goroutines than on reading and writing them. The
// client of net/http has two goroutines per connection, so that bodies can flow both ways at once, and each request
// passes through both. Most requests do not need that: they have no body or a short one, so one goroutine can write the
// request and then read the response. This package does that, with net/http's own writer and parser of messages, and
// passes all other requests to another transport.
package transport
