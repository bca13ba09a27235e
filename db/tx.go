package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// InTx runs f in a transaction, which is committed unless f fails: for a store
// that has statements only, where what it writes belongs together with what
// others do. The queries must be on a pool, a connection or a transaction.
func (q *Queries) InTx(ctx context.Context, f func(tx pgx.Tx, q *Queries) error) error {
	on, ok := q.db.(interface {
		Begin(ctx context.Context) (pgx.Tx, error)
	})
	if !ok {
		return fmt.Errorf("beginning a transaction: %T cannot", q.db)
	}
	return pgx.BeginFunc(ctx, on, func(tx pgx.Tx) error { return f(tx, q.WithTx(tx)) })
}
