package local

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestFacilitators tests every facilitator against the same rules.
func TestFacilitators(t *testing.T) {
	t.Parallel()
	for name, pick := range map[string]func(*town) x402.Facilitator{
		"local":               func(c *town) x402.Facilitator { return c.local },
		"http with a node":    func(c *town) x402.Facilitator { return c.seeing },
		"http without a node": func(c *town) x402.Facilitator { return c.blind },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTown(t)
			f := pick(c)
			t.Run("supported", func(t *testing.T) { testSupported(t, f) })
			t.Run("settles", func(t *testing.T) { testSettles(t, c, f) })
			t.Run("refuses", func(t *testing.T) { testRefuses(t, c, f) })
			t.Run("concurrently", func(t *testing.T) { testConcurrently(t, c, f) })
			t.Run("paid by another", func(t *testing.T) { testPaidByAnother(t, c, f) })
			t.Run("deny list and pause", func(t *testing.T) { testDenied(t, c, f) })
		})
	}
}

func testSupported(t *testing.T, f x402.Facilitator) {
	s, err := f.Supported(t.Context())
	if err != nil || len(s.Kinds) != 2 || s.Kinds[0].Network != "eip155:84532" || s.Kinds[1].Network != "base-sepolia" || len(s.Signers["eip155:*"]) != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func testSettles(t *testing.T, c *town, f x402.Facilitator) {
	for version := x402.Version1; version <= x402.Version2; version++ {
		p := c.Payment(version, nil)
		before := c.Balance(c.Req.PayTo)
		had := money.MicroUSDC(c.Balance(p.Authorization.From))
		seen, err := f.Verify(t.Context(), p, c.Req)
		if isBlind := f == x402.Facilitator(c.blind); err != nil || seen.Known == isBlind || seen.Known && seen.Balance != had {
			t.Fatalf("verify v%d: got %+v, %v, want that the payer has %d where there is a node", version, seen, err, had)
		}
		done, err := f.Settle(t.Context(), p, c.Req)
		if err != nil {
			t.Fatalf("settle v%d: %v", version, err)
		}
		if got := c.Balance(c.Req.PayTo) - before; got != 10_000 {
			t.Errorf("moved: got %d, want 10000", got)
		}
		x402test.WantRefusal(t, x402test.Verify(t, f, p, c.Req), x402.CodeTransactionState)
		again, err := f.Settle(t.Context(), p, c.Req)
		if err != nil || again != done {
			t.Errorf("settling again: got %+v, %v, want %+v", again, err, done)
		}
		settlement, err := c.local.Lookup(t.Context(), p, c.Req, time.Now())
		if err != nil || settlement.Outcome != x402.OutcomePaid || settlement.Transaction != done.Transaction {
			t.Errorf("lookup: got %+v, %v, want %s", settlement, err, done.Transaction)
		}
	}
}

func testRefuses(t *testing.T, c *town, f x402.Facilitator) {
	poor := x402test.NewKey(t)
	for name, tt := range map[string]struct {
		p    *x402.Payment
		want x402.Code
	}{
		"amount":    {c.Payment(2, func(a *x402.Authorization) { a.Value++ }), x402.CodeValueMismatch},
		"recipient": {c.Payment(1, func(a *x402.Authorization) { a.To[0]++ }), x402.CodeRecipient},
		"expired":   {c.Payment(1, func(a *x402.Authorization) { a.ValidBefore = big.NewInt(time.Now().Unix()) }), x402.CodeValidBefore},
		"signature": {c.Payment(2, func(a *x402.Authorization) { a.From[0]++ }), x402.CodeSignature},
	} {
		x402test.WantRefusal(t, x402test.Verify(t, f, tt.p, c.Req), tt.want)
		if _, err := f.Settle(t.Context(), tt.p, c.Req); err == nil {
			t.Errorf("%s: settled", name)
		}
	}
	a := c.Payment(2, nil).Authorization
	a.From = crypto.PubkeyToAddress(poor.PublicKey)
	p := c.Encode(2, &a, x402test.Sign(t, poor, &a, x402.BaseSepolia()))
	x402test.WantRefusal(t, x402test.Verify(t, f, p, c.Req), x402.CodeInsufficientFunds)
	_, err := f.Settle(t.Context(), p, c.Req)
	x402test.WantRefusal(t, err, x402.CodeInsufficientFunds)
	settlement, err := c.local.Lookup(t.Context(), p, c.Req, time.Now())
	if err != nil || settlement.Outcome != x402.OutcomeUnused || time.Since(settlement.ChainTime) > time.Minute {
		t.Errorf("lookup: got %+v, %v, want unused at about now", settlement, err)
	}
}

// testConcurrently settles 60 of 60 payments with one signer.
func testConcurrently(t *testing.T, c *town, f x402.Facilitator) {
	const payments, atOnce = 60, 16
	before := c.Balance(c.Req.PayTo)
	work := make(chan *x402.Payment, payments)
	for range payments {
		work <- c.Payment(2, nil)
	}
	close(work)
	var done sync.WaitGroup
	for range atOnce {
		done.Go(func() {
			for p := range work {
				if _, err := f.Settle(t.Context(), p, c.Req); err != nil {
					t.Errorf("settle: %v", err)
				}
			}
		})
	}
	done.Wait()
	if got := c.Balance(c.Req.PayTo) - before; got != payments*10_000 {
		t.Errorf("moved: got %d, want %d", got, payments*10_000)
	}
}

// testPaidByAnother: somebody saw the authorisation and sent it first. We are paid all the same.
func testPaidByAnother(t *testing.T, c *town, f x402.Facilitator) {
	p := c.Payment(2, nil)
	if _, err := c.local.Settle(t.Context(), p, c.Req); err != nil {
		t.Fatal(err)
	}
	before := c.Balance(c.Req.PayTo)
	if _, err := f.Settle(t.Context(), p, c.Req); err != nil {
		t.Errorf("settle: %v", err)
	}
	if got := c.Balance(c.Req.PayTo); got != before {
		t.Errorf("moved again: got %d, want %d", got, before)
	}
}

func testDenied(t *testing.T, c *town, f x402.Facilitator) {
	wallet := crypto.PubkeyToAddress(c.Chain.Wallet().PublicKey)
	if err := c.Chain.Deny(t.Context(), wallet); err != nil {
		t.Fatal(err)
	}
	p := c.Payment(2, nil)
	x402test.WantRefusal(t, x402test.Verify(t, f, p, c.Req), x402.CodeTransactionState)
	if err := c.Chain.Undeny(t.Context(), wallet); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Verify(t.Context(), p, c.Req); err != nil {
		t.Errorf("allowed again: %v", err)
	}
	if err := c.Chain.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	x402test.WantRefusal(t, x402test.Verify(t, f, p, c.Req), x402.CodeTransactionState)
	if err := c.Chain.Unpause(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestSettlementThatIsNotMinedIsUnknown(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	node := &x402test.DeafNode{Node: c.local.cfg.RPC, Asked: cancel}
	cfg := c.local.cfg
	cfg.RPC = node
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	p := c.Payment(2, nil)
	_, err = f.Settle(ctx, p, c.Req)
	unknown, ok := errors.AsType[*x402.SettlementUnknownError](err)
	if !ok || unknown.Transaction == "" {
		t.Fatalf("settle: got %v, want an unknown outcome with a hash", err)
	}
	node.Heard.Store(true)
	done, err := f.Settle(t.Context(), p, c.Req)
	if err != nil || done.Transaction != unknown.Transaction {
		t.Errorf("settling again: got %+v, %v, want the first transaction %s", done, err, unknown.Transaction)
	}
}
