// Package rig runs edges as separate processes on this machine, for the programs that test the built binary: interop and
// chaos. The caller starts and passes in what the edges need (a database, a chain, an upstream).
//
// An edge here is what an operator runs, the binary with a Caddyfile, and so it can be killed like one. Nothing outlives
// the caller: on Linux the processes get a signal when it dies, and Stop and Kill return when the process is gone.
//
// Its default Caddyfile charges for three things: /metered/* costs 1 credit; /priced/* and /priced-by-body/* cost the
// number of "credits" in the query or the JSON body; and /paid/* costs 0.01 USDC by x402 on Base Sepolia, settled after
// the upstream's response, or below /paid/before/ before the upstream gets the request. /alive is the edge's own free
// response.
package rig
