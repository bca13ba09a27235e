package gate

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// roundOf encodes a price feed's answer.
func roundOf(answer *big.Int, updated time.Time) []byte {
	return calldata.Pack(calldata.Word(big.NewInt(9)), abiSigned(answer), calldata.Word(big.NewInt(updated.Unix())), calldata.Word(big.NewInt(updated.Unix())), calldata.Word(big.NewInt(9)))
}

func abiSigned(n *big.Int) []byte {
	return calldata.Word(new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 8*calldata.WordBytes), big.NewInt(1))))
}

// feedNode answers calls to the price feed.
func (d *desk) feedNode(data func() ([]byte, error), decimals []byte) *x402test.Line {
	feed, _ := KnownRate(x402.BaseSepolia())
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
		return func() ([]byte, error) { return roundOf(big.NewInt(answer), updated), nil }
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
		"node fails":    {data: func() ([]byte, error) { return nil, errTest }, decimals: eight, want: errTest.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told notes
			data := tt.data
			node := d.feedNode(func() ([]byte, error) { return data() }, tt.decimals)
			rate, _ := KnownRate(x402.BaseSepolia())
			rate.AgeMax = tt.age
			f := d.facilitator(t, func(c *LocalConfig) { c.RPC, c.Observer, c.Rate = node, &told, rate })
			p := d.payments(1)[0]
			_, err := f.Verify(t.Context(), p, d.Req)
			if tt.want == "" {
				if err != nil || len(told.said) > 0 {
					t.Errorf("verify: got %v, observer %q, want it good", err, told.said)
				}
				return
			}
			_, refused := errors.AsType[*x402.Refusal](err)
			if refused || !errors.Is(err, errNoRate) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("verify: got %v, want %s", err, tt.want)
			}
			if checked := f.Check(t.Context()); !errors.Is(checked, errNoRate) {
				t.Errorf("check: got %v, want it to say so", checked)
			}
			if !slices.Equal(told.said, []string{"gas refused: rate"}) {
				t.Errorf("observer: got %q", told.said)
			}
			two := d.facilitator(t, func(c *LocalConfig) { c.RPC, c.Rate = NewNodes(node, d.Node), rate })
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

// TestKnownRates shows that the development chain has its feed at the same address as the networks, and that the
// addresses are spelt correctly.
func TestKnownRates(t *testing.T) {
	t.Parallel()
	for _, n := range []x402.Network{x402.Base(), x402.BaseSepolia()} {
		rate, ok := KnownRate(n)
		if !ok || rate.Feed != chain.Feed(n.ChainID) {
			t.Errorf("%s: got %s, want the chain's %s", n.Name, rate.Feed, chain.Feed(n.ChainID))
		}
	}
	if _, ok := KnownRate(x402.Network{ChainID: 137}); ok {
		t.Error("another network: got a feed, want none")
	}
	d := newDesk(t, 1)
	f := d.facilitator(t, func(c *LocalConfig) { c.Network.ChainID = 137 })
	if _, err := f.cfg.Rate.Now(t.Context(), f.rpc, time.Now()); !errors.Is(err, errNoRate) || !strings.Contains(err.Error(), "set eth_usd") {
		t.Errorf("rate on a network without a feed: got %v", err)
	}
}

// FuzzRound shows that whatever a feed answers is either an error or a price that go-ethereum reads as well.
func FuzzRound(f *testing.F) {
	f.Add(roundOf(big.NewInt(3000e8), time.Now()), calldata.Word(big.NewInt(8)))
	f.Add(roundOf(big.NewInt(-1), time.Now()), calldata.Word(big.NewInt(0)))
	f.Add([]byte{}, []byte{1})
	kind := func(name string) abi.Argument {
		t, err := abi.NewType(name, "", nil)
		if err != nil {
			f.Fatal(err)
		}
		return abi.Argument{Type: t}
	}
	fields := abi.Arguments{kind("uint80"), kind("int256"), kind("uint256"), kind("uint256"), kind("uint80")}
	f.Fuzz(func(t *testing.T, data, decimals []byte) {
		usd, at, err := (&round{data, decimals}).read()
		if err != nil {
			if usd != 0 || !at.IsZero() {
				t.Fatalf("got %d of %s with %v", usd, at, err)
			}
			return
		}
		values, err := fields.Unpack(data)
		if err != nil {
			return // not a round, so there is nothing to compare
		}
		answer, _ := values[1].(*big.Int)
		updated, _ := values[3].(*big.Int)
		ten := new(big.Int).Exp(big.NewInt(10), new(big.Int).SetBytes(decimals[:calldata.WordBytes]), nil)
		want := new(big.Int).Div(new(big.Int).Mul(answer, big.NewInt(microsOfUSD)), ten)
		if usd <= 0 || want.Cmp(big.NewInt(int64(usd))) != 0 || at.Unix() != updated.Int64() {
			t.Fatalf("got %d of %s, want %s of %s", usd, at, want, updated)
		}
	})
}

// TestFeedsAreSpelled checks the addresses' EIP-55 checksums, which catch typing errors.
func TestFeedsAreSpelled(t *testing.T) {
	t.Parallel()
	for _, spelled := range []string{"0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70", "0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1"} {
		if got := common.HexToAddress(spelled).Hex(); got != spelled {
			t.Errorf("got %s, want %s", got, spelled)
		}
	}
}
