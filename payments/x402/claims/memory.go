package claims

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// Memory is a [Store] in memory, as one instance sees it. It is the model that [Postgres] is compared
// with, and is enough for trying out a gate. It is lost with the process, so it is not for real money.
type Memory struct {
	*memoryClaims

	edge uuid.UUID
}

// memoryClaims is the state that all instances share.
type memoryClaims struct {
	mu     sync.Mutex
	now    func() time.Time
	claims map[Key]*memoryClaim
	byID   map[uuid.UUID]*memoryClaim
	// living are the instances that have not ended, and what they settle; nil means all.
	living map[uuid.UUID][]string
	// Identified are the latest claims with an identifier, which may have lost it.
	identified map[Identity]*memoryClaim
	signIns    map[memorySignIn]time.Time
	outbox     *outbox.Memory // whose transactions count against the gas budget, or nil
}

type memorySignIn struct{ account, nonce string }

type memoryClaim struct {
	rec    Record
	resp   *Response
	block  uint64    // of its transfer, once it is paid
	gas    x402.Gwei // reserved while it is open
	closed bool      // see Close
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store for an instance, which is now living.
func NewMemory(instance uuid.UUID, now func() time.Time) *Memory {
	all := &memoryClaims{
		now: now, claims: map[Key]*memoryClaim{}, byID: map[uuid.UUID]*memoryClaim{}, living: map[uuid.UUID][]string{},
		identified: map[Identity]*memoryClaim{}, signIns: map[memorySignIn]time.Time{},
	}
	return (&Memory{memoryClaims: all}).As(instance)
}

// As returns the store for another instance, which is now living.
func (m *Memory) As(instance uuid.UUID) *Memory {
	m.Announce(instance, nil)
	return &Memory{memoryClaims: m.memoryClaims, edge: instance}
}

// Announce records what an instance settles; nil is everything.
func (m *memoryClaims) Announce(instance uuid.UUID, settles []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.living[instance] = settles
}

// End records that an instance has ended.
func (m *memoryClaims) End(instance uuid.UUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.living, instance)
}

// CountGas makes the cost of an outbox's transactions count against the day's budget.
func (m *memoryClaims) CountGas(outbox *outbox.Memory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outbox = outbox
}

// settles reports whether an instance is living and settles a claim. The caller holds the mutex.
func (m *memoryClaims) settles(instance uuid.UUID, key Key) bool {
	settles, lives := m.living[instance]
	return lives && (settles == nil || slices.Contains(settles, key.SettledAs()))
}

// Records returns all claims, in no order.
func (m *memoryClaims) Records() []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Record, 0, len(m.claims))
	for _, c := range m.claims {
		all = append(all, c.rec)
	}
	return all
}

// Find implements [Store].
func (m *memoryClaims) Find(_ context.Context, key Key) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.claims[key]
	if c == nil {
		return Record{}, ErrNotFound
	}
	return c.rec, nil
}

// FindIdentified implements [Store].
func (m *memoryClaims) FindIdentified(_ context.Context, identity Identity, now time.Time) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.identified[identity]
	if c == nil || !c.rec.Identified(now) {
		return Record{}, ErrNotFound
	}
	return c.rec, nil
}

// FindAnswer implements [Store].
func (m *memoryClaims) FindAnswer(_ context.Context, asked Purchaser, now time.Time) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var best *Record
	bestKept := false
	for _, c := range m.claims {
		r := &c.rec
		kept := r.State == StateSettled && r.ResponseKept && !r.KeepUntil.Before(now)
		underWay := !r.State.Terminal() || r.State == StateSettled && r.DoneAt == nil
		if r.Key.Payer != asked.Payer || r.RequestHash != asked.RequestHash || (!kept && !underWay) ||
			(asked.Network != "" && r.Key.Network != asked.Network) {
			continue
		}
		if best == nil || kept && !bestKept || kept == bestKept && r.CreatedAt.After(best.CreatedAt) {
			best, bestKept = r, kept
		}
	}
	if best == nil {
		return Record{}, ErrNotFound
	}
	return *best, nil
}

// UseSignIn implements [Store].
func (m *memoryClaims) UseSignIn(_ context.Context, account, nonce string, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := memorySignIn{account, nonce}
	if _, used := m.signIns[key]; used {
		return ErrSignInUsed
	}
	m.signIns[key] = expires
	return nil
}

// ForgetSignIns implements [Store].
func (m *memoryClaims) ForgetSignIns(_ context.Context, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.signIns, func(_ memorySignIn, expires time.Time) bool { return expires.Before(now) })
	return nil
}

// Claim implements [Store].
func (m *Memory) Claim(_ context.Context, rec *Record, seen x402.Checked) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.claims[rec.Key]
	if old != nil && !old.rec.reclaimable(rec) {
		return old.rec, false, nil
	}
	if !m.settles(m.edge, rec.Key) {
		return Record{}, false, ErrNotSettler
	}
	if other := m.identified[rec.Identity()]; other != nil && other.rec.Identified(rec.CreatedAt) {
		return other.rec, false, nil
	}
	if inFlight := m.inFlight(rec.Key, seen.Block); !seen.Covers(rec.Amount, inFlight) {
		return Record{}, false, &InFlightError{inFlight}
	}
	if !seen.TriesFor(m.unpaidTries(rec.Key)) {
		return Record{}, false, ErrUnpaidTries
	}
	if !seen.Affords(m.gasHeld(rec.Key.Network)) {
		return Record{}, false, ErrGasBudget
	}
	c := m.place(rec, StateClaimed)
	c.gas = seen.Gas
	if rec.Settle == price.SettleAfter {
		c.rec.RunAt = m.moment()
	}
	if rec.Identifier != "" {
		m.identified[rec.Identity()] = c
	}
	return c.rec, true, nil
}

// Disclaim implements [Store].
func (m *Memory) Disclaim(_ context.Context, rec *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.claims[rec.Key]
	if old == nil || old.rec.ID == rec.ID && old.rec.EdgeID == m.edge && old.rec.State == StateClaimed {
		m.place(rec, StateReleased).rec.DoneAt = m.moment()
	}
	return nil
}

// place stores a claim of this instance under its key. The caller holds the mutex.
func (m *Memory) place(rec *Record, state State) *memoryClaim {
	if old := m.claims[rec.Key]; old != nil {
		delete(m.byID, old.rec.ID)
	}
	c := &memoryClaim{rec: *rec}
	c.rec.State, c.rec.EdgeID, c.rec.RunAt, c.rec.DoneAt = state, m.edge, nil, nil
	c.rec.Payment = bytes.Clone(rec.Payment)
	m.claims[rec.Key], m.byID[rec.ID] = c, c
	return c
}

// inFlight is the sum of a payer's payments that its balance at a block does not show. The caller holds the mutex.
func (m *memoryClaims) inFlight(of Key, block uint64) (sum money.MicroUSDC) {
	for key, c := range m.claims {
		key.Nonce = of.Nonce
		isPaid := c.rec.State == StateSettled || c.rec.State == StateRefundDue
		if key == of && (!c.rec.State.Terminal() || isPaid && c.block > block) {
			sum += c.rec.Amount
		}
	}
	return sum
}

// unpaidTries counts a payer's open or failed payments of the last hour.
func (m *memoryClaims) unpaidTries(of Key) (n int) {
	for key, c := range m.claims {
		key.Nonce = of.Nonce
		isUnpaid := !c.rec.State.Terminal() || c.rec.State == StateFailed
		if key == of && isUnpaid && m.now().Sub(c.rec.CreatedAt) < time.Hour {
			n++
		}
	}
	return n
}

// gasHeld is today's settlement cost on a network, plus what open ones may cost. The caller holds the mutex.
func (m *memoryClaims) gasHeld(network string) (held x402.Gwei) {
	if m.outbox != nil {
		held = m.outbox.SpentToday(network)
	}
	for key, c := range m.claims {
		if key.Network == network && !c.rec.State.Terminal() {
			held += c.gas
		}
	}
	return held
}

func (m *memoryClaims) moment() *time.Time {
	now := m.now()
	return &now
}

// Counts implements [Store].
func (m *memoryClaims) Counts(context.Context) (Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := Counts{}
	for _, c := range m.claims {
		r := &c.rec
		if r.State != StateRefundDue && r.State.Terminal() && (r.State != StateSettled || r.DoneAt != nil) {
			continue
		}
		n := counts[r.State]
		n.Claims++
		n.Amount += r.Amount
		if n.Oldest.IsZero() || r.CreatedAt.Before(n.Oldest) {
			n.Oldest = r.CreatedAt
		}
		counts[r.State] = n
	}
	return counts, nil
}

// Stranded implements [Store].
func (m *memoryClaims) Stranded(context.Context) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for key, c := range m.claims {
		isOpen := !c.rec.State.Terminal() || c.rec.State == StateSettled && c.rec.DoneAt == nil
		isSettled := func(instance uuid.UUID) bool { return m.settles(instance, key) }
		if isOpen && !slices.ContainsFunc(slices.Collect(maps.Keys(m.living)), isSettled) {
			n++
		}
	}
	return n, nil
}

// Response implements [Store].
func (m *memoryClaims) Response(_ context.Context, id uuid.UUID) (*Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.byID[id]
	if c == nil || c.resp == nil {
		return nil, ErrNotFound
	}
	return c.resp, nil
}

// Unclosed implements [Store].
func (m *memoryClaims) Unclosed(_ context.Context, settles []string, before time.Time) ([]Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var keys []Key
	for key, c := range m.claims {
		if c.rec.State == StateFailed && !c.closed && c.rec.LapsesAt.Before(before) && slices.Contains(settles, key.SettledAs()) && len(keys) < unclosedMost {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Close implements [Store].
func (m *memoryClaims) Close(_ context.Context, id uuid.UUID) error {
	return m.stepOfAny(id, []State{StateFailed}, func(c *memoryClaim) bool {
		was := c.closed
		c.closed = true
		return !was
	})
}

// PaidAfterAll implements [Store].
func (m *memoryClaims) PaidAfterAll(_ context.Context, id uuid.UUID, by x402.Settlement) error {
	return m.stepOfAny(id, []State{StateFailed}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Transaction, c.rec.Reason, c.rec.Identifier, c.closed = StateRefundDue, by.Transaction, "", "", true
		c.block = by.Block
		if c.rec.DoneAt == nil {
			c.rec.DoneAt = m.moment()
		}
		return true
	})
}

// TakeOrphans implements [Store].
func (m *Memory) TakeOrphans(_ context.Context, settles []string, active []uuid.UUID, now time.Time) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var orphans []Record
	if _, lives := m.living[m.edge]; !lives {
		return nil, nil
	}
	for key, c := range m.claims {
		isOrphan := c.rec.EdgeID == m.edge || !m.settles(c.rec.EdgeID, key)
		if isOrphan && c.rec.unfinished(now) && slices.Contains(settles, key.SettledAs()) && !slices.Contains(active, c.rec.ID) {
			c.rec.EdgeID = m.edge
			orphans = append(orphans, c.rec)
		}
	}
	return orphans, nil
}

// TakeUnknown implements [Store].
func (m *Memory) TakeUnknown(_ context.Context, id uuid.UUID) error {
	return m.stepOfAny(id, []State{StateUnknown}, func(c *memoryClaim) bool {
		_, lives := m.living[m.edge]
		if lives {
			c.rec.EdgeID = m.edge
		}
		return lives
	})
}

// unfinished reports whether Recover has work to do for the claim.
func (r *Record) unfinished(now time.Time) bool {
	if r.State == StateSettled {
		return r.DoneAt == nil && (r.RunAt != nil || r.KeepUntil.Before(now))
	}
	return !r.State.Terminal()
}

// ForgetResponses implements [Store].
func (m *memoryClaims) ForgetResponses(_ context.Context, now time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range m.claims {
		if c.resp != nil && c.rec.KeepUntil.Before(now) && c.rec.State.Terminal() {
			c.keep(nil)
			n++
		}
	}
	return n, nil
}
