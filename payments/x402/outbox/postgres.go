package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Postgres is an [Store] that edges share. Leases use the database's clock.
type Postgres struct {
	q    *db.Queries
	edge *uuid.UUID
}

// duplicateRow is Postgres's error code for a row that conflicts with an existing one.
const duplicateRow = "23505"

var _ Store = (*Postgres)(nil)

// NewPostgres returns the outbox of an instance on a pool with a migrated schema. Once the instance has ended,
// others take over its transactions at once, and it sends nothing new. Without an instance (uuid.Nil), only leases
// count.
func NewPostgres(conn db.DBTX, instance uuid.UUID) *Postgres {
	o := &Postgres{q: db.New(conn)}
	if instance != uuid.Nil {
		o.edge = &instance
	}
	return o
}

// Next implements [Store].
func (o *Postgres) Next(ctx context.Context, chain ChainKey, signer common.Address) (uint64, error) {
	next, err := o.q.NextTransactionNonce(ctx, db.NextTransactionNonceParams{
		ChainID: chain.id(), Genesis: chain.Genesis[:], Signer: signer.Hex(),
	})
	if err != nil {
		return 0, fmt.Errorf("reading the signer's next nonce: %w", err)
	}
	return uint64(next), nil //nolint:gosec // the table takes no negative
}

// Take implements [Store].
func (o *Postgres) Take(ctx context.Context, chain ChainKey, tx *Tx, claim Claiming) error {
	taken, err := o.q.TakeTransactionNonce(ctx, db.TakeTransactionNonceParams{
		ChainID: chain.id(), Genesis: chain.Genesis[:], Signer: tx.Signer.Hex(), Nonce: signedNonce(tx.Nonce),
		Raw: tx.Raw, Hash: tx.Newest().Bytes(), Payments: paymentColumn(tx.Payments), LapsesAt: tx.LapsesAt,
		Owner: claim.Owner, Lease: interval(claim.Lease), Counted: signedNonce(claim.Counted), LookedAt: claim.LookedAt,
		EdgeID: o.edge,
	})
	refused, isRefused := errors.AsType[*pgconn.PgError](err)
	switch {
	case isRefused && refused.Code == duplicateRow:
		return ErrCarried
	case err != nil:
		return fmt.Errorf("recording transaction %d of %s: %w", tx.Nonce, tx.Signer, err)
	case taken.MinedLately:
		return ErrCarried
	case !taken.IsAlive:
		return ErrNotOwner
	case !taken.Taken:
		return ErrNumberTaken
	}
	return nil
}

// Replace implements [Store].
func (o *Postgres) Replace(ctx context.Context, chain ChainKey, tx *Tx, version Version, owner uuid.UUID) error {
	n, err := o.q.ReplaceTransaction(ctx, db.ReplaceTransactionParams{
		ChainID: chain.id(), Genesis: chain.Genesis[:], Signer: tx.Signer.Hex(), Nonce: signedNonce(tx.Nonce),
		Raw: version.Raw, Hash: version.Hash[:], Owner: owner, Known: tx.Newest().Bytes(),
	})
	if err != nil {
		return fmt.Errorf("replacing transaction %d of %s: %w", tx.Nonce, tx.Signer, err)
	}
	if n == 0 {
		return ErrNotOwner
	}
	return nil
}

// Finish implements [Store].
func (o *Postgres) Finish(ctx context.Context, chain ChainKey, signer common.Address, nonce uint64, mined *common.Hash, cost x402.Gwei) error {
	args := db.FinishTransactionParams{ChainID: chain.id(), Genesis: chain.Genesis[:], Signer: signer.Hex(), Nonce: signedNonce(nonce), Cost: int64(cost)}
	if mined != nil {
		args.Mined = mined.Bytes()
	}
	if err := o.q.FinishTransaction(ctx, args); err != nil {
		return fmt.Errorf("finishing transaction %d of %s: %w", nonce, signer, err)
	}
	return nil
}

// Reopen implements [Store].
func (o *Postgres) Reopen(ctx context.Context, chain ChainKey, signer common.Address, nonce uint64, owner uuid.UUID, lease time.Duration) (Tx, error) {
	row, err := o.q.ReopenTransaction(ctx, db.ReopenTransactionParams{
		ChainID: chain.id(), Genesis: chain.Genesis[:], Signer: signer.Hex(), Nonce: signedNonce(nonce), Owner: owner, Lease: interval(lease),
		EdgeID: o.edge,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Tx{}, ErrNotFinished
	}
	if err != nil {
		return Tx{}, fmt.Errorf("reopening transaction %d of %s: %w", nonce, signer, err)
	}
	return outboxTxs([]db.TendTransactionsRow{db.TendTransactionsRow(row)})[0], nil
}

// Tend implements [Store].
func (o *Postgres) Tend(ctx context.Context, chain ChainKey, signers []common.Address, owner uuid.UUID, lease time.Duration) ([]Tx, error) {
	names := make([]string, len(signers))
	for i, signer := range signers {
		names[i] = signer.Hex()
	}
	rows, err := o.q.TendTransactions(ctx, db.TendTransactionsParams{
		ChainID: chain.id(), Genesis: chain.Genesis[:], Signers: names, Owner: owner, Lease: interval(lease), EdgeID: o.edge,
	})
	if err != nil {
		return nil, fmt.Errorf("taking over transactions: %w", err)
	}
	return outboxTxs(rows), nil
}

// Carrying implements [Store].
func (o *Postgres) Carrying(ctx context.Context, chain ChainKey, payments [][32]byte) ([]Tx, time.Time, error) {
	rows, err := o.q.TransactionsCarrying(ctx, db.TransactionsCarryingParams{
		ChainID: chain.id(), Genesis: chain.Genesis[:], Payments: paymentColumn(payments),
	})
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("looking for open transactions: %w", err)
	}
	var open []db.TendTransactionsRow
	for i := range rows {
		if row := &rows[i]; row.Signer != "" {
			open = append(open, db.TendTransactionsRow{
				Signer: row.Signer, Nonce: row.Nonce, Raw: row.Raw, Hashes: row.Hashes, Payments: row.Payments, LapsesAt: row.LapsesAt,
			})
		}
	}
	return outboxTxs(open), rows[0].LookedAt, nil
}

// Release implements [Store].
func (o *Postgres) Release(ctx context.Context, owner uuid.UUID) error {
	if err := o.q.ReleaseTransactions(ctx, owner); err != nil {
		return fmt.Errorf("releasing transactions: %w", err)
	}
	return nil
}

// Forget implements [Store].
func (o *Postgres) Forget(ctx context.Context, keep time.Duration) error {
	if _, err := o.q.ForgetTransactions(ctx, interval(keep)); err != nil {
		return fmt.Errorf("deleting finished transactions: %w", err)
	}
	return nil
}

func outboxTxs(rows []db.TendTransactionsRow) []Tx {
	txs := make([]Tx, len(rows))
	for i := range rows {
		row := &rows[i]
		tx := Tx{
			Signer: common.HexToAddress(row.Signer), Nonce: uint64(row.Nonce), //nolint:gosec // the table takes no negative
			Raw: row.Raw, LapsesAt: row.LapsesAt,
		}
		for _, hash := range row.Hashes {
			tx.Hashes = append(tx.Hashes, common.BytesToHash(hash))
		}
		for _, payment := range row.Payments {
			tx.Payments = append(tx.Payments, [32]byte(common.BytesToHash(payment)))
		}
		txs[i] = tx
	}
	return txs
}

func (k ChainKey) id() int64 { return int64(k.ID) } //nolint:gosec // chain ids are far below

func signedNonce(nonce uint64) int64 { return int64(nonce) } //nolint:gosec // an account sends no 2^63 transactions

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

func paymentColumn(payments [][32]byte) [][]byte {
	column := make([][]byte, len(payments)) // never nil: a null array would match nothing
	for i := range payments {
		column[i] = payments[i][:]
	}
	return column
}
