package x402

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// LocalConfig is what a [LocalFacilitator] is made of.
type LocalConfig struct {
	// RPC is a node of the network. Required.
	RPC     RPC
	Network Network
	// Signer pays the gas of settlements; it holds no customer's money. Required.
	Signer *ecdsa.PrivateKey
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Logger gets what operators must know. Default: nothing is logged.
	Logger *slog.Logger
	// Observer is told what settlements cost. Default: nobody.
	Observer Observer
	// GasMax is the most gas that a settlement may take. Default: 300,000; USDC
	// takes about 90,000 and a contract wallet some more.
	GasMax uint64
	// PollInterval is how often a receipt is asked for. Default: 500 ms.
	PollInterval time.Duration
}

// LocalFacilitator checks and settles on one network with a node and a key of
// its own. It is safe for concurrent use, and is the only user of its key.
type LocalFacilitator struct {
	chainChecker

	cfg    LocalConfig
	signer *signer

	mu   sync.Mutex
	sent map[[32]byte]sentTx // by payment: transactions of unknown outcome
}

type sentTx struct {
	hash     common.Hash
	lapsesAt time.Time
}

var (
	_ Facilitator = (*LocalFacilitator)(nil)
	_ Watcher     = (*LocalFacilitator)(nil)
)

// NewLocalFacilitator returns a facilitator. It does not reach out to the node:
// see [LocalFacilitator.Check].
func NewLocalFacilitator(cfg LocalConfig) (*LocalFacilitator, error) {
	var errs []error
	if cfg.RPC == nil {
		errs = append(errs, errors.New("rpc: want a node"))
	}
	if cfg.Signer == nil {
		errs = append(errs, errors.New("signer: want the key that pays for settlements"))
	}
	if err := errors.Join(append(errs, cfg.Network.Validate())...); err != nil {
		return nil, fmt.Errorf("local facilitator: %w", err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Observer == nil {
		cfg.Observer = unobserved{}
	}
	if cfg.GasMax == 0 {
		cfg.GasMax = 300_000
	}
	setDefault(&cfg.PollInterval, 500*time.Millisecond)
	signer := newSigner(cfg.RPC, cfg.Signer, cfg.Network.ChainID)
	return &LocalFacilitator{
		chainChecker: chainChecker{ChainWatcher: NewChainWatcher(cfg.RPC, cfg.Network), from: signer.address, now: cfg.Now},
		cfg:          cfg,
		signer:       signer,
		sent:         map[[32]byte]sentTx{},
	}, nil
}

// SignerAddress is the account that pays the gas.
func (f *LocalFacilitator) SignerAddress() common.Address { return f.signer.address }

// Check compares node and token with the configuration, for start-up and doctor.
func (f *LocalFacilitator) Check(ctx context.Context) error { return f.checkDomain(ctx) }

// Supported implements [Facilitator].
func (f *LocalFacilitator) Supported(context.Context) (Supported, error) {
	s := Supported{
		Kinds:      []Kind{{X402Version: version2, Scheme: schemeExact, Network: f.network.ID()}},
		Extensions: []string{},
		Signers:    map[string][]string{"eip155:*": {f.signer.address.Hex()}},
	}
	if f.network.Name != "" {
		s.Kinds = append(s.Kinds, Kind{X402Version: version1, Scheme: schemeExact, Network: f.network.Name})
	}
	return s, nil
}
