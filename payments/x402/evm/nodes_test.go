package evm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
)

// reverted is a contract's refusal.
type reverted struct{}

func (reverted) Error() string  { return "execution reverted" }
func (reverted) ErrorCode() int { return 3 }

// nodesAt returns nodes with a short timeout and the test's clock.
func nodesAt(clock *clocktest.Clock, nodes ...RPC) *Nodes {
	n := NewNodes(nodes...)
	n.patience = 50 * time.Millisecond
	for _, one := range n.nodes {
		one.now = clock.Now
	}
	return n
}

func TestNodesAreAskedInTurn(t *testing.T) {
	t.Parallel()
	dropped := errors.New("connection reset by peer")
	for name, tt := range map[string]struct {
		first  *x402test.Scripted
		asked  []int // calls to each of the two, after two calls
		refuse bool
		away   int
	}{
		"the first answers":             {x402test.Says(`"0x1"`, nil), []int{2, 0}, false, 0},
		"the first is away":             {x402test.Says("", dropped), []int{1, 2}, false, 1},
		"the first answers with 500":    {x402test.Says("", rpc.HTTPError{StatusCode: 500}), []int{1, 2}, false, 1},
		"the first hangs":               {x402test.Hangs(), []int{1, 2}, false, 1},
		"the first answers nonsense":    {x402test.Says(`{"not":"a number"}`, nil), []int{1, 2}, false, 1},
		"the first refuses to answer":   {x402test.Says("", x402test.NodeRefusal("limit exceeded")), []int{2, 2}, false, 0},
		"the contract refuses the call": {x402test.Says("", reverted{}), []int{2, 0}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second := x402test.Says(`"0x2a"`, nil)
			nodes := nodesAt(clocktest.New(), tt.first, second)
			var n hexutil.Uint64
			one := nodes.CallContext(t.Context(), &n, "eth_blockNumber")
			elem := []rpc.BatchElem{{Method: "eth_blockNumber", Result: &n}}
			two := errors.Join(nodes.BatchCallContext(t.Context(), elem), elem[0].Error)
			for _, err := range []error{one, two} {
				if IsRevert(err) != tt.refuse || err != nil && !tt.refuse {
					t.Errorf("got %v", err)
				}
			}
			if got := []int{tt.first.Asked(), second.Asked()}; !slices.Equal(got, tt.asked) {
				t.Errorf("asked: got %v, want %v", got, tt.asked)
			}
			if away := nodes.Away(); away != tt.away {
				t.Errorf("away: got %d, want %d", away, tt.away)
			}
		})
	}
}

// A node that has failed is skipped for a while, longer each time, and is the first choice again once it answers.
func TestNodeIsTriedAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	failed := errors.New("connection refused")
	first := &x402test.Scripted{Answer: func(context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		return `"0x1"`, failed
	}}
	second := x402test.Says(`"0x2"`, nil)
	clock := clocktest.New()
	nodes := nodesAt(clock, first, second)
	call := func() (n hexutil.Uint64) {
		t.Helper()
		if err := nodes.CallContext(t.Context(), &n, "eth_blockNumber"); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, step := range []struct {
		after time.Duration
		asked int
	}{{0, 1}, {0, 1}, {nodePauseFirst, 2}, {nodePauseFirst, 2}, {nodePauseFirst, 3}, {4 * nodePauseFirst, 4}} {
		clock.Advance(step.after)
		if n := call(); n != 2 || first.Asked() != step.asked {
			t.Fatalf("got %d after %d calls of the first, want 2 after %d", n, first.Asked(), step.asked)
		}
	}
	mu.Lock()
	failed = nil
	mu.Unlock()
	clock.Advance(nodePauseMost)
	if n := call(); n != 1 {
		t.Errorf("got %d, want the first node's answer again", n)
	}
	if n := call(); n != 1 {
		t.Errorf("got %d, want the first node's answer again", n)
	}
}

func TestNodesThatAllFail(t *testing.T) {
	t.Parallel()
	gone := errors.New("connection refused")
	nodes := nodesAt(clocktest.New(), x402test.Says("", gone), x402test.Says("", x402test.NodeRefusal("limit exceeded")))
	err := nodes.CallContext(t.Context(), new(hexutil.Uint64), "eth_blockNumber")
	if want := "node 1 of 2: connection refused\nnode 2 of 2: limit exceeded"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	healthy := x402test.Hangs()
	nodes = nodesAt(clocktest.New(), healthy, x402test.Hangs())
	if err := nodes.CallContext(ctx, new(hexutil.Uint64), "eth_blockNumber"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has left: got %v", err)
	}
	if away := nodes.Away(); away != 0 {
		t.Errorf("away after a caller has left: got %d, want none", away)
	}
}

func TestTransactionGoesToAllNodes(t *testing.T) {
	t.Parallel()
	const hash = `"0x1212121212121212121212121212121212121212121212121212121212121212"`
	gone := errors.New("connection refused")
	for name, tt := range map[string]struct {
		nodes []*x402test.Scripted
		want  Reply
	}{
		"all take it":                  {[]*x402test.Scripted{x402test.Says(hash, nil), x402test.Says(hash, nil)}, ReplySent},
		"one is away":                  {[]*x402test.Scripted{x402test.Says("", gone), x402test.Says(hash, nil)}, ReplySent},
		"one hangs":                    {[]*x402test.Scripted{x402test.Hangs(), x402test.Says(hash, nil)}, ReplySent},
		"one has it already":           {[]*x402test.Scripted{x402test.Says("", gone), x402test.Says("", x402test.NodeRefusal("already known"))}, ReplySent},
		"one refuses what another has": {[]*x402test.Scripted{x402test.Says("", x402test.NodeRefusal("nonce too low")), x402test.Says(hash, nil)}, ReplySent},
		"its number is used up":        {[]*x402test.Scripted{x402test.Says("", gone), x402test.Says("", x402test.NodeRefusal("nonce too low")), x402test.Says("", x402test.NodeRefusal("underpriced"))}, ReplyUsed},
		"it pays too little":           {[]*x402test.Scripted{x402test.Says("", x402test.NodeRefusal("txpool is full")), x402test.Says("", x402test.NodeRefusal("underpriced"))}, ReplyUnderpriced},
		"nobody takes it":              {[]*x402test.Scripted{x402test.Says("", gone), x402test.Says("", x402test.NodeRefusal("txpool is full"))}, ReplyFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var nodes []RPC
			for _, s := range tt.nodes {
				nodes = append(nodes, s)
			}
			var got common.Hash
			all := nodesAt(clocktest.New(), nodes...)
			if reply := ReadReply(all.CallContext(t.Context(), &got, methodSend, hexutil.Bytes{1})); reply != tt.want {
				t.Errorf("got %d, want %d", reply, tt.want)
			}
			deadline := time.Now().Add(5 * time.Second)
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for _, s := range tt.nodes {
				for s.Asked() == 0 && time.Now().Before(deadline) {
					<-tick.C
				}
				if s.Asked() != 1 {
					t.Errorf("a node was sent it %d times, want once", s.Asked())
				}
			}
		})
	}
}

// Once most nodes have answered, a slow one is not waited for and is skipped the next time.
func TestEachIsAsked(t *testing.T) {
	t.Parallel()
	one := x402test.Says(`"0x1"`, nil)
	gone, slow := x402test.Says("", errors.New("connection refused")), x402test.Hangs()
	ask := func(ctx context.Context, node RPC) (n hexutil.Uint64, err error) {
		err = node.CallContext(ctx, &n, "eth_blockNumber")
		return n, err
	}
	nodes := nodesAt(clocktest.New(), one, slow, one)
	for i, want := range []error{errSlowNode, errPaused} {
		answers := askEach(t.Context(), nodes, ask)
		values, err := sorted(answers)
		if len(answers) != 3 || len(values) != 2 || !errors.Is(err, want) || slow.Asked() != 1 {
			t.Errorf("time %d: got %d answers, %v, the slow node was asked %d times; want 2, %v", i+1, len(values), err, slow.Asked(), want)
		}
	}
	// While there is no agreement without the nodes that failed, they are asked too.
	few := nodesAt(clocktest.New(), one, gone, gone)
	for range 2 {
		if values, err := sorted(askEach(t.Context(), few, ask)); len(values) != 1 || err == nil {
			t.Errorf("got %d answers, %v", len(values), err)
		}
	}
	if gone.Asked() != 4 {
		t.Errorf("nodes that are away were asked %d times, want 4", gone.Asked())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if values, err := sorted(askEach(ctx, nodesAt(clocktest.New(), x402test.Hangs(), x402test.Hangs()), ask)); len(values) != 0 || err == nil {
		t.Errorf("all hang: got %d answers, %v", len(values), err)
	}
	if values, err := sorted(askEach(t.Context(), RPC(one), ask)); err != nil || len(values) != 1 || values[0] != 1 {
		t.Errorf("a single node: got %v, %v", values, err)
	}
}

func TestDialNodes(t *testing.T) {
	t.Parallel()
	nodes, err := DialNodes(t.Context(), "http://127.0.0.1:1", "http://127.0.0.1:2")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(nodes.nodes); got != 2 {
		t.Errorf("got %d nodes, want 2", got)
	}
	nodes.Close()
	for want, addresses := range map[string][]string{
		"no URL of a node is given":                    nil,
		"node 2 of 2: its URL is not valid for a node": {"http://127.0.0.1:1", "ftp://x"},
		"node 3 of 3: its URL appears more than once":  {"http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:1"},
	} {
		if _, err := DialNodes(t.Context(), addresses...); err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%v: got %v, want %q", addresses, err, want)
		}
	}
}
