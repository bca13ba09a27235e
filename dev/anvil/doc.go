// Package anvil runs Foundry's anvil, a widely used test node that is not ours, on the first block of dev/chain: the same
// token at the same address and the same keys, with another implementation of the EVM, the transaction pool and JSON-RPC.
//
// The binary is that of the npm package @foundry-rs/anvil-linux-amd64, which scripts/install-needs interop installs by
// the lock file of test/interop/; elsewhere it is the anvil on the PATH. It is run directly, so that ending the process ends
// the node. Only tests with the build tag interop need it.
package anvil
