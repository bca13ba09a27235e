package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

func init() {
	caddy.RegisterModule(new(Memory))
}

// Memory keeps the ledger in memory, for trials without a database. It is not durable: a restart, or a reload
// with other keys, starts again with the credits below. Every edge has a ledger of its own.
type Memory struct {
	// The valid keys. Default: none.
	KeyList []MemoryKey `json:"keys,omitempty"`

	shared  *memoryLedger
	poolKey string
}

// MemoryKey is a key of a memory ledger.
type MemoryKey struct {
	// The key, in any form without spaces. Required.
	Key string `json:"key"`
	// The team that the key belongs to. Keys of one team share its credits. Required.
	Team string `json:"team"`
	// How many credits this entry adds to the team's. Default: 0.
	Credits int64 `json:"credits,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*Memory) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.ledgers.memory",
		New: func() caddy.Module { return new(Memory) },
	}
}

// Provision creates the ledger, or continues with the earlier configuration's if that has the same keys.
func (l *Memory) Provision(caddy.Context) error {
	keys := make([]MemoryKey, len(l.KeyList))
	for i, k := range l.KeyList {
		secret, err := config.ResolveSecret(fmt.Sprintf("ledger memory: key %d", i+1), k.Key)
		if err != nil {
			return err
		}
		keys[i] = MemoryKey{Key: secret, Team: k.Team, Credits: k.Credits}
	}
	id, err := json.Marshal(keys)
	if err != nil {
		return fmt.Errorf("ledger memory: %w", err)
	}
	key := "ledger memory " + string(id)
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) { return newMemoryLedger(keys) })
	if err != nil {
		return fmt.Errorf("ledger memory: %w", err)
	}
	ledger, ok := shared.(*memoryLedger)
	if !ok {
		return fmt.Errorf("pool holds a %T as ledger", shared)
	}
	l.shared, l.poolKey = ledger, key
	return nil
}

// Cleanup releases the ledger. It ends with its last user.
func (l *Memory) Cleanup() error {
	if l.poolKey == "" {
		return nil
	}
	_, err := reload.Pool.Delete(l.poolKey)
	return err
}

// Meter implements Ledger.
func (l *Memory) Meter() credits.Meter { return l.shared.meter }

// Keys implements Ledger.
func (l *Memory) Keys() apikey.Resolver { return l.shared }

// Claims implements Ledger.
func (l *Memory) Claims() claims.Store { return l.shared.claims }

// Outbox implements Ledger.
func (l *Memory) Outbox() outbox.Store { return l.shared.outbox }

// Process implements Ledger. No other process shares this ledger.
func (l *Memory) Process() *gate.Process { return l.shared.process }

// Times implements Ledger. This ledger never makes anyone wait.
func (*Memory) Times() (decision, recovery time.Duration) { return time.Second, 15 * time.Second }

// Ping implements Ledger.
func (*Memory) Ping(context.Context) error { return nil }

// memoryLedger is the part that outlives a configuration.
type memoryLedger struct {
	meter      *credits.Memory
	claims     claims.Store
	outbox     outbox.Store
	process    *gate.Process
	principals map[[sha256.Size]byte]*apikey.Principal
}

func newMemoryLedger(keys []MemoryKey) (*memoryLedger, error) {
	process := gate.NewProcess(gate.Alone())
	claims, outbox := claims.NewMemory(process.ID(), time.Now), outbox.NewMemory(time.Now)
	claims.CountGas(outbox)
	l := &memoryLedger{
		meter: credits.NewMemory(), claims: claims, outbox: outbox, process: process,
		principals: make(map[[sha256.Size]byte]*apikey.Principal),
	}
	accounts := make(map[string]int64)
	for i, k := range keys {
		hash := sha256.Sum256([]byte(k.Key))
		switch {
		case k.Team == "":
			return nil, fmt.Errorf("key %d: has no team", i+1)
		case k.Credits < 0:
			return nil, fmt.Errorf("key %d: credits are %d, want 0 or more", i+1, k.Credits)
		case l.principals[hash] != nil:
			return nil, fmt.Errorf("key %d: appears more than once", i+1)
		}
		if accounts[k.Team] == 0 {
			accounts[k.Team] = int64(len(accounts) + 1)
		}
		p := &apikey.Principal{
			TeamID: k.Team, KeyID: fmt.Sprintf("key_memory%d", i+1), Key: int64(i + 1), Account: accounts[k.Team],
			Scopes: apikey.ScopesAll,
		}
		if err := l.meter.Fund(p.Account, money.Credits(k.Credits)); err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		l.meter.AllowKey(p.Key)
		l.principals[hash] = p
	}
	return l, nil
}

// Resolve implements apikey.Resolver.
func (l *memoryLedger) Resolve(_ context.Context, key string) (*apikey.Principal, error) {
	if p := l.principals[sha256.Sum256([]byte(key))]; p != nil {
		return p, nil
	}
	return nil, apikey.ErrInvalid
}

// Destruct implements caddy.Destructor.
func (*memoryLedger) Destruct() error { return nil }

// Interface guards
var (
	_ Ledger             = (*Memory)(nil)
	_ caddy.Provisioner  = (*Memory)(nil)
	_ caddy.CleanerUpper = (*Memory)(nil)
)
