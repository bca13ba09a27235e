package x402

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
)

// town is a chain with facilitators on it.
type town struct {
	*testing.T
	chain   testChain
	node    RPC
	watcher *ChainWatcher
	local   *LocalFacilitator
	// server serves local. It has two clients, one with its own node and one without.
	server *FacilitatorServer
	seeing *HTTPFacilitator
	blind  *HTTPFacilitator
	req    *Requirements
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
	local, err := NewLocalFacilitator(LocalConfig{RPC: node, Network: BaseSepolia(), Signers: KeySigners(c.Settler()), PollInterval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close(context.WithoutCancel(ctx)) })
	if err := local.Check(ctx); err != nil {
		t.Fatal(err)
	}
	handler, err := NewFacilitatorServer(FacilitatorServerConfig{Facilitator: local, Networks: []Network{BaseSepolia()}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	watcher := NewChainWatcher(node, BaseSepolia())
	watcher.poll = 10 * time.Millisecond
	seeing, err := NewHTTPFacilitator(HTTPConfig{URL: server.URL, Client: server.Client(), Chain: watcher})
	if err != nil {
		t.Fatal(err)
	}
	blind, err := NewHTTPFacilitator(HTTPConfig{URL: server.URL, Client: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return &town{T: t, chain: c, node: node, watcher: watcher, local: local, server: handler, seeing: seeing, blind: blind, req: &Requirements{
		Network: BaseSepolia(), PayTo: crypto.PubkeyToAddress(newKey(t).PublicKey), Amount: 10_000, MaxTimeout: time.Minute,
		Resource: "https://api.example.com/r", MimeType: "text/plain",
	}}
}

// facilitator is another one with the same signer.
func (c *town) facilitator(node RPC, factories ...common.Address) *LocalFacilitator {
	c.Helper()
	f, err := NewLocalFacilitator(LocalConfig{
		RPC: node, Network: BaseSepolia(), Signers: KeySigners(c.chain.Settler()), PollInterval: 10 * time.Millisecond,
		Factories: factories, GasMax: 2_000_000,
	})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = f.Close(context.Background()) })
	return f
}

// payment is a good payment of the demo wallet; change may spoil it before it is signed.
func (c *town) payment(version int, change func(a *Authorization)) *Payment {
	c.Helper()
	now := time.Now()
	a := Authorization{
		From: crypto.PubkeyToAddress(c.chain.Wallet().PublicKey), To: c.req.PayTo, Value: c.req.Amount,
		// As buyers do, with some slack: a node's clock may be behind by that much.
		ValidAfter: big.NewInt(now.Add(-clockSkew).Unix()), ValidBefore: big.NewInt(now.Add(time.Minute).Unix()),
		Nonce: [32]byte(crypto.Keccak256([]byte(now.String()))),
	}
	key := c.chain.Wallet()
	if change != nil {
		change(&a)
	}
	return c.encode(version, &a, sign(c.T, key, &a, BaseSepolia()))
}

func (c *town) encode(version int, a *Authorization, sig []byte) *Payment {
	c.Helper()
	payload := wirePayload{Signature: "0x" + common.Bytes2Hex(sig), Authorization: a.wire()}
	var message any = paymentV1{X402Version: version1, Scheme: schemeExact, Network: "base-sepolia", Payload: &payload}
	if version == version2 {
		accepted := c.req.v2()
		message = paymentV2{X402Version: version2, Accepted: &accepted, Payload: &payload}
	}
	raw, err := json.Marshal(message)
	if err != nil {
		c.Fatal(err)
	}
	p, refusal := parsePayload(version, string(raw))
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
func verify(t *testing.T, f Facilitator, p *Payment, req *Requirements) error {
	t.Helper()
	_, err := f.Verify(t.Context(), p, req)
	return err
}

func wantRefusal(t *testing.T, err error, want Code) {
	t.Helper()
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Code != want {
		t.Errorf("got %v, want a refusal with %s", err, want)
	}
}
