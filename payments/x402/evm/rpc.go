package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// RPC is a node's JSON-RPC interface; go-ethereum's *rpc.Client implements it.
type RPC interface {
	CallContext(ctx context.Context, result any, method string, args ...any) error
	BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error
}

// Head has the fields of a block that are used.
type Head struct {
	Number    hexutil.Uint64 `json:"number"`
	Timestamp hexutil.Uint64 `json:"timestamp"`
	BaseFee   *hexutil.Big   `json:"baseFeePerGas"`
}

// Time returns the block's time.
func (h *Head) Time() time.Time {
	return time.Unix(int64(h.Timestamp), 0).UTC() //nolint:gosec // seconds since 1970
}

func (h *Head) tag() string { return hexutil.EncodeUint64(uint64(h.Number)) }

// IsRevert reports whether the node ran the call and the contract refused, as opposed to a node that did not answer.
func IsRevert(err error) bool {
	const codeReverted = 3 // of go-ethereum; others only say so in the message
	var refused rpc.Error
	return errors.As(err, &refused) && (refused.ErrorCode() == codeReverted || strings.Contains(refused.Error(), "revert"))
}

// reader reads the state of one token.
type reader struct {
	rpc     RPC
	network x402.Network
}

func (c *reader) block(ctx context.Context, tag string) (Head, error) {
	var h *Head
	if err := c.rpc.CallContext(ctx, &h, "eth_getBlockByNumber", tag, false); err != nil {
		return Head{}, fmt.Errorf("reading block %s: %w", tag, err)
	}
	if h == nil {
		return Head{}, fmt.Errorf("reading block %s: the node does not have it", tag)
	}
	return *h, nil
}

// Block returns a block.
func (c *reader) Block(ctx context.Context, number uint64) (Head, error) {
	return c.block(ctx, hexutil.EncodeUint64(number))
}

// HasCode reports whether there is a contract at an address.
func (c *reader) HasCode(ctx context.Context, a common.Address) (bool, error) {
	var code hexutil.Bytes
	if err := c.rpc.CallContext(ctx, &code, "eth_getCode", a, blockLatest); err != nil {
		return false, fmt.Errorf("reading the payer's code: %w", err)
	}
	return len(code) > 0, nil
}

func (c *reader) receipt(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	var r *types.Receipt
	if err := c.rpc.CallContext(ctx, &r, "eth_getTransactionReceipt", tx); err != nil {
		return nil, fmt.Errorf("reading receipt of %s: %w", tx, err)
	}
	return r, nil
}

// AcceptsSignature asks a contract whether it verifies a signature (ERC-1271), after its deployment if it must be deployed
// first (ERC-6492).
func (c *reader) AcceptsSignature(ctx context.Context, p *x402.Payment, deploy bool) (bool, error) {
	question := validSignatureCall(p.Authorization.Digest(c.network), p.WalletSignature())
	msg := callMsg{To: p.Authorization.From, Data: question}
	if deploy {
		msg.To = Multicall3
		msg.Data = Aggregate(deployment(p.Wallet), ContractCall{Target: p.Authorization.From, MayFail: true, Data: question})
	}
	var answer hexutil.Bytes
	err := c.rpc.CallContext(ctx, &answer, "eth_call", msg, blockLatest)
	if IsRevert(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("calling the payer's contract: %w", err)
	}
	if deploy {
		if answer, err = aggregate3Result(answer, 1); err != nil {
			return false, fmt.Errorf("calling the payer's contract: %w", err)
		}
	}
	return isValidSignature(answer), nil
}

// UsedSoon reports whether an unmined transaction uses the authorisation. A simulation on top of it reverts, which
// means nothing.
func (c *reader) UsedSoon(ctx context.Context, a *x402.Authorization) (bool, error) {
	var used hexutil.Bytes
	state := callMsg{To: c.network.Asset, Data: authorizationStateCall(a.From, a.Nonce)}
	if err := c.rpc.CallContext(ctx, &used, "eth_call", state, blockPending); err != nil {
		return false, fmt.Errorf("reading the authorisation's pending state: %w", err)
	}
	return new(big.Int).SetBytes(used).Sign() != 0, nil
}

// CheckTransfers checks that the token accepts transfers by an account: a token that has blocked it or is paused
// refuses even one of 0 to itself. It returns the account's code.
func (c *reader) CheckTransfers(ctx context.Context, account common.Address) ([]byte, error) {
	var code, moved hexutil.Bytes
	nothing := calldata.Pack(selTransfer, calldata.Address(account), common.Hash{}.Bytes())
	batch := []rpc.BatchElem{Code(account, &code), Call(c.network.Asset, nothing, &account, &moved)}
	if err := c.rpc.BatchCallContext(ctx, batch); err != nil {
		return nil, err
	}
	if refused := batch[1].Error; refused != nil && IsRevert(refused) {
		return nil, fmt.Errorf("the token would reject a transfer to it: %w", refused)
	}
	return code, errors.Join(batch[0].Error, batch[1].Error)
}

// Holds returns an error if the account's balance of the token does not cover an amount.
func (c *reader) Holds(ctx context.Context, account common.Address, amount money.MicroUSDC) error {
	var balance hexutil.Bytes
	msg := callMsg{To: c.network.Asset, Data: balanceOfCall(account)}
	if err := c.rpc.CallContext(ctx, &balance, "eth_call", msg, blockLatest); err != nil {
		return fmt.Errorf("reading the balance of %s: %w", account.Hex(), err)
	}
	if has := new(big.Int).SetBytes(balance); has.Cmp(big.NewInt(int64(amount))) < 0 {
		return fmt.Errorf("%s has %s units of %s, but %s are owed", account.Hex(), has, c.network.Asset.Hex(), amount.Units())
	}
	return nil
}

// VerifySignature implements [x402.SignatureVerifier].
func (c *reader) VerifySignature(ctx context.Context, n x402.Network, account common.Address, digest common.Hash, sig []byte) (bool, error) {
	if n != c.network {
		return false, fmt.Errorf("%w for network %s", x402.ErrNoVerifier, n.ID())
	}
	wallet, ok := x402.ReadUndeployed(sig)
	if !ok {
		return false, nil
	}
	if wallet != nil { // the wallet is deployed by now, since it has paid
		sig = wallet.Inner
	}
	msg := callMsg{To: account, Data: validSignatureCall(digest, x402.NormalizeV(sig))}
	var answer hexutil.Bytes
	err := c.rpc.CallContext(ctx, &answer, "eth_call", msg, blockLatest)
	if IsRevert(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("calling the wallet's contract: %w", err)
	}
	return isValidSignature(answer), nil
}

// checkDomain compares the node and the token with the configuration. With a wrong token name, every payment would be
// refused.
func (c *reader) checkDomain(ctx context.Context) error {
	if err := c.CheckChain(ctx); err != nil {
		return err
	}
	return c.CheckToken(ctx)
}

// CheckChain checks that every node is on the chain.
func (c *reader) CheckChain(ctx context.Context) error {
	return checkChain(ctx, c.rpc, c.network.ChainID)
}

// checkChain checks that every node is on the chain.
func checkChain(ctx context.Context, node RPC, chainID uint64) error {
	want := new(big.Int).SetUint64(chainID)
	_, err := sorted(askEach(ctx, node, func(ctx context.Context, node RPC) (struct{}, error) {
		var id hexutil.Big
		if err := node.CallContext(ctx, &id, "eth_chainId"); err != nil {
			return struct{}{}, fmt.Errorf("reading the node's chain id: %w", err)
		}
		if id.ToInt().Cmp(want) != 0 {
			return struct{}{}, fmt.Errorf("the node is on chain %s: want %s", id.ToInt(), want)
		}
		return struct{}{}, nil
	}))
	return err
}

// CheckToken compares the token's domain with the configuration.
func (c *reader) CheckToken(ctx context.Context) error {
	var separator hexutil.Bytes
	msg := callMsg{To: c.network.Asset, Data: selDomainSeparator}
	if err := c.rpc.CallContext(ctx, &separator, "eth_call", msg, blockLatest); err != nil {
		return fmt.Errorf("reading the token's domain: %w", err)
	}
	if want := c.network.DomainSeparator(); common.BytesToHash(separator) != want {
		return fmt.Errorf("token %s has domain separator %s, but name %q and version %q give %s",
			c.network.Asset, separator, c.network.TokenName, c.network.TokenVersion, want)
	}
	return nil
}
