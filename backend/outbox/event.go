package outbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Retention is how long an event is kept, and can be delivered again.
const Retention = 30 * 24 * time.Hour

// Event is something that happened.
type Event struct {
	TeamID string // whose it is
	// Type is the kind of thing and what it did: batch.completed. To callers it is "event." and this.
	Type string
	// Subject is the id of what it happened to.
	Subject string
	// Data is what is told, as JSON.
	Data any
	// Webhook is the address that asked to be told; empty: none did.
	Webhook string
	// OwnID is the id, such as event_…, by which callers read the event already; empty: it is given one. No other event may
	// have it.
	OwnID string
}

// Taken is an event as listeners see it.
type Taken struct {
	ID string
	Event

	// JSON is Data, encoded.
	JSON      json.RawMessage
	CreatedAt time.Time
}

// Add writes an event in the transaction in which it happens. [Dispatcher.Wake] after the commit saves it the wait for
// the next tick.
func Add(ctx context.Context, tx pgx.Tx, e Event) error {
	if e.TeamID == "" || e.Type == "" || e.Subject == "" {
		return fmt.Errorf("adding event %q of %q: team, type and subject are required", e.Type, e.Subject)
	}
	data, err := encode(e.Data)
	if err != nil {
		return fmt.Errorf("encoding event %s of %s: %w", e.Type, e.Subject, err)
	}
	p := db.AddEventParams{
		ID: cmp.Or(e.OwnID, token.New("event")), TeamID: e.TeamID, Type: e.Type, Subject: e.Subject, Data: data,
		RetentionSeconds: Retention.Seconds(),
	}
	if e.Webhook != "" {
		p.Webhook = &e.Webhook
	}
	if err := db.New(tx).AddEvent(ctx, p); err != nil {
		return fmt.Errorf("adding event %s of %s: %w", e.Type, e.Subject, err)
	}
	return nil
}

// encode leaves markup as it is: what is sent is never HTML.
func encode(data any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
