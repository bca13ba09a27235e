package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// BatchMaxMost is the maximum of [Config.BatchMax]: a larger batch comes close to the gas limit of a transaction
// (EIP-7825: 2^24).
const BatchMaxMost = 100

// Config configures a [Facilitator].
type Config struct {
	// RPC is a node of the network, or several as [Nodes]. Required.
	RPC     evm.RPC
	Network x402.Network
	// Factories may be called to deploy a payer's wallet in the transaction that settles its payment (ERC-6492).
	// Default: none.
	Factories []common.Address
	// Signers pay the gas of settlements; they hold no customer's money. At least one is required. Facilitators that
	// share the outbox may use the same signers.
	Signers []signer.Signer
	// Live returns nil while this process may send transactions. Default: always.
	Live func() error
	// Store stores the transactions that are sent. Default: one in memory, for this facilitator only.
	Outbox outbox.Store
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Logger gets messages for operators. Default: nothing is logged.
	Logger *slog.Logger
	// Observer gets the cost of settlements. Default: none.
	Observer x402.Observer
	// GasMax is the most gas that one payment may take. Default: 300,000; USDC takes about 90,000, and a contract
	// wallet somewhat more.
	GasMax uint64
	// FeeMax is the most that is paid per unit of gas, in wei, including the tip. Default: 10 gwei, some hundred times
	// the price on Base.
	FeeMax *big.Int
	// Rate is the price of the network's coin in USD. Default: [KnownRate]; on networks without one, no payment is
	// accepted unless it is set.
	Rate evm.Rate
	// GasShare is the most that a settlement may cost, in percent of the payment's amount. It is checked before the
	// payment is claimed. Default: 100.
	GasShare int
	// GasBudget is what settlements on the network, open ones included, may cost per day (UTC). It is checked before a
	// payment is claimed. All processes that share the ledger share one budget. Default: 50 USD.
	GasBudget money.MicroUSDC
	// BalanceMin is the balance, in wei, below which operators are warned to refill an account. Default: 0.001 ether.
	BalanceMin *big.Int
	// BatchMax is how many queued payments one transaction settles, at most BatchMaxMost; 1 settles each payment by
	// itself. Default: 32.
	BatchMax int
	// InFlightMax is how many unmined transactions one account may have; nodes keep only a few per account. Default: 8.
	InFlightMax int
	// Confirmations is how many blocks, including the transaction's own, make a settlement final. Default: the
	// network's usual number.
	Confirmations int
	// StuckAfter is how long an account's next transaction may stay unmined before one with a higher fee replaces it.
	// Default: 15 s.
	StuckAfter time.Duration
	// Lease is how long a facilitator may be silent before others that share its outbox take over its transactions.
	// Default: 15 s.
	Lease time.Duration
	// PollInterval is how often receipts are requested. Default: 500 ms.
	PollInterval time.Duration
	// RPCTimeout limits one call to the node. Default: 10 s.
	RPCTimeout time.Duration
}

// BalanceMinDefault is a thousandth of an ether, in wei.
func BalanceMinDefault() *big.Int { return big.NewInt(params.Ether / 1000) }

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Live == nil {
		c.Live = func() error { return nil }
	}
	if c.Outbox == nil {
		c.Outbox = outbox.NewMemory(c.Now)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Observer == nil {
		c.Observer = x402.Unobserved{}
	}
	if c.GasMax == 0 {
		c.GasMax = 300_000
	}
	if c.FeeMax == nil {
		c.FeeMax = big.NewInt(10 * params.GWei)
	}
	if c.BalanceMin == nil {
		c.BalanceMin = BalanceMinDefault()
	}
	if c.Rate == (evm.Rate{}) {
		c.Rate, _ = evm.KnownRate(c.Network)
	}
	c.GasShare = cmp.Or(c.GasShare, gasShareDefault)
	c.GasBudget = cmp.Or(c.GasBudget, gasBudgetDefault)
	c.BatchMax = cmp.Or(c.BatchMax, 32)
	c.InFlightMax = cmp.Or(c.InFlightMax, 8)
	c.Confirmations = cmp.Or(c.Confirmations, c.Network.Confirmations())
	c.StuckAfter = cmp.Or(c.StuckAfter, 15*time.Second)
	c.Lease = cmp.Or(c.Lease, 15*time.Second)
	c.PollInterval = cmp.Or(c.PollInterval, 500*time.Millisecond)
	c.RPCTimeout = cmp.Or(c.RPCTimeout, 10*time.Second)
	return c
}

// Validate returns all faults of the configuration.
func (c Config) Validate() error {
	var errs []error
	if c.RPC == nil {
		errs = append(errs, errors.New("rpc: a node is required"))
	}
	if len(c.Signers) == 0 {
		errs = append(errs, errors.New("signers: want the key of an account that pays for gas"))
	}
	seen := map[common.Address]bool{}
	for i, one := range c.Signers {
		if one == nil || one == (signer.Key{}) {
			errs = append(errs, fmt.Errorf("signer %d: want a key", i+1))
			continue
		}
		address := one.Address()
		if seen[address] {
			errs = append(errs, fmt.Errorf("signer %d: %s appears more than once", i+1, address))
		}
		seen[address] = true
	}
	if c.FeeMax != nil && c.FeeMax.Sign() <= 0 {
		errs = append(errs, fmt.Errorf("fee max is %s wei: want more than 0", c.FeeMax))
	}
	if c.GasShare < 0 || c.GasBudget < 0 || c.Rate.USD < 0 || c.Rate.AgeMax < 0 {
		errs = append(errs, errors.New("gas share, gas budget and rate: want positive values, or 0 for the default"))
	}
	if c.BatchMax < 0 || c.BatchMax > BatchMaxMost {
		errs = append(errs, fmt.Errorf("batch max is %d: want 1 to %d", c.BatchMax, BatchMaxMost))
	}
	if c.Confirmations < 0 {
		errs = append(errs, fmt.Errorf("confirmations are %d: want 1 or more", c.Confirmations))
	}
	return errors.Join(append(errs, c.Network.Validate())...)
}

// Facilitator verifies and settles payments on one network with its own node and keys. It is safe for concurrent
// use. Payments are queued. Each account sends what is queued, several payments in one transaction, and a keeper
// follows every transaction until it is mined. Close it when it is no longer needed.
type Facilitator struct {
	chainChecker

	cfg      Config
	owner    uuid.UUID // in the outbox
	accounts []*account

	ctx     context.Context //nolint:containedctx // of the background goroutines
	stop    context.CancelFunc
	start   sync.Once
	running sync.WaitGroup
	wake    chan struct{} // to the keeper: a transaction is pending

	mu      sync.Mutex
	changed *sync.Cond // the queue or the number of pending transactions
	closed  bool
	queue   []*job
	jobs    map[[32]byte]*job // by payment id: queued or being settled
	flights map[flightKey]*flight
	chain   *outbox.ChainKey // once it is known
	// multicall says whether Multicall3 is on the chain; nil until that is known.
	multicall *bool
}

var (
	_ x402.Facilitator       = (*Facilitator)(nil)
	_ x402.Watcher           = (*Facilitator)(nil)
	_ x402.SignatureVerifier = (*Facilitator)(nil)
)

// New returns a facilitator. It does not contact the node: see [Facilitator.Check].
func New(cfg Config) (*Facilitator, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("local facilitator: %w", err)
	}
	cfg = cfg.withDefaults()
	f := &Facilitator{
		chainChecker: chainChecker{
			Watcher: evm.NewWatcher(cfg.RPC, cfg.Network).WithConfirmations(cfg.Confirmations),
			rpc:     cfg.RPC, network: cfg.Network, from: cfg.Signers[0].Address(), factories: cfg.Factories, now: cfg.Now,
			gas: &gasTerms{
				gasMax: cfg.GasMax, feeMax: cfg.FeeMax, share: cfg.GasShare, budget: cfg.GasBudget, rate: cfg.Rate, observer: cfg.Observer,
			},
		},
		cfg:     cfg,
		owner:   uuid.New(),
		wake:    make(chan struct{}, 1),
		jobs:    map[[32]byte]*job{},
		flights: map[flightKey]*flight{},
	}
	f.changed = sync.NewCond(&f.mu)
	f.ctx, f.stop = context.WithCancel(context.Background())
	for _, one := range cfg.Signers {
		f.accounts = append(f.accounts, newAccount(one, cfg.Network.ChainID))
	}
	return f, nil
}

// run starts the background goroutines at the first settlement.
func (f *Facilitator) run() {
	f.start.Do(func() {
		for _, a := range f.accounts {
			f.running.Go(func() { f.work(a) })
		}
		f.running.Go(f.keep)
	})
}

// Close stops the facilitator. Queued payments end with ErrUnavailable and sent ones with *SettlementUnknownError.
// Others that share the outbox may take over at once.
func (f *Facilitator) Close(ctx context.Context) error {
	f.halt()
	return f.cfg.Outbox.Release(ctx, f.owner)
}

// halt stops without releasing the leases.
func (f *Facilitator) halt() {
	f.start.Do(func() {}) // prevents a later start
	f.mu.Lock()
	f.closed = true
	f.changed.Broadcast()
	f.mu.Unlock()
	f.stop()
	f.running.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.queue {
		f.end(j, x402.Settlement{}, fmt.Errorf("%w: %w", x402.ErrUnavailable, errClosed))
	}
	f.queue = nil
	for _, j := range f.jobs {
		f.end(j, x402.Settlement{}, j.unknown(errClosed))
	}
}

var errClosed = errors.New("the facilitator is closed")

// Check compares nodes and token with the configuration, and checks that the signers can sign and that the price of gas
// is known. Start-up and doctor use it.
func (f *Facilitator) Check(ctx context.Context) error {
	errs := []error{f.Watcher.Check(ctx)}
	if _, err := f.cfg.Rate.Now(ctx, f.rpc, f.cfg.Now()); err != nil {
		errs = append(errs, err)
	}
	for _, a := range f.accounts {
		errs = append(errs, a.signer.Check(ctx))
	}
	return errors.Join(errs...)
}

// SettleTimeout is how long a settlement may take: the default plus the time for confirmations.
func (f *Facilitator) SettleTimeout() time.Duration {
	return x402.SettleTimeout + f.ConfirmationTime()
}

// Supported implements [x402.Facilitator].
func (f *Facilitator) Supported(context.Context) (x402.Supported, error) {
	var signers []string
	for _, a := range f.accounts {
		signers = append(signers, a.address.Hex())
	}
	s := x402.Supported{
		Kinds:      []x402.Kind{{X402Version: x402.Version2, Scheme: x402.SchemeExact, Network: f.network.ID()}},
		Extensions: []string{},
		Signers:    map[string][]string{"eip155:*": signers},
	}
	if f.network.Name != "" {
		s.Kinds = append(s.Kinds, x402.Kind{X402Version: x402.Version1, Scheme: x402.SchemeExact, Network: f.network.Name})
	}
	return s, nil
}

// chainKey returns the chain that the node is on. It asks once.
func (f *Facilitator) chainKey(ctx context.Context) (outbox.ChainKey, error) {
	f.mu.Lock()
	known := f.chain
	f.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	var first *struct {
		Hash common.Hash `json:"hash"`
	}
	if err := f.rpc.CallContext(ctx, &first, "eth_getBlockByNumber", "0x0", false); err != nil {
		return outbox.ChainKey{}, fmt.Errorf("reading the genesis block: %w", err)
	}
	if first == nil {
		return outbox.ChainKey{}, errors.New("reading the genesis block: the node does not have it")
	}
	key := outbox.ChainKey{ID: f.network.ChainID, Genesis: first.Hash}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chain = &key
	return key, nil
}
