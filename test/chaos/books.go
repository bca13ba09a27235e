package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// books are all records at the end of the storm: the database, the chains, and the upstreams' records of their jobs.
type books struct {
	teams     []team
	repeaters []team
	locked    [2]time.Time
	absences  []absence
	holds     map[uuid.UUID]hold
	charges   map[int64]exposure // by account, from the ledger
	balances  map[string]credits.Balance
	jobs      map[string]*work
	asked     []*repeated          // what clients requested several times
	payers    map[string]uuid.UUID // by Idempotency-Key: the hold or claim that is to pay for the response
	claims    map[paymentKey]*db.ListClaimEndsRow
	transfers map[string]int64 // of x402, by claim
	chain     map[paymentKey]*settlement
	settledOn []int  // payments, by chain
	earned    uint64 // our income according to the chain

	topups map[string]*db.ListTopupsWithEntriesRow
	oracle stripetest.Oracle // what was really charged to cards

	differences []credits.Difference
	overdrawn   []db.ListOverdrawnRow
}

// hold is an authorisation as recorded in the database.
type hold struct {
	account  int64
	amount   money.Credits
	open     bool
	captured bool
}

func readBooks(ctx context.Context, p *place) (*books, error) {
	pool, err := db.Open(ctx, p.databaseURL, nil)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	b := &books{teams: p.teams, repeaters: p.repeaters, absences: p.absences, locked: p.locked}
	if p.repeats != nil {
		b.asked = p.repeats.things
	}
	return b, errors.Join(b.readCredits(ctx, pool), b.readJobs(ctx, pool, p.journal()), b.readClaims(ctx, pool), b.readPayers(ctx, pool),
		b.readChains(ctx, p), b.readTopups(ctx, pool, p))
}

func (b *books) readCredits(ctx context.Context, pool *pgxpool.Pool) error {
	q := db.New(pool)
	holds, err := q.ListHoldEnds(ctx)
	if err != nil {
		return fmt.Errorf("reading the holds: %w", err)
	}
	b.holds = make(map[uuid.UUID]hold, len(holds))
	for _, h := range holds {
		b.holds[h.ID] = hold{account: h.AccountID, amount: money.Credits(h.Amount), open: h.Open, captured: h.Captured}
	}
	charges, err := q.SumCharges(ctx)
	if err != nil {
		return fmt.Errorf("reading the charges: %w", err)
	}
	b.charges = make(map[int64]exposure, len(charges))
	for _, c := range charges {
		b.charges[c.AccountID] = exposure{int(c.Requests), money.Credits(c.Credits)}
	}
	ledger := credits.NewLedger(pool)
	b.balances = make(map[string]credits.Balance, len(b.teams)+len(b.repeaters))
	for _, t := range slices.Concat(b.teams, b.repeaters) {
		if b.balances[t.id], err = ledger.Balance(ctx, t.id); err != nil {
			return err
		}
	}
	if b.differences, err = ledger.Check(ctx); err != nil {
		return err
	}
	if b.overdrawn, err = q.ListOverdrawn(ctx); err != nil {
		return fmt.Errorf("looking for overdrawn accounts: %w", err)
	}
	return nil
}

func (b *books) readJobs(ctx context.Context, pool *pgxpool.Pool, journal string) (err error) {
	if b.jobs, err = readJournal(journal); err != nil {
		return err
	}
	scrapes, err := listScrapes(ctx, pool)
	maps.Copy(b.jobs, scrapes)
	return err
}

func (b *books) readPayers(ctx context.Context, pool *pgxpool.Pool) error {
	rows, err := db.New(pool).ListIdempotencyPayers(ctx)
	if err != nil {
		return fmt.Errorf("reading who pays for kept answers: %w", err)
	}
	b.payers = make(map[string]uuid.UUID, len(rows))
	for _, row := range rows {
		b.payers[row.Key] = row.Payer
	}
	return nil
}

func (b *books) readClaims(ctx context.Context, pool *pgxpool.Pool) error {
	q := db.New(pool)
	rows, err := q.ListClaimEnds(ctx)
	if err != nil {
		return fmt.Errorf("reading the claims: %w", err)
	}
	b.claims = make(map[paymentKey]*db.ListClaimEndsRow)
	for i := range rows {
		b.claims[paymentKey{common.HexToAddress(rows[i].Payer), common.BytesToHash(rows[i].Nonce)}] = &rows[i]
	}
	transfers, err := q.ListClaimTransfers(ctx)
	if err != nil {
		return fmt.Errorf("reading the transfers: %w", err)
	}
	b.transfers = make(map[string]int64)
	for _, t := range transfers {
		b.transfers[t.ClaimID] += t.Amount
	}
	return nil
}

var (
	topicTransfer = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
	topicUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
)

// settlement is a payment as recorded on the chain.
type settlement struct {
	tx    common.Hash
	to    common.Address
	units uint64
	times int
}

// readChains reads every use of an authorisation from the chains, and the transfer it made.
func (b *books) readChains(ctx context.Context, p *place) error {
	b.chain, b.earned = make(map[paymentKey]*settlement), 0
	for _, c := range p.chains() {
		before := len(b.chain)
		if err := b.readChain(ctx, c); err != nil {
			return err
		}
		b.settledOn = append(b.settledOn, len(b.chain)-before)
	}
	return nil
}

func (b *books) readChain(ctx context.Context, c *chain.Chain) error {
	logs, err := c.Client().FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{c.Token()}, Topics: [][]common.Hash{{topicTransfer, topicUsed}},
	})
	if err != nil {
		return fmt.Errorf("reading the token's events: %w", err)
	}
	moved := make(map[common.Hash]*types.Log)
	for i := range logs {
		if logs[i].Topics[0] == topicTransfer {
			moved[logs[i].TxHash] = &logs[i]
		}
	}
	for i := range logs {
		if logs[i].Topics[0] != topicUsed {
			continue
		}
		key := paymentKey{common.BytesToAddress(logs[i].Topics[1].Bytes()), logs[i].Topics[2]}
		s := b.chain[key]
		if s == nil {
			s = &settlement{tx: logs[i].TxHash}
			b.chain[key] = s
		}
		s.times++
		if log := moved[s.tx]; log != nil {
			s.to, s.units = common.BytesToAddress(log.Topics[2].Bytes()), new(big.Int).SetBytes(log.Data).Uint64()
		}
	}
	earned, err := c.Balance(ctx, payTo)
	b.earned += earned
	return err
}

func (b *books) readTopups(ctx context.Context, pool *pgxpool.Pool, p *place) error {
	rows, err := db.New(pool).ListTopupsWithEntries(ctx, db.ListTopupsWithEntriesParams{Until: time.Now().Add(time.Hour)})
	if err != nil {
		return fmt.Errorf("reading the top-ups: %w", err)
	}
	b.topups = make(map[string]*db.ListTopupsWithEntriesRow, len(rows))
	for i := range rows {
		b.topups[rows[i].ID] = &rows[i]
	}
	if p.stripeFake != nil {
		b.oracle = p.stripeFake.double.Oracle()
	}
	return nil
}

// awaitSwept waits until the edges have finished what dead edges left behind.
func (p *place) awaitSwept(ctx context.Context) error {
	pool, err := db.Open(ctx, p.databaseURL, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for q, hastened := db.New(pool), (time.Time{}); ; {
		// No request works on a purchase any more, so the sweepers need not wait for it to be a minute old.
		if time.Since(hastened) >= hastenEvery {
			if p.stripeFake != nil {
				p.stripeFake.decide()
			}
			if err := q.HastenTopups(ctx); err != nil {
				return fmt.Errorf("having top-ups looked for: %w", err)
			}
			hastened = time.Now()
		}
		open, err := q.CountUnfinished(ctx)
		if err != nil {
			return fmt.Errorf("looking for what is unfinished: %w", err)
		}
		if open.OpenHolds == 0 && open.OpenClaims == 0 && open.OpenTopups == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%d holds, %d claims and %d top-ups are still open: %w", open.OpenHolds, open.OpenClaims, open.OpenTopups, context.Cause(ctx))
		}
	}
}
