// Package rig runs edges as processes of their own on this machine, for the programs that hold the built binary
// against promises: interop and chaos. What the edges need beside it (a database, a chain, an upstream) the caller
// starts and names.
//
// The one idea: an edge here is what an operator runs, the binary with a Caddyfile, and so it can be killed like one.
// Nothing outlives the caller: on Linux the processes get a signal when it dies, and Stop and Kill return when the
// process is gone.
//
// Unless it is given another, its Caddyfile sells three things: /metered/* for 1 credit; /priced/* and
// /priced-by-body/* for as many as "credits" says in the query or the JSON body; and /paid/* for 0.01 USDC by x402 on
// Base Sepolia, settled after the upstream has answered, or below /paid/before/ before it is asked. /alive is the edge's
// own answer, for nothing.
//
// It imports the standard library, go-ethereum's types and pgx, and nothing of ours.
package rig
