package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/node"
)

// Chain is a running development chain. It is safe for concurrent use.
type Chain struct {
	Ground

	node   *node.Node
	eth    *eth.Ethereum
	newTxs event.Subscription
	sealer *sealer

	closeOnce sync.Once
	closeErr  error
}

// Start starts a chain from its genesis. When it returns, the RPC port responds and the newest block has the clock's
// time. ctx bounds the start only; Close ends the chain.
func Start(ctx context.Context, cfg Config) (*Chain, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("starting the dev chain: %w", err)
	}
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("dev chain configuration: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting the dev chain: %w", err)
	}
	c, err := assemble(cfg)
	if err != nil {
		return nil, fmt.Errorf("starting the dev chain: %w", err)
	}
	return c, nil
}

func assemble(cfg Config) (*Chain, error) {
	first, err := newFirstBlock(cfg)
	if err != nil {
		return nil, err
	}
	stack, backend, err := startNode(cfg, first.genesis)
	if err != nil {
		return nil, err
	}
	c := &Chain{node: stack, eth: backend, sealer: newSealer(backend, cfg)}
	newTxs := make(chan core.NewTxsEvent, 1)
	c.newTxs = backend.TxPool().SubscribeTransactions(newTxs, true)
	go c.sealer.listen(newTxs, c.newTxs)
	go c.sealer.run()
	if c.Ground, err = first.ground(ethclient.NewClient(stack.Attach()), c.WaitMined); err != nil {
		_ = c.Close() // the first error says more
		return nil, err
	}
	// Behind is fine: a transaction came in at once and has been sealed already.
	if _, err := c.sealer.request(context.Background()); err != nil && !errors.Is(err, ErrClockBehind) {
		_ = c.Close()
		return nil, fmt.Errorf("sealing the first block: %w", err)
	}
	return c, nil
}

// RPCURL is the address of JSON-RPC, as http://127.0.0.1:port.
func (c *Chain) RPCURL() string { return c.node.HTTPEndpoint() }

// Seal makes a block now, even an empty one. If the newest block already has the clock's second, it is ErrClockBehind.
func (c *Chain) Seal(ctx context.Context) (*types.Header, error) {
	return c.sealer.request(ctx)
}

// WaitMined returns the transaction's receipt once a block includes it. The transaction may have reverted: check the
// receipt's status.
func (c *Chain) WaitMined(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	for {
		next := c.sealer.next()
		if receipt := c.receipt(tx); receipt != nil {
			return receipt, nil
		}
		select {
		case <-next:
		case <-c.sealer.done:
			return nil, fmt.Errorf("waiting for transaction %s: %w", tx, ErrClosed)
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for transaction %s: %w", tx, ctx.Err())
		}
	}
}

func (c *Chain) receipt(tx common.Hash) *types.Receipt {
	blocks := c.eth.BlockChain()
	place, _ := blocks.GetCanonicalTransaction(tx)
	if place == nil {
		return nil
	}
	receipts := blocks.GetReceiptsByHash(place.BlockHash)
	if place.Index >= uint64(len(receipts)) {
		return nil
	}
	return receipts[place.Index]
}

// Close stops sealing and serving and discards the chain. Later calls return the same error.
func (c *Chain) Close() error {
	c.closeOnce.Do(func() {
		close(c.sealer.stop)
		<-c.sealer.done
		c.newTxs.Unsubscribe()
		if c.client != nil {
			c.client.Close()
		}
		if err := c.node.Close(); err != nil {
			c.closeErr = fmt.Errorf("closing the dev chain: %w", err)
		}
	})
	return c.closeErr
}
