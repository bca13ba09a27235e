// Package claimstest opens stores of claims for tests.
package claimstest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// Archive is a claim store that several instances share.
type Archive struct {
	// As opens the store for an instance, which is alive from then on.
	As func(id uuid.UUID) claims.Store
	// Announce records which networks and tokens an instance settles; end ends the instance.
	Announce func(id uuid.UUID, settles ...string)
	End      func(id uuid.UUID)
	// Spend records what transactions on a network cost some days ago.
	Spend func(network string, daysAgo int, cost x402.Gwei)
}

// Memory returns an archive in memory.
func Memory(now func() time.Time) Archive {
	first := uuid.New()
	all := claims.NewMemory(first, now)
	all.End(first)         // the other instances are still alive
	var shift atomic.Int64 // days
	box := outbox.NewMemory(func() time.Time { return now().AddDate(0, 0, int(shift.Load())) })
	all.CountGas(box)
	return Archive{
		As:       func(id uuid.UUID) claims.Store { return all.As(id) },
		Announce: func(id uuid.UUID, settles ...string) { all.Announce(id, append([]string{}, settles...)) },
		End:      all.End,
		Spend: func(network string, daysAgo int, cost x402.Gwei) {
			shift.Store(int64(-daysAgo))
			defer shift.Store(0)
			var chain outbox.ChainKey
			if _, err := fmt.Sscanf(network, "eip155:%d", &chain.ID); err != nil {
				panic(err)
			}
			id := uuid.New()
			tx := outbox.Tx{Signer: common.Address(append(make([]byte, 4), id[:]...)), Hashes: []common.Hash{{}}}
			if err := errors.Join(
				box.Take(context.Background(), chain, &tx, outbox.Claiming{Lease: time.Minute}),
				box.Finish(context.Background(), chain, tx.Signer, 0, &common.Hash{}, cost),
			); err != nil {
				panic(err)
			}
		},
	}
}

// Postgres returns an archive in a database.
func Postgres(t *testing.T, pool *pgxpool.Pool) Archive {
	t.Helper()
	q := db.New(pool)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return Archive{
		As: func(id uuid.UUID) claims.Store {
			must(q.AddTestInstance(t.Context(), id))
			return claims.NewPostgres(pool, id)
		},
		Announce: func(id uuid.UUID, settles ...string) {
			must(q.SetTestSettles(t.Context(), db.SetTestSettlesParams{ID: id, Settles: append([]string{}, settles...)}))
		},
		End: func(id uuid.UUID) { must(q.EndInstance(t.Context(), id)) },
		Spend: func(network string, daysAgo int, cost x402.Gwei) {
			must(q.AddTestGas(t.Context(), db.AddTestGasParams{Network: network, DaysAgo: int32(daysAgo), Cost: int64(cost)}))
		},
	}
}

// Archives are the kinds of store that the tests run on.
func Archives() map[string]func(t *testing.T) Archive {
	return map[string]func(t *testing.T) Archive{
		"memory": func(*testing.T) Archive { return Memory(time.Now) },
		"postgres": func(t *testing.T) Archive {
			t.Helper()
			return Postgres(t, NewPool(t))
		},
	}
}

// PostgresStore is the store of a live instance on a pool.
func PostgresStore(t *testing.T, pool *pgxpool.Pool) *claims.Postgres {
	t.Helper()
	store, ok := Postgres(t, pool).As(uuid.New()).(*claims.Postgres)
	if !ok {
		t.Fatal("want a store on Postgres")
	}
	return store
}

// NewPool returns a pool on a new database that has the current schema.
func NewPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	url := pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := db.Migrate(ctx, url)
		return err
	})
	return pgtest.Open(t, url, nil)
}

// NewRecord returns the record of a payment that no other test has.
func NewRecord(settle price.Settle) *claims.Record {
	id := uuid.New()
	rec := &claims.Record{
		ID: id, Key: claims.Key{Network: "eip155:84532", Asset: "0xA", Payer: "0xP"}, Version: 2, PayTo: "0xT", Amount: 10_000,
		Payment: []byte(`{}`), Method: "POST", URI: "https://h/p", Operation: "scrape", Settle: settle,
		LapsesAt: time.Now().Add(time.Hour), KeepUntil: time.Now().Add(time.Hour), CreatedAt: time.Now(),
	}
	copy(rec.Key.Nonce[:], id[:])
	copy(rec.PayloadHash[:], id[:])
	return rec
}

// MustClaim claims a payment, which must succeed.
func MustClaim(t testing.TB, store claims.Store, rec *claims.Record) {
	t.Helper()
	got, won, err := store.Claim(t.Context(), rec, x402.Checked{})
	if err != nil || !won || got.ID != rec.ID || got.State != claims.StateClaimed {
		t.Fatalf("claim: got %+v, %v, %v", got, won, err)
	}
	if (got.RunAt != nil) != (rec.Settle == price.SettleAfter) {
		t.Errorf("claim: got run at %v under settle %s", got.RunAt, rec.Settle)
	}
}
