package stripetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/stripe/stripe-go/v76/webhook"
)

// Event is an event to be delivered: once, more than once, late, or in any order, as the test chooses.
type Event struct {
	ID      string
	Type    string
	Payload []byte
}

// emit stores an event with the current state of the object.
func (d *Double) emit(kind string, o object) {
	id := d.id("evt")
	payload, err := json.Marshal(object{
		"id": id, "object": "event", "api_version": d.cfg.APIVersion, "created": d.now(), "livemode": false, "type": kind,
		"data": object{"object": maps.Clone(o)}, "pending_webhooks": 1, "request": object{"id": nil, "idempotency_key": nil},
	})
	if err != nil {
		panic(err)
	}
	d.events = append(d.events, Event{ID: id, Type: kind, Payload: payload})
}

// Events returns the events that were not returned before, in the order in which they happened.
func (d *Double) Events() []Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	events := d.events
	d.events = nil
	return events
}

// Sign returns the header Stripe-Signature for a payload that is sent now.
func (d *Double) Sign(payload []byte) string { return d.SignWith(payload, d.cfg.WebhookSecret) }

// SignWith signs with another secret, as a forger would.
func (d *Double) SignWith(payload []byte, secret string) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
		Payload: payload, Secret: secret, Timestamp: d.cfg.Now(),
	}).Header
}

// Deliver posts an event to an endpoint and returns the status of the response.
func (d *Double) Deliver(ctx context.Context, client *http.Client, endpoint string, ev Event) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(ev.Payload))
	if err != nil {
		return 0, fmt.Errorf("delivering %s: %w", ev.ID, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Stripe-Signature", d.Sign(ev.Payload))
	resp, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("delivering %s: %w", ev.ID, err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}
