package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// Options of x402: with impatient, a settlement gives up while the fault lasts; with patient, it outlasts the fault.
const (
	impatient = "\n\t\t\tsettle_timeout 4s\n\t\t\tverify_timeout 4s" + localOptions
	patient   = "\n\t\t\tsettle_timeout 25s" + localOptions
)

// prepares is a method that a settlement calls before it sends, and that checking a payment does not call.
const prepares = "eth_getBalance"

// muchGas is more than a transfer can use: 30 million.
const muchGas = `"0x1c9c380"`

// nodeFaults returns the faults of the node of `facilitator local`.
func nodeFaults() map[string]faultRow {
	steady := func(f func(x *exchange)) func() func(x *exchange) { return func() func(x *exchange) { return f } }
	const (
		send, receipt = "eth_sendRawTransaction", "eth_getTransactionReceipt"
		nothing       = "null"
	)
	return map[string]faultRow{
		"node_away_verify":  nodeFault{options: impatient, fault: steady((*exchange).drop)}.play,
		"node_500_verify":   nodeFault{options: impatient, fault: steady((*exchange).fail)}.play,
		"node_hangs_verify": nodeFault{options: impatient, fault: steady((*exchange).hang)}.play,

		"node_away_settle":  nodeFault{options: impatient, fault: func() func(x *exchange) { return fromCall((*exchange).drop, prepares) }, apart: true}.play,
		"node_500_settle":   nodeFault{options: impatient, fault: func() func(x *exchange) { return fromCall((*exchange).fail, prepares) }, apart: true}.play,
		"node_hangs_settle": nodeFault{options: impatient, fault: func() func(x *exchange) { return fromCall((*exchange).hang, prepares) }, apart: true}.play,
		"node_lies_gas":     nodeFault{options: impatient, fault: steady(settlesDearly())}.play,

		"send_lost":      nodeFault{options: patient, fault: steady(onCall((*exchange).dropAfter, send))}.play,
		"send_hangs":     nodeFault{options: patient, fault: steady(onCall((*exchange).hangAfter, send))}.play,
		"send_known":     nodeFault{options: patient, fault: steady(nodeReplies(send, nodeError(-32000, "already known")))}.play,
		"send_garbage":   nodeFault{options: patient, fault: steady(nodeReplies(send, nodeResult(`{"not":"a hash"}`)))}.play,
		"send_500":       nodeFault{options: patient, fault: func() func(x *exchange) { return onCall(first((*exchange).fail), send) }}.play,
		"send_error":     nodeFault{options: patient, fault: func() func(x *exchange) { return onCall(first((*exchange).refuse), send) }}.play,
		"send_then_away": nodeFault{options: impatient, fault: func() func(x *exchange) { return fromAfter((*exchange).drop, send) }, apart: true}.play,

		"receipt_late":    nodeFault{options: patient, fault: func() func(x *exchange) { return firstFew(4, nodeReplies(receipt, nodeResult(nothing))) }}.play,
		"receipt_missing": nodeFault{options: impatient, fault: steady(nodeReplies(receipt, nodeResult(nothing)))}.play,
		"receipt_garbage": nodeFault{options: impatient, fault: steady(nodeReplies(receipt, nodeResult(`"0xnot"`)))}.play,
		"node_behind":     nodeFault{options: impatient, fault: behind}.play,
	}
}

// settlesDearly makes a transfer cheap when it is checked, and expensive when it is settled.
func settlesDearly() func(x *exchange) {
	return onCall(nodeReplies("eth_estimateGas", nodeResult(muchGas)), prepares)
}

// nodeFault is a fault of the node that begins before the payment and ends after its first response.
type nodeFault struct {
	options string // options of x402
	fault   func() func(x *exchange)
	// apart runs each mode on its own edge, because the fault begins with a call of the payment.
	apart bool
}

func (f nodeFault) play(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	if !f.apart {
		site := b.site(t, f.options)
		all := site.patrons(t, bothModes...)
		f.playAt(t, site, site.start(t), all...)
		return site.outcomes(t, all)
	}
	var sites [2]*faultSite
	var edges [2]*rig.Edge
	for i := range sites {
		sites[i] = b.site(t, f.options)
		edges[i] = sites[i].start(t)
	}
	first, second := sites[0].patron(t, "after"), sites[1].patron(t, "before")
	var other sync.WaitGroup
	other.Go(func() { f.playAt(t, sites[1], edges[1], second) })
	f.playAt(t, sites[0], edges[0], first)
	other.Wait()
	after, _ = sites[0].outcomes(t, []*patron{first})
	_, before = sites[1].outcomes(t, []*patron{second})
	return after, before
}

func (f nodeFault) playAt(t *testing.T, s *faultSite, edge *rig.Edge, all ...*patron) {
	t.Helper()
	s.line.breaks(f.fault())
	together(all, func(p *patron) { p.first = p.pays(edge.URL("")) })
	s.line.breaks(nil)
	together(all, func(p *patron) { p.paysAgain(t, edge.URL("")) })
}

// refuse responds to a request's only call with an error, and does not forward it.
func (x *exchange) refuse() {
	body, _ := json.Marshal(rpcReply{Version: "2.0", ID: x.calls[0].ID, Error: &rpcError{-32603, "internal error"}})
	x.answer(body)
}

// first applies a fault to the first request with each body.
func first(fault func(x *exchange)) func(x *exchange) {
	var seen sync.Map
	return func(x *exchange) {
		if _, again := seen.LoadOrStore(string(x.calls[0].Params[0]), true); again {
			x.pass()
			return
		}
		fault(x)
	}
}

// firstFew applies a fault until n requests have asked for a receipt.
func firstFew(n int, fault func(x *exchange)) func(x *exchange) {
	var mu sync.Mutex
	return func(x *exchange) {
		mu.Lock()
		over := n <= 0
		if x.has("eth_getTransactionReceipt") {
			n--
		}
		mu.Unlock()
		if over {
			x.pass()
			return
		}
		fault(x)
	}
}

// fromAfter applies a fault to everything after the first such call, which succeeds. It begins as the call arrives, because a
// slow node may be asked for the receipt before it has answered.
func fromAfter(do func(x *exchange), method string) func(x *exchange) {
	begun := newSignal()
	return func(x *exchange) {
		switch {
		case begun.given():
			do(x)
		case x.has(method):
			begun.give()
			x.pass()
		default:
			x.pass()
		}
	}
}

// behind is a node that accepts transactions but never sees a new block, like a lagging node behind a load balancer.
func behind() func(x *exchange) {
	var mu sync.Mutex
	var head hexutil.Uint64
	return func(x *exchange) {
		mu.Lock()
		if head == 0 {
			head = x.line.head()
		}
		stays := head
		mu.Unlock()
		for i := range x.calls {
			x.calls[i].before(stays)
		}
		x.encode()
		x.change(func(c *rpcCall, reply *rpcReply) {
			var mined struct{ BlockNumber hexutil.Uint64 }
			if c.Method == "eth_getTransactionReceipt" && json.Unmarshal(reply.Result, &mined) == nil && mined.BlockNumber > stays {
				nodeResult("null")(reply)
			}
		})
	}
}

// head asks the node for its newest block.
func (l *nodeLine) head() (number hexutil.Uint64) {
	x := &exchange{line: l, r: httptest.NewRequest(http.MethodPost, "/", http.NoBody), body: []byte(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`)}
	var reply rpcReply
	if json.Unmarshal(x.forward(), &reply) == nil {
		_ = json.Unmarshal(reply.Result, &number)
	}
	return number
}

// before limits a call to blocks up to this one.
func (c *rpcCall) before(block hexutil.Uint64) {
	at, _ := json.Marshal(block)
	for i, param := range c.Params {
		var number hexutil.Uint64
		if text := string(param); text == `"latest"` || text == `"pending"` || (c.isBlock(i) && json.Unmarshal(param, &number) == nil && number > block) {
			c.Params[i] = at
		}
	}
	if c.Method != "eth_getLogs" {
		return
	}
	var filter map[string]json.RawMessage
	if json.Unmarshal(c.Params[0], &filter) == nil {
		filter["toBlock"] = at
		c.Params[0], _ = json.Marshal(filter)
	}
}

// isBlock reports whether a parameter names a block.
func (c *rpcCall) isBlock(i int) bool {
	switch c.Method {
	case "eth_getBlockByNumber":
		return i == 0
	case "eth_call", "eth_getTransactionCount", "eth_getBalance", "eth_getCode":
		return i == 1
	}
	return false
}
