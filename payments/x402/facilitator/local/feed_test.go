package local

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// feedNode answers calls to the price feed.
func (d *desk) feedNode(data func() ([]byte, error), decimals []byte) *x402test.Line {
	feed, _ := evm.KnownRate(x402.BaseSepolia())
	l := &x402test.Line{Node: d.Node}
	l.On("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		to, asked := x402test.CalledWith(args)
		if to != feed.Feed {
			return next()
		}
		answer, err := decimals, error(nil)
		if slices.Equal(asked, calldata.Selector("latestRoundData()")) {
			answer, err = data()
		}
		*result.(*hexutil.Bytes) = answer
		return err
	})
	return l
}

// TestFeed shows that no payment passes its checks without a valid and recent gas price, and that payments pass as soon
// as there is one.
func TestFeed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	eight := calldata.Word(big.NewInt(8))
	now := time.Now()
	say := func(answer int64, updated time.Time) func() ([]byte, error) {
		return func() ([]byte, error) { return x402test.RoundOf(big.NewInt(answer), updated), nil }
	}
	for name, tt := range map[string]struct {
		data     func() ([]byte, error)
		decimals []byte
		age      time.Duration
		want     string // the error
	}{
		"new":           {data: say(1e8, now), decimals: eight},
		"an hour old":   {data: say(1e8, now.Add(-time.Hour)), decimals: eight},
		"stale":         {data: say(1e8, now.Add(-3*time.Hour)), decimals: eight, want: "want one at most 2h0m0s old"},
		"stale sooner":  {data: say(1e8, now.Add(-time.Hour)), decimals: eight, age: 10 * time.Minute, want: "want one at most 10m0s old"},
		"stale later":   {data: say(1e8, now.Add(-3*time.Hour)), decimals: eight, age: 4 * time.Hour},
		"of tomorrow":   {data: say(1e8, now.Add(24*time.Hour)), decimals: eight, want: "want one at most"},
		"negative":      {data: say(-1e8, now), decimals: eight, want: "not more than 0"},
		"nothing":       {data: say(0, now), decimals: eight, want: "not more than 0"},
		"next to it":    {data: say(1, now), decimals: eight, want: "out of range"},
		"no contract":   {data: func() ([]byte, error) { return nil, nil }, decimals: nil, want: "no price feed is at this address"},
		"short":         {data: func() ([]byte, error) { return calldata.Word(big.NewInt(1)), nil }, decimals: eight, want: "no price feed is at this address"},
		"many decimals": {data: say(1e8, now), decimals: calldata.Word(big.NewInt(77)), want: "not that of a price feed"},
		"reverts":       {data: func() ([]byte, error) { return nil, x402test.NodeRefusal("execution reverted: No data present") }, decimals: eight, want: "No data present"},
		"node fails":    {data: func() ([]byte, error) { return nil, x402test.ErrTest }, decimals: eight, want: x402test.ErrTest.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told x402test.Notes
			data := tt.data
			node := d.feedNode(func() ([]byte, error) { return data() }, tt.decimals)
			rate, _ := evm.KnownRate(x402.BaseSepolia())
			rate.AgeMax = tt.age
			f := d.facilitator(t, func(c *Config) { c.RPC, c.Observer, c.Rate = node, &told, rate })
			p := d.payments(1)[0]
			_, err := f.Verify(t.Context(), p, d.Req)
			if tt.want == "" {
				if err != nil || len(told.Said) > 0 {
					t.Errorf("verify: got %v, observer %q, want it good", err, told.Said)
				}
				return
			}
			_, refused := errors.AsType[*x402.Refusal](err)
			if refused || !errors.Is(err, evm.ErrNoRate) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("verify: got %v, want %s", err, tt.want)
			}
			if checked := f.Check(t.Context()); !errors.Is(checked, evm.ErrNoRate) {
				t.Errorf("check: got %v, want it to say so", checked)
			}
			if !slices.Equal(told.Said, []string{"gas refused: rate"}) {
				t.Errorf("observer: got %q", told.Said)
			}
			two := d.facilitator(t, func(c *Config) { c.RPC, c.Rate = evm.NewNodes(node, d.Node), rate })
			if _, err := two.Verify(t.Context(), p, d.Req); name == "node fails" && err != nil {
				t.Errorf("verify by the second node: %v", err)
			}
			data = say(2e8, time.Now())
			if len(tt.decimals) > 0 && tt.decimals[calldata.WordBytes-1] == 8 {
				if _, err := f.Verify(t.Context(), p, d.Req); err != nil {
					t.Errorf("verify, now that it answers: %v", err)
				}
			}
		})
	}
}
