package credits

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Memory is a ledger in memory: the reference model for [Postgres], and a
// ledger for trials without a database. It is as exact, and forgets all when
// the process ends.
type Memory struct {
	mu       sync.Mutex
	accounts map[int64]*memoryAccount
	keys     map[int64]bool // valid keys
	holds    map[uuid.UUID]*memoryHold
	ended    []uuid.UUID // holds in the order in which they ended, oldest at next
	next     int
}

// endedMax is how many ended holds are remembered, so that an id that comes
// again is known: far more than any retry could reach back over.
const endedMax = 1 << 16

type memoryAccount struct {
	balance, held money.Credits
}

type memoryHold struct {
	account int64
	amount  money.Credits
	open    bool
}

// NewMemory returns an empty ledger.
func NewMemory() *Memory {
	return &Memory{
		accounts: make(map[int64]*memoryAccount),
		keys:     make(map[int64]bool),
		holds:    make(map[uuid.UUID]*memoryHold),
	}
}

// Fund adds credits to an account, which it opens if need be.
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

// AllowKey makes a key valid; RevokeKey ends that at once.
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
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.accounts[req.Account]
	if a == nil || !m.keys[req.Key] {
		return Decision{Outcome: KeyInvalid}, nil
	}
	available := a.balance - a.held
	if m.holds[req.ID] != nil {
		return Decision{Outcome: Duplicate, Available: available}, nil
	}
	if req.Amount > available {
		return Decision{Outcome: Refused, Available: available}, nil
	}
	a.held += req.Amount
	m.holds[req.ID] = &memoryHold{account: req.Account, amount: req.Amount, open: true}
	return Decision{Outcome: Accepted, Available: available - req.Amount}, nil
}

// Capture implements Meter.
func (m *Memory) Capture(req Request, amount money.Credits) { m.end(req, amount) }

// Void implements Meter.
func (m *Memory) Void(req Request) { m.end(req, 0) }

func (m *Memory) end(req Request, amount money.Credits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.holds[req.ID]
	if h == nil || !h.open || h.account != req.Account {
		return
	}
	a := m.accounts[h.account]
	h.open = false
	a.held -= h.amount
	a.balance -= min(amount, h.amount)
	m.remember(req.ID)
}

// remember notes that a hold has ended, in place of the oldest such note.
func (m *Memory) remember(id uuid.UUID) {
	if len(m.ended) < endedMax {
		m.ended = append(m.ended, id)
		return
	}
	delete(m.holds, m.ended[m.next])
	m.ended[m.next] = id
	m.next = (m.next + 1) % endedMax
}

// Flush implements Meter: nothing ever waits.
func (m *Memory) Flush(context.Context) error { return nil }

// Balance returns an account's balance and what of it is held; zeros for an
// account that does not exist.
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
