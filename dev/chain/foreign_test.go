package chain

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core"
)

// TestPlan shows that another node reads the plan as the same first block that our own chain begins with, including the token.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, id := range []uint64{BaseSepolia, BaseMainnet} {
		plan, err := NewPlan(Config{ChainID: id})
		if err != nil {
			t.Fatal(err)
		}
		text, err := plan.GenesisJSON()
		if err != nil {
			t.Fatal(err)
		}
		var read core.Genesis
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if got, want := read.ToBlock().Hash(), plan.first.genesis.ToBlock().Hash(); got != want {
			t.Errorf("chain %d: first block read back: got %s, want %s", id, got, want)
		}
		stack, backend, err := startNode(plan.first.cfg, &read)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stack.Close() })
		foreign, err := plan.Open(t.Context(), stack.HTTPEndpoint())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = foreign.Close() })
		units, err := foreign.Balance(t.Context(), AddressOf(foreign.Wallet()))
		if err != nil || units != defaultWalletMicroUSDC {
			t.Errorf("chain %d: balance of the wallet: got %d, %v, want %d", id, units, err, defaultWalletMicroUSDC)
		}
		sealer := newSealer(backend, plan.first.cfg)
		go sealer.run()
		t.Cleanup(func() { close(sealer.stop); <-sealer.done })
		mint, err := foreign.owner.send(t.Context(), "mint", foreign.token, big.NewInt(1))
		if err != nil {
			t.Fatal(err)
		}
		// The sealer may already have sealed it by itself. Then no other block fits into this second.
		if _, err := sealer.request(t.Context()); err != nil && !errors.Is(err, ErrClockBehind) {
			t.Fatal(err)
		}
		if _, err := foreign.WaitMined(t.Context(), mint.Hash()); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefusesOtherNodes(t *testing.T) {
	t.Parallel()
	c, err := Start(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	plan, err := NewPlan(Config{ChainID: BaseMainnet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Open(t.Context(), c.RPCURL()); err == nil || !strings.Contains(err.Error(), "84532, want 8453") {
		t.Errorf("opening a chain of another id: got %v", err)
	}
	if _, err := NewPlan(Config{ChainID: 1}); err == nil {
		t.Error("planning a chain without a token: got no error")
	}
	if _, err := plan.Open(t.Context(), "nonsense://"); err == nil {
		t.Error("opening a node at no address: got no error")
	}
}
