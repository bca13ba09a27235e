package maps

import (
	"context"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/memory"
)

const (
	// baseBytes are what any map has in hand: small bodies, and what is read of them.
	baseBytes = 16 << 20
	// entryBytes are what a URL takes beside its text: its places in the list and among the known ones.
	entryBytes = 96
	// garbageFactor is for what is not collected yet.
	garbageFactor = 2
	// roomStep is by how much the list's room grows at a time.
	roomStep = 8 << 20
	// encodedFactor is how much more an answer takes than its URLs: their text from storage, their JSON, and the buffers of both.
	encodedFactor = 5
)

// room is what a map has in hand of the process's memory. It grows as the map does, so that small ones take little.
type room struct {
	hold *memory.Hold

	mu         sync.Mutex
	list, body int64
}

// forList has room for a list of so many URLs and bytes. The error is the context's.
func (r *room) forList(ctx context.Context, urls, bytes int) error {
	need := garbageFactor * (int64(bytes) + entryBytes*int64(urls))
	r.mu.Lock()
	defer r.mu.Unlock()
	if need <= r.list {
		return nil
	}
	r.list = (need/roomStep + 1) * roomStep
	return r.set(ctx)
}

// forBody has room for a large body, of which there is one at a time. 0 gives it back. The error is the context's.
func (r *room) forBody(ctx context.Context, bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body = garbageFactor * bytes
	return r.set(ctx)
}

func (r *room) set(ctx context.Context) error { return r.hold.Set(ctx, baseBytes+r.list+r.body) }

// answerBytes is what an answer takes until it is sent.
func answerBytes(c chunk) int64 { return encodedFactor*int64(c.Bytes) + entryBytes*int64(c.URLs) }
