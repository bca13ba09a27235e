package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var errNotFound = errors.New("no such delivery")

// store is the tables of deliveries, tries and keys.
type store struct{ queries *db.Queries }

func newStore(d db.DBTX) *store { return &store{db.New(d)} }

// add creates deliveries of events, and returns them.
func (s *store) add(ctx context.Context, events []outbox.Taken, triesMax int, now time.Time) ([]db.WebhookDelivery, error) {
	p := db.AddDeliveriesParams{TriesMax: int32(triesMax), Now: now} //nolint:gosec // a few
	out := make([]db.WebhookDelivery, len(events))
	for i := range events {
		e := &events[i]
		out[i] = db.WebhookDelivery{ID: token.New("delivery"), EventID: e.ID, TeamID: e.TeamID, Url: e.Webhook, Lane: delivery.Lane(e.TeamID, e.Webhook)}
		p.Ids, p.Events, p.Teams = append(p.Ids, out[i].ID), append(p.Events, e.ID), append(p.Teams, e.TeamID)
		p.Urls, p.Lanes = append(p.Urls, e.Webhook), append(p.Lanes, out[i].Lane)
	}
	if err := s.queries.AddDeliveries(ctx, p); err != nil {
		return nil, fmt.Errorf("adding %d deliveries: %w", len(events), err)
	}
	return out, nil
}

// repeat creates a delivery of the same event to the same address.
func (s *store) repeat(ctx context.Context, of *db.DeliveryRow, triesMax int, now time.Time) (*db.DeliveryRow, error) {
	again := *of
	d := &again.WebhookDelivery
	*d = db.WebhookDelivery{
		ID: token.New("delivery"), EventID: d.EventID, TeamID: d.TeamID, Url: d.Url, Lane: d.Lane, Status: delivery.StatusPending,
		TriesMax: int32(triesMax), Redelivers: &of.WebhookDelivery.ID, CreatedAt: now, NextAt: &now, //nolint:gosec // a few
	}
	err := s.queries.AddRedelivery(ctx, db.AddRedeliveryParams{
		ID: d.ID, EventID: d.EventID, TeamID: d.TeamID, Url: d.Url, Lane: d.Lane, TriesMax: d.TriesMax, Redelivers: *d.Redelivers, Now: now,
	})
	if err != nil {
		return nil, fmt.Errorf("repeating delivery %s: %w", of.WebhookDelivery.ID, err)
	}
	return &again, nil
}

// toSend returns what a try of a pending delivery needs; the error is delivery.ErrEnded for others.
func (s *store) toSend(ctx context.Context, id string) (*db.DeliveryToSendRow, error) {
	row, err := s.queries.DeliveryToSend(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, delivery.ErrEnded
	case err != nil:
		return nil, fmt.Errorf("reading delivery %s: %w", id, err)
	}
	return &row, nil
}

// find returns a team's delivery.
func (s *store) find(ctx context.Context, teamID, id string) (*db.DeliveryRow, error) {
	row, err := s.queries.Delivery(ctx, db.DeliveryParams{ID: id, TeamID: teamID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errNotFound
	case err != nil:
		return nil, fmt.Errorf("reading delivery %s: %w", id, err)
	}
	return &row, nil
}

// list returns up to n deliveries, of one status unless that is "".
func (s *store) list(ctx context.Context, teamID, status string, after paging.Position, n int) ([]db.DeliveryRow, error) {
	p := db.ListDeliveriesParams{TeamID: teamID, BeforeCreatedAt: after.Created, BeforeID: after.ID, RowsMax: int32(n)} //nolint:gosec // a page
	if status != "" {
		p.Status = &status
	}
	rows, err := s.queries.ListDeliveries(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("listing deliveries: %w", err)
	}
	out := make([]db.DeliveryRow, len(rows))
	for i := range rows {
		out[i] = db.DeliveryRow(rows[i])
	}
	return out, nil
}

// tries returns the logs of deliveries, by their ids.
func (s *store) tries(ctx context.Context, rows ...db.DeliveryRow) (map[string][]db.WebhookTry, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].WebhookDelivery.ID
	}
	tries, err := s.queries.ListTries(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("reading the attempts of deliveries: %w", err)
	}
	out := make(map[string][]db.WebhookTry, len(rows))
	for _, t := range tries {
		out[t.DeliveryID] = append(out[t.DeliveryID], t)
	}
	return out, nil
}

// record stores tries and the new statuses of their deliveries.
func (s *store) record(ctx context.Context, tries []*delivery.Try, now time.Time) error {
	p := db.RecordTriesParams{Now: now}
	for _, t := range tries {
		p.Ids, p.Tries, p.Statuses = append(p.Ids, t.ID), append(p.Tries, t.Made), append(p.Statuses, t.Status)
		p.Ats, p.TooksMs = append(p.Ats, t.At), append(p.TooksMs, int32(min(t.Took.Milliseconds(), int64(time.Hour/time.Millisecond)))) //nolint:gosec // bounded
		p.StatusCodes, p.Errors = append(p.StatusCodes, int32(t.StatusCode)), append(p.Errors, t.Error)                                 //nolint:gosec // three digits
		p.Nexts = append(p.Nexts, now.Add(t.Wait))
	}
	if err := s.queries.RecordTries(ctx, p); err != nil {
		return fmt.Errorf("recording %d attempts: %w", len(tries), err)
	}
	return nil
}

func (s *store) hasten(ctx context.Context, id string, now time.Time) error {
	if err := s.queries.HastenDelivery(ctx, db.HastenDeliveryParams{ID: id, Now: now}); err != nil {
		return fmt.Errorf("expediting delivery %s: %w", id, err)
	}
	return nil
}

func (s *store) purge(ctx context.Context, endedBefore time.Time, rowsMax int32) (int64, error) {
	n, err := s.queries.PurgeDeliveries(ctx, db.PurgeDeliveriesParams{EndedBefore: endedBefore, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("purging deliveries: %w", err)
	}
	return n, nil
}

func (s *store) keyState(ctx context.Context, teamID string) (keyState, error) {
	row, err := s.queries.WebhookKey(ctx, teamID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return keyState{version: 1}, nil
	case err != nil:
		return keyState{}, fmt.Errorf("reading the webhook key of %s: %w", teamID, err)
	}
	return keyState{row.Version, &row.RotatedAt}, nil
}

func (s *store) rotate(ctx context.Context, teamID string, now time.Time) (keyState, error) {
	version, err := s.queries.RotateWebhookKey(ctx, db.RotateWebhookKeyParams{TeamID: teamID, Now: now})
	if err != nil {
		return keyState{}, fmt.Errorf("rotating the webhook key of %s: %w", teamID, err)
	}
	return keyState{version, &now}, nil
}
