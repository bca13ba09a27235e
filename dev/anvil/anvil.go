package anvil

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// Config says how to run a node.
type Config struct {
	// Binary is the program. Default: the one that Find finds.
	Binary string
	// Dir is a directory for the node's files. Required.
	Dir string
	// Chain describes the chain. Its HTTPAddr, IdleInterval, Now and Logger are not used.
	Chain chain.Config
	// BlockTime is the time from block to block, in whole seconds. Default: each transaction gets a block at once.
	BlockTime time.Duration
}

// Account is an account with ether whose key every node has: the node signs for it by eth_signTransaction. The key is the
// first of Foundry's well-known phrase.
var Account = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

// Node is a running anvil with our chain.
type Node struct {
	*chain.Foreign

	process *rig.Process
	log     string
}

// Start starts a node on a free port and returns when it responds. ctx bounds the start only; Close ends the node.
func Start(ctx context.Context, cfg Config) (*Node, error) {
	if cfg.BlockTime < 0 || cfg.BlockTime%time.Second != 0 {
		return nil, fmt.Errorf("anvil configuration: block time %s: want whole seconds", cfg.BlockTime)
	}
	if cfg.Binary == "" {
		found, err := Find()
		if err != nil {
			return nil, err
		}
		cfg.Binary = found
	}
	cfg.Chain.Now = nil // the node has its own clock
	plan, err := chain.NewPlan(cfg.Chain)
	if err != nil {
		return nil, err
	}
	genesis, err := plan.GenesisJSON()
	if err != nil {
		return nil, err
	}
	address, err := rig.StableAddress(ctx)
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address of the node: %w", err)
	}
	first := filepath.Join(cfg.Dir, "genesis-"+port+".json")
	if err := os.WriteFile(first, genesis, 0o600); err != nil {
		return nil, fmt.Errorf("writing the node's first block: %w", err)
	}
	args := []string{
		"--host", host, "--port", port, "--chain-id", strconv.FormatUint(plan.ChainID(), 10), "--init", first,
		"--accounts", "1", "--hardfork", "prague", "--threads", "2", "--quiet",
	}
	if cfg.BlockTime > 0 {
		args = append(args, "--block-time", strconv.Itoa(int(cfg.BlockTime/time.Second)))
	}
	cmd := exec.Command(cfg.Binary, args...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(), "HOME="+cfg.Dir) // it keeps a cache there
	n := &Node{log: filepath.Join(cfg.Dir, "anvil-"+port+".log")}
	if n.process, err = rig.Start(cmd, n.log); err != nil {
		return nil, err
	}
	if err := rig.Await(ctx, address, n.process.Done()); err != nil {
		return nil, errors.Join(fmt.Errorf("starting anvil: %w (see %s)", err, n.log), n.process.Kill())
	}
	if n.Foreign, err = plan.Open(ctx, "http://"+address); err != nil {
		return nil, errors.Join(err, n.process.Kill())
	}
	// Its clock starts from the first block, and would lag by the time that the node took to start.
	if err := n.call(ctx, "evm_setTime", time.Now().Unix()); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// PID is the id of the node's process.
func (n *Node) PID() int { return n.process.PID() }

// Close ends the node, which loses its chain. It returns when the process is gone.
func (n *Node) Close() error {
	return errors.Join(n.Foreign.Close(), n.process.Kill())
}

// StopBlocks stops the production of blocks until GoOn is called. The node keeps the transactions that it receives.
func (n *Node) StopBlocks(ctx context.Context) error {
	return n.call(ctx, "evm_setAutomine", false)
}

// GoOn makes a block of the waiting transactions, and from now on one of each transaction.
func (n *Node) GoOn(ctx context.Context) error {
	if err := n.call(ctx, "evm_setAutomine", true); err != nil {
		return err
	}
	return n.call(ctx, "evm_mine")
}

// Reorganise replaces the given number of newest blocks by empty ones. Their transactions are no longer on the chain, and
// the node does not keep them.
func (n *Node) Reorganise(ctx context.Context, blocks int) error {
	return n.call(ctx, "anvil_reorg", blocks, []any{})
}

// Mine makes a number of blocks at once. The chain's clock then advances by as many whole seconds as they are apart.
func (n *Node) Mine(ctx context.Context, blocks int, apart time.Duration) error {
	return n.call(ctx, "anvil_mine", hexutil.Uint64(blocks), hexutil.Uint64(apart/time.Second))
}

func (n *Node) call(ctx context.Context, method string, args ...any) error {
	if err := n.Client().Client().CallContext(ctx, nil, method, args...); err != nil {
		return fmt.Errorf("anvil %s: %w", method, err)
	}
	return nil
}

// Find returns the program that scripts/install-needs interop installs or, on a platform that this does not support, the
// one on the PATH.
func Find() (string, error) {
	dir, err := moduleDir()
	if err != nil {
		return "", err
	}
	installed := filepath.Join(dir, "test", "interop", "node_modules", "@foundry-rs", "anvil-"+runtime.GOOS+"-"+runtime.GOARCH, "bin", "anvil")
	_, err = os.Stat(installed)
	if err == nil {
		return installed, nil
	}
	found, pathErr := exec.LookPath("anvil")
	if pathErr != nil {
		return "", fmt.Errorf("anvil is not installed: %w (run scripts/install-needs interop; on platforms other than Linux on amd64, "+
			"install Foundry so that anvil is on the PATH)", errors.Join(err, pathErr))
	}
	return found, nil
}

// moduleDir is the directory of go.mod; tests run in their package's directory.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, nil
		}
		if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		return "", fmt.Errorf("finding the module: no go.mod above the working directory: %w", err)
	}
}
