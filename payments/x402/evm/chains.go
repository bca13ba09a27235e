package evm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// ErrNoNode is returned for a network for which no node is known.
var ErrNoNode = errors.New("no node is configured for this network")

// Chains are the nodes for looking up stored claims, by chain id. It is safe for concurrent use.
type Chains struct {
	nodes map[uint64]RPC

	mu       sync.Mutex
	verified map[x402.Network]bool // networks whose node and token were checked
}

// NewChains returns the chains of these nodes. It does not contact them.
func NewChains(nodes map[uint64]RPC) *Chains {
	return &Chains{nodes: maps.Clone(nodes), verified: map[x402.Network]bool{}}
}

// IDs returns the chain ids in ascending order.
func (c *Chains) IDs() []uint64 { return slices.Sorted(maps.Keys(c.nodes)) }

// Check asks every node whether it is on the chain that it is configured for.
func (c *Chains) Check(ctx context.Context) error {
	for _, id := range c.IDs() {
		if err := checkChain(ctx, c.nodes[id], id); err != nil {
			return fmt.Errorf("chain %d: %w", id, err)
		}
	}
	return nil
}

// Open returns the watcher of a claim's token, or ErrNoNode. Before the first use it compares the node and the token
// with the claim.
func (c *Chains) Open(ctx context.Context, networkID, asset string, payment []byte) (*Watcher, error) {
	network, err := x402.StoredNetwork(networkID, asset, payment)
	if err != nil {
		return nil, err
	}
	node := c.nodes[network.ChainID]
	if node == nil {
		return nil, fmt.Errorf("%s: %w", networkID, ErrNoNode)
	}
	watcher := NewWatcher(node, network)
	c.mu.Lock()
	known := c.verified[network]
	c.mu.Unlock()
	if known {
		return watcher, nil
	}
	if err := watcher.checkDomain(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.verified[network] = true
	c.mu.Unlock()
	return watcher, nil
}

// Unchecked returns the watcher of a token, or ErrNoNode. It does not check the token's domain, so it is only for
// reading.
func (c *Chains) Unchecked(networkID string, asset common.Address) (*Watcher, error) {
	network := x402.Network{Asset: asset}
	if _, err := fmt.Sscanf(networkID, "eip155:%d", &network.ChainID); err != nil || network.ID() != networkID {
		return nil, fmt.Errorf("stored network %q is not an id such as eip155:8453", networkID)
	}
	node := c.nodes[network.ChainID]
	if node == nil {
		return nil, fmt.Errorf("%s: %w", networkID, ErrNoNode)
	}
	return NewWatcher(node, network), nil
}
