package refunds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// sql changes the books, for example as a failover would.
func (s *till) sql(statement string, args ...any) {
	s.Helper()
	if _, err := s.pool.Exec(s.Context(), statement, args...); err != nil {
		s.Fatal(err)
	}
}

func (s *till) value(query string, args ...any) (text string) {
	s.Helper()
	if err := s.pool.QueryRow(s.Context(), query, args...).Scan(&text); err != nil {
		s.Fatal(err)
	}
	return text
}

// forget removes claims from the books, as if the seconds in which they were written were lost.
func (s *till) forget(claims ...*claims.Record) {
	s.Helper()
	for _, rec := range claims {
		s.sql(`alter table ledger_transfer disable trigger user`)
		s.sql(`delete from ledger_transfer where idem_key = $1`, rec.ID.String())
		s.sql(`alter table ledger_transfer enable trigger user`)
		s.sql(`delete from x402_claim where id = $1`, rec.ID)
	}
}

// wantStatements compares the transfers that no claim explains with want.
func (s *till) wantStatements(want ...string) StatementAudit {
	s.Helper()
	got, err := s.auditor.Statements(s.Context(), time.Now().Add(-time.Hour))
	if err != nil {
		s.Fatal(err)
	}
	var lines []string
	for i := range got.Unmatched {
		lines = append(lines, got.Unmatched[i].String())
	}
	if len(lines) != len(want) {
		s.Fatalf("unmatched: got %q, want %q", lines, want)
	}
	for i := range want {
		if !strings.Contains(lines[i], want[i]) {
			s.Errorf("unmatched: got %q, want %q", lines[i], want[i])
		}
	}
	return got
}

func (s *till) readStatements() {
	s.Helper()
	if err := s.auditor.ReadStatements(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// secondLook wants these differences.
func (s *till) secondLook(want ...string) {
	s.Helper()
	got, err := s.auditor.SecondLook(s.Context(), slog.New(slog.NewTextHandler(s.Output(), nil)))
	if err != nil || len(got) != len(want) {
		s.Fatalf("second look: got %v, %v, want %q", got, err, want)
	}
	for i := range want {
		if !strings.Contains(got[i].Detail, want[i]) {
			s.Errorf("second look: got %q, want %q", got[i].Detail, want[i])
		}
	}
}

// TestMoneyThatNobodyKnows shows that whatever a failover has removed from the books is found on the chain: by the
// command, which only reads, and by the scheduled check.
func TestMoneyThatNobodyKnows(t *testing.T) {
	t.Parallel()
	unknown := func(rec *claims.Record) string {
		return fmt.Sprintf("has paid 0.01 USDC from %s to %s by authorisation 0x%x, which matches no claim", rec.Key.Payer, rec.PayTo, rec.Key.Nonce)
	}
	for name, tt := range map[string]struct {
		// lose removes something of a claim that was paid and one that was refunded, and returns the differences that follow.
		lose func(s *till, paid, back *claims.Record) []string
	}{
		"nothing is lost": {func(*till, *claims.Record, *claims.Record) []string { return nil }},
		"a claim is lost": {func(s *till, paid, _ *claims.Record) []string {
			s.forget(paid)
			return []string{unknown(paid)}
		}},
		"a claim and its refund are lost": {func(s *till, _, back *claims.Record) []string {
			s.forget(back)
			return []string{unknown(back)}
		}},
		"a settlement is lost": {func(s *till, paid, _ *claims.Record) []string {
			s.sql(`update x402_claim set state = 'settling', transaction = '' where id = $1`, paid.ID)
			return []string{"has paid claim " + paid.ID.String() + " with 0.01 USDC, but the claim is settling"}
		}},
		"a claim has failed": {func(s *till, paid, _ *claims.Record) []string {
			s.sql(`update x402_claim set state = 'failed' where id = $1`, paid.ID)
			return []string{"has paid claim " + paid.ID.String() + " with 0.01 USDC, but the claim is failed"}
		}},
		"a refund is lost": {func(s *till, _, back *claims.Record) []string {
			s.sql(`update x402_claim set state = 'refund_due', refund_transaction = null, refund_log = null, refunded_at = null where id = $1`, back.ID)
			return []string{"has refunded claim " + back.ID.String() + " with 0.01 USDC to " + back.Key.Payer + ", but the claim is refund_due"}
		}},
		"what was owed and its refund are lost": {func(s *till, _, back *claims.Record) []string {
			s.sql(`update x402_claim set state = 'settled', refund_from = null, refund_begun_at = null, refund_lapses_at = null,
				refund_transaction = null, refund_log = null, refunded_at = null where id = $1`, back.ID)
			return []string{"has refunded claim " + back.ID.String() + " with 0.01 USDC to " + back.Key.Payer + ", but the claim is settled"}
		}},
		"another transaction is on record": {func(s *till, paid, _ *claims.Record) []string {
			s.sql(`update x402_claim set transaction = $2 where id = $1`, paid.ID, x402test.SampleHash)
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTill(t)
			s.paid(false) // the account is known, whatever is lost
			paid, back := s.paid(false), s.paid(true)
			if _, err := s.refunds.Pay(t.Context(), back.ID, s.from(s.treasury)); err != nil {
				t.Fatal(err)
			}
			want := tt.lose(s, paid, back)
			s.wantStatements(want...)
			s.MakeFinal()
			s.readStatements()
			s.wantStatements(want...) // from what was recorded: nothing is left to read
			s.readStatements()
			s.wantStatements(want...)
		})
	}
}

// TestStatements shows that each transfer is matched once, that transfers that anybody can send are listed apart, and
// that what a person has resolved is not listed again.
func TestStatements(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	first := s.paid(false)
	if err := s.Chain.Mint(ctx, s.Req.PayTo, 12_345); err != nil { // a transfer from the zero address
		t.Fatal(err)
	}
	s.transferBack(7) // unrelated to claims
	got := s.wantStatements()
	if got.Plain != 1 || got.PlainSum.Cmp(big.NewInt(12_345)) != 0 || got.Others != 1 || got.Transfers != 2 {
		t.Errorf("got %+v, want a plain transfer of 12345 and another one out", got)
	}
	s.MakeFinal()
	s.readStatements()
	final := `select coalesce(final_block, 0)::text from x402_claim where id = $1`
	if s.value(final, first.ID) == "0" {
		t.Error("the claim's payment was not found in a final block")
	}
	second := s.paid(false)
	read := s.value(`select block::text from x402_statement`)
	s.MakeFinal()
	s.readStatements()
	if s.value(final, second.ID) == "0" || s.value(`select block::text from x402_statement`) == read {
		t.Error("the statement was not read on")
	}
	s.secondLook()
	s.wantBooks()

	lost := s.paid(false)
	s.MakeFinal()
	s.forget(lost)
	s.readStatements()
	unmatched := s.wantStatements("which matches no claim").Unmatched[0]
	resolve := func() error {
		return s.auditor.Resolve(ctx, unmatched.Transaction, unmatched.Log, "ada", "paid back by hand")
	}
	if err := resolve(); err != nil {
		t.Fatal(err)
	}
	s.wantStatements()
	if err := resolve(); !errors.Is(err, ErrNotUnmatched) {
		t.Errorf("resolve again: got %v", err)
	}
	all, err := s.auditor.Unmatched(ctx, true)
	if err != nil || len(all) != 1 || all[0].ResolvedBy != "ada" || all[0].Resolution != "paid back by hand" {
		t.Errorf("all: got %+v, %v, want the one that was resolved", all, err)
	}
}

// Statements that the nodes do not agree on are not read: a transfer that one node leaves out would never be seen.
func TestStatementsWantAgreement(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	lines := [3]x402test.Line{{Node: s.Node}, {Node: s.Node}, {Node: s.Node}}
	nodes := evm.NewNodes(&lines[0], &lines[1], &lines[2]).WithPatience(200 * time.Millisecond)
	s.auditor.chains = evm.NewChains(map[uint64]evm.RPC{s.Chain.ChainID(): nodes})
	rec := s.paid(false)
	s.forget(rec)
	s.paid(false)
	s.MakeFinal()
	lines[1].On("eth_getLogs", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if logs, ok := result.(*[]types.Log); ok && len(*logs) > 0 {
			*logs = (*logs)[1:]
		}
		return err
	})
	if err := s.auditor.ReadStatements(t.Context()); err == nil || !strings.Contains(err.Error(), "the nodes disagree about the transfers of ") {
		t.Errorf("a node leaves a transfer out: got %v", err)
	}
	if n := s.value(`select count(*)::text from x402_unmatched`); n != "0" {
		t.Errorf("unmatched: got %s, want nothing to be noted", n)
	}
	lines[1].Dead()
	s.readStatements()
	s.wantStatements("which matches no claim")
}

// unpaid makes a claim that counts as paid and was never on the chain.
func (s *till) unpaid(owed bool, validFor time.Duration) *claims.Record {
	s.Helper()
	lapses := time.Now().Add(validFor).Truncate(time.Second)
	p := s.Payment(2, func(a *x402.Authorization) { a.ValidBefore = big.NewInt(lapses.Unix()) })
	rec := claimstest.NewRecord(price.SettleBefore)
	rec.Key = claims.Key{Network: s.Req.Network.ID(), Asset: s.Req.Network.Asset.Hex(), Payer: s.payer.Hex(), Nonce: p.Authorization.Nonce}
	rec.PayTo, rec.Payment, rec.LapsesAt = s.Req.PayTo.Hex(), []byte(p.Raw), lapses
	claimstest.MustClaim(s, s.claims, rec)
	hash := common.Hash(x402test.Word32()).Hex()
	for _, err := range []error{
		s.claims.Settling(s.Context(), rec.ID), s.claims.Settled(s.Context(), rec.ID, x402.Settlement{Transaction: hash}, true), s.claims.Finish(s.Context(), rec.ID, owed, nil),
	} {
		if err != nil {
			s.Fatal(err)
		}
	}
	return rec
}

// TestLostPayments: a payment that counted and that the chain has lost for good is a loss, which claim and ledger show
// once and nobody refunds. While it may still be made, or the nodes do not agree, it is a difference.
func TestLostPayments(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	s.paid(false)
	settled, owed, open := s.unpaid(false, -time.Minute), s.unpaid(true, -time.Minute), s.unpaid(false, time.Hour)
	s.sql(`update x402_claim set created_at = created_at - interval '2 hours' where id = $1`, open.ID)
	s.sql(`update x402_claim set created_at = created_at - interval '5 minutes' where id <> $1`, open.ID)
	if _, err := s.refunds.Pay(ctx, owed.ID, s.from(s.treasury)); err == nil || !strings.Contains(err.Error(), "its payment cannot be refunded") {
		t.Errorf("paying back what was never paid: got %v", err)
	}
	s.MakeFinal()
	s.readStatements()
	away := &x402test.Line{Node: s.Node}
	away.On("eth_call", x402test.Say(x402test.ErrTest))
	all := s.auditor.chains
	s.auditor.chains = evm.NewChains(map[uint64]evm.RPC{s.Chain.ChainID(): evm.NewNodes(s.Node, &x402test.Line{Node: s.Node}, away)})
	s.secondLook("not all nodes reported", "not all nodes reported", "not all nodes reported")
	s.auditor.chains = all
	s.secondLook("its payment may still be sent until " + open.LapsesAt.UTC().Format(time.RFC3339))
	for _, rec := range []*claims.Record{settled, owed} {
		if got := s.value(`select state || ' ' || reason || ' ' || (lost_at is not null) from x402_claim where id = $1`, rec.ID); got != "failed reorganised true" {
			t.Errorf("claim: got %s, want that it has failed", got)
		}
		if got := s.value(`select count(*) || ' ' || sum(case when kind = 'reversal' then -amount else amount end) from ledger_transfer
			where idem_key in ($1::text, 'x402:' || $1)`, rec.ID.String()); got != "2 0" {
			t.Errorf("ledger: got %s, want the payment and its reversal", got)
		}
	}
	s.sql(`update x402_claim set created_at = now() where id = $1`, open.ID) // too recent to be checked
	s.secondLook()
	if n, amount, err := s.auditor.Lost(ctx, time.Now().Add(-time.Hour)); err != nil || n != 2 || amount != 20_000 {
		t.Errorf("lost: got %d of %s, %v, want 2 of 0.02", n, amount, err)
	}
	s.forget(open)
	s.wantBooks()
	if _, err := s.refunds.Pay(ctx, owed.ID, s.from(s.treasury)); !errors.As(err, new(*NotOwedError)) {
		t.Errorf("paying back what was lost: got %v", err)
	}
}

// A refund whose block was replaced is a difference, and the same command pays it again.
func TestRefundIsPaidAgain(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	rec := s.paid(true)
	before := s.Balance(s.payer)
	s.sql(`update x402_claim set state = 'refunded', refunded_at = now(), refund_transaction = $2, refund_log = 0, refund_from = pay_to where id = $1`,
		rec.ID, common.Hash(x402test.Word32()).Hex())
	s.sql(`insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
		select credit_account, debit_account, amount, unit, 'refund', idem_key from ledger_transfer where idem_key = $1`, rec.ID.String())
	s.MakeFinal()
	s.readStatements()
	s.secondLook("which is not on the chain")
	paid, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury))
	if err != nil || paid.Before {
		t.Fatalf("pay: got %+v, %v", paid, err)
	}
	s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	if again, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury)); err != nil || !again.Before || again.Transaction != paid.Transaction {
		t.Errorf("again: got %+v, %v", again, err)
	}
	s.wantBooks()
	s.MakeFinal()
	s.secondLook()
	if s.value(`select coalesce(refund_final_block, 0)::text from x402_claim where id = $1`, rec.ID) == "0" {
		t.Error("the refund was not found in a final block")
	}
}

func TestAccountsOnNoNode(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	s.paid(false)
	s.sql(`insert into x402_statement (network, asset, pay_to, block, block_time, since) values ('eip155:137', $1, $1, 0, now(), now())`, common.Address{1}.Hex())
	if got := s.wantStatements(); len(got.Elsewhere) != 1 || got.Elsewhere[0] != "eip155:137" {
		t.Errorf("got %q, want the network without a node", got.Elsewhere)
	}
	s.readStatements()
}
