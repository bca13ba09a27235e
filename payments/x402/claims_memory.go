package x402

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// MemoryClaims is a [ClaimStore] in memory: the model that [PostgresClaims] is
// held against, and enough for trying a gate out. What it knows is lost with the
// process, so it is not for real money.
type MemoryClaims struct {
	mu     sync.Mutex
	now    func() time.Time
	claims map[Key]*memoryClaim
	byID   map[uuid.UUID]*memoryClaim
	beats  map[uuid.UUID]time.Time
	// identified are the last claims with an identifier, which may have lost it.
	identified map[Identity]*memoryClaim
	signIns    map[memorySignIn]time.Time
}

type memorySignIn struct{ account, nonce string }

type memoryClaim struct {
	rec    Record
	resp   *Response
	closed bool // see Close
}

var _ ClaimStore = (*MemoryClaims)(nil)

// NewMemoryClaims returns an empty store.
func NewMemoryClaims(now func() time.Time) *MemoryClaims {
	return &MemoryClaims{
		now: now, claims: map[Key]*memoryClaim{}, byID: map[uuid.UUID]*memoryClaim{}, beats: map[uuid.UUID]time.Time{},
		identified: map[Identity]*memoryClaim{}, signIns: map[memorySignIn]time.Time{},
	}
}

// Find implements [ClaimStore].
func (m *MemoryClaims) Find(_ context.Context, key Key) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.claims[key]
	if c == nil {
		return Record{}, ErrNoClaim
	}
	return c.rec, nil
}

// FindIdentified implements [ClaimStore].
func (m *MemoryClaims) FindIdentified(_ context.Context, identity Identity, now time.Time) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.identified[identity]
	if c == nil || !c.rec.identified(now) {
		return Record{}, ErrNoClaim
	}
	return c.rec, nil
}

// FindAnswer implements [ClaimStore].
func (m *MemoryClaims) FindAnswer(_ context.Context, asked Purchaser, now time.Time) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var best *Record
	bestKept := false
	for _, c := range m.claims {
		r := &c.rec
		kept := r.State == StateSettled && r.ResponseKept && !r.KeepUntil.Before(now)
		underWay := !r.State.terminal() || r.State == StateSettled && r.DoneAt == nil
		if r.Key.Payer != asked.Payer || r.RequestHash != asked.RequestHash || (!kept && !underWay) ||
			(asked.Network != "" && r.Key.Network != asked.Network) {
			continue
		}
		if best == nil || kept && !bestKept || kept == bestKept && r.CreatedAt.After(best.CreatedAt) {
			best, bestKept = r, kept
		}
	}
	if best == nil {
		return Record{}, ErrNoClaim
	}
	return *best, nil
}

// UseSignIn implements [ClaimStore].
func (m *MemoryClaims) UseSignIn(_ context.Context, account, nonce string, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := memorySignIn{account, nonce}
	if _, used := m.signIns[key]; used {
		return ErrSignInUsed
	}
	m.signIns[key] = expires
	return nil
}

// ForgetSignIns implements [ClaimStore].
func (m *MemoryClaims) ForgetSignIns(_ context.Context, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.signIns, func(_ memorySignIn, expires time.Time) bool { return expires.Before(now) })
	return nil
}

// Claim implements [ClaimStore].
func (m *MemoryClaims) Claim(_ context.Context, rec *Record) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.claims[rec.Key]
	if old != nil && (old.rec.State != StateReleased || old.rec.PayloadHash != rec.PayloadHash) {
		return old.rec, false, nil
	}
	if other := m.identified[rec.identity()]; other != nil && other.rec.identified(rec.CreatedAt) {
		return other.rec, false, nil
	}
	if old != nil {
		delete(m.byID, old.rec.ID)
	}
	c := &memoryClaim{rec: *rec}
	c.rec.State = StateClaimed
	c.rec.RunAt, c.rec.DoneAt = nil, nil
	c.rec.Payment = bytes.Clone(rec.Payment)
	if rec.Settle == price.SettleAfter {
		c.rec.RunAt = m.moment()
	}
	m.claims[rec.Key], m.byID[rec.ID] = c, c
	if rec.Identifier != "" {
		m.identified[rec.identity()] = c
	}
	return c.rec, true, nil
}

func (m *MemoryClaims) moment() *time.Time {
	now := m.now()
	return &now
}

// step runs change on the claim if it is in one of the states.
func (m *MemoryClaims) step(id uuid.UUID, from []State, change func(*memoryClaim) bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.byID[id]
	if c == nil || !slices.Contains(from, c.rec.State) || !change(c) {
		return ErrClaimMoved
	}
	return nil
}

func (c *memoryClaim) keep(resp *Response) {
	c.resp, c.rec.ResponseKept = resp, resp != nil
}

// Release implements [ClaimStore].
func (m *MemoryClaims) Release(_ context.Context, id uuid.UUID, reason Code, resp *Response) error {
	return m.step(id, []State{StateClaimed}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Reason, c.rec.DoneAt = StateReleased, reason, m.moment()
		c.keep(resp)
		return true
	})
}

// Serve implements [ClaimStore].
func (m *MemoryClaims) Serve(_ context.Context, id uuid.UUID, resp *Response) error {
	return m.step(id, []State{StateClaimed}, func(c *memoryClaim) bool {
		if c.rec.Settle != price.SettleAfter {
			return false
		}
		c.rec.State = StateServed
		if resp != nil {
			c.rec.DoneAt = m.moment()
		}
		c.keep(resp)
		return true
	})
}

// Settling implements [ClaimStore].
func (m *MemoryClaims) Settling(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateClaimed, StateServed}, func(c *memoryClaim) bool {
		if c.rec.State == StateClaimed && c.rec.Settle != price.SettleBefore {
			return false
		}
		c.rec.State = StateSettling
		return true
	})
}

// Settled implements [ClaimStore].
func (m *MemoryClaims) Settled(_ context.Context, id uuid.UUID, transaction string, run bool) error {
	return m.step(id, []State{StateServed, StateSettling, StateUnknown}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Transaction, c.rec.Reason = StateSettled, transaction, ""
		if run && c.rec.RunAt == nil {
			c.rec.RunAt = m.moment()
		}
		return true
	})
}

// Unknown implements [ClaimStore].
func (m *MemoryClaims) Unknown(_ context.Context, id uuid.UUID, transaction string) error {
	return m.step(id, []State{StateSettling, StateUnknown}, func(c *memoryClaim) bool {
		c.rec.State = StateUnknown
		if transaction != "" {
			c.rec.Transaction = transaction
		}
		return true
	})
}

// Fail implements [ClaimStore].
func (m *MemoryClaims) Fail(_ context.Context, id uuid.UUID, reason Code) error {
	return m.step(id, []State{StateServed, StateSettling, StateUnknown}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Reason = StateFailed, reason
		c.keep(nil)
		return true
	})
}

// Abandon implements [ClaimStore].
func (m *MemoryClaims) Abandon(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateClaimed, StateServed}, func(c *memoryClaim) bool {
		c.rec.State = StateAbandoned
		c.keep(nil)
		return true
	})
}

// StartRun implements [ClaimStore].
func (m *MemoryClaims) StartRun(_ context.Context, id, edgeID uuid.UUID) error {
	return m.step(id, []State{StateSettled}, func(c *memoryClaim) bool {
		if c.rec.RunAt != nil {
			return false
		}
		c.rec.RunAt, c.rec.EdgeID = m.moment(), edgeID
		return true
	})
}

// Finish implements [ClaimStore].
func (m *MemoryClaims) Finish(_ context.Context, id uuid.UUID, failed bool, resp *Response) error {
	return m.step(id, []State{StateSettled, StateRefundDue}, func(c *memoryClaim) bool {
		if c.rec.RunAt == nil || c.rec.DoneAt != nil {
			return false
		}
		c.rec.DoneAt = m.moment()
		if failed {
			c.rec.State = StateRefundDue
		}
		c.keep(resp)
		return true
	})
}

// RefundDue implements [ClaimStore].
func (m *MemoryClaims) RefundDue(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateSettled}, func(c *memoryClaim) bool {
		if c.rec.RunAt != nil {
			return false
		}
		c.rec.State, c.rec.DoneAt = StateRefundDue, m.moment()
		return true
	})
}

// Owe implements [ClaimStore].
func (m *MemoryClaims) Owe(_ context.Context, id uuid.UUID, _ string) error {
	return m.step(id, []State{StateSettled, StateRefundDue, StateRefunded}, func(c *memoryClaim) bool {
		if c.rec.State == StateSettled {
			c.rec.State = StateRefundDue
		}
		return true
	})
}

// Counts implements [ClaimStore].
func (m *MemoryClaims) Counts(context.Context) (Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := Counts{}
	for _, c := range m.claims {
		r := &c.rec
		if r.State != StateRefundDue && r.State.terminal() && (r.State != StateSettled || r.DoneAt != nil) {
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

// Response implements [ClaimStore].
func (m *MemoryClaims) Response(_ context.Context, id uuid.UUID) (*Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.byID[id]
	if c == nil || c.resp == nil {
		return nil, ErrNoClaim
	}
	return c.resp, nil
}

// Unclosed implements [ClaimStore].
func (m *MemoryClaims) Unclosed(_ context.Context, networks []string, before time.Time) ([]Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var keys []Key
	for key, c := range m.claims {
		if c.rec.State == StateFailed && !c.closed && c.rec.LapsesAt.Before(before) && slices.Contains(networks, key.Network) && len(keys) < unclosedMost {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Close implements [ClaimStore].
func (m *MemoryClaims) Close(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateFailed}, func(c *memoryClaim) bool {
		was := c.closed
		c.closed = true
		return !was
	})
}

// PaidAfterAll implements [ClaimStore].
func (m *MemoryClaims) PaidAfterAll(_ context.Context, id uuid.UUID, transaction string) error {
	return m.step(id, []State{StateFailed}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Transaction, c.rec.Reason, c.rec.Identifier, c.closed = StateRefundDue, transaction, "", "", true
		if c.rec.DoneAt == nil {
			c.rec.DoneAt = m.moment()
		}
		return true
	})
}

// Beat implements [ClaimStore].
func (m *MemoryClaims) Beat(_ context.Context, edgeID uuid.UUID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.beats[edgeID] = m.now()
	return nil
}

// TakeOrphans implements [ClaimStore].
func (m *MemoryClaims) TakeOrphans(_ context.Context, edgeID uuid.UUID, active []uuid.UUID, lostAfter time.Duration, now time.Time) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var orphans []Record
	for _, c := range m.claims {
		mine := c.rec.EdgeID == edgeID
		beat, alive := m.beats[c.rec.EdgeID]
		alive = alive && m.now().Sub(beat) < lostAfter
		if !c.rec.unfinished(now) || slices.Contains(active, c.rec.ID) || (!mine && alive) {
			continue
		}
		c.rec.EdgeID = edgeID
		orphans = append(orphans, c.rec)
	}
	return orphans, nil
}

// unfinished reports whether Recover has something to do.
func (r *Record) unfinished(now time.Time) bool {
	if r.State == StateSettled {
		return r.DoneAt == nil && (r.RunAt != nil || r.KeepUntil.Before(now))
	}
	return !r.State.terminal()
}

// ForgetResponses implements [ClaimStore].
func (m *MemoryClaims) ForgetResponses(_ context.Context, now time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range m.claims {
		if c.resp != nil && c.rec.KeepUntil.Before(now) && c.rec.State.terminal() {
			c.keep(nil)
			n++
		}
	}
	return n, nil
}
