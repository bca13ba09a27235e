package chain

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// The ids of the networks that a chain can stand for. BaseMainnet is for tests of a mainnet constant: signatures for it
// are valid on the real network too.
const (
	BaseMainnet uint64 = 8453
	BaseSepolia uint64 = 84532
)

// Multicall is the usual address of the Multicall3 contract on EVM chains.
var Multicall = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

// Addresses of our own test contracts, the same on every instance.
var (
	// WalletFactory is a DevWalletFactory: it deploys DevWallet contracts at predictable addresses, as ERC-6492
	// signatures need.
	WalletFactory = common.HexToAddress("0x7470000000000000000000000000000000000001")
	// WalletCode is a DevWallet without an owner, for accounts that delegate to it (EIP-7702): it accepts signatures by
	// the delegating account's own key.
	WalletCode = common.HexToAddress("0x7470000000000000000000000000000000000002")
)

// Feed is the address of the network's Chainlink ETH/USD price feed, where a chain has a DevFeed.
func Feed(chainID uint64) common.Address {
	if chainID == BaseMainnet {
		return common.HexToAddress("0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70")
	}
	return common.HexToAddress("0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1")
}

// token is the network's USDC address, where a chain has our token.
func token(chainID uint64) (common.Address, error) {
	switch chainID {
	case BaseMainnet:
		return common.HexToAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"), nil
	case BaseSepolia:
		return common.HexToAddress("0x036CbD53842c5426634e7929541eC2318f3dCF7e"), nil
	default:
		return common.Address{}, fmt.Errorf("chain id %d has no known USDC address; use %d (Base Sepolia) or %d (Base)",
			chainID, BaseSepolia, BaseMainnet)
	}
}
