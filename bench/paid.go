//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/turnpike-edge/turnpike/bench/proc"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// crowd is a number of payments, of which atOnce run at a time.
type crowd struct{ payments, atOnce int }

// crowds take turns in every round of payments. With the node's own numbering of transactions, an account that settles 60
// payments 16 at a time would lose most of them.
var crowds = [...]crowd{{5, 1}, {60, 16}, {200, 200}}

// The crowds that the floors refer to.
const (
	crowdAlone   = 0
	crowdLargest = len(crowds) - 1
)

// paidTurn is the result of one crowd.
type paidTurn struct {
	buyResult

	transactions int    // that settled it
	gas          uint64 // of all transactions
	edge         time.Duration
	postgres     time.Duration
}

func (t *paidTurn) payments() float64  { return float64(len(t.Transactions)) }
func (t *paidTurn) gasEach() float64   { return float64(t.gas) / t.payments() }
func (t *paidTurn) perSecond() float64 { return t.payments() / t.Took.Seconds() }

// each is CPU time in milliseconds per payment.
func (t *paidTurn) each(cpu time.Duration) float64 { return cpu.Seconds() * 1e3 / t.payments() }

func (t *paidTurn) String() string {
	return fmt.Sprintf("%.0f payments by %d transactions in %s, %.0f gas each", t.payments(), t.transactions, t.Took.Round(time.Millisecond), t.gasEach())
}

// paidRound is one turn of each crowd.
type paidRound [len(crowds)]paidTurn

// market is an edge that charges by x402, and the chain on which it is paid.
type market struct {
	b      *bench
	chain  *process
	rpc    *ethclient.Client
	rpcURL string
	asset  common.Address
	side   *side
	earned int64 // millionths of a USDC: what the recipient must have
}

// measurePaid has crowds pay through the whole gate: challenge, checks on the chain, claim in the ledger, upstream,
// settlement on a development chain, receipt.
func (b *bench) measurePaid(ctx context.Context) (rounds []paidRound, err error) {
	m := &market{b: b, asset: x402.BaseSepolia().Asset}
	defer m.close()
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	// Opens connections, and gives the recipient its first tokens, which takes more gas.
	if _, err := m.turn(ctx, crowd{payments: 2, atOnce: 2}); err != nil {
		return nil, err
	}
	rounds = make([]paidRound, b.rounds)
	for i := range rounds {
		for k := range crowds {
			at := (i + k) % len(crowds)
			if rounds[i][at], err = m.turn(ctx, crowds[at]); err != nil {
				return nil, fmt.Errorf("%d payments, %d at once: %w", crowds[at].payments, crowds[at].atOnce, err)
			}
			fmt.Fprintf(os.Stderr, "bench: round %d: %d at once: %s\n", i+1, crowds[at].atOnce, &rounds[i][at])
		}
	}
	return rounds, nil
}

func (m *market) open(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if m.chain, err = spawn(ctx, m.b.rest, self, []string{"chain"}, nil); err != nil {
		return err
	}
	if m.rpcURL, err = m.chain.line(); err != nil {
		return fmt.Errorf("starting the chain: %w", err)
	}
	if m.rpc, err = ethclient.DialContext(ctx, m.rpcURL); err != nil {
		return fmt.Errorf("asking the chain: %w", err)
	}
	const database = "bench_paid"
	if err := m.b.postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	url := m.b.postgres.URL(database)
	if _, err := db.Migrate(ctx, url); err != nil {
		return err
	}
	m.side, err = startSide(ctx, sidePaid, m.b.server, m.b.dir, m.b.upstreamAddress, m.b.edge, append(gateEnv(url),
		"BENCH_PAY_TO="+recipient().Hex(), "BENCH_RPC_URL="+m.rpcURL, "BENCH_SETTLER_KEY="+hexKey(settler()))...)
	return err
}

func (m *market) close() {
	if m.side != nil {
		m.side.process.stop()
	}
	if m.rpc != nil {
		m.rpc.Close()
	}
	if m.chain != nil {
		m.chain.stop()
	}
}

// turn runs a crowd, and compares its receipts with the chain.
func (m *market) turn(ctx context.Context, c crowd) (t paidTurn, err error) {
	plan, err := json.Marshal(buyPlan{URL: "http://" + m.side.address + "/reports/today", Payments: c.payments, AtOnce: c.atOnce})
	if err != nil {
		return t, err
	}
	self, err := os.Executable()
	if err != nil {
		return t, err
	}
	load, err := spawn(ctx, m.b.rest, self, []string{"buy", string(plan)}, nil)
	if err != nil {
		return t, err
	}
	defer load.stop()
	if _, err := load.line(); err != nil { // all are signed
		return t, err
	}
	before, err := m.read()
	if err != nil {
		return t, err
	}
	line, err := load.line()
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal([]byte(line), &t.buyResult); err != nil {
		return t, fmt.Errorf("got %q: %w", line, err)
	}
	after, err := m.read()
	if err != nil {
		return t, err
	}
	t.edge, t.postgres = after.edge-before.edge, after.postgres-before.postgres
	if err := load.wait(); err != nil {
		return t, err
	}
	if len(t.Faults) > 0 || len(t.Transactions) != c.payments {
		return t, fmt.Errorf("%d of %d were served; first fault: %q", len(t.Transactions), c.payments, firstOf(t.Faults))
	}
	return t, m.audit(ctx, &t)
}

func firstOf(faults []string) string {
	if len(faults) == 0 {
		return ""
	}
	return faults[0]
}

func (m *market) read() (c clocks, err error) {
	if c.edge, err = proc.CPUOf(m.side.process.pid()); err != nil {
		return c, fmt.Errorf("reading CPU times: %w", err)
	}
	if c.postgres, err = proc.CPUOfTree(m.b.postgres.PID()); err != nil {
		return c, fmt.Errorf("reading CPU times: %w", err)
	}
	return c, nil
}

// audit adds up the gas of the turn's transactions, and checks that each payment moved its amount once: the recipient has
// exactly the price of the served requests.
func (m *market) audit(ctx context.Context, t *paidTurn) error {
	moved := 0
	seen := map[common.Hash]bool{}
	for _, text := range t.Transactions {
		hash := common.HexToHash(text)
		if seen[hash] {
			continue
		}
		seen[hash] = true
		receipt, err := m.rpc.TransactionReceipt(ctx, hash)
		if err != nil {
			return fmt.Errorf("receipt of %s: %w", hash, err)
		}
		if receipt.Status != types.ReceiptStatusSuccessful {
			return fmt.Errorf("transaction %s has reverted", hash)
		}
		t.gas += receipt.GasUsed
		moved += m.transfers(receipt)
	}
	t.transactions = len(seen)
	if moved != len(t.Transactions) {
		return fmt.Errorf("%d transfers for %d payments", moved, len(t.Transactions))
	}
	m.earned += int64(moved) * priceEach
	balance, err := m.balance(ctx)
	if err != nil {
		return err
	}
	if balance != m.earned {
		return fmt.Errorf("the recipient has %d millionths of a USDC, want %d", balance, m.earned)
	}
	return nil
}

var errNotPaid = errors.New("no receipt of a transaction")
