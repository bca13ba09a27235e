// Package mcp reads messages of the Model Context Protocol between a client and an MCP server, as far as selling the
// server's tools needs it: what a message asks for, what pays for it, and whether the response is worth its price.
//
// One HTTP request has one message ([Read]). Only a call of a tool costs something. The response is JSON or an event stream
// (transport Streamable HTTP, of every version since 2025-03-26). The [Watcher] passes it on and learns from it whether the
// call failed. The [Holder] keeps it back until it is paid for, but for the server's own requests and its progress, which a
// client must see before there is a result.
//
// Invariants:
//
//   - What is priced is what runs. A message that another reader could take for a different one is refused: a batch, a key
//     in another case, a header Mcp-Method or Mcp-Name that differs from the body.
//   - A call that failed costs nothing. If the outcome cannot be read, it counts as a success for prepaid credits, whose
//     client has the response, and as a failure for a [Holder], whose client has not.
//   - The payment in a message does not reach the server.
//
// It imports payments/edgewire, and knows net/http but no Caddy.
package mcp
