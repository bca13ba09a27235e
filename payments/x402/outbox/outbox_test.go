package outbox_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// TestOutboxes tests every outbox against the same rules.
func TestOutboxes(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) outbox.Store{
		"memory":   func(*testing.T) outbox.Store { return outbox.NewMemory(time.Now) },
		"postgres": func(t *testing.T) outbox.Store { return outbox.NewPostgres(claimstest.NewPool(t), uuid.Nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range map[string]func(*shelf){
				"numbers":                testOutboxNumbers,
				"numbers of many owners": testOutboxContention,
				"payments":               testOutboxPayments,
				"versions":               testOutboxVersions,
				"leases":                 testOutboxLeases,
				"mined meanwhile":        testOutboxMinedMeanwhile,
				"chains":                 testOutboxChains,
				"opened again":           testOutboxReopens,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					signer := word32()
					test(&shelf{
						T: t, Store: open(t), owner: uuid.New(), signer: common.BytesToAddress(signer[:]),
						chain: outbox.ChainKey{ID: 84532, Genesis: common.Hash(word32())},
					})
				})
			}
		})
	}
}

// shelf is an outbox with its own account.
type shelf struct {
	*testing.T
	outbox.Store

	owner  uuid.UUID
	chain  outbox.ChainKey
	signer common.Address
}

func (s *shelf) tx(nonce uint64, payments ...[32]byte) *outbox.Tx {
	return &outbox.Tx{
		Signer: s.signer, Nonce: nonce, Raw: []byte{2, byte(nonce)}, Hashes: []common.Hash{common.Hash(word32())},
		Payments: payments, LapsesAt: time.Unix(1_790_000_000, 0).UTC(),
	}
}

func (s *shelf) take(tx *outbox.Tx, counted uint64, want error) {
	s.Helper()
	_, lookedAt := s.carrying(tx.Payments...)
	if err := s.Take(s.Context(), s.chain, tx, outbox.Claiming{Owner: s.owner, Lease: time.Minute, Counted: counted, LookedAt: lookedAt}); !errors.Is(err, want) {
		s.Fatalf("take %d: got %v, want %v", tx.Nonce, err, want)
	}
}

func (s *shelf) wantNext(want uint64) {
	s.Helper()
	if got, err := s.Next(s.Context(), s.chain, s.signer); err != nil || got != want {
		s.Errorf("next: got %d, %v, want %d", got, err, want)
	}
}

func (s *shelf) tend(owner uuid.UUID, lease time.Duration) []outbox.Tx {
	s.Helper()
	txs, err := s.Tend(s.Context(), s.chain, []common.Address{s.signer}, owner, lease)
	if err != nil {
		s.Fatal(err)
	}
	slices.SortFunc(txs, func(a, b outbox.Tx) int { return int(a.Nonce) - int(b.Nonce) })
	return txs
}

func (s *shelf) carrying(payments ...[32]byte) ([]outbox.Tx, time.Time) {
	s.Helper()
	txs, lookedAt, err := s.Carrying(s.Context(), s.chain, payments)
	if err != nil {
		s.Fatal(err)
	}
	return txs, lookedAt
}

func testOutboxNumbers(s *shelf) {
	s.wantNext(0)
	s.take(s.tx(1), 0, outbox.ErrNumberTaken) // a gap
	s.take(s.tx(3), 3, nil)                   // three of the chain's transactions are somebody else's
	s.wantNext(4)
	s.take(s.tx(3), 3, outbox.ErrNumberTaken)
	s.take(s.tx(2), 0, nil) // the chain may lose what it has counted
	s.take(s.tx(2), 0, outbox.ErrNumberTaken)
	s.wantNext(4)
	s.take(s.tx(4), 0, nil)
	s.take(s.tx(6), 5, outbox.ErrNumberTaken)
	for range 2 { // finishing twice changes nothing
		if err := s.Finish(s.Context(), s.chain, s.signer, 4, new(common.Hash), 0); err != nil {
			s.Fatal(err)
		}
	}
	if err := s.Forget(s.Context(), -time.Hour); err != nil {
		s.Fatal(err)
	}
	s.wantNext(5) // transactions that are finished and forgotten still count
}

func testOutboxContention(s *shelf) {
	const owners, each = 8, 5
	var wg sync.WaitGroup
	for range owners {
		wg.Go(func() {
			for range each {
				for {
					next, err := s.Next(s.Context(), s.chain, s.signer)
					if err == nil {
						err = s.Take(s.Context(), s.chain, s.tx(next, word32()), outbox.Claiming{Owner: uuid.New(), Lease: time.Minute})
					}
					if err == nil {
						break
					}
					if !errors.Is(err, outbox.ErrNumberTaken) {
						s.Errorf("take: %v", err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	s.wantNext(owners * each)
}

func testOutboxPayments(s *shelf) {
	a, b, c := word32(), word32(), word32()
	first := s.tx(0, a, b)
	s.take(first, 0, nil)
	s.take(s.tx(1, c, a), 0, outbox.ErrCarried)
	s.wantNext(1) // nothing was written
	other := s.tx(0, b)
	other.Signer[0]++
	s.take(other, 0, outbox.ErrCarried)
	s.take(s.tx(1, c), 0, nil)
	got, _ := s.carrying(a, b)
	if len(got) != 1 || got[0].Nonce != 0 || got[0].Signer != s.signer || got[0].Newest() != first.Newest() ||
		string(got[0].Raw) != string(first.Raw) || !slices.Equal(got[0].Payments, first.Payments) || !got[0].LapsesAt.Equal(first.LapsesAt) {
		s.Errorf("carrying: got %+v, want %+v", got, first)
	}
	if err := s.Finish(s.Context(), s.chain, s.signer, 0, nil, 0); err != nil {
		s.Fatal(err)
	}
	if got, _ := s.carrying(a, b); len(got) != 0 {
		s.Errorf("carrying, finished: got %+v, want none", got)
	}
	s.take(s.tx(2, a), 0, nil)
}

func testOutboxVersions(s *shelf) {
	tx := s.tx(0, word32())
	s.take(tx, 0, nil)
	second := outbox.Version{Raw: []byte{9}, Hash: common.Hash(word32())}
	if err := s.Replace(s.Context(), s.chain, tx, second, uuid.New()); !errors.Is(err, outbox.ErrNotOwner) {
		s.Errorf("replacing another's: got %v, want ErrNotOwner", err)
	}
	if err := s.Replace(s.Context(), s.chain, tx, second, s.owner); err != nil {
		s.Fatal(err)
	}
	if err := s.Replace(s.Context(), s.chain, tx, second, s.owner); !errors.Is(err, outbox.ErrNotOwner) {
		s.Errorf("replacing what is not the newest: got %v, want ErrNotOwner", err)
	}
	got := s.tend(s.owner, time.Minute)
	if len(got) != 1 || string(got[0].Raw) != "\x09" || !slices.Equal(got[0].Hashes, []common.Hash{tx.Hashes[0], second.Hash}) {
		s.Errorf("tended: got %+v, want both versions", got)
	}
	if err := s.Finish(s.Context(), s.chain, s.signer, 0, &second.Hash, 0); err != nil {
		s.Fatal(err)
	}
	if err := s.Replace(s.Context(), s.chain, &got[0], second, s.owner); !errors.Is(err, outbox.ErrNotOwner) {
		s.Errorf("replacing what is finished: got %v, want ErrNotOwner", err)
	}
}

func testOutboxLeases(s *shelf) {
	heir := uuid.New()
	s.take(s.tx(0, word32()), 0, nil)
	s.take(s.tx(1, word32()), 0, nil)
	if got := s.tend(heir, time.Minute); len(got) != 0 {
		s.Errorf("tended by another: got %+v, want none", got)
	}
	if got := s.tend(s.owner, -time.Second); len(got) != 2 { // the lease has ended
		s.Errorf("tended by the owner: got %+v, want two", got)
	}
	if got := s.tend(heir, time.Minute); len(got) != 2 {
		s.Errorf("tended by another after the lease: got %+v, want two", got)
	}
	if got := s.tend(s.owner, time.Minute); len(got) != 0 {
		s.Errorf("tended by the former owner: got %+v, want none", got)
	}
	if err := s.Release(s.Context(), heir); err != nil {
		s.Fatal(err)
	}
	if err := s.Finish(s.Context(), s.chain, s.signer, 0, nil, 0); err != nil {
		s.Fatal(err)
	}
	if got := s.tend(s.owner, time.Minute); len(got) != 1 || got[0].Nonce != 1 {
		s.Errorf("tended after release: got %+v, want the open one", got)
	}
}

func testOutboxChains(s *shelf) {
	payment := word32()
	s.take(s.tx(0, payment), 0, nil)
	s.chain.Genesis = common.Hash(word32()) // the chain was started anew
	s.wantNext(0)
	if got, _ := s.carrying(payment); len(got) != 0 {
		s.Errorf("carrying: got %+v, want none on a chain that is new", got)
	}
	s.take(s.tx(0, payment), 0, nil)
}

// testOutboxMinedMeanwhile: an instance that looked before a payment's transaction was mined does not know that it is
// settled. The outbox must stop it from sending the payment again.
func testOutboxMinedMeanwhile(s *shelf) {
	paid, lost := word32(), word32()
	hash := common.Hash(word32())
	open, lookedAt := s.carrying(paid, lost)
	if len(open) > 0 {
		s.Errorf("carrying: got %+v, want none", open)
	}
	s.take(s.tx(0, paid), 0, nil)
	s.take(s.tx(1, lost), 0, nil)
	for nonce, mined := range []*common.Hash{&hash, nil} {
		if err := s.Finish(s.Context(), s.chain, s.signer, uint64(nonce), mined, 0); err != nil {
			s.Fatal(err)
		}
	}
	claim := outbox.Claiming{Owner: s.owner, Lease: time.Minute, LookedAt: lookedAt}
	if err := s.Take(s.Context(), s.chain, s.tx(2, paid), claim); !errors.Is(err, outbox.ErrCarried) {
		s.Errorf("take what was mined meanwhile: got %v, want ErrCarried", err)
	}
	if err := s.Take(s.Context(), s.chain, s.tx(2, lost), claim); err != nil {
		s.Errorf("take what lost its nonce: %v", err)
	}
	s.take(s.tx(3, paid), 0, nil) // looked up since then
}

// testOutboxReopens shows that a finished transaction that the chain has lost is reopened once, unchanged.
func testOutboxReopens(s *shelf) {
	payment := word32()
	tx := s.tx(0, payment)
	s.take(tx, 0, nil)
	reopen := func(nonce uint64, owner uuid.UUID) (outbox.Tx, error) {
		return s.Reopen(s.Context(), s.chain, s.signer, nonce, owner, time.Minute)
	}
	if _, err := reopen(0, s.owner); !errors.Is(err, outbox.ErrNotFinished) {
		s.Errorf("reopen what is open: got %v, want ErrNotFinished", err)
	}
	hash := tx.Newest()
	if err := s.Finish(s.Context(), s.chain, s.signer, 0, &hash, 0); err != nil {
		s.Fatal(err)
	}
	other := uuid.New()
	got, err := reopen(0, other)
	if err != nil || got.Nonce != 0 || !slices.Equal(got.Hashes, tx.Hashes) || !slices.Equal(got.Raw, tx.Raw) || !slices.Equal(got.Payments, tx.Payments) {
		s.Fatalf("reopen: got %+v, %v, want %+v", got, err, tx)
	}
	for _, nonce := range []uint64{0, 1} {
		if _, err := reopen(nonce, s.owner); !errors.Is(err, outbox.ErrNotFinished) {
			s.Errorf("reopen %d again: got %v, want ErrNotFinished", nonce, err)
		}
	}
	if open, _ := s.carrying(payment); len(open) != 1 {
		s.Errorf("carrying: got %+v, want the transaction", open)
	}
	if err := s.Take(s.Context(), s.chain, s.tx(1, payment), outbox.Claiming{Owner: s.owner, Lease: time.Minute}); !errors.Is(err, outbox.ErrCarried) {
		s.Errorf("take its payment: got %v, want ErrCarried", err)
	}
	if mine, err := s.Tend(s.Context(), s.chain, []common.Address{s.signer}, other, time.Minute); err != nil || len(mine) != 1 {
		s.Errorf("tend: got %+v, %v, want the transaction, for its new owner", mine, err)
	}
	if err := s.Finish(s.Context(), s.chain, s.signer, 0, &hash, 0); err != nil {
		s.Fatal(err)
	}
	// Even if another transaction now carries its payment, the number can be reopened.
	s.take(s.tx(1, payment), 0, nil)
	if _, err := reopen(0, s.owner); err != nil {
		s.Errorf("reopen beside another with its payment: %v", err)
	}
}

// Transactions of an instance that has ended are taken over at once, and the ended instance sends nothing new.
func TestOutboxOfAnEndedInstance(t *testing.T) {
	t.Parallel()
	pool, signer := claimstest.NewPool(t), word32()
	a := claimstest.Postgres(t, pool)
	ended, lives := uuid.New(), uuid.New()
	a.As(ended)
	a.As(lives)
	s := &shelf{
		T: t, Store: outbox.NewPostgres(pool, ended), owner: uuid.New(), signer: common.BytesToAddress(signer[:]),
		chain: outbox.ChainKey{ID: 84532, Genesis: common.Hash(word32())},
	}
	s.take(s.tx(0, word32()), 0, nil)
	heir := *s
	heir.Store, heir.owner = outbox.NewPostgres(pool, lives), uuid.New()
	if got := heir.tend(heir.owner, time.Minute); len(got) != 0 {
		t.Errorf("while it lives: got %+v, want none", got)
	}
	a.End(ended)
	s.take(s.tx(1, word32()), 1, outbox.ErrNotOwner)
	if got := heir.tend(heir.owner, time.Minute); len(got) != 1 {
		t.Errorf("once it has ended: got %+v, want what it has sent", got)
	}
	if got := s.tend(s.owner, time.Minute); len(got) != 0 {
		t.Errorf("by the ended one: got %+v, want none", got)
	}
}

// word32 returns 32 bytes that no other test uses.
func word32() (w [32]byte) {
	id := uuid.New()
	copy(w[16:], id[:])
	return w
}
