package x402

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// ending is what became of a run of which nobody else knows.
type ending struct {
	failed bool
	resp   *Response
}

// endings are those that could not be written when they came, such as while the
// database was away. Without them a claim that was served would look like one
// whose edge was lost in the middle of it, and be paid back.
type endings struct {
	mu sync.Mutex
	of map[uuid.UUID]ending
}

func (e *endings) keep(id uuid.UUID, end ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = make(map[uuid.UUID]ending)
	}
	e.of[id] = end
}

func (e *endings) forget(id uuid.UUID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.of, id)
}

func (e *endings) list() map[uuid.UUID]ending {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.of)
}

// writeEndings writes what could not be written before. It returns the claims for
// which that has still not worked: they are this edge's, and it is at work on them.
func (g *Gate) writeEndings(ctx context.Context) (left []uuid.UUID, err error) {
	var errs []error
	for id, end := range g.process.endings.list() {
		// One that has moved was written after all: only the answer to it was lost.
		if err := g.cfg.Store.Finish(ctx, id, end.failed, end.resp); err != nil && !errors.Is(err, ErrClaimMoved) {
			left = append(left, id)
			errs = append(errs, fmt.Errorf("finishing x402 claim %s: %w", id, err))
			continue
		}
		g.process.endings.forget(id)
	}
	return slices.Clip(left), errors.Join(errs...)
}
