package chain_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
)

const deadline = 30 * time.Second

// bench is a running chain with helpers for tests.
type bench struct {
	*testing.T
	*chain.Chain
	ctx   context.Context
	clock *clocktest.Clock
	token *chain.Contract
	payee common.Address
}

func setup(t *testing.T, cfg chain.Config) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	clk := clocktest.New()
	if cfg.Now == nil {
		cfg.Now = clk.Now
	}
	c, err := chain.Start(ctx, cfg)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	token, err := chain.LoadContract("DevUSDC")
	if err != nil {
		t.Fatal(err)
	}
	return &bench{T: t, Chain: c, ctx: ctx, clock: clk, token: token, payee: chain.AddressOf(newKey(t))}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// drive advances the clock by seconds until do, which waits for blocks, has returned.
func (b *bench) drive(do func() error) {
	b.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				b.Fatal(err)
			}
			return
		case <-tick.C:
			b.clock.Advance(time.Second)
			// ErrClockBehind: the chain saw the clock move and has sealed by itself.
			if _, err := b.Seal(b.ctx); err != nil && !errors.Is(err, chain.ErrClockBehind) {
				b.Fatalf("seal: %v", err)
			}
		}
	}
}

// send signs a call, sends it and returns its receipt.
func (b *bench) send(key *ecdsa.PrivateKey, to *common.Address, data []byte) *types.Receipt {
	b.Helper()
	return b.sendTx(key, func(nonce uint64) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: new(big.Int).SetUint64(b.ChainID()), Nonce: nonce, To: to, Data: data,
			Gas: 2_000_000, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
		}
	})
}

func (b *bench) sendTx(key *ecdsa.PrivateKey, build func(nonce uint64) types.TxData) *types.Receipt {
	b.Helper()
	nonce, err := b.Client().PendingNonceAt(b.ctx, chain.AddressOf(key))
	if err != nil {
		b.Fatal(err)
	}
	signer := types.LatestSignerForChainID(new(big.Int).SetUint64(b.ChainID()))
	tx, err := types.SignNewTx(key, signer, build(nonce))
	if err != nil {
		b.Fatal(err)
	}
	if err := b.Client().SendTransaction(b.ctx, tx); err != nil {
		b.Fatalf("send: %v", err)
	}
	var receipt *types.Receipt
	b.drive(func() (err error) {
		receipt, err = b.WaitMined(b.ctx, tx.Hash())
		return err
	})
	return receipt
}

// call simulates a call at the newest block and returns the revert reason in err.
func (b *bench) call(from common.Address, to common.Address, data []byte) ([]byte, error) {
	return b.Client().CallContract(b.ctx, ethereum.CallMsg{From: from, To: &to, Data: data}, nil)
}

func (b *bench) pack(method string, args ...any) []byte {
	b.Helper()
	data, err := b.token.ABI.Pack(method, args...)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func (b *bench) balance(account common.Address) uint64 {
	b.Helper()
	units, err := b.Balance(b.ctx, account)
	if err != nil {
		b.Fatal(err)
	}
	return units
}

// authorization is what an EIP-3009 signature covers.
type authorization struct {
	from, to                common.Address
	value                   *big.Int
	validAfter, validBefore *big.Int
	nonce                   [32]byte
}

// authorization is a valid authorization from the demo wallet to the payee.
func (b *bench) authorization() authorization {
	b.Helper()
	a := authorization{
		from:        chain.AddressOf(b.Wallet()),
		to:          b.payee,
		value:       big.NewInt(10_000),
		validAfter:  new(big.Int),
		validBefore: big.NewInt(b.clock.Now().Unix() + 600),
	}
	if _, err := rand.Read(a.nonce[:]); err != nil {
		b.Fatal(err)
	}
	return a
}

const (
	transferType = "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
	receiveType  = "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
	cancelType   = "CancelAuthorization(address authorizer,bytes32 nonce)"
)

// separators are the EIP-712 domain separators read from the real tokens.
var separators = map[uint64]common.Hash{
	chain.BaseMainnet: common.HexToHash("0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"),
	chain.BaseSepolia: common.HexToHash("0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818"),
}

func word(v *big.Int) []byte { return common.LeftPadBytes(v.Bytes(), 32) }

// digest is the EIP-712 digest of the authorization under one of the two types.
func (a authorization) digest(chainID uint64, typeName string) []byte {
	structHash := crypto.Keccak256(crypto.Keccak256([]byte(typeName)),
		common.LeftPadBytes(a.from.Bytes(), 32), common.LeftPadBytes(a.to.Bytes(), 32), word(a.value),
		word(a.validAfter), word(a.validBefore), a.nonce[:])
	return typedDigest(chainID, structHash)
}

func typedDigest(chainID uint64, structHash []byte) []byte {
	separator := separators[chainID]
	return crypto.Keccak256([]byte{0x19, 0x01}, separator[:], structHash)
}

// sign makes a 65-byte signature with v of 27 or 28.
func sign(t *testing.T, key *ecdsa.PrivateKey, digest []byte) []byte {
	t.Helper()
	signature, err := crypto.Sign(digest, key)
	if err != nil {
		t.Fatal(err)
	}
	signature[64] += 27
	return signature
}

// method is an overload's name in the parsed ABI. Two functions share each name: one takes v, r, s, the other takes bytes.
func (b *bench) method(name string, inputs int) string {
	b.Helper()
	for key, method := range b.token.ABI.Methods {
		if method.RawName == name && len(method.Inputs) == inputs {
			return key
		}
	}
	b.Fatalf("no %s with %d inputs", name, inputs)
	return ""
}

// calldata encodes the authorization with its signature as bytes.
func (b *bench) calldata(a authorization, signature []byte) []byte {
	b.Helper()
	return b.pack(b.method("transferWithAuthorization", 7),
		a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature)
}

// calldataVRS encodes the authorization with its signature in three parts.
func (b *bench) calldataVRS(name string, a authorization, signature []byte) []byte {
	b.Helper()
	return b.pack(b.method(name, 9), a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce,
		signature[64], [32]byte(signature[:32]), [32]byte(signature[32:64]))
}
