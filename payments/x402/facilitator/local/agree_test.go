package local

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

var selectorState = calldata.Selector("authorizationState(address,bytes32)")

// jury is a town whose chain is read through several nodes.
type jury struct {
	*town

	nodes [3]*x402test.Line
}

func newJury(t *testing.T) *jury {
	t.Helper()
	j := &jury{town: newTown(t)}
	for i := range j.nodes {
		j.nodes[i] = &x402test.Line{Node: j.Node}
	}
	return j
}

func (j *jury) all(count int) *evm.Nodes {
	nodes := make([]evm.RPC, count)
	for i := range nodes {
		nodes[i] = j.nodes[i]
	}
	return evm.NewNodes(nodes...).WithPatience(200 * time.Millisecond)
}

func (j *jury) watcher(count int) *evm.Watcher {
	return evm.NewWatcher(j.all(count), x402.BaseSepolia()).WithPoll(10 * time.Millisecond)
}

// behind makes the node see no block after the current one.
func behind(ctx context.Context, t testing.TB, l *x402test.Line) {
	t.Helper()
	var newest *evm.Head
	if err := l.Node.CallContext(ctx, &newest, "eth_getBlockByNumber", "latest", false); err != nil {
		t.Fatal(err)
	}
	tag := newest.Number.String()
	at := func(ctx context.Context, _ func() error, result any, args []any) error {
		if args[0] == "latest" {
			args = append([]any{tag}, args[1:]...)
		}
		return l.Node.CallContext(ctx, result, "eth_getBlockByNumber", args...)
	}
	l.On("eth_getBlockByNumber", at)
	l.On("eth_getTransactionReceipt", func(_ context.Context, next func() error, result any, _ []any) error {
		if err := next(); err != nil {
			return err
		}
		switch r := result.(type) {
		case **types.Receipt:
			if *r != nil && (*r).BlockNumber.Uint64() > uint64(newest.Number) {
				*r = nil
			}
		case **evm.Mined:
			if *r != nil && (*r).BlockNumber.Uint64() > uint64(newest.Number) {
				*r = nil
			}
		}
		return nil
	})
}

// denies makes the node report that no payment was made.
func denies(l *x402test.Line) {
	l.On("eth_getTransactionReceipt", func(_ context.Context, _ func() error, result any, _ []any) error {
		switch r := result.(type) {
		case **types.Receipt:
			*r = nil
		case **evm.Mined:
			*r = nil
		}
		return nil
	})
	l.On("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		err := next()
		if _, data := x402test.CalledWith(args); bytes.HasPrefix(data, selectorState) {
			*result.(*hexutil.Bytes) = make([]byte, calldata.WordBytes)
		}
		return err
	})
}

// invents makes the node report a settlement that never happened, or one that paid another account.
func invents(l *x402test.Line, p *x402.Payment, req *x402.Requirements, to common.Address) {
	a := &p.Authorization
	tx := common.HexToHash(x402test.SampleHash)
	l.On("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		if _, data := x402test.CalledWith(args); bytes.HasPrefix(data, selectorState) {
			*result.(*hexutil.Bytes) = common.LeftPadBytes([]byte{1}, calldata.WordBytes)
			return nil
		}
		return next()
	})
	log := func(topics ...common.Hash) *types.Log {
		return &types.Log{Address: req.Network.Asset, Topics: topics, TxHash: tx}
	}
	used := log(crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)")), common.BytesToHash(a.From[:]), common.Hash(a.Nonce))
	moved := log(crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), common.BytesToHash(a.From[:]), common.BytesToHash(to[:]))
	moved.Data = calldata.Word(big.NewInt(int64(req.Amount)))
	l.On("eth_getLogs", func(_ context.Context, _ func() error, result any, _ []any) error {
		*result.(*[]types.Log) = []types.Log{*used}
		return nil
	})
	forged := types.Receipt{ // every node has reached its block
		Status: types.ReceiptStatusSuccessful, TxHash: tx, BlockHash: common.Hash{1}, BlockNumber: new(big.Int), Logs: []*types.Log{used, moved},
	}
	l.On("eth_getTransactionReceipt", func(_ context.Context, _ func() error, result any, args []any) error {
		switch r := result.(type) {
		case **types.Receipt:
			copied := forged
			*r = &copied
		case **evm.Mined:
			copied := forged
			copied.TxHash, _ = args[0].(common.Hash)
			*r = &evm.Mined{Receipt: copied}
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
		"one is dead":                     {3, func(j *jury, _ *x402.Payment) { j.nodes[0].Dead() }, true, x402.OutcomePaid},
		"one hangs":                       {3, func(j *jury, _ *x402.Payment) { j.nodes[1].On("eth_getBlockByNumber", x402test.Hang) }, true, x402.OutcomePaid},
		"one is behind":                   {3, func(j *jury, _ *x402.Payment) { behind(j.Context(), j, j.nodes[2]) }, true, x402.OutcomePaid},
		"one denies it":                   {3, func(j *jury, _ *x402.Payment) { denies(j.nodes[0]) }, true, x402.OutcomeUnclear},
		"two are dead":                    {3, func(j *jury, _ *x402.Payment) { j.nodes[0].Dead(); j.nodes[1].Dead() }, true, x402.OutcomeUnclear},
		"one of two is dead":              {2, func(j *jury, _ *x402.Payment) { j.nodes[0].Dead() }, true, x402.OutcomeUnclear},
		"nothing was paid":                {3, nothing, false, x402.OutcomeUnused},
		"nothing was paid, one is dead":   {3, func(j *jury, _ *x402.Payment) { j.nodes[2].Dead() }, false, x402.OutcomeUnsure},
		"nothing was paid, one hangs":     {3, func(j *jury, _ *x402.Payment) { j.nodes[1].On("eth_getBlockByNumber", x402test.Hang) }, false, x402.OutcomeUnsure},
		"nothing was paid, one lies":      {3, func(j *jury, p *x402.Payment) { invents(j.nodes[0], p, j.Req, j.Req.PayTo) }, false, x402.OutcomeUnclear},
		"nothing was paid, one says used": {3, func(j *jury, p *x402.Payment) { invents(j.nodes[1], p, j.Req, common.Address{1}) }, false, x402.OutcomeUnclear},
		"the only node lies":              {1, func(j *jury, p *x402.Payment) { invents(j.nodes[0], p, j.Req, j.Req.PayTo) }, false, x402.OutcomePaid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJury(t)
			p := j.Payment(2, nil)
			tt.spoil(j, p)
			transaction := x402test.SampleHash
			if tt.settled {
				done, err := j.local.Settle(t.Context(), p, j.Req)
				if err != nil {
					t.Fatal(err)
				}
				transaction = done.Transaction
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			watcher := j.watcher(tt.nodes)
			seen, err := watcher.Lookup(ctx, p, j.Req, time.Now())
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
			paid, _, err := watcher.Confirm(ctx, p, j.Req, transaction)
			if paid != (tt.want == x402.OutcomePaid) || paid != (err == nil) {
				t.Errorf("confirm: got %v, %v, want %v", paid, err, tt.want == x402.OutcomePaid)
			}
		})
	}
}

// TestSettlingWithSeveralNodes shows that each payment is settled once while one of three nodes is dead, behind or
// hangs, and that a node that invents receipts settles nothing.
func TestSettlingWithSeveralNodes(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(j *jury, p *x402.Payment){
		"all three":         func(*jury, *x402.Payment) {},
		"the first is dead": func(j *jury, _ *x402.Payment) { j.nodes[0].Dead() },
		"the last is dead":  func(j *jury, _ *x402.Payment) { j.nodes[2].Dead() },
		"one is behind":     func(j *jury, _ *x402.Payment) { behind(j.Context(), j, j.nodes[1]) },
		"one hangs":         func(j *jury, _ *x402.Payment) { j.nodes[1].On("eth_getTransactionReceipt", x402test.Hang) },
		"one takes no transactions": func(j *jury, _ *x402.Payment) {
			j.nodes[0].On("eth_sendRawTransaction", x402test.Say(x402test.NodeRefusal("txpool is full")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJury(t)
			p := j.Payment(2, nil)
			spoil(j, p)
			f := j.facilitator(j.all(3))
			done, err := f.Settle(t.Context(), p, j.Req)
			if err != nil || done.Transaction == "" {
				t.Fatalf("got %+v, %v", done, err)
			}
			if got := j.Balance(j.Req.PayTo); got != uint64(j.Req.Amount) {
				t.Errorf("moved: got %d, want %d", got, j.Req.Amount)
			}
		})
	}
	t.Run("one invents a receipt", func(t *testing.T) {
		t.Parallel()
		j := newJury(t)
		p := j.Payment(2, nil)
		for _, node := range j.nodes { // no node sends it
			node.On("eth_sendRawTransaction", x402test.Say(errors.New("connection refused")))
		}
		invents(j.nodes[0], p, j.Req, j.Req.PayTo)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := j.facilitator(j.all(3))
		_, err := f.Settle(ctx, p, j.Req)
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
	p := j.Payment(2, nil)
	done, err := j.local.Settle(t.Context(), p, j.Req)
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
	j.nodes[0].On("eth_getTransactionReceipt", ahead)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if paid, _, err := j.watcher(1).Confirm(ctx, p, j.Req, done.Transaction); paid || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v, want that it is waited for", paid, err)
	}
	j.nodes[0].On("eth_getTransactionReceipt", nil)
	if paid, _, err := j.watcher(1).Confirm(t.Context(), p, j.Req, done.Transaction); !paid || err != nil {
		t.Errorf("when the block is there: got %v, %v", paid, err)
	}
}
