package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// InTx runs f in a transaction, and commits it unless f fails. It is for a store that only has Queries, when its writes
// must be committed together with those of others. The queries must be on a pool, a connection or a transaction.
func (q *Queries) InTx(ctx context.Context, f func(tx pgx.Tx, q *Queries) error) error {
	on, ok := q.db.(interface {
		Begin(ctx context.Context) (pgx.Tx, error)
	})
	if !ok {
		return fmt.Errorf("beginning a transaction: %T does not support transactions", q.db)
	}
	return pgx.BeginFunc(ctx, on, func(tx pgx.Tx) error { return f(tx, q.WithTx(tx)) })
}
