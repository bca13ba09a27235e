// Package anvil runs Foundry's anvil, a node that is not ours and that most people test against, on the first block of
// dev/chain: the same token at the same address, the same keys, another implementation of the EVM, of the transaction
// pool and of JSON-RPC.
//
// The binary is that of the npm package @foundry-rs/anvil-linux-amd64, which scripts/install-needs interop installs by
// the lock file of interop/; elsewhere it is the anvil on the PATH. It is run directly, so that the process that is ended
// is the node. Only tests that ask for it need it (build tag interop).
//
// It imports dev/chain, dev/rig and go-ethereum.
package anvil
