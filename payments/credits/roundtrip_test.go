package credits

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// free fails the test unless another session can lock the account at once.
func (b *bench) free(t *testing.T, c customer, after string) {
	t.Helper()
	if _, err := b.pool.Exec(t.Context(), `select from ledger_account where id = $1 for update nowait`, c.account); err != nil {
		t.Errorf("after %s: %v, want the account free until the commit", after, err)
	}
}

// A transaction changes an account only in its commit, so that a client that stops before it blocks nobody.
func TestNoAccountIsLockedOverARoundTrip(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	kept, n := b.open(t, c, 20), c.newJobHold(30)
	b.capture(t, kept, 5)
	err := pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error {
		ledger := NewLedger(tx)
		if _, err := ledger.OpenHold(t.Context(), n); err != nil {
			return err
		}
		b.free(t, c, "opening a hold")
		if _, err := ledger.CloseHold(t.Context(), kept); err != nil {
			return err
		}
		b.free(t, c, "closing a hold")
		b.wants(t, c, 100, 20, 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.wants(t, c, 95, 30, 0)
	b.sound(t)
	var pending int
	if err := b.pool.QueryRow(t.Context(), `select count(*) from ledger_pending`).Scan(&pending); err != nil || pending != 0 {
		t.Errorf("got %d changes pending, %v; want none", pending, err)
	}
}

// Two transactions want credits that suffice for one of them: the second cannot commit, and a retry is refused.
func TestHoldOfWhatOthersHaveTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	open := func(tx pgx.Tx) error {
		_, err := NewLedger(tx).OpenHold(t.Context(), c.newJobHold(60))
		return err
	}
	err := pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error {
		if err := open(tx); err != nil {
			return err
		}
		return pgx.BeginFunc(t.Context(), b.pool, open)
	})
	if !IsUncovered(err) {
		t.Fatalf("got %v of the second transaction, want that its credits are gone", err)
	}
	b.wants(t, c, 100, 60, 0)
	var short *Insufficient
	if err := pgx.BeginFunc(t.Context(), b.pool, open); !errors.As(err, &short) || short.Available != 40 {
		t.Errorf("got %v when it is tried again, want refused with 40 available", err)
	}
	b.sound(t)
}

// The holds of an edge that is gone are released at once, except those of locked accounts, which are released later.
func TestSweepPassesLockedAccounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	gone := b.meter(t, func(c *Config) { c.SweepEvery = time.Hour })
	locked, other := b.customer(t, 100), b.customer(t, 100)
	for range sweepBatch + 1 { // more than a statement sweeps
		b.hold(t, gone, request(locked.account, locked.key, 1))
		b.hold(t, gone, request(other.account, other.key, 1))
	}
	b.exec(t, `update meter_batch set account_ids = account_ids || $2::bigint, key_ids = key_ids || $3::bigint, amounts = amounts || 1::bigint,
		operation_nums = operation_nums || 1::smallint, ended = set_bit(ended, 1, 0) where account_ids[1] = $1`, locked.account, other.account, other.key)
	b.exec(t, `update ledger_account set available = available - $2 where id = $1`, other.account, sweepBatch+1) // each batch of the locked account contains a hold of the other one
	b.lose(t, gone)
	unlock := b.lockAccount(t, locked.account)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for b.balance(t, other.account).Held > 0 { // repeated, since the meter's own sweep may be running
		if _, err := b.ledger.Sweep(ctx); err != nil {
			t.Fatalf("sweeping while an account is locked: %v", err)
		}
	}
	b.wants(t, other, 100, 0, 0)
	b.wants(t, locked, 100, sweepBatch+1, 0)
	unlock()
	b.sweep(t)
	b.wants(t, locked, 100, 0, 0)
	b.sound(t)
}
