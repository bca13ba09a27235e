// Package checks compares the ledger, x402 payments and top-ups with each other, with the chain and with Stripe.
package checks

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// The variables with the nodes for commands: one as in the shipped Caddyfile, others by chain id.
const (
	NodeName        = "BASE_RPC_URL"
	nodeNetworkName = "X402_NETWORK"
	NodePrefix      = "X402_RPC_URL_"
)

// NodesHelp is the part of the commands' help about nodes.
const NodesHelp = NodeName + ` is the URL of a node of Base, or of the network in ` + nodeNetworkName + `. For other
networks, set ` + NodePrefix + `<chain id>, such as ` + NodePrefix + `84532. Each may list several nodes, separated by
commas; their responses must then agree.`

// Nodes are connections to nodes. Call Close at the end.
type Nodes struct {
	*evm.Chains

	nodes []*evm.Nodes
}

// Close ends the connections.
func (n *Nodes) Close() {
	for _, c := range n.nodes {
		c.Close()
	}
}

// None reports whether no node is configured.
func (n *Nodes) None() bool { return len(n.nodes) == 0 }

// NodesFromEnv connects to the nodes in the environment. It sends them no requests yet.
func NodesFromEnv(ctx context.Context) (*Nodes, error) {
	urls, err := NodeURLs(os.Environ())
	if err != nil {
		return nil, err
	}
	nodes := &Nodes{}
	byChain := make(map[uint64]evm.RPC, len(urls))
	for id, u := range urls {
		node, err := evm.DialNodes(ctx, evm.NodeAddresses(u.url)...)
		if err != nil {
			nodes.Close()
			return nil, fmt.Errorf("%s: %w", u.variable, err)
		}
		nodes.nodes = append(nodes.nodes, node)
		byChain[id] = node
	}
	nodes.Chains = evm.NewChains(byChain)
	return nodes, nil
}

// NodeURL is a node's URL and the variable that it comes from.
type NodeURL struct{ variable, url string }

// NodeURLs returns the nodes that an environment names, by chain id.
func NodeURLs(environ []string) (map[uint64]NodeURL, error) {
	urls := map[uint64]NodeURL{}
	name, node := "base", ""
	slices.Sort(environ)
	for _, setting := range environ {
		key, value, _ := strings.Cut(setting, "=")
		switch text, ours := strings.CutPrefix(key, NodePrefix); {
		case value == "":
		case key == nodeNetworkName:
			name = value
		case key == NodeName:
			node = value
		case ours:
			id, err := strconv.ParseUint(text, 10, 64)
			if err != nil || id == 0 || strconv.FormatUint(id, 10) != text {
				return nil, fmt.Errorf("%s: want a chain id after %s, such as %s84532", key, NodePrefix, NodePrefix)
			}
			urls[id] = NodeURL{key, value}
		}
	}
	id, err := chainID(name)
	if err != nil {
		return nil, err
	}
	if node == "" {
		return urls, nil
	}
	if other, isThere := urls[id]; isThere {
		return nil, fmt.Errorf("%s and %s are both for chain %d: set only one of them", NodeName, other.variable, id)
	}
	urls[id] = NodeURL{NodeName, node}
	return urls, nil
}

// chainID returns the chain id for a value of X402_NETWORK.
func chainID(name string) (uint64, error) {
	if network, ok := x402.KnownNetwork(name); ok {
		return network.ChainID, nil
	}
	text, isID := strings.CutPrefix(name, "eip155:")
	id, err := strconv.ParseUint(text, 10, 64)
	if !isID || err != nil || id == 0 {
		return 0, fmt.Errorf("%s is %q: want base, base-sepolia or an id such as eip155:8453", nodeNetworkName, name)
	}
	return id, nil
}
