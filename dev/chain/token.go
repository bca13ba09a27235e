package chain

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"
)

// ownerGasMax is enough for any of the owner's calls, so none has to be estimated.
const ownerGasMax = 200_000

// tokenOwner sends the calls that only the token's owner may make. Its new key never leaves the process.
type tokenOwner struct {
	client   *ethclient.Client
	token    common.Address
	key      *ecdsa.PrivateKey
	contract *Contract
	signer   types.Signer
	mined    minedFunc

	mu    sync.Mutex
	nonce uint64
}

// minedFunc returns a transaction's receipt once a block includes it.
type minedFunc func(ctx context.Context, tx common.Hash) (*types.Receipt, error)

// call sends one call and waits until a block includes it.
func (o *tokenOwner) call(ctx context.Context, method string, args ...any) error {
	tx, err := o.send(ctx, method, args...)
	if err != nil {
		return fmt.Errorf("token %s: %w", method, err)
	}
	receipt, err := o.mined(ctx, tx.Hash())
	if err != nil {
		return fmt.Errorf("token %s: %w", method, err)
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		return fmt.Errorf("token %s: transaction %s reverted", method, tx.Hash())
	}
	return nil
}

func (o *tokenOwner) send(ctx context.Context, method string, args ...any) (*types.Transaction, error) {
	data, err := o.contract.ABI.Pack(method, args...)
	if err != nil {
		return nil, err
	}
	// Numbered here and not by the pool: concurrent calls must not share a nonce.
	o.mu.Lock()
	defer o.mu.Unlock()
	tx, err := types.SignNewTx(o.key, o.signer, &types.DynamicFeeTx{
		ChainID:   o.signer.ChainID(),
		Nonce:     o.nonce,
		GasTipCap: big.NewInt(params.GWei),
		GasFeeCap: big.NewInt(100 * params.GWei),
		Gas:       ownerGasMax,
		To:        &o.token,
		Data:      data,
	})
	if err != nil {
		return nil, err
	}
	if err := o.client.SendTransaction(ctx, tx); err != nil {
		return nil, err
	}
	o.nonce++
	return tx, nil
}

// Mint creates tokens, in millionths of a USDC, and returns when a block includes the transaction.
func (g *Ground) Mint(ctx context.Context, to common.Address, microUSDC uint64) error {
	return g.owner.call(ctx, "mint", to, new(big.Int).SetUint64(microUSDC))
}

// Deny puts an account on the token's deny list: it can neither send nor receive.
func (g *Ground) Deny(ctx context.Context, account common.Address) error {
	return g.owner.call(ctx, "deny", account)
}

// Undeny takes an account off the deny list.
func (g *Ground) Undeny(ctx context.Context, account common.Address) error {
	return g.owner.call(ctx, "undeny", account)
}

// Pause stops the token: every transfer and authorization reverts.
func (g *Ground) Pause(ctx context.Context) error {
	return g.owner.call(ctx, "pause")
}

// Unpause ends the pause.
func (g *Ground) Unpause(ctx context.Context) error {
	return g.owner.call(ctx, "unpause")
}

// Balance is an account's tokens at the newest block, in millionths of a USDC.
func (g *Ground) Balance(ctx context.Context, account common.Address) (microUSDC uint64, err error) {
	data, err := g.owner.contract.ABI.Pack("balanceOf", account)
	if err != nil {
		return 0, fmt.Errorf("token balance of %s: %w", account, err)
	}
	answer, err := g.client.CallContract(ctx, ethereum.CallMsg{To: &g.token, Data: data}, nil)
	if err != nil {
		return 0, fmt.Errorf("token balance of %s: %w", account, err)
	}
	units := new(big.Int).SetBytes(answer)
	if len(answer) != common.HashLength || !units.IsUint64() {
		return 0, fmt.Errorf("token balance of %s: 0x%x is not a 64-bit amount", account, answer)
	}
	return units.Uint64(), nil
}

// AddressOf is the address of a key.
func AddressOf(key *ecdsa.PrivateKey) common.Address {
	return crypto.PubkeyToAddress(key.PublicKey)
}
