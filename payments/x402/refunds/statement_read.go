package refunds

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// statementSince is how far back reading starts for a statement that was never read.
const statementSince = 31 * 24 * time.Hour

// StatementAudit is the result of [Auditor.Statements].
type StatementAudit struct {
	// Transfers is the number of transfers to our accounts in these blocks.
	Transfers int
	// Unmatched are transfers that no claim explains, and refunds that are not recorded.
	Unmatched []Unmatched
	// Plain counts the transfers to our accounts that no authorisation made, which anybody can send; PlainSum is their
	// total. Others counts transfers from our accounts by authorisations that are no refunds.
	Plain, Others int
	PlainSum      *big.Int
	// Elsewhere lists networks that have accounts but no node.
	Elsewhere []string
}

// Statements reads the transfers of all accounts that received payments, from where [Auditor.ReadStatements] stopped,
// or since a time, up to the newest confirmed block. It only reads. The result includes earlier unresolved findings.
func (a *Auditor) Statements(ctx context.Context, since time.Time) (StatementAudit, error) {
	out := StatementAudit{PlainSum: new(big.Int)}
	known, err := a.Unmatched(ctx, false)
	if err != nil {
		return out, err
	}
	out.Unmatched = known
	accounts, err := a.q.ListPaidAccounts(ctx)
	if err != nil {
		return out, fmt.Errorf("listing accounts: %w", err)
	}
	for _, row := range accounts {
		p, err := a.payee(row)
		if errors.Is(err, evm.ErrNoNode) {
			if !slices.Contains(out.Elsewhere, row.Network) {
				out.Elsewhere = append(out.Elsewhere, row.Network)
			}
			continue
		}
		if err == nil {
			err = a.readOn(ctx, p, since, &out)
		}
		if err != nil {
			return out, fmt.Errorf("account %s on %s: %w", row.PayTo, row.Network, err)
		}
	}
	return out, nil
}

func (a *Auditor) readOn(ctx context.Context, p *payee, since time.Time, out *StatementAudit) error {
	newest, err := p.chain.ConfirmedBlock(ctx)
	if err != nil {
		return err
	}
	var first uint64
	read, err := a.q.StatementRead(ctx, p.statement())
	switch {
	case err == nil:
		first = uint64(read.Block) + 1 //nolint:gosec // block numbers are far below
	case errors.Is(err, pgx.ErrNoRows):
		first, err = p.chain.FirstBlock(ctx, newest, since)
	}
	if err != nil {
		return fmt.Errorf("finding the first block to read: %w", err)
	}
	for from := first; from <= uint64(newest.Number); from += evm.PageBlocks {
		page, err := p.chain.Page(ctx, p.address, from, min(from+evm.PageBlocks-1, uint64(newest.Number)))
		if err != nil {
			return err
		}
		m, err := a.match(ctx, p, page)
		if err != nil {
			return err
		}
		out.Transfers += len(page.In)
		for i := range m.unmatched {
			if !m.unmatched[i].unfinished(a.now()) {
				out.Unmatched = append(out.Unmatched, m.unmatched[i])
			}
		}
		out.Plain, out.Others = out.Plain+m.plain, out.Others+m.others
		out.PlainSum.Add(out.PlainSum, m.plainSum)
	}
	return nil
}

func (p *payee) statement() db.StatementReadParams {
	return db.StatementReadParams{Network: p.Network, Asset: p.Asset, PayTo: p.PayTo}
}

// ReadStatements continues reading the statements of all accounts up to the chain's final blocks. It records which
// claims' payments are there, and which transfers no claim explains. Several programs may run it at once. Accounts on
// networks without a node are left out.
func (a *Auditor) ReadStatements(ctx context.Context) error {
	accounts, err := a.q.ListPaidAccounts(ctx)
	if err != nil {
		return fmt.Errorf("listing accounts: %w", err)
	}
	var errs []error
	for _, row := range accounts {
		p, err := a.payee(row)
		if errors.Is(err, evm.ErrNoNode) {
			continue
		}
		if err == nil {
			err = a.readFinal(ctx, p)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("account %s on %s: %w", row.PayTo, row.Network, err))
		}
	}
	return errors.Join(errs...)
}

func (a *Auditor) readFinal(ctx context.Context, p *payee) error {
	final, err := p.chain.FinalBlock(ctx)
	if err != nil {
		return err
	}
	read, err := a.openStatement(ctx, p, final)
	if err != nil {
		return err
	}
	for was := read.Block; was < int64(final.Number); { //nolint:gosec // block numbers are far below
		from := uint64(was) + 1 //nolint:gosec // as above
		to := min(from+evm.PageBlocks-1, uint64(final.Number))
		page, err := p.chain.Page(ctx, p.address, from, to)
		if err != nil {
			return err
		}
		m, err := a.match(ctx, p, page)
		if err != nil {
			return err
		}
		last, err := p.chain.Block(ctx, to)
		if err != nil {
			return err
		}
		moved, err := a.q.NoteStatement(ctx, m.note(p, was, last))
		if err != nil {
			return fmt.Errorf("recording what was read: %w", err)
		}
		if moved == 0 {
			return nil // another program continues
		}
		was = int64(to) //nolint:gosec // as above
	}
	return nil
}

// openStatement returns how far a statement was read. A new one begins at the first known payment.
func (a *Auditor) openStatement(ctx context.Context, p *payee, final evm.Head) (db.StatementReadRow, error) {
	read, err := a.q.StatementRead(ctx, p.statement())
	if !errors.Is(err, pgx.ErrNoRows) {
		return read, err
	}
	first, err := a.q.FirstPaymentOffStatement(ctx, db.FirstPaymentOffStatementParams(p.statement()))
	if err != nil {
		return read, fmt.Errorf("finding the first payment: %w", err)
	}
	since := first.Add(-evm.ClockMargin)
	if earliest := a.now().Add(-statementSince); since.Before(earliest) {
		since = earliest
	}
	block, err := p.chain.FirstBlock(ctx, final, since)
	if err != nil {
		return read, fmt.Errorf("finding the first block: %w", err)
	}
	err = a.q.OpenStatement(ctx, db.OpenStatementParams{
		Network: p.Network, Asset: p.Asset, PayTo: p.PayTo, Block: int64(block) - 1, Since: since, //nolint:gosec // far below
	})
	if err != nil {
		return read, fmt.Errorf("opening the statement: %w", err)
	}
	return a.q.StatementRead(ctx, p.statement())
}

// note returns what is stored about a page.
func (m *matched) note(p *payee, was int64, last evm.Head) db.NoteStatementParams {
	n := db.NoteStatementParams{
		Network: p.Network, Asset: p.Asset, PayTo: p.PayTo, Was: was, Block: int64(last.Number), BlockTime: last.Time(), //nolint:gosec // far below
		Claims: []uuid.UUID{}, ClaimBlocks: []int64{}, ClaimTransactions: []string{},
		Transactions: []string{}, Logs: []int64{}, Directions: []string{}, Payers: []string{}, Nonces: [][]byte{}, Amounts: []int64{},
		ClaimIds: []uuid.UUID{}, Blocks: []int64{},
	}
	for _, f := range m.claims {
		n.Claims = append(n.Claims, f.claim)
		n.ClaimBlocks = append(n.ClaimBlocks, int64(f.block)) //nolint:gosec // far below
		n.ClaimTransactions = append(n.ClaimTransactions, f.transaction)
	}
	for i := range m.unmatched {
		u := &m.unmatched[i]
		direction, claim := "in", uuid.Nil
		if u.Out {
			direction, claim = "out", uuid.MustParse(u.Claim)
		}
		n.Transactions, n.Logs = append(n.Transactions, u.Transaction), append(n.Logs, u.Log)
		n.Directions, n.Payers = append(n.Directions, direction), append(n.Payers, u.Payer)
		n.Nonces, n.Amounts = append(n.Nonces, u.Nonce[:]), append(n.Amounts, int64(u.Amount))
		n.ClaimIds, n.Blocks = append(n.ClaimIds, claim), append(n.Blocks, int64(u.block)) //nolint:gosec // far below
	}
	return n
}

// Unmatched lists the transfers on the statements that no claim explains, the oldest first. With all, it includes those
// that were resolved or are explained by now.
func (a *Auditor) Unmatched(ctx context.Context, all bool) ([]Unmatched, error) {
	rows, err := a.q.ListUnmatched(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("listing unmatched transfers: %w", err)
	}
	out := make([]Unmatched, 0, len(rows))
	for i := range rows {
		r := &rows[i]
		u := Unmatched{
			Network: r.Network, Transaction: r.Transaction, Log: r.Log, Out: r.Direction == "out", Claim: r.Claim, State: claims.State(r.State),
			PayTo: r.PayTo, Payer: r.Payer, Amount: money.MicroUSDC(r.Amount), claimedAt: r.ClaimedAt,
		}
		copy(u.Nonce[:], r.Nonce)
		if r.ResolvedBy != nil && r.Resolution != nil {
			u.ResolvedBy, u.Resolution = *r.ResolvedBy, *r.Resolution
		}
		if all || !u.unfinished(a.now()) {
			out = append(out, u)
		}
	}
	return out, nil
}

// ErrNotUnmatched says that there is no such unresolved transfer.
var ErrNotUnmatched = errors.New("no such unmatched transfer is unresolved")

// Resolve records that a person has looked into an unmatched transfer, and what was done.
func (a *Auditor) Resolve(ctx context.Context, transaction string, log int64, by, note string) error {
	n, err := a.q.ResolveUnmatched(ctx, db.ResolveUnmatchedParams{Transaction: transaction, Log: log, ResolvedBy: by, Resolution: note})
	if err != nil {
		return fmt.Errorf("resolving: %w", err)
	}
	if n == 0 {
		return ErrNotUnmatched
	}
	return nil
}
