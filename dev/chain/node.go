package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rpc"
)

// cacheMB bounds each of the node's caches, whose defaults are for the main network.
const cacheMB = 16

// startNode runs a node without peers that keeps its state in memory and serves JSON-RPC over HTTP. It makes no blocks by
// itself.
func startNode(cfg Config, first *core.Genesis) (*node.Node, *eth.Ethereum, error) {
	host, port, err := splitAddr(cfg.HTTPAddr)
	if err != nil {
		return nil, nil, err
	}
	nodeConfig := node.DefaultConfig
	nodeConfig.DataDir = "" // in memory
	// No listening address and no peers: with NoDial the node would warn at each start that it is useless.
	nodeConfig.P2P = p2p.Config{NoDiscovery: true, MaxPeers: 0}
	nodeConfig.HTTPHost, nodeConfig.HTTPPort = host, port
	nodeConfig.HTTPModules = []string{"eth", "net", "web3"}
	nodeConfig.Logger = log.NewLogger(warnings{cfg.Logger.Handler()})

	ethConfig := ethconfig.Defaults
	ethConfig.Genesis = first
	ethConfig.SyncMode = ethconfig.FullSync
	ethConfig.TxPool.NoLocals = true
	ethConfig.LogNoHistory = true // few logs need no index
	ethConfig.Miner.GasCeil = blockGasMax
	ethConfig.TrieCleanCache, ethConfig.TrieDirtyCache, ethConfig.SnapshotCache = cacheMB, cacheMB, cacheMB

	stack, err := node.New(&nodeConfig)
	if err != nil {
		return nil, nil, fmt.Errorf("making the node: %w", err)
	}
	backend, err := eth.New(stack, &ethConfig)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("making the chain: %w", err), stack.Close())
	}
	stack.RegisterAPIs([]rpc.API{{
		Namespace: "eth",
		Service:   filters.NewFilterAPI(filters.NewFilterSystem(backend.APIBackend, filters.Config{})),
	}})
	if err := stack.Start(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting the node on %s: %w", cfg.HTTPAddr, err), stack.Close())
	}
	backend.SetSynced() // there are no peers to sync with
	return stack, backend, nil
}

// warnings passes on what an operator can act on: the node logs its whole start at info level.
type warnings struct{ slog.Handler }

func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs)}
}

func (h warnings) WithGroup(name string) slog.Handler {
	return warnings{h.Handler.WithGroup(name)}
}
