package outbox_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var errFault = errors.New("a fault of the test's making")

func TestAdd(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	e := outbox.Event{
		TeamID: "team_a", Type: "batch.completed", Subject: "batch_1", Webhook: "https://example.com/hook",
		Data: struct {
			Name string `json:"name"`
		}{"<b>&\x00"},
	}
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return outbox.Add(t.Context(), tx, e) })
	if err != nil {
		t.Fatal(err)
	}
	var id, data string
	var days float64
	err = pool.QueryRow(t.Context(), `select id, data::text, extract(epoch from expires_at - created_at) / 86400 from event
		where team_id = 'team_a' and type = 'batch.completed' and subject = 'batch_1' and webhook = 'https://example.com/hook'
			and dispatched_at is null`).Scan(&id, &data, &days)
	if err != nil {
		t.Fatal(err)
	}
	if !token.Is(id, "event") || data != `{"name":"<b>&\u0000"}` || days != 30 {
		t.Errorf("got %s, %s, kept for %v days; want an id, the data as it is, and 30", id, data, days)
	}
}

// If the transaction is rolled back, so is its event.
func TestAddGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if err := outbox.Add(t.Context(), tx, outbox.Event{TeamID: "team_a", Type: "batch.completed", Subject: "batch_1"}); err != nil {
			t.Fatal(err)
		}
		return errFault
	})
	if !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	if got := count(t, pool, `select count(*) from event`); got != 0 {
		t.Errorf("got %d events, want none", got)
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	for name, e := range map[string]outbox.Event{
		"no team":           {Type: "batch.completed", Subject: "batch_1"},
		"no type":           {TeamID: "team_a", Subject: "batch_1"},
		"no subject":        {TeamID: "team_a", Type: "batch.completed"},
		"a type of no form": {TeamID: "team_a", Type: "event.batch.completed", Subject: "batch_1"},
		"an unknown team":   {TeamID: "team_c", Type: "batch.completed", Subject: "batch_1"},
		"what is no JSON":   {TeamID: "team_a", Type: "batch.completed", Subject: "batch_1", Data: func() {}},
	} {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return outbox.Add(t.Context(), tx, e) })
		if err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}
