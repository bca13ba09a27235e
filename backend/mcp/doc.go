// Package mcp offers the web data API to language models by the Model Context Protocol (MCP): a few tools at /mcp, over
// Streamable HTTP without sessions.
//
// A tool calls the features themselves, with their own types, as backend/api does. It costs what the same HTTP request
// costs: package pricebook has a rule for each tool, the edge holds or claims that, and the feature's work is paid from
// it. A result that is an error costs nothing. Long results end at a size that models can take, with a cursor; the tool
// job reads on, free of charge.
//
// Invariants:
//   - What runs is the tool that the price was computed for: both are read from the same body, a header that says
//     otherwise is refused, and so is a batch of messages.
//   - Every tool has a price rule in both currencies.
//   - Texts for operators never become part of a result.
package mcp
