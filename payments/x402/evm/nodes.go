package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"
)

const (
	// nodePatience is how long one of several nodes may take for a call before the next one is asked. It is also how
	// long a slow node may take after most have answered.
	nodePatience = 3 * time.Second
	// A node that fails is asked last for nodePauseFirst. Each further failure doubles the pause, up to nodePauseMost.
	nodePauseFirst = 5 * time.Second
	nodePauseMost  = time.Minute
)

// Nodes combines several nodes of one network into one [RPC]. It is safe for concurrent use.
//
// Calls that only read go to the first node that answers; a node that fails is asked last for a while. A transaction is
// sent to all nodes. Decisions about money ask every node and count how many agree: see [Watcher].
type Nodes struct {
	nodes    []*oneOf
	patience time.Duration
}

// NewNodes combines the nodes.
func NewNodes(nodes ...RPC) *Nodes {
	all := &Nodes{patience: nodePatience}
	for i, node := range nodes {
		one := &oneOf{RPC: node, now: time.Now}
		if len(nodes) > 1 {
			one.name = fmt.Sprintf("node %d of %d", i+1, len(nodes))
		}
		all.nodes = append(all.nodes, one)
	}
	return all
}

// NodeAddresses splits a text at commas and white space.
func NodeAddresses(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// DialNodes connects to the nodes as [DialNode] does. An address must not repeat: one node would count as two that
// agree.
func DialNodes(ctx context.Context, addresses ...string) (*Nodes, error) {
	if len(addresses) == 0 {
		return nil, errors.New("no URL of a node is given")
	}
	var nodes []RPC
	for i, address := range addresses {
		node, err := DialNode(ctx, address)
		if err == nil && slices.Contains(addresses[:i], address) {
			node.Close()
			err = errors.New("its URL appears more than once")
		}
		if err != nil {
			NewNodes(nodes...).Close()
			if len(addresses) > 1 {
				err = fmt.Errorf("node %d of %d: %w", i+1, len(addresses), err)
			}
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return NewNodes(nodes...), nil
}

// Close closes the connections that [DialNodes] has opened.
func (n *Nodes) Close() {
	for _, one := range n.nodes {
		if node, ok := one.RPC.(*Node); ok {
			node.Close()
		}
	}
}

// Len returns how many nodes there are.
func (n *Nodes) Len() int { return len(n.nodes) }

// WithPatience sets how long one node may take before the next one is asked, and how long a slow node may take after
// most have answered. Default: 3 s.
func (n *Nodes) WithPatience(most time.Duration) *Nodes {
	return &Nodes{nodes: n.nodes, patience: most}
}

// Away returns how many nodes are paused because they have failed.
func (n *Nodes) Away() (away int) {
	for _, node := range n.nodes {
		if node.paused() {
			away++
		}
	}
	return away
}

// CallContext implements [RPC].
func (n *Nodes) CallContext(ctx context.Context, result any, method string, args ...any) error {
	if method == methodSend {
		return n.send(ctx, result, args)
	}
	return n.first(ctx, func(ctx context.Context, node RPC) error { return node.CallContext(ctx, result, method, args...) })
}

// BatchCallContext implements [RPC].
func (n *Nodes) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	var failed error // the first error of a call, at the node that was asked last
	err := n.first(ctx, func(ctx context.Context, node RPC) error {
		for i := range batch {
			batch[i].Error = nil
		}
		failed = nil
		if err := node.BatchCallContext(ctx, batch); err != nil {
			return err
		}
		at := slices.IndexFunc(batch, func(elem rpc.BatchElem) bool { return elem.Error != nil && !IsRevert(elem.Error) })
		if at >= 0 {
			failed = batch[at].Error
		}
		return failed
	})
	if failed != nil {
		return nil //nolint:nilerr // each call has its own error
	}
	return err
}

// first asks one node after the other until one answers. A refusal by the contract is an answer; any other error may
// concern that node only.
func (n *Nodes) first(ctx context.Context, ask func(context.Context, RPC) error) error {
	var errs []error
	order := n.order()
	for i, node := range order {
		callCtx, cancel := ctx, context.CancelFunc(func() {})
		if i < len(order)-1 {
			callCtx, cancel = context.WithTimeout(ctx, n.patience)
		}
		err := ask(callCtx, node)
		cancel()
		if err == nil || IsRevert(err) {
			return err
		}
		errs = append(errs, node.named(err))
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

// order returns the nodes in the order in which they are asked: paused ones come last.
func (n *Nodes) order() []*oneOf {
	order := slices.Clone(n.nodes)
	slices.SortStableFunc(order, func(a, b *oneOf) int {
		switch {
		case a.paused() == b.paused():
			return 0
		case b.paused():
			return -1
		}
		return 1
	})
	return order
}

// send sends a transaction to all nodes, and returns when one has accepted it. If none does, it returns the most
// informative error.
func (n *Nodes) send(ctx context.Context, result any, args []any) error {
	type said struct {
		hash common.Hash
		err  error
	}
	all := make(chan said, len(n.nodes))
	for _, node := range n.nodes {
		go func() {
			// The other nodes must get it too after one has accepted it.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.patience)
			defer cancel()
			var s said
			s.err = node.named(node.CallContext(ctx, &s.hash, methodSend, args...))
			all <- s
		}()
	}
	var worst said
	for range n.nodes {
		select {
		case s := <-all:
			if ReadReply(s.err) == ReplySent {
				if hash, ok := result.(*common.Hash); ok {
					*hash = s.hash
				}
				return s.err
			}
			if worst.err == nil || telling(s.err) > telling(worst.err) {
				worst = s
			}
		case <-ctx.Done():
			return errors.Join(ctx.Err(), worst.err)
		}
	}
	return worst.err
}

// telling ranks the errors of nodes that did not accept a transaction by how informative they are.
func telling(err error) int {
	var refused rpc.Error
	switch said := ReadReply(err); {
	case said == ReplyUsed:
		return 3
	case said == ReplyUnderpriced:
		return 2
	case errors.As(err, &refused):
		return 1
	}
	return 0
}

// oneOf is one of several nodes. It remembers whether the node is paused.
type oneOf struct {
	RPC

	name string // empty if it is the only node
	now  func() time.Time

	mu    sync.Mutex
	until time.Time
	pause time.Duration
}

// CallContext implements [RPC].
func (o *oneOf) CallContext(ctx context.Context, result any, method string, args ...any) error {
	return o.note(ctx, o.RPC.CallContext(ctx, result, method, args...))
}

// BatchCallContext implements [RPC].
func (o *oneOf) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	return o.note(ctx, o.RPC.BatchCallContext(ctx, batch))
}

// note records whether the node answers. A cancelled call says nothing about the node.
func (o *oneOf) note(ctx context.Context, err error) error {
	var refused rpc.Error
	switch {
	case err == nil, errors.As(err, &refused):
		o.mu.Lock()
		o.until, o.pause = time.Time{}, 0
		o.mu.Unlock()
	case !errors.Is(context.Cause(ctx), context.Canceled):
		o.passOver()
	}
	return err
}

// passOver pauses the node: it is asked last for a while. Calls that were running when it failed do not extend the
// pause.
func (o *oneOf) passOver() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.now(); !now.Before(o.until) {
		o.pause = min(max(2*o.pause, nodePauseFirst), nodePauseMost)
		o.until = now.Add(o.pause)
	}
}

// named adds the node's name to an error.
func (o *oneOf) named(err error) error {
	if err == nil || o.name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", o.name, err)
}

func (o *oneOf) paused() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now().Before(o.until)
}
