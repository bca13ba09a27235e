// Package evm reads a network's chain through its JSON-RPC nodes: balances, transfers, receipts, and what became of an
// authorisation.
//
// One of several nodes may be down, behind, or lying. [Nodes] asks them one after the other for what is only read.
// Decisions about money ask all of them and count how many agree ([Watcher]). It signs nothing and settles nothing.
package evm
