package evm

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

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
	rate := Rate{}
	if _, err := rate.Now(t.Context(), nil, time.Now()); !errors.Is(err, ErrNoRate) || !strings.Contains(err.Error(), "set eth_usd") {
		t.Errorf("rate on a network without a feed: got %v", err)
	}
}

// FuzzRound shows that whatever a feed answers is either an error or a price that go-ethereum reads as well.
func FuzzRound(f *testing.F) {
	f.Add(x402test.RoundOf(big.NewInt(3000e8), time.Now()), calldata.Word(big.NewInt(8)))
	f.Add(x402test.RoundOf(big.NewInt(-1), time.Now()), calldata.Word(big.NewInt(0)))
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
		usd, at, err := (&RateReading{data, decimals}).read()
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
