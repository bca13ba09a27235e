package credits

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// HoldID names one hold: the id of the batch that accepted it, with its slot in
// the last 16 bits. Batches are named by the edge that commits them, when it
// commits them, so nothing that a client sends has any part in it.
type HoldID uuid.UUID

// slotBytes at the end of a hold's id are its slot.
const slotBytes = 2

// newBatchID returns a UUIDv7 (RFC 9562, section 5.7), so that new batches lie
// together in the index, with the bits of the slot empty.
func newBatchID() uuid.UUID { return HoldID(NewID()).Batch() }

func holdID(batch uuid.UUID, slot int) HoldID {
	id := HoldID(batch)
	binary.BigEndian.PutUint16(id[len(id)-slotBytes:], uint16(slot)) //nolint:gosec // below slotsMax
	return id
}

// ParseHoldID reads what String has written.
func ParseHoldID(s string) (HoldID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return HoldID{}, fmt.Errorf("hold %q: %w", s, err)
	}
	return HoldID(id), nil
}

// String returns the id in the usual form of a UUID.
func (h HoldID) String() string { return uuid.UUID(h).String() }

// Batch returns the id of the batch that accepted the hold.
func (h HoldID) Batch() uuid.UUID {
	clear(h[len(h)-slotBytes:])
	return uuid.UUID(h)
}

// Slot returns the hold's place in its batch, from 0.
func (h HoldID) Slot() int { return int(binary.BigEndian.Uint16(h[len(h)-slotBytes:])) }

// Hold is what an accepted request has of its account until it is captured or
// voided. Only a meter makes one.
type Hold struct {
	id  HoldID
	req Request
}

// ID returns the hold's id.
func (h *Hold) ID() HoldID { return h.id }

// Amount returns what is held.
func (h *Hold) Amount() money.Credits { return h.req.Amount }

// NewID returns a UUIDv7 (RFC 9562) for what is not metered and has an id all
// the same: an edge, a request that is free.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
