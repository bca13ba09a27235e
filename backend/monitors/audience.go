package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

// Channels implements [outbox.Audience]: the channels of a monitor, unless it is deleted.
func (s *Service) Channels(ctx context.Context, tx pgx.Tx, teamID, subject, event string) ([]outbox.Channel, error) {
	row, err := db.New(tx).MonitorByID(ctx, db.MonitorByIDParams{ID: subject, TeamID: teamID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading monitor %s: %w", subject, err)
	case Status(row.Status) == StatusDeleted:
		return nil, nil
	}
	n, err := notificationOf(&row)
	if err != nil {
		return nil, err
	}
	return audience(n, event), nil
}

// audience are the channels that are told of an event, with the event as what they are told of.
func audience(n *Notification, event string) []outbox.Channel {
	var told []outbox.Channel
	for _, c := range n.Channels {
		events := c.Events
		if len(events) == 0 {
			events = n.Events
		}
		if wants(events, event) {
			c.Events = []string{event}
			told = append(told, c)
		}
	}
	return told
}

// wants reports whether who chose events is told of one. A run with a change has completed, too; it is told of once.
func wants(events []string, event string) bool {
	if len(events) == 0 {
		return event == outbox.EventChanged
	}
	return slices.Contains(events, event) || event == outbox.EventChanged && slices.Contains(events, outbox.EventCompleted)
}

// notificationOf is who is told of what.
func notificationOf(m *db.Monitor) (*Notification, error) {
	n := &Notification{}
	if err := json.Unmarshal(m.Notification, n); err != nil {
		return nil, fmt.Errorf("reading the notification of %s: %w", m.ID, err)
	}
	if n.Events == nil {
		n.Events = []string{}
	}
	if n.Channels == nil {
		n.Channels = []outbox.Channel{}
	}
	return n, nil
}
