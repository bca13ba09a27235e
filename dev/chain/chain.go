package chain

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/node"
)

// instanceBytes is the length of an instance id: enough that no two ever meet.
const instanceBytes = 16

// Chain is a running development chain. It is safe for concurrent use.
type Chain struct {
	cfg      Config
	instance string
	token    common.Address

	node     *node.Node
	eth      *eth.Ethereum
	client   *ethclient.Client
	arrivals event.Subscription
	sealer   *sealer
	owner    *tokenOwner

	closeOnce sync.Once
	closeErr  error
}

// Start starts a chain from its genesis. When it returns, the RPC port answers and the
// newest block has the clock's time. ctx bounds the start only; Close ends the chain.
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
	instance := make([]byte, instanceBytes)
	if _, err := rand.Read(instance); err != nil {
		return nil, fmt.Errorf("making an instance id: %w", err)
	}
	ownerKey, err := crypto.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("making the token owner's key: %w", err)
	}
	first, err := genesis(cfg, AddressOf(ownerKey), instance)
	if err != nil {
		return nil, fmt.Errorf("making the genesis block: %w", err)
	}
	tokenAddress, err := token(cfg.ChainID)
	if err != nil {
		return nil, err
	}
	stack, backend, err := startNode(cfg, first)
	if err != nil {
		return nil, err
	}
	c := &Chain{
		cfg:      cfg,
		instance: hex.EncodeToString(instance),
		token:    tokenAddress,
		node:     stack,
		eth:      backend,
		client:   ethclient.NewClient(stack.Attach()),
		sealer:   newSealer(backend, cfg),
	}
	arrivals := make(chan core.NewTxsEvent, 1)
	c.arrivals = backend.TxPool().SubscribeTransactions(arrivals, true)
	go c.sealer.listen(arrivals, c.arrivals)
	go c.sealer.run()
	if c.owner, err = newTokenOwner(c, ownerKey); err != nil {
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

// RPCURL is where the chain serves JSON-RPC, as http://127.0.0.1:port.
func (c *Chain) RPCURL() string { return c.node.HTTPEndpoint() }

// ChainID is the id in transactions and in the token's signing domain.
func (c *Chain) ChainID() uint64 { return c.cfg.ChainID }

// InstanceID is new at every start, 32 hex digits. The genesis block carries it as its
// extra data, so a client of the RPC port can find it too.
func (c *Chain) InstanceID() string { return c.instance }

// Token is the address of the token, which is the network's USDC address.
func (c *Chain) Token() common.Address { return c.token }

// Settler is the key that pays for settlements. It has ether for gas.
func (c *Chain) Settler() *ecdsa.PrivateKey { return c.cfg.SettlerKey }

// Wallet is the demo buyer's key. It has tokens, and ether for trying things.
func (c *Chain) Wallet() *ecdsa.PrivateKey { return c.cfg.WalletKey }

// Client reaches the chain without the HTTP port. It is closed with the chain.
func (c *Chain) Client() *ethclient.Client { return c.client }

// Seal makes a block now, be it empty. It fails with ErrClockBehind if the newest
// block already has the clock's second.
func (c *Chain) Seal(ctx context.Context) (*types.Header, error) {
	return c.sealer.request(ctx)
}

// WaitMined returns the transaction's receipt once a block holds it. A receipt may be
// of a transaction that reverted: look at its status.
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

// Close stops sealing and serving and forgets the chain. Later calls return the same.
func (c *Chain) Close() error {
	c.closeOnce.Do(func() {
		close(c.sealer.stop)
		<-c.sealer.done
		c.arrivals.Unsubscribe()
		c.client.Close()
		if err := c.node.Close(); err != nil {
			c.closeErr = fmt.Errorf("closing the dev chain: %w", err)
		}
	})
	return c.closeErr
}
