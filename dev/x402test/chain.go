package x402test

import (
	"context"
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

// Chain is a chain that tests settle on: the development chain or, with the build tag interop, anvil.
type Chain interface {
	RPCURL() string
	ChainID() uint64
	Token() common.Address
	Settler() *ecdsa.PrivateKey
	Wallet() *ecdsa.PrivateKey
	Client() *ethclient.Client

	WaitMined(ctx context.Context, tx common.Hash) (*types.Receipt, error)
	Balance(ctx context.Context, account common.Address) (microUSDC uint64, err error)
	Mint(ctx context.Context, to common.Address, microUSDC uint64) error
	Deny(ctx context.Context, account common.Address) error
	Undeny(ctx context.Context, account common.Address) error
	Pause(ctx context.Context) error
	Unpause(ctx context.Context) error

	// StopBlocks stops block production until GoOn is called.
	StopBlocks(ctx context.Context) error
	GoOn(ctx context.Context) error
}
