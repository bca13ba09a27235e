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

// Retention is how long an event is kept and can be delivered again.
const Retention = 30 * 24 * time.Hour

// Event is something that happened.
type Event struct {
	TeamID string // the owner
	// Type is the kind of subject and the event: batch.completed. Clients see it with the prefix "event.".
	Type string
	// Subject is the id of what the event happened to.
	Subject string
	// Data is the event payload, encoded as JSON.
	Data any
	// Webhook is the address that the request named; empty: none.
	Webhook string
	// OwnID is the id, such as event_…, under which clients can already read the event; it must be unique. Empty: a new
	// id is generated.
	OwnID string
}

// Taken is an event as listeners receive it.
type Taken struct {
	ID string
	Event

	// JSON is Data, encoded.
	JSON      json.RawMessage
	CreatedAt time.Time
}

// Add writes an event in the transaction in which it happens. Call [Dispatcher.Wake] after the commit, so that it does
// not wait for the next tick.
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

// encode does not escape HTML, because the payload is never HTML.
func encode(data any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
