package gate

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/server"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// town is a chain with facilitators on it.
type town struct {
	*testing.T
	chain   testChain
	node    RPC
	watcher *ChainWatcher
	local   *LocalFacilitator
	// server serves local. It has two clients, one with its own node and one without.
	server *server.Server
	seeing *remote.Facilitator
	blind  *remote.Facilitator
	req    *x402.Requirements
}

func newTown(t *testing.T) *town {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := openChain(t, chain.Config{})
	node, err := rpc.DialContext(ctx, c.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	local, err := NewLocalFacilitator(LocalConfig{RPC: node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.Settler()), PollInterval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close(context.WithoutCancel(ctx)) })
	if err := local.Check(ctx); err != nil {
		t.Fatal(err)
	}
	handler, err := server.New(server.Config{Facilitator: local, Networks: []x402.Network{x402.BaseSepolia()}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	watcher := NewChainWatcher(node, x402.BaseSepolia())
	watcher.poll = 10 * time.Millisecond
	seeing, err := remote.New(remote.Config{URL: server.URL, Client: server.Client(), Chain: watcher})
	if err != nil {
		t.Fatal(err)
	}
	blind, err := remote.New(remote.Config{URL: server.URL, Client: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return &town{T: t, chain: c, node: node, watcher: watcher, local: local, server: handler, seeing: seeing, blind: blind, req: &x402.Requirements{
		Network: x402.BaseSepolia(), PayTo: crypto.PubkeyToAddress(newKey(t).PublicKey), Amount: 10_000, MaxTimeout: time.Minute,
		Resource: "https://api.example.com/r", MimeType: "text/plain",
	}}
}

// facilitator is another one with the same signer.
func (c *town) facilitator(node RPC, factories ...common.Address) *LocalFacilitator {
	c.Helper()
	f, err := NewLocalFacilitator(LocalConfig{
		RPC: node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.chain.Settler()), PollInterval: 10 * time.Millisecond,
		Factories: factories, GasMax: 2_000_000,
	})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = f.Close(context.Background()) })
	return f
}

// payment is a good payment of the demo wallet; change may spoil it before it is signed.
func (c *town) payment(version int, change func(a *x402.Authorization)) *x402.Payment {
	c.Helper()
	now := time.Now()
	a := x402.Authorization{
		From: crypto.PubkeyToAddress(c.chain.Wallet().PublicKey), To: c.req.PayTo, Value: c.req.Amount,
		// As buyers do, with some slack: a node's clock may be behind by that much.
		ValidAfter: big.NewInt(now.Add(-10 * time.Minute).Unix()), ValidBefore: big.NewInt(now.Add(time.Minute).Unix()),
		Nonce: [32]byte(crypto.Keccak256([]byte(now.String()))),
	}
	key := c.chain.Wallet()
	if change != nil {
		change(&a)
	}
	return c.encode(version, &a, sign(c.T, key, &a, x402.BaseSepolia()))
}

func (c *town) encode(version int, a *x402.Authorization, sig []byte) *x402.Payment {
	c.Helper()
	payload := x402.Payload{Signature: "0x" + common.Bytes2Hex(sig), Authorization: a.Wire()}
	var message any = x402.PaymentV1{X402Version: x402.Version1, Scheme: x402.SchemeExact, Network: "base-sepolia", Payload: &payload}
	if version == x402.Version2 {
		accepted := c.req.V2()
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

func (c *town) balance(a common.Address) uint64 {
	c.Helper()
	n, err := c.chain.Balance(c.Context(), a)
	if err != nil {
		c.Fatal(err)
	}
	return n
}

// verify returns what a facilitator says about a payment.
func verify(t *testing.T, f x402.Facilitator, p *x402.Payment, req *x402.Requirements) error {
	t.Helper()
	_, err := f.Verify(t.Context(), p, req)
	return err
}

func wantRefusal(t *testing.T, err error, want x402.Code) {
	t.Helper()
	refusal, ok := errors.AsType[*x402.Refusal](err)
	if !ok || refusal.Code != want {
		t.Errorf("got %v, want a refusal with %s", err, want)
	}
}
