package x402

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	"github.com/turnpike-edge/turnpike/caddymodule/ledger"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	facilitators "github.com/turnpike-edge/turnpike/payments/x402/facilitator"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// acceptance is one network of a gate.
type acceptance struct {
	network     x402.Network
	payTo       common.Address
	facilitator x402.Facilitator
}

// gateKey identifies a gate. Configurations that agree in all of this share one.
type gateKey struct {
	process             *gate.Process
	claims              claims.Store
	decisionTimeout     time.Duration
	recoverEvery        time.Duration
	accepts             [networksMax]acceptance // the entries after the last network are empty
	responseBytesMax    int
	verifyTimeout       time.Duration
	settleTimeout       time.Duration
	unverifiedPerMinute int
	noIdentifiers       bool
	noSignIns           bool
}

// pooledGate is a gate and its background upkeep.
type pooledGate struct {
	*gate.Gate

	key      gateKey
	uses     reload.Uses
	releases []func() error // of the ledger and the facilitators
	stop     context.CancelFunc
	done     chan struct{}
	logger   *slog.Logger
}

// Open opens the gate, or continues with that of an earlier configuration.
func (c *Config) Open(ctx caddy.Context, l ledger.Ledger) error {
	process := l.Process()
	key, err := c.resolve(ctx, facilitator.Use{Observer: observer, Outbox: l.Outbox(), Live: process.Live})
	if err != nil {
		return err
	}
	key.process, key.claims = process, l.Claims()
	key.decisionTimeout, key.recoverEvery = l.Times()
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) { return openGate(key, l) })
	if err != nil {
		return err
	}
	gate, ok := shared.(*pooledGate)
	if !ok {
		return fmt.Errorf("pool holds a %T as x402 gate", shared)
	}
	c.gate = gate
	return nil
}

// Gate returns the open gate.
func (c *Config) Gate() *gate.Gate { return c.gate.Gate }

// Begin counts a request on the gate, until end is called.
func (c *Config) Begin() (end func()) { return c.gate.uses.Begin() }

// Close releases the gate, if it was opened.
func (c *Config) Close() error {
	if c.gate == nil {
		return nil
	}
	_, err := reload.Pool.Delete(c.gate.key)
	return err
}

// facilitator returns one facilitator for all networks.
func (k *gateKey) facilitator() (x402.Facilitator, []gate.Acceptance) {
	var accepts []gate.Acceptance
	byChain := map[uint64]x402.Facilitator{}
	for _, one := range k.accepts {
		if one.facilitator == nil {
			break
		}
		accepts = append(accepts, gate.Acceptance{Network: one.network, PayTo: one.payTo})
		byChain[one.network.ChainID] = one.facilitator
	}
	if len(accepts) == 1 {
		return k.accepts[0].facilitator, accepts
	}
	return facilitators.ByChain(byChain), accepts
}

const recoverTimeout = 30 * time.Second

func openGate(key gateKey, ledger ledger.Ledger) (*pooledGate, error) {
	logger := reload.CurrentLogger("turnpike.x402")
	facilitator, accepts := key.facilitator()
	gate, err := gate.NewGate(gate.Config{
		Store: key.claims, Process: key.process, Facilitator: facilitator, Logger: logger, Observer: observer, Accepts: accepts,
		ResponseBytesMax: key.responseBytesMax, ClientAddress: request.ClientAddress, DecisionTimeout: key.decisionTimeout,
		VerifyTimeout: key.verifyTimeout, SettleTimeout: key.settleTimeout, UnverifiedPerMinute: key.unverifiedPerMinute,
		NoIdentifiers: key.noIdentifiers, NoSignIns: key.noSignIns,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	g := &pooledGate{Gate: gate, key: key, releases: []func() error{reload.HoldOn(ledger)}, stop: stop, done: make(chan struct{}), logger: logger}
	for _, one := range key.accepts {
		g.releases = append(g.releases, reload.HoldOn(one.facilitator))
	}
	g.doBounded(ctx, "announcing the networks that this edge settles on", g.Open)
	go g.upkeep(ctx)
	claimGauges.Add(g, g.openClaims)
	return g, nil
}

// upkeep recovers the payments of ended processes: at once, when processes end, and at intervals.
func (g *pooledGate) upkeep(ctx context.Context) {
	defer close(g.done)
	ticker := time.NewTicker(g.key.recoverEvery)
	defer ticker.Stop()
	for {
		changed := g.key.process.Changed()
		g.doBounded(ctx, "recovering unfinished payments", g.Recover)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-ticker.C:
		}
	}
}

func (g *pooledGate) doBounded(ctx context.Context, doing string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, recoverTimeout)
	defer cancel()
	if err := do(ctx); err != nil && ctx.Err() == nil {
		g.logger.Warn("x402 upkeep failed and will be retried", "doing", doing, "error", err)
	}
}

// openClaims returns the values of the gauges about claims.
func (g *pooledGate) openClaims(ctx context.Context) (openClaims, error) {
	counts, err := g.Counts(ctx)
	if err != nil {
		return openClaims{}, err
	}
	stranded, err := g.Stranded(ctx)
	return openClaims{unknown: counts[claims.StateUnknown].Claims, refundsDue: counts[claims.StateRefundDue].Claims, stranded: stranded}, err
}

// Destruct implements caddy.Destructor. Running payments finish first, on the ledger and the facilitators with which they began.
func (g *pooledGate) Destruct() error {
	claimGauges.Remove(g)
	g.stop()
	return reload.CloseWhenUnused(&g.uses, g.close, func(err error) {
		g.logger.Error("closing the x402 gate of an earlier configuration", "error", err)
	})
}

const gateCloseTimeout = 5 * time.Second

func (g *pooledGate) close() error {
	<-g.done
	ctx, cancel := context.WithTimeout(context.Background(), gateCloseTimeout)
	defer cancel()
	errs := []error{g.Close(ctx)}
	for _, release := range g.releases {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}
