package gate

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// Acceptance is a network on which payments are accepted, and their recipient.
type Acceptance struct {
	Network x402.Network
	PayTo   common.Address
}

// Config is the configuration of a [Gate].
type Config struct {
	// Store keeps the claims, as this process sees them. Required.
	Store claims.Store
	// Process is what this gate shares with the process's other gates on the same store. Default: none share it.
	Process *Process
	// Facilitator verifies and settles payments. Required.
	Facilitator x402.Facilitator
	// Watcher looks up settlements of unknown outcome. Default: the facilitator, where it has a node.
	Watcher x402.Watcher
	// Accepts lists the networks in the order in which they are offered. Required.
	Accepts []Acceptance
	// Now is the clock for checking payments. Default: time.Now.
	Now func() time.Time
	// Logger receives what operators must know. Default: nothing is logged.
	Logger *slog.Logger
	// Observer receives events. Default: none.
	Observer x402.Observer
	// ResponseBytesMax limits how much of a response is held back and kept for duplicates. Default: 1 MiB.
	ResponseBytesMax int
	// VerifyTimeout limits the checks on chain. Default: 10 s.
	VerifyTimeout time.Duration
	// SettleTimeout limits a settlement. After it the outcome is unknown and is looked up later. Default: what the
	// facilitator says, or 30 s.
	SettleTimeout time.Duration
	// DecisionTimeout limits each store access before the upstream runs or money moves. Default: 200 ms.
	DecisionTimeout time.Duration
	// StoreTimeout limits a write that must not be cut short when the client leaves. Default: 10 s.
	StoreTimeout time.Duration
	// PollInterval is how often a duplicate checks whether another edge has finished its payment. Default: 200 ms.
	PollInterval time.Duration
	// NoIdentifiers ignores payment identifiers and does not offer them (extension payment-identifier). Default: a
	// purchase is charged once.
	NoIdentifiers bool
	// NoSignIns ignores sign-ins of wallets and does not offer them (extension sign-in-with-x). Default: a wallet that
	// signs in reads what it has paid for.
	NoSignIns bool
	// UnverifiedPerMinute is how many unverified payments per minute one client address may send. These need a look-up
	// before they can be refused: their signature does not recover to the payer, or they do not match or have lapsed.
	// Sign-ins of wallets whose node must be asked count too; other sign-ins may be ten times as many. Default: 60.
	UnverifiedPerMinute int
	// ClientAddress names the client for that limit. Default: the host of RemoteAddr.
	ClientAddress func(*http.Request) string
}

func (c Config) withDefaults() Config {
	if c.Process == nil {
		c.Process = NewProcess(Alone())
	}
	if c.Watcher == nil {
		c.Watcher, _ = c.Facilitator.(x402.Watcher)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Observer == nil {
		c.Observer = x402.Unobserved{}
	}
	if c.ClientAddress == nil {
		c.ClientAddress = remoteHost
	}
	setDefault(&c.ResponseBytesMax, 1<<20)
	setDefault(&c.VerifyTimeout, 10*time.Second)
	if patient, ok := c.Facilitator.(interface{ SettleTimeout() time.Duration }); ok {
		setDefault(&c.SettleTimeout, patient.SettleTimeout())
	}
	setDefault(&c.SettleTimeout, x402.SettleTimeout)
	setDefault(&c.DecisionTimeout, 200*time.Millisecond)
	setDefault(&c.StoreTimeout, 10*time.Second)
	setDefault(&c.PollInterval, 200*time.Millisecond)
	setDefault(&c.UnverifiedPerMinute, 60)
	return c
}

func setDefault[T ~int | ~int64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Validate reports all errors in the configuration.
func (c Config) Validate() error {
	var errs []error
	if c.Store == nil {
		errs = append(errs, errors.New("store: a claim store is required"))
	}
	if c.Facilitator == nil {
		errs = append(errs, errors.New("facilitator: a facilitator is required"))
	}
	if len(c.Accepts) == 0 {
		errs = append(errs, errors.New("accepts: want at least one network"))
	}
	seen := map[uint64]bool{}
	for i, a := range c.Accepts {
		if err := a.Network.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("accepts %d: %w", i, err))
		}
		if a.PayTo == (common.Address{}) {
			errs = append(errs, fmt.Errorf("accepts %d: pay to: want the address of the recipient", i))
		}
		if seen[a.Network.ChainID] {
			errs = append(errs, fmt.Errorf("accepts %d: chain %d appears more than once", i, a.Network.ChainID))
		}
		seen[a.Network.ChainID] = true
	}
	for _, limit := range []struct {
		name string
		n    int64
	}{
		{"response bytes max", int64(c.ResponseBytesMax)},
		{"verify timeout", int64(c.VerifyTimeout)},
		{"settle timeout", int64(c.SettleTimeout)},
		{"decision timeout", int64(c.DecisionTimeout)},
		{"store timeout", int64(c.StoreTimeout)},
		{"poll interval", int64(c.PollInterval)},
		{"unverified payments per minute", int64(c.UnverifiedPerMinute)},
	} {
		if limit.n < 0 {
			errs = append(errs, fmt.Errorf("%s: want a positive value, or 0 for the default", limit.name))
		}
	}
	return errors.Join(errs...)
}

func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
