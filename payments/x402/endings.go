package x402

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

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
	mu        sync.Mutex
	of        map[uuid.UUID]ending
	isWriting bool // a gate tries them again and again
}

func (e *endings) keep(id uuid.UUID, end ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = make(map[uuid.UUID]ending)
	}
	e.of[id] = end
}

// begin reports whether there are some that no gate tries to write yet: the caller does then, until idle.
func (e *endings) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isWriting || len(e.of) == 0 {
		return false
	}
	e.isWriting = true
	return true
}

// idle reports whether none is left, or the caller is not to go on: then nobody tries to write them any more.
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

// endingsEvery is how far apart attempts are to write endings.
const endingsEvery = 250 * time.Millisecond

// keepEnding has an ending written as soon as the store is back, while this gate is open: were the edge lost before, the
// payer would have what was paid for and the money.
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
				_, _ = g.writeEndings(ctx) // that there were faults was said
				cancel()
			case <-g.closed:
				isOver = true
			}
		}
	})
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
