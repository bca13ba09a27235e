// Package handover keeps listening sockets, and the connections without a running request, open when one HTTP server
// replaces another in the same process.
//
// The idea: a listening socket outlives the servers that accept from it. A server has a [Listener] on the socket and belongs to
// a [Generation]. When the generation ends, its listeners stop accepting, and those of the next one go on. Each connection that
// is between two requests, or before its first, is not closed: the next server accepts it again, with the bytes that the client
// has sent by then. Without this, http.Server.Shutdown closes idle connections on which a request may be on its way, and drops a
// request that it has read at that very moment. The client then has to guess (RFC 9112 section 9.5).
//
// Invariants:
//
//   - One server reads each byte of a connection. A connection moves only if the old server certainly has nothing of
//     the next request in its buffers. Otherwise it is closed, as by Shutdown.
//   - With no successor (the process exits, or the address is no longer served), sockets and connections are closed as usual.
//   - A request costs no extra allocation and no extra system call.
//
// Whether a connection can move follows from the order of net/http's calls on it, which the tests check; in any other
// order the connection is closed. TLS connections move only before their first byte, because the TLS state belongs to
// the old server. HTTP/2 itself tells clients which requests were not served (RFC 9113 section 6.8).
//
// The package imports only the standard library.
package handover
