package local

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// priced is a node with its own gas prices in place of the chain's.
type priced struct {
	x402test.Line

	base atomic.Int64 // wei
	asks atomic.Int32
}

func (d *desk) pricedNode(base int64) *priced {
	n := &priced{Line: x402test.Line{Node: d.Node}}
	n.base.Store(base)
	n.On("eth_getBlockByNumber", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if newest, ok := result.(**evm.Head); ok && err == nil {
			(*newest).BaseFee = (*hexutil.Big)(big.NewInt(n.base.Load()))
			n.asks.Add(1)
		}
		return err
	})
	n.On("eth_maxPriorityFeePerGas", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if tip, ok := result.(*hexutil.Big); ok && err == nil {
			*tip = hexutil.Big(*big.NewInt(usualTip))
		}
		return err
	})
	return n
}

const (
	usualBase = params.GWei / 200 // Base's usual base fee
	usualTip  = params.GWei / 1000
	dearBase  = 9 * params.GWei // below the default of fee_max
	ethUSD    = money.MicroUSDC(3_000_000_000)
)

// TestGasShare shows that a payment's gas cost is compared with its amount before the payment is claimed.
func TestGasShare(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	for name, tt := range map[string]struct {
		amount money.MicroUSDC
		base   int64
		share  int
		want   string // the refusal
	}{
		"a cent":                   {amount: 10_000, base: usualBase},
		"a cent, at once for less": {amount: 10_000, base: usualBase, share: 10, want: "but the limit is 0.001 USD, 10% of the amount"},
		"a cent, for two dollars":  {amount: 10_000, base: dearBase, want: "but the limit is 0.01 USD, 100% of the amount: try again later"},
		"five dollars":             {amount: 5_000_000, base: dearBase},
		"a cent, whatever it is":   {amount: 10_000, base: dearBase, share: 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told x402test.Notes
			f := d.facilitator(t, func(c *Config) {
				c.RPC, c.Rate, c.GasShare, c.Observer = d.pricedNode(tt.base), evm.Rate{USD: ethUSD}, tt.share, &told
			})
			req := *d.Req
			req.Amount = tt.amount
			one := *d.Town
			one.Req = &req
			seen, err := f.Verify(t.Context(), one.Payment(2, func(a *x402.Authorization) { a.Nonce = x402test.Word32() }), &req)
			if tt.want == "" {
				if err != nil || seen.Gas <= 0 || seen.GasBudget != 16_666_666 {
					t.Errorf("verify: got %+v, %v, want it good, with its gas", seen, err)
				}
				return
			}
			refusal, ok := errors.AsType[*x402.Refusal](err)
			if !ok || refusal.Code != x402.CodeTransactionState || !strings.Contains(refusal.Message, tt.want) || refusal.RetryAfter != time.Minute {
				t.Errorf("verify: got %v, want a refusal: %s", err, tt.want)
			}
			if !slices.Equal(told.Said, []string{"gas refused: share"}) {
				t.Errorf("observer: got %q", told.Said)
			}
		})
	}
}

// TestTariffIsReadAlong shows that the gas price is read in the batch of a payment's checks, and not for every payment.
func TestTariffIsReadAlong(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	node := d.pricedNode(usualBase)
	now := time.Now()
	f := d.facilitator(t, func(c *Config) { c.RPC, c.Now = node, func() time.Time { return now } })
	for i, want := range []int32{1, 1, 2} {
		if i == 2 {
			now = now.Add(tariffKept)
		}
		if _, err := f.Verify(t.Context(), d.payments(1)[0], d.Req); err != nil {
			t.Fatal(err)
		}
		if got := node.asks.Load(); got != want {
			t.Errorf("after %d payments: asked %d times, want %d", i+1, got, want)
		}
	}
}

// TestFeesOverTheMost shows that no payment is claimed while gas is over fee_max, since nothing would be sent for it.
func TestFeesOverTheMost(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	var told x402test.Notes
	f := d.facilitator(t, func(c *Config) { c.RPC, c.Observer = d.pricedNode(11*params.GWei), &told })
	_, err := f.Verify(t.Context(), d.Payment(2, nil), d.Req)
	if !errors.Is(err, errFeesTooHigh) || !slices.Equal(told.Said, []string{"gas refused: fee_max"}) {
		t.Errorf("verify: got %v, observer %q", err, told.Said)
	}
}

// TestRollupFee shows that a rollup's fee for publishing a transaction is part of its cost.
func TestRollupFee(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	node, p := d.pricedNode(usualBase), d.Payment(2, nil)
	verify := func() x402.Gwei {
		f := d.facilitator(t, func(c *Config) { c.RPC = node })
		seen, err := f.Verify(t.Context(), p, d.Req)
		if err != nil {
			t.Fatal(err)
		}
		return seen.Gas
	}
	without := verify()
	node.On("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		if to, _ := x402test.CalledWith(args); to == gasPriceOracle {
			*result.(*hexutil.Bytes) = calldata.Word(big.NewInt(l1Bytes * 10 * params.GWei)) // 10 Gwei per byte
		}
		return next()
	})
	const size = 4 + 9*calldata.WordBytes + txBytes
	if got := verify() - without; got != 10*size {
		t.Errorf("the rollup's part: got %d Gwei, want %d", got, 10*size)
	}
}
