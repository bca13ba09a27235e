// Package chain is the private Ethereum chain of the dev mode and of the tests: a go-ethereum node in this process, in
// memory, with a JSON-RPC port and our own dollar token (contracts/DevUSDC.sol) at the address of the network's USDC.
// With it x402 works end to end without a network, an account or money. Its ether is worth one dollar, by a price feed at
// the address of the network's (contracts/DevFeed.sol).
//
// It equals the payer's real network in everything that a signature covers (chain id, token address, EIP-712 domain), so
// the payment path needs no code for a development chain. Therefore its default id is a test network's: signatures for it
// must be worthless elsewhere.
//
// Invariants:
//   - A block's time is the clock's second in which it was sealed: never ahead of the clock, strictly rising, hence at
//     most one block a second. The token's validity checks see this time.
//   - A waiting transaction is sealed as soon as the clock allows; an idle chain seals an empty block every
//     Config.IdleInterval, so the head never lags by more.
//   - The chain starts from genesis each time and keeps nothing. A payment is identified by its instance
//     (Chain.InstanceID) as well as by its hash, because the next instance has neither the payment nor its used nonce.
//
// The node is assembled from the parts of ethclient/simulated and not by that package, because there the block time is
// always the wall clock's, a failure to seal is only logged, and there is no notification of new transactions.
package chain
