// Package x402 reads, checks and writes the messages of the x402 protocol, versions 1 and 2: scheme exact, with EIP-3009
// authorisations of USDC. It also has the interfaces of what verifies and settles payments ([Facilitator], [Watcher]).
//
// Amounts are integers. What the client says about price, resource or recipient is compared with our own quote, never
// used.
//
// It uses no network, chain or database. Package gate takes payments with it.
package x402
