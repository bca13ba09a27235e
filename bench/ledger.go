//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// ledger is the database of the metered side.
type ledger struct {
	pool    *pgxpool.Pool
	check   *credits.Ledger
	revenue int64
}

const (
	// creditsEach is more than one key can spend in any run.
	creditsEach = 1_000_000_000
	// accountFirst is above the accounts that the schema itself creates.
	accountFirst = 1000
)

func openLedger(ctx context.Context, url string) (*ledger, error) {
	if _, err := db.Migrate(ctx, url); err != nil {
		return nil, err
	}
	pool, err := db.Open(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	l := &ledger{pool: pool, check: credits.NewLedger(pool)}
	l.revenue, err = db.New(pool).HouseAccount(ctx, db.HouseAccountParams{Kind: "revenue", Unit: "credit"})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("finding the revenue account: %w", err)
	}
	return l, nil
}

// fill creates n teams, each with an account, credits and a key, and returns the keys.
func (l *ledger) fill(ctx context.Context, n int) ([]string, error) {
	promo, err := db.New(l.pool).HouseAccount(ctx, db.HouseAccountParams{Kind: "promo", Unit: "credit"})
	if err != nil {
		return nil, fmt.Errorf("finding the promo account: %w", err)
	}
	keys, hashes, teams := make([]string, n), make([]apikey.Hash, n), make([]string, n)
	for i := range n {
		keys[i], teams[i] = apikey.New(), token.New("team")
		if hashes[i], err = apikey.Parse(keys[i]); err != nil {
			return nil, fmt.Errorf("reading a new key: %w", err)
		}
	}
	account := func(i int) int64 { return int64(accountFirst + i) }
	for _, t := range []struct {
		table   string
		columns []string
		row     func(i int) []any
	}{
		{"team", []string{"id"}, func(i int) []any { return []any{teams[i]} }},
		{"ledger_account", []string{"id", "team_id", "kind", "unit", "available"}, func(i int) []any {
			return []any{account(i), teams[i], "customer", "credit", int64(creditsEach)}
		}},
		{"ledger_transfer", []string{"debit_account", "credit_account", "amount", "unit", "kind", "idem_key"}, func(i int) []any {
			return []any{promo, account(i), int64(creditsEach), "credit", "grant", teams[i]}
		}},
		{"api_key", []string{"public_id", "team_id", "account_id", "hash", "display"}, func(i int) []any {
			return []any{token.New("key"), teams[i], account(i), hashes[i][:], apikey.Display(keys[i])}
		}},
	} {
		rows := pgx.CopyFromSlice(n, func(i int) ([]any, error) { return t.row(i), nil })
		if _, err := l.pool.CopyFrom(ctx, pgx.Identifier{t.table}, t.columns, rows); err != nil {
			return nil, fmt.Errorf("filling %s: %w", t.table, err)
		}
	}
	return keys, l.tidy(ctx)
}

// walSegments are created before the turns: 16 MB each, about a kilobyte a request.
const walSegments = 40

// tidy brings the loaded data into the state of a database that has run for a while: analysed, and with log segments to
// reuse. A new cluster creates each segment on first use, and every commit waits for that.
func (l *ledger) tidy(ctx context.Context) error {
	commands := []string{"vacuum analyze"}
	for range walSegments {
		commands = append(commands, "select pg_logical_emit_message(true, 'bench', 'a segment'), pg_switch_wal()")
	}
	for _, command := range append(commands, "checkpoint") {
		if _, err := l.pool.Exec(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// addUp folds the recorded usage, and returns the number of entries: one for each account of a batch.
func (l *ledger) addUp(ctx context.Context) (entries int64, err error) {
	q := db.New(l.pool)
	if entries, err = q.CountUsageToFold(ctx); err != nil {
		return 0, fmt.Errorf("counting what was used: %w", err)
	}
	return entries, credits.FoldUsage(ctx, q, 0)
}

// settleTimeout is how long after the last response its capture may take.
const settleTimeout = 10 * time.Second

// await waits until the ledger has taken want credits in all. It is an error if it took more or less.
func (l *ledger) await(ctx context.Context, want int64) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		taken, _, err := l.check.Totals(ctx, l.revenue)
		if err != nil {
			return err
		}
		if int64(taken) == want {
			return nil
		}
		if int64(taken) > want {
			return fmt.Errorf("the ledger has taken %d credits for %d responses", taken, want)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("the ledger has taken only %d credits for %d responses", taken, want)
		}
	}
}

// expect is await, and an error too if a balance is not the sum of its transfers. That takes seconds of Postgres.
func (l *ledger) expect(ctx context.Context, want int64) error {
	if err := l.await(ctx, want); err != nil {
		return err
	}
	wrong, err := l.check.Check(ctx)
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the ledger has %d differences, the first: team %s: %s", len(wrong), wrong[0].TeamID, wrong[0].Detail)
	}
	return nil
}
