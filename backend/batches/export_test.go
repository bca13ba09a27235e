package batches

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/db"
)

// EndBatch ends a batch as if its deadline had passed.
func EndBatch(ctx context.Context, s *Service, id string) error {
	return s.fail(ctx, id, func(*db.Batch) bool { return true })
}

// ReadItems reads a list of items from a body or a file. It returns their custom ids, assigned ones included, and their
// URLs, in order.
func ReadItems(ctx context.Context, raw []byte, inBody bool) (ids, urls []string, err error) {
	from := inline(raw)
	from.checked = inBody
	var chunks int
	l, err := readItems(ctx, from, func(first int, chunk []string) error {
		if first != len(urls) || len(chunk) == 0 || len(chunk) > chunkItems {
			return fmt.Errorf("%d URLs from %d on, after %d", len(chunk), first, len(urls))
		}
		chunks++
		urls = append(urls, chunk...)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = from.each(ctx, func(i int, raw []byte) error {
		it, faults := from.parse(raw)
		if len(faults) > 0 {
			return fmt.Errorf("item %d has faults now: %v", i, faults)
		}
		if it.customID == "" {
			it.customID = numbered(i)
		}
		ids = append(ids, it.customID)
		return nil
	})
	if err == nil && len(ids) != l.count {
		err = fmt.Errorf("%d items were counted, and %d are there", l.count, len(ids))
	}
	return ids, urls, err
}
