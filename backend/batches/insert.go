package batches

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// chunkItems and chunkBytes bound how many items are in memory at once: a file may have 10,000 of 64 KiB.
	chunkItems = 1000
	chunkBytes = 1 << 20
)

// insertItems reads the items a second time and writes them.
func insertItems(ctx context.Context, tx pgx.Tx, b *db.Batch, items *list) error {
	queries := db.New(tx)
	rows := db.InsertBatchItemsParams{BatchID: b.ID, TeamID: b.TeamID}
	size, count := 0, 0
	flush := func() error {
		if len(rows.Ns) == 0 {
			return nil
		}
		if err := queries.InsertBatchItems(ctx, rows); err != nil {
			return fmt.Errorf("inserting items: %w", err)
		}
		rows = db.InsertBatchItemsParams{BatchID: b.ID, TeamID: b.TeamID}
		size = 0
		return nil
	}
	err := items.from.each(ctx, func(i int, raw []byte) error {
		it, faults := items.from.parse(raw)
		if len(faults) > 0 || i >= items.count {
			return problem.Internal(fmt.Errorf("item %d of %s has changed since it was checked", i, b.ID))
		}
		metadata := ""
		if it.metadata != nil {
			data, err := json.Marshal(it.metadata)
			if err != nil {
				return fmt.Errorf("writing metadata of item %d: %w", i, err)
			}
			metadata = string(data)
		}
		if it.customID == "" {
			it.customID = numbered(i)
		}
		rows.Ns = append(rows.Ns, int32(i)+1) //nolint:gosec // ItemsMax at most
		rows.CustomIds, rows.Urls = append(rows.CustomIds, it.customID), append(rows.Urls, it.url)
		rows.Metadata, rows.RetrieveIds = append(rows.Metadata, metadata), append(rows.RetrieveIds, token.Random())
		size, count = size+len(raw), count+1
		if len(rows.Ns) == chunkItems || size >= chunkBytes {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count != items.count {
		return problem.Internal(fmt.Errorf("%d items of %s were checked, but %d were read", items.count, b.ID, count))
	}
	return flush()
}
