package maps

import (
	"context"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

const (
	// baseBytes is the base memory of every map: small bodies and what is parsed from them.
	baseBytes = 16 << 20
	// entryBytes is the memory of a URL besides its text: its entries in the list and in the map of known URLs.
	entryBytes = 96
	// garbageFactor accounts for garbage that is not collected yet.
	garbageFactor = 2
	// roomStep is the step by which the list's memory grows.
	roomStep = 8 << 20
	// encodedFactor is the memory of a response relative to its URLs: the stored text, the JSON, and the buffers of both.
	encodedFactor = 5
)

// room is the memory that a map has reserved. It grows with the map, so that small maps take little.
type room struct {
	hold *membudget.Hold

	mu         sync.Mutex
	list, body int64
}

// forList reserves memory for a list of urls URLs with a total of bytes. The error is the context's.
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

// forBody reserves memory for a large body, one at a time. 0 releases it. The error is the context's.
func (r *room) forBody(ctx context.Context, bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body = garbageFactor * bytes
	return r.set(ctx)
}

func (r *room) set(ctx context.Context) error { return r.hold.Set(ctx, baseBytes+r.list+r.body) }

// answerBytes is the memory that a response takes until it is sent.
func answerBytes(c chunk) int64 { return encodedFactor*int64(c.Bytes) + entryBytes*int64(c.URLs) }
