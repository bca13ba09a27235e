package x402

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/price"
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
	// GasMax is the most gas that a settlement may take. Default: 300,000; USDC
	// takes about 90,000 and a contract wallet some more.
	GasMax uint64
	// PollInterval is how often a receipt is asked for. Default: 500 ms.
	PollInterval time.Duration
}

// LocalFacilitator checks and settles on one network with a node and a key of
// its own. It is safe for concurrent use, and is the only user of its key.
type LocalFacilitator struct {
	chainReader

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
	if cfg.GasMax == 0 {
		cfg.GasMax = 300_000
	}
	setDefault(&cfg.PollInterval, 500*time.Millisecond)
	return &LocalFacilitator{
		chainReader: chainReader{rpc: cfg.RPC, network: cfg.Network},
		cfg:         cfg,
		signer:      newSigner(cfg.RPC, cfg.Signer, cfg.Network.ChainID),
		sent:        map[[32]byte]sentTx{},
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

// Lookup implements [Watcher].
func (f *LocalFacilitator) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (Sighting, error) {
	return f.lookup(ctx, p, req, since)
}

// Verify implements [Facilitator]: one batch of calls, and before it one look at
// the payer's code if the signature is not the payer's own.
func (f *LocalFacilitator) Verify(ctx context.Context, p *Payment, req *Requirements) error {
	if refusal := f.checkLocally(p, req); refusal != nil {
		return refusal
	}
	if !p.SignedByPayer(f.network) {
		contract, err := f.hasCode(ctx, p.Authorization.From)
		if err != nil {
			return err
		}
		if !contract {
			return refuse(CodeSignature, "the signature is not the payer's")
		}
	}
	return f.checkOnChain(ctx, p, req)
}

func (f *LocalFacilitator) checkLocally(p *Payment, req *Requirements) *Refusal {
	if req.Network != f.network {
		return refuse(CodeNetwork, "network %s is not settled here: want %s", req.Network.ID(), f.network.ID())
	}
	if _, refusal := matchRequirements(p, []Requirements{*req}); refusal != nil {
		return refusal
	}
	if refusal := checkMatch(p, req); refusal != nil {
		return refusal
	}
	// How long the resource takes is the resource server's to judge.
	return checkTimes(p, f.cfg.Now(), price.SettleBefore, 0)
}

func (f *LocalFacilitator) checkOnChain(ctx context.Context, p *Payment, req *Requirements) error {
	var code, balance, used, simulated hexutil.Bytes
	a := &p.Authorization
	batch := []rpc.BatchElem{
		{Method: "eth_getCode", Args: []any{a.From, blockLatest}, Result: &code},
		f.call(f.network.Asset, pack(selBalanceOf, addressWord(a.From)), nil, blockLatest, &balance),
		f.call(f.network.Asset, pack(selAuthorizationState, addressWord(a.From), a.Nonce[:]), nil, blockLatest, &used),
		// Pending, because the newest block may be older than validAfter.
		f.call(f.network.Asset, transferCall(p), &f.signer.address, blockPending, &simulated),
	}
	if err := f.rpc.BatchCallContext(ctx, batch); err != nil {
		return fmt.Errorf("checking the payment on chain: %w", err)
	}
	for _, elem := range batch[:3] {
		if elem.Error != nil {
			return fmt.Errorf("checking the payment on chain: %s: %w", elem.Method, elem.Error)
		}
	}
	switch err := batch[3].Error; {
	case new(big.Int).SetBytes(used).Sign() != 0:
		return refuse(CodeTransactionState, "the authorisation was used or cancelled")
	case len(code) == 0 && !p.SignedByPayer(f.network):
		return refuse(CodeSignature, "the signature is not the payer's")
	case new(big.Int).SetBytes(balance).Cmp(big.NewInt(int64(req.Amount))) < 0:
		return refuse(CodeInsufficientFunds, "the payer has %s of %s units", new(big.Int).SetBytes(balance), req.Amount.Units())
	case err == nil:
		return nil
	case !isRevert(err):
		return fmt.Errorf("simulating the settlement: %w", err)
	default:
		return f.explainRevert(ctx, p, len(code) > 0, err)
	}
}

// explainRevert finds the code for a simulation that reverted.
func (f *LocalFacilitator) explainRevert(ctx context.Context, p *Payment, contract bool, reverted error) error {
	if contract {
		ok, err := f.accepts1271(ctx, p)
		if err != nil {
			return err
		}
		if !ok {
			return refuse(CodeSignature, "the payer is a contract and does not stand by the signature")
		}
	}
	return refuse(CodeTransactionState, "the token would refuse the transfer: %s", clip(reverted.Error()))
}
