package chain

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

// The ids of the chains that can be stood in for. BaseMainnet is for tests that hold
// a mainnet constant: what is signed for it is good on the real network too.
const (
	BaseMainnet uint64 = 8453
	BaseSepolia uint64 = 84532
)

// Multicall is where clients of every EVM chain expect the Multicall3 contract.
var Multicall = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

// Addresses of our own test contracts, the same on every instance.
var (
	// WalletFactory is a DevWalletFactory: it deploys DevWallet contracts at addresses
	// known beforehand, as ERC-6492 signatures need it.
	WalletFactory = common.HexToAddress("0x7470000000000000000000000000000000000001")
	// WalletCode is a DevWallet without an owner, for accounts that delegate to it
	// (EIP-7702): it accepts what the delegating account's own key signed.
	WalletCode = common.HexToAddress("0x7470000000000000000000000000000000000002")
)

// Feed is where the network keeps Chainlink's ETH/USD price feed, at which a DevFeed lives.
func Feed(chainID uint64) common.Address {
	if chainID == BaseMainnet {
		return common.HexToAddress("0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70")
	}
	return common.HexToAddress("0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1")
}

// token is the network's USDC address, at which our token lives.
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
