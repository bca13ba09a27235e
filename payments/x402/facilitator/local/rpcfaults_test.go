package local

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// miscount makes the node's transaction count wrong by that many.
func miscount(by int) x402test.Hook {
	return func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if n, ok := result.(*hexutil.Uint64); ok {
			*n = hexutil.Uint64(max(0, int(*n)+by))
		}
		return err
	}
}

// TestRPCFaults shows that each payment is settled in the end, once, whatever the node does.
func TestRPCFaults(t *testing.T) {
	t.Parallel()
	dropped := errors.New("connection reset by peer")
	down := rpc.HTTPError{StatusCode: 500, Status: "500 Internal Server Error"}
	for _, tt := range []struct {
		name, method string
		fault        x402test.Hook
		unavailable  bool   // the first settlement fails and is tried again
		transactions uint64 // the settler's, for 1 + 3 payments; 0: any
	}{
		{"drops the sending", "eth_sendRawTransaction", x402test.Once(x402test.Say(dropped)), false, 2},
		{"drops the answer to the sending", "eth_sendRawTransaction", x402test.Once(x402test.LoseAnswer(dropped)), false, 2},
		{"answers the sending with 500", "eth_sendRawTransaction", x402test.Once(x402test.Say(down)), false, 2},
		{"hangs in the sending", "eth_sendRawTransaction", x402test.Once(func(ctx context.Context, _ func() error, _ any, _ []any) error {
			<-ctx.Done()
			return ctx.Err()
		}), false, 2},
		{"says already known", "eth_sendRawTransaction", x402test.LoseAnswer(x402test.NodeRefusal("already known")), false, 2},
		{"says underpriced", "eth_sendRawTransaction", x402test.Once(x402test.Say(x402test.NodeRefusal("transaction underpriced"))), false, 2},
		{"says that a replacement is underpriced", "eth_sendRawTransaction", x402test.Once(x402test.Say(x402test.NodeRefusal("replacement transaction underpriced"))), false, 2},
		{"says nonce too low of what it has taken", "eth_sendRawTransaction", x402test.Once(x402test.LoseAnswer(x402test.NodeRefusal("nonce too low"))), false, 2},
		{"says nonce too low once", "eth_sendRawTransaction", x402test.Once(x402test.Say(x402test.NodeRefusal("nonce too low: next nonce 1, tx nonce 0"))), false, 2},
		{"says that the pool is full", "eth_sendRawTransaction", x402test.Once(x402test.Say(x402test.NodeRefusal("txpool is full"))), false, 2},
		{"drops the receipt", "eth_getTransactionReceipt", x402test.Once(x402test.Say(dropped)), false, 2},
		{"counts too many", "eth_getTransactionCount", x402test.Once(miscount(2)), false, 0},
		{"counts too few", "eth_getTransactionCount", miscount(-1), false, 2},
		{"drops the estimate", "eth_estimateGas", x402test.Once(x402test.Say(dropped)), true, 2},
		{"drops the fees", "eth_maxPriorityFeePerGas", x402test.Once(x402test.Say(down)), true, 2},
		{"drops the genesis", "eth_getBlockByNumber", x402test.Once(x402test.Say(dropped)), true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 1)
			node := &x402test.Line{Node: d.Node}
			outbox := outbox.NewMemory(time.Now)
			f := d.facilitator(t, func(c *Config) {
				c.RPC, c.Outbox, c.StuckAfter, c.RPCTimeout = node, outbox, 600*time.Millisecond, 2*time.Second
			})
			node.On(tt.method, tt.fault)
			first := d.Payment(2, nil)
			_, err := f.Settle(t.Context(), first, d.Req)
			if tt.unavailable {
				if err == nil {
					t.Fatal("settle: got no error, want one that says that nothing was sent")
				}
				_, err = f.Settle(t.Context(), first, d.Req)
			}
			if err != nil {
				t.Fatalf("settle: %v", err)
			}
			for _, o := range d.together(f, d.payments(3)) {
				if o.err != nil {
					t.Errorf("settle: %v", o.err)
				}
			}
			d.wantPaid(4)
			if got := d.sent(d.signers[0]); tt.transactions > 0 && got != tt.transactions {
				t.Errorf("transactions: got %d, want %d", got, tt.transactions)
			}
			if open := d.open(f, outbox); len(open) > 0 {
				t.Errorf("open transactions: got %+v, want none", open)
			}
		})
	}
}

// TestForeignTransactionTakesTheNonce: another program sends from the settler's account.
func TestForeignTransactionTakesTheNonce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	node := &x402test.Line{Node: d.Node}
	f := d.facilitator(t, func(c *Config) { c.RPC = node })
	d.wantSettled(d.settleSoon(f, d.Payment(2, nil)))
	id := new(big.Int).SetUint64(d.Chain.ChainID())
	to := x402test.AddressOf(x402test.NewKey(t))
	node.On("eth_sendRawTransaction", x402test.Once(func(ctx context.Context, next func() error, _ any, _ []any) error {
		foreign, err := types.SignNewTx(d.signers[0], types.LatestSignerForChainID(id), &types.DynamicFeeTx{
			ChainID: id, Nonce: 1, To: &to, Gas: params.TxGas, GasTipCap: big.NewInt(2 * params.GWei), GasFeeCap: big.NewInt(9 * params.GWei),
		})
		if err == nil {
			err = d.Chain.Client().SendTransaction(ctx, foreign)
		}
		if err == nil {
			_, err = d.Chain.WaitMined(ctx, foreign.Hash())
		}
		if err != nil {
			t.Error(err)
		}
		return next()
	}))
	d.wantSettled(d.settleSoon(f, d.Payment(2, nil)))
	d.wantSettled(d.settleSoon(f, d.Payment(2, nil)))
	d.wantPaid(3)
}

// TestPendingElsewhereIsNotRefused: somebody else has sent the authorisation, and it waits to be mined. A refusal would
// charge the payer and serve nothing.
func TestPendingElsewhereIsNotRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	ours := d.facilitator(t, nil)
	theirs := &x402test.Line{Node: d.Node}
	sent := sendsOf(theirs)
	stranger := d.facilitator(t, func(c *Config) { c.RPC, c.Signers = theirs, signer.Keys(d.signers[1:]...) }) // with its own outbox
	p := d.Payment(2, nil)
	goOn := d.stopBlocks()
	other := d.settleSoon(stranger, p)
	<-sent
	d.until("the pending block has the stranger's transaction", func() bool {
		used, err := ours.UsedSoon(t.Context(), &p.Authorization)
		return err == nil && used
	})
	looked := make(chan struct{}, 100)
	node := &x402test.Line{Node: d.Node}
	node.On("eth_call", func(_ context.Context, next func() error, _ any, _ []any) error {
		defer func() {
			select {
			case looked <- struct{}{}:
			default: // enough calls seen
			}
		}()
		return next()
	})
	ours.rpc, ours.Watcher = node, evm.NewWatcher(node, x402.BaseSepolia()).WithConfirmations(ours.cfg.Confirmations)
	mine := d.settleSoon(ours, p)
	for range 4 { // two checks of two calls each
		<-looked
	}
	goOn()
	settled := d.wantSettled(mine)
	if got := d.wantSettled(other); got != settled {
		t.Errorf("settled: got %+v, want the stranger's %+v", settled, got)
	}
	d.wantPaid(1)
	if got := d.sent(d.signers[0]); got != 0 {
		t.Errorf("our transactions: got %d, want none", got)
	}
}

func TestGwei(t *testing.T) {
	t.Parallel()
	if strings.TrimSpace(gwei(big.NewInt(1_500_000_000))) != "1.500 gwei" {
		t.Errorf("got %s, want 1.500 gwei", gwei(big.NewInt(1_500_000_000)))
	}
}
