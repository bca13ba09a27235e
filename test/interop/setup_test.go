package interop

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

const (
	priceUnits     = 10_000 // of the token's smallest unit: 0.01 USDC, as dev/rig's Caddyfile has it
	identitySecret = "an identity secret of these tests, 32 bytes"
	startTimeout   = 2 * time.Minute
	stopTimeout    = 30 * time.Second
)

var payTo = common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")

func TestMain(m *testing.M) { pgtest.Main(m) }

// node is a chain on which edges settle.
type node interface {
	RPCURL() string
	Token() common.Address
	Wallet() *ecdsa.PrivateKey
	Client() *ethclient.Client
	Balance(ctx context.Context, account common.Address) (microUSDC uint64, err error)
	Close() error
}

// openFunc starts a chain.
type openFunc func(t *testing.T, cfg chain.Config) (node, error)

func openDev(t *testing.T, cfg chain.Config) (node, error) {
	t.Helper()
	cfg.IdleInterval = time.Second
	return chain.Start(t.Context(), cfg)
}

// place is a database and a chain for a number of edges.
type place struct {
	binary      string
	chain       node
	databaseURL string
	settlers    []*ecdsa.PrivateKey // one for each edge
}

// newPlace returns a place on the development chain of Base Sepolia.
func newPlace(t *testing.T, edges int) *place {
	t.Helper()
	binary, err := rig.Build(t.Context(), t.TempDir(), rig.Turnpike)
	if err != nil {
		t.Fatal(err)
	}
	return newPlaceOn(t, binary, openDev, chain.BaseSepolia, edges)
}

func newPlaceOn(t *testing.T, binary string, open openFunc, chainID uint64, edges int) *place {
	t.Helper()
	p := &place{binary: binary, databaseURL: pgtest.New(t, migrate)}
	var accounts []chain.Account
	for range edges {
		key, err := crypto.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		p.settlers = append(p.settlers, key)
		accounts = append(accounts, chain.Account{Address: chain.AddressOf(key), Wei: big.NewInt(params.Ether)})
	}
	var err error
	if p.chain, err = open(t, chain.Config{ChainID: chainID, Accounts: accounts}); err != nil {
		t.Fatalf("starting the chain: %v", err)
	}
	t.Cleanup(func() {
		if err := p.chain.Close(); err != nil {
			t.Errorf("closing the chain: %v", err)
		}
	})
	return p
}

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// edge starts an edge in front of upstream until the test ends. A nil caddyfile means the rig's.
func (p *place) edge(t *testing.T, number int, upstream, publicURL string, caddyfile []byte) *rig.Edge {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	e, err := rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: p.binary, Dir: t.TempDir(), Caddyfile: caddyfile, Upstream: upstream, DatabaseURL: p.databaseURL, RPCURL: p.chain.RPCURL(),
		Settler: p.settlers[number], PayTo: payTo, IdentitySecret: identitySecret, PublicURL: publicURL, DecisionTimeout: startTimeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, fmt.Sprintf("edge %d", number), e.Process, e.Log)
	return e
}

// stopLater stops a process when the test ends, and shows its log if the test has failed.
func stopLater(t *testing.T, name string, process *rig.Process, log string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			text, err := os.ReadFile(log)
			t.Logf("log of %s (%v):\n%s", name, err, text)
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := process.Stop(ctx); err != nil {
			t.Errorf("stopping %s: %v", name, err)
		}
	})
}

// transfer is a token transfer by a signed authorisation.
type transfer struct {
	tx       common.Hash
	from, to common.Address
	units    uint64
}

var (
	topicTransfer = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
	topicUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
)

// transfers returns the transfers from payer since the block after. It fails the test unless each used one authorisation of
// its own.
func (p *place) transfers(t *testing.T, payer common.Address, after uint64) []transfer {
	t.Helper()
	logs, err := p.chain.Client().FilterLogs(t.Context(), ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(after + 1),
		Addresses: []common.Address{p.chain.Token()},
		Topics:    [][]common.Hash{{topicTransfer, topicUsed}, {common.BytesToHash(payer.Bytes())}},
	})
	if err != nil {
		t.Fatalf("reading the token's events: %v", err)
	}
	var moved []transfer
	used := make(map[common.Hash]int)
	for _, log := range logs {
		if log.Topics[0] == topicUsed {
			used[log.TxHash]++
			continue
		}
		moved = append(moved, transfer{
			tx: log.TxHash, from: payer, to: common.BytesToAddress(log.Topics[2].Bytes()), units: new(big.Int).SetBytes(log.Data).Uint64(),
		})
	}
	for _, m := range moved {
		if used[m.tx] != 1 {
			t.Errorf("transaction %s: got %d authorisations used, want 1", m.tx, used[m.tx])
		}
	}
	if len(used) != len(moved) {
		t.Errorf("got %d transactions with authorisations and %d transfers", len(used), len(moved))
	}
	return moved
}

func (p *place) height(t *testing.T) uint64 {
	t.Helper()
	height, err := p.chain.Client().BlockNumber(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return height
}

func (p *place) balance(t *testing.T, account common.Address) uint64 {
	t.Helper()
	units, err := p.chain.Balance(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	return units
}
