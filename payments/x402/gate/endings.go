package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// ending is the outcome of a run that only this process knows.
type ending struct {
	failed bool
	resp   *claims.Response
}

// endings are the outcomes that could not be written at once, for example while the database was away. Without them a
// served claim would look as if its edge was lost in the middle of the run, and would be refunded.
type endings struct {
	mu        sync.Mutex
	of        map[uuid.UUID]ending
	isWriting bool // a gate is retrying them
}

func (e *endings) keep(id uuid.UUID, end ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = make(map[uuid.UUID]ending)
	}
	e.of[id] = end
}

// begin reports whether there are outcomes that no gate is retrying yet. The caller then does, until idle.
func (e *endings) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isWriting || len(e.of) == 0 {
		return false
	}
	e.isWriting = true
	return true
}

// idle reports whether none is left or isOver is set. After that nobody retries them.
func (e *endings) idle(isOver bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isWriting = len(e.of) > 0 && !isOver
	return !e.isWriting
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

// endingsEvery is the interval between attempts to write outcomes.
const endingsEvery = 250 * time.Millisecond

// keepEnding has an outcome written as soon as the store is back, while this gate is open. If the edge were lost before
// that, the payer would get both the response and a refund.
func (g *Gate) keepEnding(id uuid.UUID, end ending) {
	g.process.endings.keep(id, end)
	if !g.process.endings.begin() {
		return
	}
	g.writing.Go(func() {
		again := time.NewTicker(endingsEvery)
		defer again.Stop()
		for isOver := false; !g.process.endings.idle(isOver); {
			select {
			case <-again.C:
				ctx, cancel := g.storeContext(context.Background())
				_, _ = g.writeEndings(ctx) // errors were logged before
				cancel()
			case <-g.closed:
				isOver = true
			}
		}
	})
}

// writeEndings writes the outcomes that could not be written before. It returns the claims for which that failed again:
// they belong to this edge, which is still working on them.
func (g *Gate) writeEndings(ctx context.Context) (left []uuid.UUID, err error) {
	var errs []error
	for id, end := range g.process.endings.list() {
		// A claim that has moved was written after all: only the confirmation was lost.
		if err := g.cfg.Store.Finish(ctx, id, end.failed, end.resp); err != nil && !errors.Is(err, claims.ErrMoved) {
			left = append(left, id)
			errs = append(errs, fmt.Errorf("finishing x402 claim %s: %w", id, err))
			continue
		}
		g.process.endings.forget(id)
	}
	return slices.Clip(left), errors.Join(errs...)
}
