package e2e

import (
	"testing"

	"github.com/turnpike-edge/turnpike/payments/token"
)

// deliveryOf returns a failed delivery to an address where nothing listens.
func deliveryOf(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	id := token.New("delivery")
	_, err := s.pool.Exec(t.Context(), `with e as (
			insert into event (id, team_id, type, subject, data, webhook, dispatched_at, expires_at)
			values ($1, $2, 'batch.completed', 'batch_x', '{}', 'http://127.0.0.1:1/', now(), now() + interval '30 days') returning id, team_id, webhook
		)
		insert into webhook_delivery (id, event_id, team_id, url, lane, status, tries_max, created_at, ended_at)
		select $3, id, team_id, webhook, $2, 'failed', 8, now(), now() from e`, token.New("event"), p.team, id)
	if err != nil {
		t.Fatal(err)
	}
	return []thing{{"delivery_id": id}}
}

const redeliverPath = "/v1/webhooks/deliveries/{delivery_id}/redeliver"

func redelivery(t *testing.T, s *stack, p *purse) (path, body string) {
	t.Helper()
	return deliveryOf(t, s, p)[0].in(redeliverPath), ""
}
