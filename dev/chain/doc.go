// Package chain is the private Ethereum chain of the dev mode and of the tests: a
// go-ethereum node in this process, in memory, with a JSON-RPC port and our own dollar
// token (contracts/DevUSDC.sol) at the address where the network keeps its USDC. With
// it x402 works end to end without a network, an account or money. Its ether is worth
// one dollar, by a price feed at the address of the network's (contracts/DevFeed.sol).
//
// The one idea: it is the payer's real network in everything that a signature covers
// (chain id, token address, EIP-712 domain), so nothing in the payment path knows
// that it is a development chain. For that reason its default id is a test network's:
// what is signed on it must be worthless elsewhere.
//
// Invariants:
//   - A block's time is the clock's second in which it was sealed: never ahead of the
//     clock, strictly rising, hence at most one block a second. The token's validity
//     checks see this time.
//   - A waiting transaction is sealed as soon as the clock allows; an idle chain
//     seals an empty block every Config.IdleInterval, so the head never lags by more.
//   - The chain starts from genesis each time and keeps nothing. A payment is known by
//     its instance (Chain.InstanceID) as well as by its hash, for the next instance
//     knows neither the payment nor that its nonce was used.
//
// The node is assembled from the parts of ethclient/simulated and not by that package,
// because there the block time is the wall clock's whatever a test wants, a failure to
// seal is only logged, and nothing tells when a transaction has arrived.
//
// It imports go-ethereum and the standard library, nothing of ours.
package chain
