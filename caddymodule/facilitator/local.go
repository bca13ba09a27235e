package facilitator

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

func init() {
	caddy.RegisterModule(new(Local))
}

// Local checks and settles payments itself, with a node and a private key.
type Local struct {
	// The URL of a node of the network, or several URLs, separated by commas or spaces; the nodes must then agree on
	// what was paid. Give it as a placeholder such as `{env.BASE_RPC_URL}`. Required.
	RPC string `json:"rpc"`

	// The private keys that sign settlements and pay their gas, in hexadecimal. For a key in a signing service that
	// speaks JSON-RPC like Web3Signer, give the service's URL with # and the account's address. Give each key as a
	// placeholder such as `{env.SETTLER_KEY}`. They hold no customer's money. Edges with one ledger may use the same
	// keys; no other program may use them. Required: at least one.
	Signers []string `json:"signers"`

	// The most gas that one payment may take. Default: 300000.
	GasMax int `json:"gas_max,omitempty"`

	// The most to pay for a unit of gas, in gwei, as a decimal number. Default: 10.
	FeeMax string `json:"fee_max,omitempty"`

	// The price of the network's coin, in which gas is paid, in USD: a decimal number, or the address of a price feed
	// on the network (Chainlink's AggregatorV3Interface). Default: Chainlink's ETH/USD feed on Base and Base Sepolia;
	// required on other networks.
	ETHUSD string `json:"eth_usd,omitempty"`

	// How old the feed's price may be. With an older price, no payment is taken. Default: 2h.
	ETHUSDAgeMax caddy.Duration `json:"eth_usd_age_max,omitempty"`

	// The most that the gas of a payment may cost, in percent of its amount. A payment that may cost more is refused
	// before it is claimed. Default: 100.
	GasShare int `json:"gas_share,omitempty"`

	// The most in USD that gas may cost on the network within a day (UTC), as a decimal number, for all edges with one
	// ledger. When it is used up, no more payments are taken; claimed payments are still settled. Default: 50.
	GasBudget string `json:"gas_budget,omitempty"`

	// The balance in ether below which operators are warned about a signer, as a decimal number. Default: 0.001.
	BalanceMin string `json:"balance_min,omitempty"`

	// How many waiting payments one transaction settles, at most 100; 1 settles each separately. Default: 32.
	BatchMax int `json:"batch_max,omitempty"`

	// How many blocks, including that of the transaction, make a settlement final. Default: 2 on Base, 1 on Base
	// Sepolia, 5 on other networks.
	Confirmations int `json:"confirmations,omitempty"`

	// The addresses of the factories that may be called to deploy a payer's contract wallet in the transaction that
	// settles its payment (ERC-6492). Placeholders are replaced. The signer pays the gas of the deployment. Default:
	// none; then a wallet must be deployed before it pays.
	ERC6492Factories []string `json:"erc6492_factories,omitempty"`

	rpcURLs   []string
	signers   []signer.Signer
	signerIDs string
	feeMax    *big.Int
	rate      evm.Rate
	gasBudget money.MicroUSDC
	balance   *big.Int
	factories []common.Address
	poolKey   *localKey
}

// CaddyModule returns the Caddy module information.
func (*Local) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.facilitators.local",
		New: func() caddy.Module { return new(Local) },
	}
}

// Provision reads the secrets.
func (f *Local) Provision(caddy.Context) error {
	var err error
	if f.rpcURLs, err = resolveNodes("rpc", f.RPC); err != nil {
		return err
	}
	if len(f.Signers) == 0 {
		return errors.New("signer: none configured, want the key of the account that pays for gas")
	}
	for _, text := range f.Signers {
		if err := checkSigner("signer", text); err != nil {
			return err
		}
		resolved, err := config.Resolve("signer", text)
		if err != nil {
			return err
		}
		signer, err := signer.Parse(resolved)
		if err != nil {
			return fmt.Errorf("signer: %w", err)
		}
		f.signers = append(f.signers, signer)
		f.signerIDs += fmt.Sprintf("%x", sha256.Sum256([]byte(resolved))) // do not keep a key as text
	}
	if f.GasMax < 0 || (f.GasMax > 0 && f.GasMax < gasMaxLeast) {
		return fmt.Errorf("gas_max is %d: want at least %d, the gas of a transfer", f.GasMax, gasMaxLeast)
	}
	if f.feeMax, err = parseEther("fee_max", f.FeeMax, gweiDecimals); err != nil {
		return err
	}
	if f.balance, err = parseEther("balance_min", f.BalanceMin, etherDecimals); err != nil {
		return err
	}
	if f.rate, err = parseCoinRate(f.ETHUSD); err != nil {
		return err
	}
	f.rate.AgeMax = time.Duration(f.ETHUSDAgeMax)
	if f.gasBudget, err = parseUSD("gas_budget", f.GasBudget); err != nil {
		return err
	}
	if f.GasShare < 0 || f.ETHUSDAgeMax < 0 {
		return fmt.Errorf("gas_share is %d and eth_usd's age %s: want more than 0", f.GasShare, f.rate.AgeMax)
	}
	f.factories = make([]common.Address, len(f.ERC6492Factories))
	for i, text := range f.ERC6492Factories {
		if f.factories[i], err = config.ResolveAddress("erc6492_factory", text); err != nil {
			return err
		}
	}
	return nil
}

const (
	gasMaxLeast   = 50_000
	gweiDecimals  = 9
	etherDecimals = 18
)

var etherPattern = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,18})?$`)

// parseEther reads a decimal number as wei, of a unit with that many decimals; nil for "".
func parseEther(name, text string, decimals int) (*big.Int, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // nil means not set
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if !etherPattern.MatchString(text) || len(fraction) > decimals {
		return nil, fmt.Errorf("%s: '%s' is not a decimal number with at most %d decimals, such as 0.5", name, text, decimals)
	}
	wei, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	if !ok || wei.Sign() == 0 {
		return nil, fmt.Errorf("%s: '%s' is not more than 0", name, text)
	}
	return wei, nil
}

// Cleanup releases the facilitator.
func (f *Local) Cleanup() error {
	if f.poolKey == nil {
		return nil
	}
	_, err := reload.Pool.Delete(*f.poolKey)
	return err
}

// localKey identifies a shared facilitator. A facilitator with another key has its own transactions in the ledger's outbox.
type localKey struct {
	rpcURLs, signers, feeMax, balanceMin      string
	gasMax, batchMax, confirmations, gasShare int
	rate                                      evm.Rate
	gasBudget                                 money.MicroUSDC
	network                                   x402.Network
	outbox                                    outbox.Store
	// factories are the addresses as one string, because a key must be comparable.
	factories string
}

type pooledLocal struct {
	*local.Facilitator

	key    localKey
	node   *evm.Nodes
	stop   context.CancelFunc
	checks sync.WaitGroup
}

const dialTimeout = 10 * time.Second

// Open implements Source.
func (f *Local) Open(use Use) (x402.Facilitator, error) {
	rate, err := f.rateOn(use.Network)
	if err != nil {
		return nil, err
	}
	key := localKey{
		rpcURLs: strings.Join(f.rpcURLs, " "), signers: f.signerIDs, feeMax: f.FeeMax, balanceMin: f.BalanceMin, gasMax: f.GasMax, batchMax: f.BatchMax,
		confirmations: f.Confirmations, network: use.Network, outbox: use.Outbox, factories: fmt.Sprint(f.factories),
		rate: rate, gasShare: f.GasShare, gasBudget: f.gasBudget,
	}
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) {
		pooled, err := f.connect(use, rate, reload.CurrentLogger("turnpike.x402"))
		if err != nil {
			return nil, err
		}
		pooled.key = key
		return pooled, nil
	})
	if err != nil {
		return nil, err
	}
	pooled, ok := shared.(*pooledLocal)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as facilitator", shared)
	}
	f.poolKey = &key
	return pooled, nil
}

func (f *Local) connect(use Use, rate evm.Rate, logger *slog.Logger) (*pooledLocal, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	node, err := evm.DialNodes(ctx, f.rpcURLs...)
	if err != nil {
		return nil, fmt.Errorf("rpc: %w", err)
	}
	local, err := local.New(local.Config{
		RPC: node, Network: use.Network, Signers: f.signers, Outbox: use.Outbox, Live: use.Live, Observer: use.Observer,
		Logger: logger, GasMax: uint64(f.GasMax), //nolint:gosec // checked
		FeeMax: f.feeMax, BalanceMin: f.balance, BatchMax: f.BatchMax, Confirmations: f.Confirmations, Factories: f.factories,
		Rate: rate, GasShare: f.GasShare, GasBudget: f.gasBudget,
	})
	if err != nil {
		node.Close()
		return nil, err
	}
	checkCtx, stop := context.WithCancel(context.Background())
	pooled := &pooledLocal{Facilitator: local, node: node, stop: stop}
	pooled.checks.Go(func() { pooled.check(checkCtx, logger) })
	gauges.Add(pooled, state{
		network: use.Network.ID(), away: node.Away,
		signers: func(ctx context.Context) ([]signerBalance, error) { return pooled.balances(ctx, use.Network) },
	})
	return pooled, nil
}

// check warns if a node is on another chain, a token has another name, or a signer lacks its key; every payment would
// be refused. The facilitator starts anyway, because the node may only be down.
func (p *pooledLocal) check(ctx context.Context, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, startCheckTimeout)
	defer cancel()
	if err := p.Check(ctx); err != nil && ctx.Err() == nil {
		logger.Warn("x402 facilitator: the check of its nodes and signers failed", "error", err)
	}
}

// balances returns the values of the signers' gauges.
func (p *pooledLocal) balances(ctx context.Context, network x402.Network) ([]signerBalance, error) {
	found, err := p.Signers(ctx)
	balances := make([]signerBalance, len(found))
	for i, s := range found {
		balances[i] = signerBalance{network: network.ID(), account: s.Address.Hex(), wei: s.Wei}
	}
	return balances, err
}

// Hold implements reload.Holder: gates keep the facilitator until their last settlement.
func (p *pooledLocal) Hold() (release func() error) { return reload.HoldPooled(p.key) }

const closeTimeout = 5 * time.Second

// Destruct implements caddy.Destructor.
func (p *pooledLocal) Destruct() error {
	gauges.Remove(p)
	p.stop()
	p.checks.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := p.Close(ctx)
	p.node.Close()
	return err
}

// Interface guards
var (
	_ Source             = (*Local)(nil)
	_ caddy.Provisioner  = (*Local)(nil)
	_ caddy.CleanerUpper = (*Local)(nil)
)
