package x402

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// ErrNoNode is returned for a network for which no node is known.
var ErrNoNode = errors.New("no node is configured for this network")

// Chains are the nodes for looking up stored claims, by chain id. It is safe for concurrent use.
type Chains struct {
	nodes map[uint64]RPC

	mu       sync.Mutex
	verified map[Network]bool // networks whose node and token were checked
}

// NewChains returns the chains of these nodes. It does not contact them.
func NewChains(nodes map[uint64]RPC) *Chains {
	return &Chains{nodes: maps.Clone(nodes), verified: map[Network]bool{}}
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

// open returns the watcher of a claim's token, or ErrNoNode. Before the first use it compares the node and the token
// with the claim.
func (c *Chains) open(ctx context.Context, networkID, asset string, payment []byte) (*ChainWatcher, error) {
	network, err := storedNetwork(networkID, asset, payment)
	if err != nil {
		return nil, err
	}
	node := c.nodes[network.ChainID]
	if node == nil {
		return nil, fmt.Errorf("%s: %w", networkID, ErrNoNode)
	}
	watcher := NewChainWatcher(node, network)
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

// sentOn returns the network and token of a payment, as its client states them.
func (p *Payment) sentOn() (Network, bool) {
	known, ok := KnownNetwork(p.Network)
	if p.accepted == nil {
		return known, ok
	}
	asset, ok := parseAddress(p.accepted.Asset)
	if !ok {
		return Network{}, false
	}
	network, err := storedNetwork(p.Network, asset.Hex(), []byte(p.raw))
	return network, err == nil
}

// storedNetwork returns the network of a claim. A claim does not store the domain of a token that is not built in. It is
// read from what the payer accepted, which the gate has compared with its own terms.
func storedNetwork(networkID, asset string, payment []byte) (Network, error) {
	known, ok := KnownNetwork(networkID)
	if ok && known.Asset.Hex() == asset {
		return known, nil
	}
	network := Network{Name: known.Name}
	if _, err := fmt.Sscanf(networkID, "eip155:%d", &network.ChainID); err != nil || network.ID() != networkID {
		return Network{}, fmt.Errorf("stored network %q is not an id such as eip155:8453", networkID)
	}
	address, ok := parseAddress(asset)
	if !ok {
		return Network{}, fmt.Errorf("stored asset %q is not an address", asset)
	}
	var wire struct {
		Accepted struct {
			Extra tokenDomain `json:"extra"`
		} `json:"accepted"`
	}
	if err := json.Unmarshal(payment, &wire); err != nil {
		return Network{}, fmt.Errorf("reading the stored payment: %w", err)
	}
	network.Asset = address
	network.TokenName, network.TokenVersion = wire.Accepted.Extra.Name, wire.Accepted.Extra.Version
	if err := network.Validate(); err != nil {
		return Network{}, fmt.Errorf("network of the stored payment: %w", err)
	}
	return network, nil
}
