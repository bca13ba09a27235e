package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// The variables with the nodes for commands: one as in the shipped Caddyfile, others by chain id.
const (
	nodeName        = "BASE_RPC_URL"
	nodeNetworkName = "X402_NETWORK"
	nodePrefix      = "X402_RPC_URL_"
)

// chainsHelp is the part of the commands' help about nodes.
const chainsHelp = nodeName + ` is the URL of a node of Base, or of the network in ` + nodeNetworkName + `. For other
networks, set ` + nodePrefix + `<chain id>, such as ` + nodePrefix + `84532. Each may list several nodes, separated by
commas; their responses must then agree.`

// chainNodes are connections to nodes; call close at the end.
type chainNodes struct {
	*x402.Chains

	nodes []*x402.Nodes
}

func (n *chainNodes) close() {
	for _, c := range n.nodes {
		c.Close()
	}
}

// none reports whether no node is configured.
func (n *chainNodes) none() bool { return len(n.nodes) == 0 }

// chainsFromEnv connects to the nodes in the environment. It sends them no requests yet.
func chainsFromEnv(ctx context.Context) (*chainNodes, error) {
	urls, err := nodeURLs(os.Environ())
	if err != nil {
		return nil, err
	}
	nodes := &chainNodes{}
	byChain := make(map[uint64]x402.RPC, len(urls))
	for id, u := range urls {
		node, err := x402.DialNodes(ctx, x402.NodeAddresses(u.url)...)
		if err != nil {
			nodes.close()
			return nil, fmt.Errorf("%s: %w", u.variable, err)
		}
		nodes.nodes = append(nodes.nodes, node)
		byChain[id] = node
	}
	nodes.Chains = x402.NewChains(byChain)
	return nodes, nil
}

// nodeURL is a node's URL and the variable that it comes from.
type nodeURL struct{ variable, url string }

func nodeURLs(environ []string) (map[uint64]nodeURL, error) {
	urls := map[uint64]nodeURL{}
	name, node := "base", ""
	slices.Sort(environ)
	for _, setting := range environ {
		key, value, _ := strings.Cut(setting, "=")
		switch text, ours := strings.CutPrefix(key, nodePrefix); {
		case value == "":
		case key == nodeNetworkName:
			name = value
		case key == nodeName:
			node = value
		case ours:
			id, err := strconv.ParseUint(text, 10, 64)
			if err != nil || id == 0 || strconv.FormatUint(id, 10) != text {
				return nil, fmt.Errorf("%s: want a chain id after %s, such as %s84532", key, nodePrefix, nodePrefix)
			}
			urls[id] = nodeURL{key, value}
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
		return nil, fmt.Errorf("%s and %s are both for chain %d: set only one of them", nodeName, other.variable, id)
	}
	urls[id] = nodeURL{nodeName, node}
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
