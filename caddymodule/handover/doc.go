// Package handover keeps sockets, and the connections on which no request is under way, when one HTTP server takes
// over from another in the same process.
//
// The one idea: a listening socket outlives the servers that accept from it. A server has a [Listener] on the socket
// and belongs to a [Generation]; when that ends, its listeners leave the queue of the socket to those of the next, and
// each of its connections that is between two requests, or before its first, is accepted anew by the next server instead
// of being closed. What the client has sent by then goes with it. So http.Server.Shutdown finds nothing that a client could
// still have a request on the way on: it closes what is idle, and drops a request that it has read in that very moment
// (RFC 9112 section 9.5 leaves the client to guess), and neither is left to happen.
//
// Invariants:
//
//   - Every byte of a connection is read by one server. A connection goes over only where it is certain that the old
//     server has nothing of the next request in its buffers; otherwise it is closed, as Shutdown would.
//   - Where there is nobody to take over (the process exits, the address is no longer served), sockets and connections
//     are closed as ever.
//   - It costs a request no allocation and no system call.
//
// What is certain follows from the order in which net/http does things on a connection, which the tests hold; where that
// differs, a connection is closed as before. Connections in TLS go over before their first byte only: what the client and
// the old server agreed upon is that server's. HTTP/2 tells clients itself what was not served (RFC 9113 section 6.8).
//
// It imports the standard library alone.
package handover
