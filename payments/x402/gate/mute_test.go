package gate

import (
	"context"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/rpc"
)

// mute is a node that fails receipt requests until heard is set.
type mute struct {
	RPC

	heard atomic.Bool
	asked func() // runs at each failed receipt request; may be nil
}

func (m *mute) CallContext(ctx context.Context, result any, method string, args ...any) error {
	if method == "eth_getTransactionReceipt" && !m.heard.Load() {
		if m.asked != nil {
			m.asked()
		}
		return errTest
	}
	return m.RPC.CallContext(ctx, result, method, args...)
}

func (m *mute) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	if err := m.RPC.BatchCallContext(ctx, batch); err != nil {
		return err
	}
	for i := range batch {
		if batch[i].Method == "eth_getTransactionReceipt" && !m.heard.Load() {
			if m.asked != nil {
				m.asked()
			}
			batch[i].Error = errTest
		}
	}
	return nil
}
