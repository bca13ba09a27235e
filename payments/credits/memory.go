package credits

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Memory is a ledger in memory: the reference model for [Postgres], and a ledger for trials without a database. It is
// as exact, and loses everything when the process ends.
type Memory struct {
	mu       sync.Mutex
	accounts map[int64]*memoryAccount
	keys     map[int64]bool     // valid keys
	holds    map[HoldID]Request // the open holds
}

type memoryAccount struct {
	balance, held money.Credits
}

// NewMemory returns an empty ledger.
func NewMemory() *Memory {
	return &Memory{
		accounts: make(map[int64]*memoryAccount),
		keys:     make(map[int64]bool),
		holds:    make(map[HoldID]Request),
	}
}

// Fund adds credits to an account, and opens the account if it does not exist.
func (m *Memory) Fund(account int64, amount money.Credits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.accounts[account]
	if a == nil {
		a = &memoryAccount{}
		m.accounts[account] = a
	}
	balance, err := a.balance.Add(amount)
	if err != nil {
		return err
	}
	a.balance = balance
	return nil
}

// AllowKey makes a key valid until RevokeKey is called.
func (m *Memory) AllowKey(key int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[key] = true
}

// RevokeKey makes a key invalid for every later request.
func (m *Memory) RevokeKey(key int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.keys, key)
}

// Authorize implements Meter.
func (m *Memory) Authorize(ctx context.Context, req Request) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	if req.Amount < 0 {
		return Decision{}, errNegative
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.accounts[req.Account]
	if a == nil || !m.keys[req.Key] {
		return Decision{Outcome: KeyInvalid}, nil
	}
	available := a.balance - a.held
	if req.Amount > available {
		return Decision{Outcome: Refused, Available: available}, nil
	}
	a.held += req.Amount
	hold := Hold{id: HoldID(NewID()), req: req}
	m.holds[hold.id] = req
	return Decision{Outcome: Accepted, Hold: hold, Available: available - req.Amount}, nil
}

// Capture implements Meter.
func (m *Memory) Capture(hold Hold, amount money.Credits) { m.end(hold.id, amount) }

// Void implements Meter.
func (m *Memory) Void(hold Hold) { m.end(hold.id, 0) }

func (m *Memory) end(id HoldID, amount money.Credits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	req, ok := m.holds[id]
	if !ok {
		return
	}
	delete(m.holds, id)
	a := m.accounts[req.Account]
	a.held -= req.Amount
	a.balance -= max(0, min(amount, req.Amount))
}

// Flush implements Meter: nothing ever waits.
func (m *Memory) Flush(context.Context) error { return nil }

// Balance returns an account's balance and held credits; zeros for an account that does not exist.
func (m *Memory) Balance(account int64) Balance {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.accounts[account]
	if a == nil {
		return Balance{Account: account}
	}
	return Balance{Account: account, Balance: a.balance, Held: a.held}
}

// Accounts returns the accounts' numbers in order.
func (m *Memory) Accounts() []int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.accounts))
}
