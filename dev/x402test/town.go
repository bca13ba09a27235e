package x402test

import (
	"encoding/json"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Town is a chain on which payments are settled.
type Town struct {
	testing.TB

	Chain Chain
	Node  *rpc.Client
	Req   *x402.Requirements
}

// New starts a chain that ends with the test.
func New(t testing.TB, cfg chain.Config) *Town {
	t.Helper()
	c := Open(t, cfg)
	node, err := rpc.DialContext(t.Context(), c.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	return &Town{TB: t, Chain: c, Node: node, Req: &x402.Requirements{
		Network: x402.BaseSepolia(), PayTo: AddressOf(NewKey(t)), Amount: 10_000, MaxTimeout: time.Minute,
		Resource: "https://api.example.com/r", MimeType: "text/plain",
	}}
}

// Payment is a good payment of the demo wallet; change may spoil it before it is signed.
func (c *Town) Payment(version int, change func(a *x402.Authorization)) *x402.Payment {
	c.Helper()
	now := time.Now()
	a := x402.Authorization{
		From: crypto.PubkeyToAddress(c.Chain.Wallet().PublicKey), To: c.Req.PayTo, Value: c.Req.Amount,
		// As buyers do, with some slack: a node's clock may be behind by that much.
		ValidAfter: big.NewInt(now.Add(-10 * time.Minute).Unix()), ValidBefore: big.NewInt(now.Add(time.Minute).Unix()),
		Nonce: [32]byte(crypto.Keccak256([]byte(now.String()))),
	}
	key := c.Chain.Wallet()
	if change != nil {
		change(&a)
	}
	return c.Encode(version, &a, Sign(c, key, &a, x402.BaseSepolia()))
}

func (c *Town) Encode(version int, a *x402.Authorization, sig []byte) *x402.Payment {
	c.Helper()
	payload := x402.Payload{Signature: "0x" + common.Bytes2Hex(sig), Authorization: a.Wire()}
	var message any = x402.PaymentV1{X402Version: x402.Version1, Scheme: x402.SchemeExact, Network: "base-sepolia", Payload: &payload}
	if version == x402.Version2 {
		accepted := c.Req.V2()
		message = x402.PaymentV2{X402Version: x402.Version2, Accepted: &accepted, Payload: &payload}
	}
	raw, err := json.Marshal(message)
	if err != nil {
		c.Fatal(err)
	}
	p, refusal := x402.ParsePayload(version, string(raw))
	if refusal != nil {
		c.Fatal(refusal)
	}
	return p
}

func (c *Town) Balance(a common.Address) uint64 {
	c.Helper()
	n, err := c.Chain.Balance(c.Context(), a)
	if err != nil {
		c.Fatal(err)
	}
	return n
}

// Reverted sends a transaction that fails, and returns its hash.
func (c *Town) Reverted() string {
	c.Helper()
	ctx, client, key := c.Context(), c.Chain.Client(), c.Chain.Wallet()
	nonce, err := client.PendingNonceAt(ctx, chain.AddressOf(key))
	if err != nil {
		c.Fatal(err)
	}
	id, token := new(big.Int).SetUint64(c.Chain.ChainID()), c.Chain.Token()
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &token, Data: []byte("nonsense"), Gas: 100_000,
		GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
	})
	if err != nil {
		c.Fatal(err)
	}
	if err := client.SendTransaction(ctx, tx); err != nil {
		c.Fatal(err)
	}
	receipt, err := c.Chain.WaitMined(ctx, tx.Hash())
	if err != nil || receipt.Status == types.ReceiptStatusSuccessful {
		c.Fatalf("got %+v, %v, want a transaction that fails", receipt, err)
	}
	return tx.Hash().Hex()
}

// Verify returns what a facilitator says about a payment.
func Verify(t *testing.T, f x402.Facilitator, p *x402.Payment, req *x402.Requirements) error {
	t.Helper()
	_, err := f.Verify(t.Context(), p, req)
	return err
}

func WantRefusal(t *testing.T, err error, want x402.Code) {
	t.Helper()
	refusal, ok := errors.AsType[*x402.Refusal](err)
	if !ok || refusal.Code != want {
		t.Errorf("got %v, want a refusal with %s", err, want)
	}
}

// GoodAuthorization is valid for an hour.
func GoodAuthorization(from common.Address, req *x402.Requirements) x402.Authorization {
	now := time.Now()
	return x402.Authorization{
		From: from, To: req.PayTo, Value: req.Amount, Nonce: Word32(),
		ValidAfter: big.NewInt(now.Add(-time.Minute).Unix()), ValidBefore: big.NewInt(now.Add(time.Hour).Unix()),
	}
}

func Await(t testing.TB, what string, is func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	for !is() {
		select {
		case <-ticker.C:
		case <-limit.C:
			t.Fatalf("it does not come to this: %s", what)
		}
	}
}
