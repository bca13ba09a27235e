package batches

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Progress is a batch so far, with some of its completed items.
type Progress struct {
	Batch *Batch
	// Credits is what the items completed so far cost.
	Credits money.Credits
	// Items are in the order in which they were completed. The place of each, counted from 1 with gaps, is in Places.
	Items  []Item
	Places []int32
}

// Progress returns a batch that c may read, with up to limit of its completed items after a place.
func (s *Service) Progress(ctx context.Context, c *principal.Caller, id string, after, limit int32) (*Progress, error) {
	return s.progress(ctx, c, id, itemCompleted, after, limit)
}

// Failed returns the items of a batch that failed, up to limit.
func (s *Service) Failed(ctx context.Context, c *principal.Caller, id string, limit int32) ([]Item, error) {
	p, err := s.progress(ctx, c, id, itemFailed, 0, limit)
	if err != nil {
		return nil, err
	}
	return p.Items, nil
}

func (s *Service) progress(ctx context.Context, c *principal.Caller, id, state string, after, limit int32) (*Progress, error) {
	b, err := s.visible(ctx, c, id) // before its items: if it is completed, they are complete
	if err != nil {
		return nil, err
	}
	p := &Progress{Credits: b.UnitCredits * money.Credits(b.Completed)}
	if p.Batch, err = s.shown(b); err != nil {
		return nil, err
	}
	rows, err := s.queries.ListFinishedBatchItems(ctx, db.ListFinishedBatchItemsParams{BatchID: id, State: &state, AfterSeq: after, RowsMax: limit})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing items of %s: %w", id, err))
	}
	for i := range rows {
		item, err := itemOf(&rows[i])
		if err != nil {
			return nil, problem.Internal(fmt.Errorf("reading item %d of %s: %w", rows[i].N, id, err))
		}
		p.Items, p.Places = append(p.Items, item), append(p.Places, rows[i].Seq)
	}
	return p, nil
}
