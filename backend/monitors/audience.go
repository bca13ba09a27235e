package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
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

// audience returns the channels that receive an event. Events of each returned channel holds just that event.
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

// ask sends consent requests to the email addresses among a monitor's channels.
func (s *Service) ask(ctx context.Context, tx pgx.Tx, m *db.Monitor) error {
	n, err := notificationOf(m)
	if err != nil || s.config.Channels == nil {
		return err
	}
	return s.config.Channels.Ask(ctx, tx, m.TeamID, m.ID, n.Channels, s.config.Now())
}

// addConsents sets MailConsent: whether the email addresses of a team's monitors have agreed to receive mail.
func (s *Service) addConsents(ctx context.Context, d db.DBTX, teamID string, monitors ...*Monitor) error {
	if s.config.Channels == nil {
		return nil
	}
	var all []outbox.Channel
	for _, m := range monitors {
		all = append(all, m.Notification.Channels...)
	}
	consents, err := s.config.Channels.Consents(ctx, d, teamID, all)
	if err != nil {
		return fmt.Errorf("reading the consents of email addresses: %w", err)
	}
	for _, m := range monitors {
		n := 0
		for _, c := range m.Notification.Channels {
			if c.Type == outbox.ChannelEmail {
				n++
			}
		}
		m.MailConsent, consents = consents[:n:n], consents[n:]
	}
	return nil
}

// wants reports whether events includes event. "completed" includes "changed": a run with a change has only that event.
func wants(events []string, event string) bool {
	if len(events) == 0 {
		return event == outbox.EventChanged
	}
	return slices.Contains(events, event) || event == outbox.EventChanged && slices.Contains(events, outbox.EventCompleted)
}

// notificationOf reads which events a monitor reports, and to which channels.
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
