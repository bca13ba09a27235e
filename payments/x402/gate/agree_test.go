package gate

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

func TestAgreed(t *testing.T) {
	t.Parallel()
	receipt := func(block int64, hash byte) *types.Receipt {
		return &types.Receipt{Status: 1, BlockNumber: big.NewInt(block), BlockHash: common.Hash{hash}}
	}
	reverted := receipt(10, 1)
	reverted.Status = 0
	otherLog := receipt(10, 1)
	otherLog.Logs = []*types.Log{{Address: common.Address{1}}}
	yes, early, far := vote{12, receipt(10, 1)}, vote{10, receipt(10, 1)}, vote{12, receipt(10, 2)}
	gone, behind := vote{12, nil}, vote{9, nil}
	for name, tt := range map[string]struct {
		votes []vote
		of    int
		want  bool
		all   bool
	}{
		"one of one":                        {[]vote{yes}, 1, true, true},
		"one of one, too early":             {[]vote{early}, 1, false, false},
		"one of one, none":                  {[]vote{gone}, 1, false, false},
		"two of two":                        {[]vote{yes, yes}, 2, true, true},
		"one of two, the other is away":     {[]vote{yes}, 2, false, false},
		"one of two, the other is behind":   {[]vote{yes, behind}, 2, false, false},
		"two of three, one is away":         {[]vote{yes, yes}, 3, true, false},
		"two of three, one is behind":       {[]vote{yes, behind, yes}, 3, true, false},
		"two of three, one is not so far":   {[]vote{early, yes, yes}, 3, true, false},
		"two of three, one has none":        {[]vote{yes, gone, yes}, 3, false, false},
		"two of three, one has another":     {[]vote{yes, far, yes}, 3, false, false},
		"two of three, one says reverted":   {[]vote{yes, {12, reverted}, yes}, 3, false, false},
		"two of three, one has another log": {[]vote{yes, {12, otherLog}, yes}, 3, false, false},
		"one of three":                      {[]vote{yes, behind, behind}, 3, false, false},
		"a liar of three":                   {[]vote{far, gone, gone}, 3, false, false},
		"two of four":                       {[]vote{yes, yes}, 4, false, false},
		"three of three":                    {[]vote{yes, yes, yes}, 3, true, true},
		"nobody answers":                    {nil, 3, false, false},
	} {
		c := NewChainWatcher(nil, x402.BaseSepolia()).WithConfirmations(2)
		at, all := c.agreed(tt.votes, tt.of)
		if (at >= 0) != tt.want || all != tt.all {
			t.Errorf("%s: got %d, all %v, want %v, %v", name, at, all, tt.want, tt.all)
		}
		if at >= 0 && !c.confirmed(tt.votes[at].receipt, 12) {
			t.Errorf("%s: got vote %d, which has no receipt", name, at)
		}
	}
}

// jury is a town whose chain is read through several nodes.
type jury struct {
	*town

	nodes [3]*line
}

func newJury(t *testing.T) *jury {
	t.Helper()
	j := &jury{town: newTown(t)}
	for i := range j.nodes {
		j.nodes[i] = &line{RPC: j.node}
	}
	return j
}

func (j *jury) all(count int) *Nodes {
	nodes := make([]RPC, count)
	for i := range nodes {
		nodes[i] = j.nodes[i]
	}
	n := NewNodes(nodes...)
	n.patience = 200 * time.Millisecond
	return n
}

func (j *jury) watcher(count int) *ChainWatcher {
	w := NewChainWatcher(j.all(count), x402.BaseSepolia())
	w.poll = 10 * time.Millisecond
	return w
}

// dead makes every call to the node fail.
func (l *line) dead() {
	for _, method := range []string{
		"eth_chainId", "eth_call", "eth_getBlockByNumber", "eth_getTransactionReceipt", "eth_getLogs", "eth_getTransactionCount",
		"eth_maxPriorityFeePerGas", "eth_estimateGas", "eth_getCode", "eth_getBalance", methodSend,
	} {
		l.on(method, say(errors.New("connection refused")))
	}
}

// behind makes the node see no block after the current one.
func (l *line) behind(ctx context.Context, t *testing.T) {
	t.Helper()
	newest, err := (&chainReader{rpc: l.RPC}).block(ctx, blockLatest)
	if err != nil {
		t.Fatal(err)
	}
	tag := newest.tag()
	at := func(ctx context.Context, _ func() error, result any, args []any) error {
		if args[0] == blockLatest {
			args = append([]any{tag}, args[1:]...)
		}
		return l.RPC.CallContext(ctx, result, "eth_getBlockByNumber", args...)
	}
	l.on("eth_getBlockByNumber", at)
	l.on("eth_getTransactionReceipt", func(_ context.Context, next func() error, result any, _ []any) error {
		if err := next(); err != nil {
			return err
		}
		switch r := result.(type) {
		case **types.Receipt:
			if *r != nil && (*r).BlockNumber.Uint64() > uint64(newest.Number) {
				*r = nil
			}
		case **minedReceipt:
			if *r != nil && (*r).BlockNumber.Uint64() > uint64(newest.Number) {
				*r = nil
			}
		}
		return nil
	})
}

// denies makes the node report that no payment was made.
func (l *line) denies() {
	l.on("eth_getTransactionReceipt", func(_ context.Context, _ func() error, result any, _ []any) error {
		switch r := result.(type) {
		case **types.Receipt:
			*r = nil
		case **minedReceipt:
			*r = nil
		}
		return nil
	})
	l.on("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		err := next()
		if msg, ok := args[0].(callMsg); ok && string(msg.Data[:4]) == string(selAuthorizationState) {
			*result.(*hexutil.Bytes) = make([]byte, calldata.WordBytes)
		}
		return err
	})
}

// invents makes the node report a settlement that never happened, or one that paid another account.
func (l *line) invents(p *x402.Payment, req *x402.Requirements, to common.Address) {
	a := &p.Authorization
	tx := common.HexToHash(sampleHash)
	l.on("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		if msg, ok := args[0].(callMsg); ok && string(msg.Data[:4]) == string(selAuthorizationState) {
			*result.(*hexutil.Bytes) = common.LeftPadBytes([]byte{1}, calldata.WordBytes)
			return nil
		}
		return next()
	})
	log := func(topics ...common.Hash) *types.Log {
		return &types.Log{Address: req.Network.Asset, Topics: topics, TxHash: tx}
	}
	used := log(topicAuthorizationUsed, common.BytesToHash(a.From[:]), common.Hash(a.Nonce))
	moved := log(topicTransfer, common.BytesToHash(a.From[:]), common.BytesToHash(to[:]))
	moved.Data = calldata.Word(big.NewInt(int64(req.Amount)))
	l.on("eth_getLogs", func(_ context.Context, _ func() error, result any, _ []any) error {
		*result.(*[]types.Log) = []types.Log{*used}
		return nil
	})
	forged := types.Receipt{ // every node has reached its block
		Status: types.ReceiptStatusSuccessful, TxHash: tx, BlockHash: common.Hash{1}, BlockNumber: new(big.Int), Logs: []*types.Log{used, moved},
	}
	l.on("eth_getTransactionReceipt", func(_ context.Context, _ func() error, result any, args []any) error {
		switch r := result.(type) {
		case **types.Receipt:
			copied := forged
			*r = &copied
		case **minedReceipt:
			copied := forged
			copied.TxHash, _ = args[0].(common.Hash)
			*r = &minedReceipt{Receipt: copied}
		}
		return nil
	})
}

// TestNodesAgreeOnWhatWasPaid shows that one bad node of three cannot hide a settled payment for long, and cannot make
// an unsettled payment count as settled.
func TestNodesAgreeOnWhatWasPaid(t *testing.T) {
	t.Parallel()
	nothing := func(*jury, *x402.Payment) {}
	for name, tt := range map[string]struct {
		nodes int
		// spoil runs before the settlement, if there is one.
		spoil   func(j *jury, p *x402.Payment)
		settled bool
		want    x402.Outcome
	}{
		"one":                             {1, nothing, true, x402.OutcomePaid},
		"all three":                       {3, nothing, true, x402.OutcomePaid},
		"one is dead":                     {3, func(j *jury, _ *x402.Payment) { j.nodes[0].dead() }, true, x402.OutcomePaid},
		"one hangs":                       {3, func(j *jury, _ *x402.Payment) { j.nodes[1].on("eth_getBlockByNumber", hangHook) }, true, x402.OutcomePaid},
		"one is behind":                   {3, func(j *jury, _ *x402.Payment) { j.nodes[2].behind(j.Context(), j.T) }, true, x402.OutcomePaid},
		"one denies it":                   {3, func(j *jury, _ *x402.Payment) { j.nodes[0].denies() }, true, x402.OutcomeUnclear},
		"two are dead":                    {3, func(j *jury, _ *x402.Payment) { j.nodes[0].dead(); j.nodes[1].dead() }, true, x402.OutcomeUnclear},
		"one of two is dead":              {2, func(j *jury, _ *x402.Payment) { j.nodes[0].dead() }, true, x402.OutcomeUnclear},
		"nothing was paid":                {3, nothing, false, x402.OutcomeUnused},
		"nothing was paid, one is dead":   {3, func(j *jury, _ *x402.Payment) { j.nodes[2].dead() }, false, x402.OutcomeUnsure},
		"nothing was paid, one hangs":     {3, func(j *jury, _ *x402.Payment) { j.nodes[1].on("eth_getBlockByNumber", hangHook) }, false, x402.OutcomeUnsure},
		"nothing was paid, one lies":      {3, func(j *jury, p *x402.Payment) { j.nodes[0].invents(p, j.req, j.req.PayTo) }, false, x402.OutcomeUnclear},
		"nothing was paid, one says used": {3, func(j *jury, p *x402.Payment) { j.nodes[1].invents(p, j.req, common.Address{1}) }, false, x402.OutcomeUnclear},
		"the only node lies":              {1, func(j *jury, p *x402.Payment) { j.nodes[0].invents(p, j.req, j.req.PayTo) }, false, x402.OutcomePaid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJury(t)
			p := j.payment(2, nil)
			tt.spoil(j, p)
			transaction := sampleHash
			if tt.settled {
				done, err := j.local.Settle(t.Context(), p, j.req)
				if err != nil {
					t.Fatal(err)
				}
				transaction = done.Transaction
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			watcher := j.watcher(tt.nodes)
			seen, err := watcher.Lookup(ctx, p, j.req, time.Now())
			if err != nil || seen.Outcome != tt.want {
				t.Errorf("lookup: got %+v, %v, want outcome %d", seen, err, tt.want)
			}
			if seen.Outcome == x402.OutcomePaid && seen.Transaction != transaction {
				t.Errorf("lookup: got transaction %q, want %q", seen.Transaction, transaction)
			}
			if doubtful := tt.want == x402.OutcomeUnclear || tt.want == x402.OutcomeUnsure; doubtful != (seen.Doubt != nil) {
				t.Errorf("doubt: got %v", seen.Doubt)
			}
			most := 20 * time.Second
			if tt.want != x402.OutcomePaid {
				most = 300 * time.Millisecond
			}
			ctx, cancel = context.WithTimeout(t.Context(), most)
			defer cancel()
			paid, _, err := watcher.Confirm(ctx, p, j.req, transaction)
			if paid != (tt.want == x402.OutcomePaid) || paid != (err == nil) {
				t.Errorf("confirm: got %v, %v, want %v", paid, err, tt.want == x402.OutcomePaid)
			}
		})
	}
}

func hangHook(ctx context.Context, _ func() error, _ any, _ []any) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestSettlingWithSeveralNodes shows that each payment is settled once while one of three nodes is dead, behind or
// hangs, and that a node that invents receipts settles nothing.
func TestSettlingWithSeveralNodes(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(j *jury, p *x402.Payment){
		"all three":                 func(*jury, *x402.Payment) {},
		"the first is dead":         func(j *jury, _ *x402.Payment) { j.nodes[0].dead() },
		"the last is dead":          func(j *jury, _ *x402.Payment) { j.nodes[2].dead() },
		"one is behind":             func(j *jury, _ *x402.Payment) { j.nodes[1].behind(j.Context(), j.T) },
		"one hangs":                 func(j *jury, _ *x402.Payment) { j.nodes[1].on("eth_getTransactionReceipt", hangHook) },
		"one takes no transactions": func(j *jury, _ *x402.Payment) { j.nodes[0].on(methodSend, say(nodeRefusal("txpool is full"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJury(t)
			p := j.payment(2, nil)
			spoil(j, p)
			f := j.facilitator(j.all(3))
			done, err := f.Settle(t.Context(), p, j.req)
			if err != nil || done.Transaction == "" {
				t.Fatalf("got %+v, %v", done, err)
			}
			if got := j.balance(j.req.PayTo); got != uint64(j.req.Amount) {
				t.Errorf("moved: got %d, want %d", got, j.req.Amount)
			}
		})
	}
	t.Run("one invents a receipt", func(t *testing.T) {
		t.Parallel()
		j := newJury(t)
		p := j.payment(2, nil)
		for _, node := range j.nodes { // no node sends it
			node.on(methodSend, say(errors.New("connection refused")))
		}
		j.nodes[0].invents(p, j.req, j.req.PayTo)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := j.facilitator(j.all(3))
		_, err := f.Settle(ctx, p, j.req)
		if _, unknown := errors.AsType[*x402.SettlementUnknownError](err); !unknown {
			t.Errorf("got %v, want that it is not known", err)
		}
	})
}

// A node may return the receipt of a transaction before its block exists. That is a Flashblock, which can still be
// dropped, so such a receipt must not count.
func TestReceiptOfNoBlockDoesNotCount(t *testing.T) {
	t.Parallel()
	j := newJury(t)
	p := j.payment(2, nil)
	done, err := j.local.Settle(t.Context(), p, j.req)
	if err != nil {
		t.Fatal(err)
	}
	ahead := func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if r, ok := result.(**types.Receipt); ok && *r != nil {
			(*r).BlockNumber = new(big.Int).Add((*r).BlockNumber, big.NewInt(1_000))
		}
		return err
	}
	j.nodes[0].on("eth_getTransactionReceipt", ahead)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if paid, _, err := j.watcher(1).Confirm(ctx, p, j.req, done.Transaction); paid || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v, want that it is waited for", paid, err)
	}
	j.nodes[0].on("eth_getTransactionReceipt", nil)
	if paid, _, err := j.watcher(1).Confirm(t.Context(), p, j.req, done.Transaction); !paid || err != nil {
		t.Errorf("when the block is there: got %v, %v", paid, err)
	}
}
