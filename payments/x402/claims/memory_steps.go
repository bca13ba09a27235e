package claims

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// step runs change on a claim of this instance if it is in one of the states.
func (m *Memory) step(id uuid.UUID, from []State, change func(*memoryClaim) bool) error {
	return m.stepOfAny(id, from, func(c *memoryClaim) bool {
		_, lives := m.living[m.edge]
		return lives && c.rec.EdgeID == m.edge && change(c)
	})
}

// stepOfAny is step for a claim of any instance.
func (m *memoryClaims) stepOfAny(id uuid.UUID, from []State, change func(*memoryClaim) bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.byID[id]
	if c == nil || !slices.Contains(from, c.rec.State) || !change(c) {
		return ErrMoved
	}
	return nil
}

func (c *memoryClaim) keep(resp *Response) {
	c.resp, c.rec.ResponseKept = resp, resp != nil
}

// Release implements [Store].
func (m *Memory) Release(_ context.Context, id uuid.UUID, reason x402.Code, resp *Response) error {
	return m.step(id, []State{StateClaimed}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Reason, c.rec.DoneAt = StateReleased, reason, m.moment()
		c.keep(resp)
		return true
	})
}

// Serve implements [Store].
func (m *Memory) Serve(_ context.Context, id uuid.UUID, resp *Response) error {
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

// Settling implements [Store].
func (m *Memory) Settling(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateClaimed, StateServed}, func(c *memoryClaim) bool {
		if c.rec.State == StateClaimed && c.rec.Settle != price.SettleBefore {
			return false
		}
		c.rec.State = StateSettling
		return true
	})
}

// Settled implements [Store].
func (m *Memory) Settled(_ context.Context, id uuid.UUID, by x402.Settlement, run bool) error {
	return m.step(id, []State{StateServed, StateSettling, StateUnknown}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Transaction, c.rec.Reason, c.block = StateSettled, by.Transaction, "", by.Block
		if run && c.rec.RunAt == nil {
			c.rec.RunAt = m.moment()
		}
		return true
	})
}

// Unknown implements [Store].
func (m *Memory) Unknown(_ context.Context, id uuid.UUID, transaction string) error {
	return m.step(id, []State{StateSettling, StateUnknown}, func(c *memoryClaim) bool {
		c.rec.State = StateUnknown
		if transaction != "" {
			c.rec.Transaction = transaction
		}
		return true
	})
}

// Fail implements [Store].
func (m *Memory) Fail(_ context.Context, id uuid.UUID, reason x402.Code) error {
	return m.step(id, []State{StateServed, StateSettling, StateUnknown}, func(c *memoryClaim) bool {
		c.rec.State, c.rec.Reason = StateFailed, reason
		c.keep(nil)
		return true
	})
}

// Abandon implements [Store].
func (m *Memory) Abandon(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateClaimed, StateServed}, func(c *memoryClaim) bool {
		c.rec.State = StateAbandoned
		c.keep(nil)
		return true
	})
}

// StartRun implements [Store].
func (m *Memory) StartRun(_ context.Context, id uuid.UUID) error {
	return m.stepOfAny(id, []State{StateSettled}, func(c *memoryClaim) bool {
		if _, lives := m.living[m.edge]; !lives || c.rec.RunAt != nil {
			return false
		}
		c.rec.RunAt, c.rec.EdgeID = m.moment(), m.edge
		return true
	})
}

// Finish implements [Store].
func (m *Memory) Finish(_ context.Context, id uuid.UUID, failed bool, resp *Response) error {
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

// RefundDue implements [Store].
func (m *Memory) RefundDue(_ context.Context, id uuid.UUID) error {
	return m.step(id, []State{StateSettled}, func(c *memoryClaim) bool {
		if c.rec.RunAt != nil {
			return false
		}
		c.rec.State, c.rec.DoneAt = StateRefundDue, m.moment()
		return true
	})
}

// Owe implements [Store].
func (m *memoryClaims) Owe(_ context.Context, id uuid.UUID, _ string) error {
	return m.stepOfAny(id, []State{StateSettled, StateRefundDue, StateRefunded}, func(c *memoryClaim) bool {
		if c.rec.State == StateSettled {
			c.rec.State = StateRefundDue
		}
		return true
	})
}
