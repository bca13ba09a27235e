package credits

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// HoldID names one hold: the id of the batch that accepted it, with its slot in the last 16 bits. The edge that commits
// a batch makes the id at that time, so nothing that a client sends influences it.
type HoldID uuid.UUID

// slotBytes is the number of bytes at the end of a hold's id that hold its slot.
const slotBytes = 2

// newBatchID returns a UUIDv7 (RFC 9562, section 5.7) with the slot bits cleared. New batches so lie together in the
// index.
func newBatchID() uuid.UUID { return HoldID(NewID()).Batch() }

func holdID(batch uuid.UUID, slot int) HoldID {
	id := HoldID(batch)
	binary.BigEndian.PutUint16(id[len(id)-slotBytes:], uint16(slot)) //nolint:gosec // below slotsMax
	return id
}

// ParseHoldID parses the form that String returns.
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

// Hold is what an accepted request holds of its account until it is captured or voided. Only a meter makes one.
type Hold struct {
	id  HoldID
	req Request
}

// ID returns the hold's id.
func (h *Hold) ID() HoldID { return h.id }

// Amount returns the held credits.
func (h *Hold) Amount() money.Credits { return h.req.Amount }

// NewID returns a UUIDv7 (RFC 9562) for things that need an id but are not metered: an edge, a free request.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
