package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

// Plan is the first block of a chain for a node of another implementation.
type Plan struct{ first *firstBlock }

// NewPlan prepares a chain. HTTPAddr, IdleInterval and Logger of the configuration are up to the node and are not used.
func NewPlan(cfg Config) (*Plan, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("planning a chain: %w", err)
	}
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("chain configuration: %w", err)
	}
	first, err := newFirstBlock(cfg)
	if err != nil {
		return nil, fmt.Errorf("planning a chain: %w", err)
	}
	return &Plan{first}, nil
}

// ChainID is the id that the node must be given besides the first block.
func (p *Plan) ChainID() uint64 { return p.first.cfg.ChainID }

// GenesisJSON is the first block in the format of go-ethereum's genesis.json, which other nodes read too.
func (p *Plan) GenesisJSON() ([]byte, error) {
	text, err := json.Marshal(p.first.genesis)
	if err != nil {
		return nil, fmt.Errorf("writing the first block: %w", err)
	}
	return text, nil
}

// Foreign is a chain on a node of another implementation. It is safe for concurrent use.
type Foreign struct {
	Ground

	url string
}

// Open connects to the node that was started on the plan. ctx bounds the opening only; the node outlives the chain.
func (p *Plan) Open(ctx context.Context, rpcURL string) (*Foreign, error) {
	client, err := ethclient.DialContext(ctx, rpcURL)
	if err != nil {
		return nil, fmt.Errorf("reaching the node at %s: %w", rpcURL, err)
	}
	f := &Foreign{url: rpcURL}
	if f.Ground, err = p.first.ground(client, f.WaitMined); err != nil {
		client.Close()
		return nil, err
	}
	id, err := client.ChainID(ctx)
	if err == nil && id.Uint64() != p.ChainID() {
		err = fmt.Errorf("the node is on chain %s, want %d", id, p.ChainID())
	}
	var code []byte
	if err == nil {
		code, err = client.CodeAt(ctx, f.token, nil)
	}
	if err == nil && len(code) == 0 {
		err = fmt.Errorf("no token at %s: the node was not started with the planned genesis block", f.token)
	}
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("node at %s: %w", rpcURL, err)
	}
	return f, nil
}

// RPCURL is the address of the node's JSON-RPC.
func (f *Foreign) RPCURL() string { return f.url }

// Close closes the connection of Open.
func (f *Foreign) Close() error {
	f.client.Close()
	return nil
}

// minedEvery is how often a node is asked for a receipt: over HTTP it cannot notify us.
const minedEvery = 10 * time.Millisecond

// WaitMined returns the transaction's receipt once a block includes it. The transaction may have reverted: check the
// receipt's status.
func (f *Foreign) WaitMined(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	tick := time.NewTicker(minedEvery)
	defer tick.Stop()
	for {
		receipt, err := f.client.TransactionReceipt(ctx, tx)
		if err == nil {
			return receipt, nil
		}
		if !errors.Is(err, ethereum.NotFound) {
			return nil, fmt.Errorf("waiting for transaction %s: %w", tx, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for transaction %s: %w", tx, ctx.Err())
		}
	}
}
