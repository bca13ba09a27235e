package refunds

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// till is a town with a database and the treasury's key.
type till struct {
	*town

	pool     *pgxpool.Pool
	claims   *claims.Postgres
	treasury *ecdsa.PrivateKey
	refunds  *Refunds
	auditor  *Auditor
	payer    common.Address
}

func newTill(t *testing.T) *till {
	t.Helper()
	c := newTown(t)
	pool := claimstest.NewPool(t)
	chains := evm.NewChains(map[uint64]evm.RPC{c.Chain.ChainID(): c.Node})
	s := &till{
		town: c, pool: pool, claims: claimstest.PostgresStore(t, pool), treasury: x402test.NewKey(t), refunds: New(pool, chains, time.Now),
		auditor: NewAuditor(pool, chains, func() time.Time { return time.Now().Add(auditSettledBy) }),
		payer:   crypto.PubkeyToAddress(c.Chain.Wallet().PublicKey),
	}
	c.Req.PayTo = crypto.PubkeyToAddress(s.treasury.PublicKey)
	return s
}

// Paid makes a claim that was paid on the chain; with owed, its upstream has failed.
func (s *till) paid(owed bool) *claims.Record {
	s.Helper()
	ctx := s.Context()
	p := s.Payment(2, nil)
	settled, err := s.facilitator.Settle(ctx, p, s.Req)
	if err != nil {
		s.Fatal(err)
	}
	rec := claimstest.NewRecord(price.SettleBefore)
	rec.Key = claims.Key{Network: s.Req.Network.ID(), Asset: s.Req.Network.Asset.Hex(), Payer: s.payer.Hex(), Nonce: p.Authorization.Nonce}
	rec.PayTo, rec.Payment, rec.LapsesAt = s.Req.PayTo.Hex(), []byte(p.Raw), p.LapsesAt()
	claimstest.MustClaim(s, s.claims, rec)
	for _, err := range []error{
		s.claims.Settling(ctx, rec.ID), s.claims.Settled(ctx, rec.ID, settled, true), s.claims.Finish(ctx, rec.ID, owed, nil),
	} {
		if err != nil {
			s.Fatal(err)
		}
	}
	return rec
}

func (s *till) from(key *ecdsa.PrivateKey) Treasury {
	return Treasury{Signer: signer.NewKey(key), Settler: func(evm.RPC, x402.Network) (x402.Facilitator, error) { return s.facilitator, nil }}
}

// fault is a facilitator whose Settle fails before or after the settlement.
type fault struct {
	x402.Facilitator

	before, after error
	settles       int
}

func (f *fault) Settle(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	f.settles++
	if f.before != nil {
		return x402.Settlement{}, f.before
	}
	settled, err := f.Facilitator.Settle(ctx, p, req)
	if err == nil && f.after != nil {
		return x402.Settlement{}, f.after
	}
	return settled, err
}

func (s *till) through(f *fault) Treasury {
	f.Facilitator = s.facilitator
	t := s.from(s.treasury)
	t.Settler = func(evm.RPC, x402.Network) (x402.Facilitator, error) { return f, nil }
	return t
}

// wantRefunded compares claim, ledger and payer.
func (s *till) wantRefunded(rec *claims.Record, transaction string, balance uint64) {
	s.Helper()
	var state, recorded string
	var transfers, units int64
	err := s.pool.QueryRow(s.Context(), `
		select c.state, coalesce(c.refund_transaction, ''), count(t.id), coalesce(sum(t.amount), 0)::bigint
		from x402_claim c
		left join ledger_transfer t on t.kind = 'refund' and t.idem_key = c.id::text
			and t.debit_account = (select id from ledger_account where kind = 'revenue' and unit = 'usdc6')
			and t.credit_account = (select id from ledger_account where kind = 'x402_clearing' and unit = 'usdc6')
		where c.id = $1 group by c.id`, rec.ID).Scan(&state, &recorded, &transfers, &units)
	if err != nil {
		s.Fatal(err)
	}
	if state != "refunded" || recorded != transaction || transfers != 1 || units != int64(rec.Amount) {
		s.Errorf("claim: got %s by %q with %d transfers of %d, want refunded by %q with one", state, recorded, transfers, units, transaction)
	}
	if got := s.Balance(s.payer); got != balance {
		s.Errorf("payer: got %d, want %d", got, balance)
	}
}

func (s *till) wantBooks(differences ...string) {
	s.Helper()
	ledger, err := s.auditor.Ledger(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	chain, err := s.auditor.Chain(s.Context(), time.Now().Add(-time.Hour))
	if err != nil {
		s.Fatal(err)
	}
	got := slices.Concat(ledger, chain.Differences)
	if len(got) != len(differences) {
		s.Fatalf("differences: got %v, want %q", got, differences)
	}
	for i, want := range differences {
		if !strings.Contains(got[i].Detail, want) {
			s.Errorf("difference: got %q, want %q", got[i].Detail, want)
		}
	}
}

func TestRefundIsPaidOnce(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	rec := s.paid(true)
	s.wantBooks()
	before := s.Balance(s.payer)
	due, err := s.refunds.Due(ctx)
	if err != nil || len(due) != 1 || due[0].ID != rec.ID || due[0].Amount != rec.Amount || due[0].Payer != s.payer.Hex() || due[0].From != "" {
		t.Fatalf("due: got %+v, %v", due, err)
	}
	paid, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury))
	if err != nil || paid.Before {
		t.Fatalf("pay: got %+v, %v", paid, err)
	}
	s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	again, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury))
	if err != nil || !again.Before || again.Transaction != paid.Transaction {
		t.Errorf("again: got %+v, %v, want what was paid before", again, err)
	}
	s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	if due, err := s.refunds.Due(ctx); err != nil || len(due) != 0 {
		t.Errorf("due after: got %+v, %v, want none", due, err)
	}
	s.wantBooks()
	if _, err := s.refunds.Owe(ctx, rec.ID, "again"); !errors.As(err, new(*NotOwedError)) {
		t.Errorf("owe what is paid back: got %v, want a refusal", err)
	}
	for change, want := range map[string]string{
		`refund_log = refund_log + 1000`:                                "which does not pay 0.01 USDC to " + s.payer.Hex(),
		`refund_from = payer`:                                           "which does not pay 0.01 USDC to " + s.payer.Hex(),
		`refund_transaction = '0x` + strings.Repeat("12", 32) + `'`:     "which is not on the chain",
		`refund_transaction = transaction, refund_log = refund_log + 1`: "which does not pay 0.01 USDC to " + s.payer.Hex(),
	} {
		if _, err := s.pool.Exec(ctx, `create table was as select * from x402_claim; update x402_claim set `+change); err != nil {
			t.Fatal(err)
		}
		s.wantBooks(want)
		if _, err := s.pool.Exec(ctx, `delete from x402_claim; insert into x402_claim select * from was; drop table was`); err != nil {
			t.Fatal(err)
		}
	}
	s.wantBooks()
}

// Whatever happens between the steps, the next run finds what the chain has.
func TestRefundAfterACrash(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	rec := s.paid(true)
	before := s.Balance(s.payer)
	unsent := fault{before: x402test.ErrTest}
	if _, err := s.refunds.Pay(ctx, rec.ID, s.through(&unsent)); !errors.Is(err, x402test.ErrTest) {
		t.Fatalf("killed before it was sent: got %v", err)
	}
	if got := s.Balance(s.payer); got != before {
		t.Errorf("before it was sent: payer has %d, want %d", got, before)
	}
	s.wantBooks()
	// The refund is sent and mined, and the process is killed before it records that.
	sent := fault{after: &x402.SettlementUnknownError{Err: x402test.ErrTest}}
	_, err := s.refunds.Pay(ctx, rec.ID, s.through(&sent))
	if !errors.As(err, new(*x402.SettlementUnknownError)) {
		t.Fatalf("killed after it was sent: got %v", err)
	}
	s.wantBooks("run `turnpike payments refunds pay` again")
	// From another account, the chain would accept a second payment.
	other := s.from(x402test.NewKey(t))
	other.AnyRecipient = true
	for _, key := range []Treasury{other, s.through(new(fault))} {
		found, err := s.refunds.Pay(ctx, rec.ID, key)
		if err != nil || !found.Before {
			t.Fatalf("run again: got %+v, %v, want what was found", found, err)
		}
		s.wantRefunded(rec, found.Transaction, before+uint64(rec.Amount))
	}
	s.wantBooks()
}

// A database that was restored from a backup does not know what was paid since. The chain does.
func TestRefundAfterARestore(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	rec := s.paid(true)
	before := s.Balance(s.payer)
	if _, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury)); err != nil {
		t.Fatal(err)
	}
	_, err := s.pool.Exec(ctx, `
		alter table ledger_transfer disable trigger user; delete from ledger_transfer where kind = 'refund';
		update x402_claim set state = 'refund_due', refund_from = null, refund_begun_at = null, refund_lapses_at = null,
			refund_transaction = null, refund_log = null, refunded_at = null`)
	if err != nil {
		t.Fatal(err)
	}
	s.wantBooks("run `turnpike payments refunds pay` again")
	if _, err := s.refunds.Mark(ctx, rec.ID, common.HexToHash("0x12"), nil); err == nil || !strings.Contains(err.Error(), "it was refunded by transaction 0x") {
		t.Errorf("mark with another: got %v", err)
	}
	other := s.from(x402test.NewKey(t))
	other.AnyRecipient = true
	found, err := s.refunds.Pay(ctx, rec.ID, other)
	if err != nil || !found.Before {
		t.Fatalf("pay from elsewhere: got %+v, %v, want what was found", found, err)
	}
	s.wantRefunded(rec, found.Transaction, before+uint64(rec.Amount))
	s.wantBooks()
}

func TestRefundByManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	recs := []*claims.Record{s.paid(true), s.paid(true)}
	before := s.Balance(s.payer)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := s.refunds.Pay(t.Context(), recs[i%2].ID, s.from(s.treasury))
			if err != nil && !errors.Is(err, claims.ErrMoved) {
				t.Errorf("pay: %v", err)
			}
		})
	}
	wg.Wait()
	for _, rec := range recs {
		paid, err := s.refunds.Pay(t.Context(), rec.ID, s.from(s.treasury))
		if err != nil || !paid.Before {
			t.Errorf("afterwards: got %+v, %v", paid, err)
		}
		s.wantRefunded(rec, paid.Transaction, before+uint64(recs[0].Amount+recs[1].Amount))
	}
	s.wantBooks()
}

// nextState is a node that has a new block by the time it reads an authorisation's state, and reads the state of that block.
type nextState struct {
	evm.RPC

	once func()
}

func (n *nextState) CallContext(ctx context.Context, result any, method string, args ...any) error {
	if len(args) > 1 {
		if _, data := x402test.CalledWith(args); bytes.HasPrefix(data, calldata.Selector("authorizationState(address,bytes32)")) {
			n.once()
			args[1] = "latest"
		}
	}
	return n.RPC.CallContext(ctx, result, method, args...)
}

// The state of a refund is known even if the node makes the block that contains it during the look-up.
func TestRefundOfTheNextBlock(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	rec := s.paid(true)
	node := &nextState{s.Node, sync.OnceFunc(func() {
		if _, err := s.refunds.Pay(t.Context(), rec.ID, s.from(s.treasury)); err != nil {
			t.Errorf("pay: %v", err)
		}
	})}
	other := New(s.pool, evm.NewChains(map[uint64]evm.RPC{s.Chain.ChainID(): node}), time.Now)
	if _, err := other.Pay(t.Context(), rec.ID, s.from(s.treasury)); err != nil && !errors.Is(err, claims.ErrMoved) {
		t.Errorf("pay meanwhile: %v", err)
	}
	s.wantBooks()
}

// beforeBalance runs something once, before a balance is read.
type beforeBalance struct {
	evm.RPC

	once func()
}

func (b *beforeBalance) CallContext(ctx context.Context, result any, method string, args ...any) error {
	if len(args) > 0 {
		if _, data := x402test.CalledWith(args); bytes.HasPrefix(data, calldata.Selector("balanceOf(address)")) {
			b.once()
		}
	}
	return b.RPC.CallContext(ctx, result, method, args...)
}

// A run finds the account empty because another run has just paid the claim from it. It reports that the claim was paid.
func TestRefundPaidByAnotherMeanwhile(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	rec := s.paid(true)
	before := s.Balance(s.payer)
	pay := sync.OnceFunc(func() {
		if _, err := s.refunds.Pay(t.Context(), rec.ID, s.from(s.treasury)); err != nil {
			t.Error(err)
		}
	})
	late := New(s.pool, evm.NewChains(map[uint64]evm.RPC{s.Chain.ChainID(): &beforeBalance{s.Node, pay}}), time.Now)
	paid, err := late.Pay(t.Context(), rec.ID, s.from(s.treasury))
	if err != nil || !paid.Before {
		t.Errorf("got %+v, %v, want that it was paid before", paid, err)
	}
	s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	s.wantBooks()
}

func TestRefundsFromOtherAccounts(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	rec := s.paid(true)
	before := s.Balance(s.payer)
	second := x402test.NewKey(t)
	if err := s.Chain.Mint(ctx, crypto.PubkeyToAddress(second.PublicKey), uint64(rec.Amount)); err != nil {
		t.Fatal(err)
	}
	other := s.from(second)
	wantError := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", what, err, want)
		}
	}
	_, err := s.refunds.Pay(ctx, rec.ID, other)
	wantError("another key", err, "it was paid to "+s.Req.PayTo.Hex()+", but the key belongs to ")
	poor := s.from(x402test.NewKey(t))
	poor.AnyRecipient, other.AnyRecipient = true, true
	_, err = s.refunds.Pay(ctx, rec.ID, poor)
	wantError("a poor account", err, "has 0 units of "+rec.Key.Asset+", but 10000 are owed")
	_, err = s.refunds.Pay(ctx, rec.ID, s.through(&fault{before: x402test.ErrTest}))
	wantError("begun", err, x402test.ErrTest.Error())
	_, err = s.refunds.Pay(ctx, rec.ID, other)
	wantError("while another may still arrive", err, "a refund from "+s.Req.PayTo.Hex()+" was started and may arrive until ")
	_, err = s.refunds.Mark(ctx, rec.ID, common.HexToHash(rec.Transaction), nil)
	wantError("mark while another may still arrive", err, "a refund from "+s.Req.PayTo.Hex()+" was started")
	if _, err := s.pool.Exec(ctx, `update x402_claim set refund_lapses_at = now() - interval '1 minute', refund_begun_at = now() - interval '31 minutes'`); err != nil {
		t.Fatal(err)
	}
	paid, err := s.refunds.Pay(ctx, rec.ID, other)
	if err != nil || paid.Before {
		t.Fatalf("when that has lapsed: got %+v, %v", paid, err)
	}
	s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	s.wantBooks()
}

// transferBack pays the payer from the treasury by an authorisation that belongs to no claim.
func (s *till) transferBack(amount money.MicroUSDC) common.Hash {
	s.Helper()
	req := *s.Req
	req.PayTo, req.Amount = s.payer, amount
	a := x402.Authorization{
		From: s.Req.PayTo, To: s.payer, Value: amount, ValidAfter: new(big.Int), ValidBefore: big.NewInt(time.Now().Add(time.Minute).Unix()),
		Nonce: [32]byte(crypto.Keccak256([]byte(uuid.NewString()))),
	}
	p, err := payRequirements(s.Context(), signer.NewKey(s.treasury), &a, &req)
	if err != nil {
		s.Fatal(err)
	}
	settled, err := s.facilitator.Settle(s.Context(), p, &req)
	if err != nil {
		s.Fatal(err)
	}
	return common.HexToHash(settled.Transaction)
}

func TestRefundsThatAreMarked(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	first, second := s.paid(true), s.paid(true)
	before := s.Balance(s.payer)
	small := s.transferBack(1)
	right := s.transferBack(10_000)
	payment, err := s.claims.Find(ctx, first.Key)
	if err != nil {
		t.Fatal(err)
	}
	stranger := crypto.PubkeyToAddress(x402test.NewKey(t).PublicKey)
	for _, tt := range []struct {
		name string
		tx   common.Hash
		from *common.Address
		want string
	}{
		{"no such transaction", common.HexToHash("0x12"), nil, "the chain has no transaction 0x"},
		{"another amount", small, nil, "does not transfer 0.01 of " + first.Key.Asset + " from " + s.Req.PayTo.Hex() + " to " + s.payer.Hex()},
		{"the payment itself", common.HexToHash(payment.Transaction), nil, "does not transfer 0.01 of"},
		{"from somebody else", right, &stranger, "from " + stranger.Hex()},
	} {
		if _, err := s.refunds.Mark(ctx, first.ID, tt.tx, tt.from); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	marked, err := s.refunds.Mark(ctx, first.ID, right, nil)
	if err != nil || marked.Before || marked.Transaction != right.Hex() {
		t.Fatalf("mark: got %+v, %v", marked, err)
	}
	s.wantRefunded(first, right.Hex(), before+10_001)
	if again, err := s.refunds.Mark(ctx, first.ID, right, nil); err != nil || !again.Before {
		t.Errorf("mark again: got %+v, %v", again, err)
	}
	if _, err := s.refunds.Mark(ctx, first.ID, small, nil); !errors.As(err, new(*NotOwedError)) {
		t.Errorf("mark with another: got %v, want that it is refunded", err)
	}
	if _, err := s.refunds.Mark(ctx, second.ID, right, nil); err == nil || !strings.Contains(err.Error(), "has refunded other claims") {
		t.Errorf("one transfer for two claims: got %v", err)
	}
	s.wantBooks()
}

func TestRefundsThatAreNotOwed(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	if _, err := s.refunds.Pay(ctx, uuid.New(), s.from(s.treasury)); !errors.Is(err, claims.ErrNotFound) {
		t.Errorf("no claim: got %v", err)
	}
	rec := s.paid(false)
	for _, err := range []error{
		func() error { _, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury)); return err }(),
		func() error { _, err := s.refunds.Mark(ctx, rec.ID, common.Hash{}, nil); return err }(),
	} {
		if notOwed, ok := errors.AsType[*NotOwedError](err); !ok || notOwed.State != claims.StateSettled {
			t.Errorf("settled: got %v", err)
		}
	}
	if added, err := s.refunds.Owe(ctx, rec.ID, "the report was empty"); err != nil || !added {
		t.Errorf("owe: got %v, %v", added, err)
	}
	if added, err := s.refunds.Owe(ctx, rec.ID, "twice"); err != nil || added {
		t.Errorf("owe again: got %v, %v", added, err)
	}
	if due, err := s.refunds.Due(ctx); err != nil || len(due) != 1 || due[0].Note != "the report was empty" {
		t.Errorf("due: got %+v, %v", due, err)
	}
	nowhere := New(s.pool, evm.NewChains(nil), time.Now)
	if _, err := nowhere.Pay(ctx, rec.ID, s.from(s.treasury)); !errors.Is(err, evm.ErrNoNode) {
		t.Errorf("without a node: got %v", err)
	}
	// A refusal by the token is reported, and the refund stays due.
	if err := s.Chain.Deny(ctx, s.payer); err != nil {
		t.Fatal(err)
	}
	if _, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury)); err == nil || !strings.Contains(err.Error(), "was refused: ") {
		t.Errorf("payer on the deny list: got %v", err)
	}
	if err := s.Chain.Undeny(ctx, s.payer); err != nil {
		t.Fatal(err)
	}
	if paid, err := s.refunds.Pay(ctx, rec.ID, s.from(s.treasury)); err != nil || paid.Before {
		t.Errorf("and when it is off it: got %+v, %v", paid, err)
	}
	s.wantBooks()
}
