package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
)

// Batch returns a batch of c's team, or for an anonymous client one that a wallet created.
func (s *Service) Batch(ctx context.Context, c *principal.Caller, id string) (*Batch, error) {
	b, err := s.visible(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.shown(b)
}

func (s *Service) shown(b *db.Batch) (*Batch, error) {
	answer, err := s.object(b)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return answer, nil
}

// visible returns a batch that c may read.
func (s *Service) visible(ctx context.Context, c *principal.Caller, id string) (*db.Batch, error) {
	row, err := db.BatchByIDRow{}, pgx.ErrNoRows
	if isID(id) {
		row, err = s.queries.BatchByID(ctx, id)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.Internal(fmt.Errorf("reading batch %s: %w", id, err))
	}
	if err := c.Reads(row.Batch.TeamID, row.TeamKind, batchNotFound()); err != nil {
		return nil, err
	}
	return &row.Batch, nil
}

// Items returns up to limit ended items after a position in the list, and the position after them: nil if nothing follows.
func (s *Service) Items(ctx context.Context, c *principal.Caller, id string, after int32, limit int) ([]Item, *int32, error) {
	p, err := s.items(ctx, c, id, "", after, limit)
	if err != nil {
		return nil, nil, err
	}
	return p.items, p.cursor, nil
}

// itemsPage is a page of a batch's list.
type itemsPage struct {
	batch *db.Batch
	items []Item
	more  bool // items follow now; otherwise more may end later
	// cursor is the position of the last item, or else the requested one; nil if nothing follows.
	cursor *int32
}

// items returns up to limit ended items after a position in the list, of one state unless that is "".
func (s *Service) items(ctx context.Context, c *principal.Caller, id, state string, after int32, limit int) (*itemsPage, error) {
	// Read the batch first: if it is completed, the items read later are complete.
	b, err := s.visible(ctx, c, id)
	if err != nil {
		return nil, err
	}
	params := db.ListFinishedBatchItemsParams{BatchID: id, AfterSeq: after, RowsMax: int32(limit) + 1} //nolint:gosec // a page
	if state != "" {
		params.State = &state
	}
	rows, err := s.queries.ListFinishedBatchItems(ctx, params)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing items of %s: %w", id, err))
	}
	more := len(rows) > limit
	rows = rows[:min(len(rows), limit)]
	out := &itemsPage{batch: b, more: more, items: make([]Item, 0, len(rows))}
	for i := range rows {
		it, err := itemOf(&rows[i])
		if err != nil {
			return nil, problem.Internal(fmt.Errorf("reading item %d of %s: %w", rows[i].N, id, err))
		}
		out.items = append(out.items, it)
		after = rows[i].Seq
	}
	if more || b.Status == string(StatusInProgress) {
		out.cursor = &after
	}
	return out, nil
}

func itemOf(row *db.ListFinishedBatchItemsRow) (Item, error) {
	it := Item{CustomID: row.CustomID, RetrieveID: row.RetrieveID, URL: row.Url, Status: row.State}
	if row.State == itemFailed {
		it.Error = &ItemError{Code: deref(row.ErrorCode), Detail: deref(row.ErrorDetail)}
	}
	if len(row.Metadata) == 0 {
		return it, nil
	}
	return it, json.Unmarshal(row.Metadata, &it.Metadata)
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// list returns up to limit batches of c's team, the latest first, and the cursor of the next page; nil if there is none.
func (s *Service) list(ctx context.Context, c *principal.Caller, status, cursor string, limit int) ([]*Batch, *string, error) {
	after, err := paging.Parse(cursor, "batch")
	if err != nil {
		return nil, nil, err
	}
	params := db.ListBatchesParams{
		TeamID: c.TeamID, BeforeCreatedAt: after.Created, BeforeID: after.ID, RowsMax: int32(limit) + 1, //nolint:gosec // a page
	}
	if status != "" {
		params.Status = &status
	}
	rows, err := s.queries.ListBatches(ctx, params)
	if err != nil {
		return nil, nil, problem.Internal(fmt.Errorf("listing batches: %w", err))
	}
	var next *string
	if len(rows) > limit {
		rows = rows[:limit]
		next = paging.Position{Created: rows[limit-1].CreatedAt, ID: rows[limit-1].ID}.Cursor()
	}
	out := make([]*Batch, 0, len(rows))
	for i := range rows {
		shown, err := s.shown(&rows[i])
		if err != nil {
			return nil, nil, err
		}
		out = append(out, shown)
	}
	return out, next, nil
}

// Describe merges metadata into that of a team's batch, and returns the batch.
func (s *Service) Describe(ctx context.Context, c *principal.Caller, id string, in metadata.Input) (*Batch, error) {
	var answer *Batch
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		b, err := s.lock(ctx, tx, c.TeamID, id)
		if err != nil {
			return err
		}
		stored := map[string]string{}
		if err := json.Unmarshal(b.Metadata, &stored); err != nil {
			return fmt.Errorf("reading the metadata of %s: %w", id, err)
		}
		merged, err := metadata.Merge(stored, in)
		if err != nil {
			return err
		}
		if b.Metadata, err = json.Marshal(merged); err != nil {
			return fmt.Errorf("writing metadata: %w", err)
		}
		if err := db.New(tx).SetBatchMetadata(ctx, db.SetBatchMetadataParams{ID: id, Metadata: b.Metadata}); err != nil {
			return fmt.Errorf("changing the metadata of %s: %w", id, err)
		}
		answer, err = s.object(b)
		return err
	})
	if err != nil {
		return nil, problem.From(err)
	}
	return answer, nil
}
