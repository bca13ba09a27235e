package local

import (
	"context"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// stingy is a node that quotes gas too low, so that transactions with its prices are not mined, until honest is set.
type stingy struct {
	x402test.Line

	honest atomic.Bool
}

func (d *desk) stingyNode() *stingy {
	s := &stingy{Line: x402test.Line{Node: d.Node}}
	s.On("eth_getBlockByNumber", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if newest, ok := result.(**evm.Head); ok && err == nil && !s.honest.Load() {
			(*newest).BaseFee = (*hexutil.Big)(big.NewInt(100))
		}
		return err
	})
	s.On("eth_maxPriorityFeePerGas", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if tip, ok := result.(*hexutil.Big); ok && !s.honest.Load() {
			*tip = hexutil.Big(*big.NewInt(10))
		}
		return err
	})
	return s
}

// sendsOf reports each transaction that is sent.
func sendsOf(node *x402test.Line) <-chan *types.Transaction {
	sent := make(chan *types.Transaction, 100)
	node.On("eth_sendRawTransaction", func(_ context.Context, next func() error, _ any, args []any) error {
		tx := new(types.Transaction)
		if raw, ok := args[0].(hexutil.Bytes); ok && tx.UnmarshalBinary(raw) == nil {
			defer func() { sent <- tx }()
		}
		return next()
	})
	return sent
}

// TestStuckTransactionIsReplaced: gas has become dearer than the transaction pays.
func TestStuckTransactionIsReplaced(t *testing.T) {
	t.Parallel()
	for name, open := range outboxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 1)
			node := d.stingyNode()
			sent := sendsOf(&node.Line)
			f := d.facilitator(t, func(c *Config) {
				c.RPC, c.Outbox, c.StuckAfter = node, open(), 300*time.Millisecond
			})
			payments := d.payments(3)
			var waiting []<-chan settleResult
			for _, p := range payments {
				waiting = append(waiting, d.settleSoon(f, p))
			}
			first := <-sent
			node.honest.Store(true)
			for _, done := range waiting {
				receipt := d.receipt(d.wantSettled(done))
				if receipt.TxHash == first.Hash() {
					t.Errorf("mined: the transaction that pays %s", first.GasFeeCap())
				}
			}
			d.wantPaid(len(payments))
			mined := d.mined(first.Nonce())
			if !atLeastTenthMore(mined.GasFeeCap(), first.GasFeeCap()) || !atLeastTenthMore(mined.GasTipCap(), first.GasTipCap()) {
				t.Errorf("replaced by fees %s and %s, want a tenth more than %s and %s",
					mined.GasFeeCap(), mined.GasTipCap(), first.GasFeeCap(), first.GasTipCap())
			}
			if string(mined.Data()) != string(first.Data()) || *mined.To() != *first.To() {
				t.Error("the replacement does something else")
			}
		})
	}
}

// TestWaitingTransactionIsReplaced: the node has accepted the transaction, and accepts a replacement with its nonce
// only if that pays a tenth more.
func TestWaitingTransactionIsReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	node := &x402test.Line{Node: d.Node}
	sent := sendsOf(node)
	f := d.facilitator(t, func(c *Config) { c.RPC, c.StuckAfter = node, 300*time.Millisecond })
	goOn := d.stopBlocks()
	settled := d.settleSoon(f, d.Payment(2, nil))
	first := <-sent
	second := <-sent
	for second.Hash() == first.Hash() { // it is sent again before it is replaced
		second = <-sent
	}
	goOn()
	receipt := d.receipt(d.wantSettled(settled))
	mined := d.mined(first.Nonce())
	if mined.Hash() == first.Hash() || receipt.TxHash != mined.Hash() {
		t.Errorf("settled by %s, want a replacement of %s", receipt.TxHash, first.Hash())
	}
	if !atLeastTenthMore(mined.GasFeeCap(), first.GasFeeCap()) || !atLeastTenthMore(mined.GasTipCap(), first.GasTipCap()) {
		t.Errorf("replaced by fees %s and %s, want a tenth more than %s and %s", mined.GasFeeCap(), mined.GasTipCap(), first.GasFeeCap(), first.GasTipCap())
	}
	d.wantPaid(1)
	if got := d.sent(d.signers[0]); got != 1 {
		t.Errorf("transactions: got %d, want 1", got)
	}
}

func atLeastTenthMore(got, old *big.Int) bool {
	return new(big.Int).Mul(got, big.NewInt(10)).Cmp(new(big.Int).Mul(old, big.NewInt(11))) >= 0
}

// mined is the first settler's transaction with a nonce.
func (d *desk) mined(nonce uint64) *types.Transaction {
	d.Helper()
	client := d.Chain.Client()
	newest, err := client.BlockNumber(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	for n := range newest + 1 {
		block, err := client.BlockByNumber(d.Context(), new(big.Int).SetUint64(n))
		if err != nil {
			d.Fatal(err)
		}
		for _, tx := range block.Transactions() {
			from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
			if err == nil && from == x402test.AddressOf(d.signers[0]) && tx.Nonce() == nonce {
				return tx
			}
		}
	}
	d.Fatalf("no transaction %d of the settler is mined", nonce)
	return nil
}

// TestLapsedTransactionIsReplacedByNothing: a transfer that would revert costs more than an empty transaction.
func TestLapsedTransactionIsReplacedByNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	node := &x402test.Line{Node: d.Node}
	sent := sendsOf(node)
	clk := clocktest.At(time.Now())
	f := d.facilitator(t, func(c *Config) { c.RPC, c.Now, c.StuckAfter = node, clk.Now, time.Hour })
	p := d.Payment(2, nil)
	goOn := d.stopBlocks()
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := f.Settle(ctx, p, d.Req)
		left <- err
	}()
	<-sent
	cancel()
	if err := <-left; !isUnknown(err) {
		t.Fatalf("settle: got %v, want an unknown outcome", err)
	}
	var looks atomic.Int32
	node.On("eth_getTransactionReceipt", func(_ context.Context, next func() error, _ any, _ []any) error {
		if looks.Add(1) == 3 { // it was seen waiting
			clk.Advance(2 * time.Hour) // the payment is good for a minute
		}
		return next()
	})
	replacement := <-sent
	for len(replacement.Data()) > 0 { // the old one, sent again
		replacement = <-sent
	}
	goOn()
	receipt, err := d.Chain.WaitMined(t.Context(), replacement.Hash())
	if err != nil {
		t.Fatal(err)
	}
	if receipt.GasUsed != params.TxGas || receipt.Status != types.ReceiptStatusSuccessful {
		t.Errorf("mined: got %d gas, status %d, want %d and 1", receipt.GasUsed, receipt.Status, params.TxGas)
	}
	d.wantPaid(0)
}

// TestFeeMax shows that nothing is sent while gas costs more than fee_max, and that no replacement pays more than that.
func TestFeeMax(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	outbox := outbox.NewMemory(time.Now)
	f := d.facilitator(t, func(c *Config) { c.FeeMax, c.Outbox = big.NewInt(5), outbox })
	_, err := f.Settle(t.Context(), d.Payment(2, nil), d.Req)
	if err == nil || !strings.Contains(err.Error(), "fee_max") || isUnknown(err) {
		t.Errorf("settle: got %v, want ErrUnavailable that names fee_max", err)
	}
	if open := d.open(f, outbox); len(open) > 0 || d.sent(d.signers[0]) > 0 {
		t.Errorf("open transactions: got %+v, want none", open)
	}
}

func TestFees(t *testing.T) {
	t.Parallel()
	gwei := func(n int64) *big.Int { return big.NewInt(n * params.GWei) }
	newest := &evm.Head{BaseFee: (*hexutil.Big)(gwei(2))}
	for _, tt := range []struct {
		name      string
		tip, most *big.Int
		want      *fees
	}{
		{"twice the base fee and the tip", gwei(1), gwei(100), &fees{tip: gwei(1), cap: gwei(5)}},
		{"at most so much", gwei(1), gwei(3), &fees{tip: gwei(1), cap: gwei(3)}},
		{"a tip over all", gwei(50), gwei(3), &fees{tip: gwei(3), cap: gwei(3)}},
		{"a base fee over all", gwei(1), gwei(1), nil},
	} {
		got, err := quoteFees(newest, tt.tip, tt.most)
		if (err == nil) != (tt.want != nil) || (err == nil && (got.tip.Cmp(tt.want.tip) != 0 || got.cap.Cmp(tt.want.cap) != 0)) {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		name             string
		oldTip, oldCap   int64
		nowTip, nowCap   int64
		most             int64
		wantTip, wantCap int64
		want             bool
	}{
		{name: "an eighth more", oldTip: 80, oldCap: 800, nowTip: 1, nowCap: 1, most: 9999, wantTip: 90, wantCap: 900, want: true},
		{name: "what is asked now", oldTip: 80, oldCap: 800, nowTip: 500, nowCap: 5000, most: 9999, wantTip: 500, wantCap: 5000, want: true},
		{name: "rounded up", oldTip: 1, oldCap: 9, nowTip: 0, nowCap: 0, most: 9999, wantTip: 2, wantCap: 11, want: true},
		{name: "from nothing", oldTip: 0, oldCap: 8, nowTip: 0, nowCap: 0, most: 9999, wantTip: 1, wantCap: 9, want: true},
		{name: "up to the most", oldTip: 80, oldCap: 800, nowTip: 80, nowCap: 5000, most: 880, wantTip: 90, wantCap: 880, want: true},
		{name: "not enough left", oldTip: 80, oldCap: 800, nowTip: 80, nowCap: 5000, most: 879, wantTip: 90, wantCap: 879, want: false},
		{name: "no room for the tip", oldTip: 800, oldCap: 800, nowTip: 1, nowCap: 1, most: 850, wantTip: 850, wantCap: 850, want: false},
	} {
		old := types.NewTx(&types.DynamicFeeTx{GasTipCap: big.NewInt(tt.oldTip), GasFeeCap: big.NewInt(tt.oldCap)})
		got, ok := bumpFees(old, fees{tip: big.NewInt(tt.nowTip), cap: big.NewInt(tt.nowCap)}, big.NewInt(tt.most))
		if ok != tt.want || got.tip.Int64() != tt.wantTip || got.cap.Int64() != tt.wantCap {
			t.Errorf("%s: got %s and %s, %v, want %d and %d, %v", tt.name, got.tip, got.cap, ok, tt.wantTip, tt.wantCap, tt.want)
		}
	}
}
