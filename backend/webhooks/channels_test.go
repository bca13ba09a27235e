package webhooks_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
)

// channels are the channels of every subject.
type channels []outbox.Channel

func (c channels) Channels(context.Context, pgx.Tx, string, string, string) ([]outbox.Channel, error) {
	return c, nil
}

// Channels of type webhook get what the event's own address gets: once for each address, with the same id.
func TestChannelsAreToldToo(t *testing.T) {
	t.Parallel()
	named, both, failures := newReceiver(t, status(200)), newReceiver(t, status(200)), newReceiver(t, status(200))
	p := setup(t, options{config: func(c *webhooks.Config) {
		c.Audiences = outbox.Audiences{"monitor": channels{
			{Type: "webhook", Target: named.URL},
			{Type: "webhook", Target: both.URL},
			{Type: "webhook", Target: both.URL},
			{Type: "webhook", Target: failures.URL, Events: []string{"failed"}},
			{Type: "email", Target: "ann@example.com"},
		}}
	}})
	must(t, pgx.BeginFunc(t.Context(), p.Pool, func(tx pgx.Tx) error {
		for _, kind := range []string{"monitor.changed", "batch.completed"} {
			e := outbox.Event{TeamID: team, Type: kind, Subject: "subject_1", Webhook: named.URL, Data: data{1, "a"}}
			if err := outbox.Add(t.Context(), tx, e); err != nil {
				return err
			}
		}
		return nil
	}))
	p.Outbox.Wake()
	p.Until("three deliveries", `select count(*) = 3 from webhook_delivery where status = 'delivered'`)
	p.ended()
	if a, b, c := len(named.got()), len(both.got()), len(failures.got()); a != 2 || b != 1 || c != 0 {
		t.Errorf("got %d, %d and %d posts, want two, one and none", a, b, c)
	}
	told := both.got()[0]
	if i := slices.IndexFunc(named.got(), func(other post) bool { return other.ID == told.ID }); i < 0 || told.Object != "event.monitor.changed" {
		t.Errorf("got %+v, want the change by the same id as at the other address", told.Body)
	}
	p.verify(p.secret(team), told)
}
