package x402test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// Node is a node's JSON-RPC interface.
type Node interface {
	CallContext(ctx context.Context, result any, method string, args ...any) error
	BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error
}

// Line is a node whose answers a test can change.
type Line struct {
	Node

	mu    sync.Mutex
	hooks map[string]Hook
}

// Hook runs in place of a call; next makes the real call. In a batch, next has already run.
type Hook func(ctx context.Context, next func() error, result any, args []any) error

// On sets the hook of a method, or removes it.
func (l *Line) On(method string, hook Hook) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hooks == nil {
		l.hooks = map[string]Hook{}
	}
	l.hooks[method] = hook
}

func (l *Line) hook(method string) Hook {
	l.mu.Lock()
	defer l.mu.Unlock()
	if hook := l.hooks[method]; hook != nil {
		return hook
	}
	return func(_ context.Context, next func() error, _ any, _ []any) error { return next() }
}

func (l *Line) CallContext(ctx context.Context, result any, method string, args ...any) error {
	return l.hook(method)(ctx, func() error { return l.Node.CallContext(ctx, result, method, args...) }, result, args)
}

func (l *Line) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	if err := l.Node.BatchCallContext(ctx, batch); err != nil {
		return err
	}
	for i := range batch {
		elem := &batch[i]
		elem.Error = l.hook(elem.Method)(ctx, func() error { return elem.Error }, elem.Result, elem.Args)
	}
	return nil
}

// NodeRefusal is an error that a node returns in its answer.
type NodeRefusal string

func (r NodeRefusal) Error() string { return string(r) }
func (NodeRefusal) ErrorCode() int  { return -32000 }

// Once applies a fault to the first call only.
func Once(fault Hook) Hook {
	var calls atomic.Int32
	return func(ctx context.Context, next func() error, result any, args []any) error {
		if calls.Add(1) == 1 {
			return fault(ctx, next, result, args)
		}
		return next()
	}
}

// Say makes the node return err and do nothing.
func Say(err error) Hook {
	return func(context.Context, func() error, any, []any) error { return err }
}

// LoseAnswer makes the call succeed and its answer get lost.
func LoseAnswer(err error) Hook {
	return func(_ context.Context, next func() error, _ any, _ []any) error { _ = next(); return err }
}

// Hang makes the node hang.
func Hang(ctx context.Context, _ func() error, _ any, _ []any) error {
	<-ctx.Done()
	return ctx.Err()
}

// CalledWith returns the contract and the data of an eth_call or eth_estimateGas.
func CalledWith(args []any) (to common.Address, data []byte) {
	var msg struct {
		To   common.Address `json:"to"`
		Data hexutil.Bytes  `json:"data"`
	}
	text, err := json.Marshal(args[0])
	if err != nil || json.Unmarshal(text, &msg) != nil {
		return common.Address{}, nil
	}
	return msg.To, msg.Data
}

// CountingNode counts calls to a node by method; a batch counts as one "batch".
type CountingNode struct {
	Node

	mu    sync.Mutex
	calls map[string]int
}

func (c *CountingNode) CallContext(ctx context.Context, result any, method string, args ...any) error {
	c.count(method)
	return c.Node.CallContext(ctx, result, method, args...)
}

func (c *CountingNode) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	c.count("batch")
	return c.Node.BatchCallContext(ctx, batch)
}

func (c *CountingNode) count(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[method]++
}

// Take returns the counts and resets them.
func (c *CountingNode) Take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := maps.Clone(c.calls)
	clear(c.calls)
	return calls
}

// ErrTest is a fault that a test makes.
var ErrTest = errors.New("test fault")

// DeafNode is a node that fails receipt requests until Heard is set.
type DeafNode struct {
	Node

	Heard atomic.Bool
	Asked func() // runs at each failed receipt request; may be nil
}

func (m *DeafNode) CallContext(ctx context.Context, result any, method string, args ...any) error {
	if method == "eth_getTransactionReceipt" && !m.Heard.Load() {
		if m.Asked != nil {
			m.Asked()
		}
		return ErrTest
	}
	return m.Node.CallContext(ctx, result, method, args...)
}

func (m *DeafNode) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	if err := m.Node.BatchCallContext(ctx, batch); err != nil {
		return err
	}
	for i := range batch {
		if batch[i].Method == "eth_getTransactionReceipt" && !m.Heard.Load() {
			if m.Asked != nil {
				m.Asked()
			}
			batch[i].Error = ErrTest
		}
	}
	return nil
}

// Dead makes every call to the node fail.
func (l *Line) Dead() {
	for _, method := range []string{
		"eth_chainId", "eth_call", "eth_getBlockByNumber", "eth_getTransactionReceipt", "eth_getLogs", "eth_getTransactionCount",
		"eth_maxPriorityFeePerGas", "eth_estimateGas", "eth_getCode", "eth_getBalance", "eth_sendRawTransaction",
	} {
		l.On(method, Say(errors.New("connection refused")))
	}
}
