package notifications

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// address is a destination of a team's messages.
type address struct{ teamID, channel, target, lane string }

func (a address) compare(b address) int {
	return cmp.Or(cmp.Compare(a.teamID, b.teamID), cmp.Compare(a.channel, b.channel), cmp.Compare(a.target, b.target))
}

// notification is an event for an address.
type notification struct {
	address

	eventID, subject string
}

// opened is a newly added message.
type opened struct {
	address

	id string
}

// rates limit when messages are due.
type rates struct {
	triesMax, hourly int
	gather, spacing  time.Duration
}

// store accesses the tables of messages, their deliveries, and consents.
type store struct{ queries *db.Queries }

func newStore(d db.DBTX) *store { return &store{db.New(d)} }

// add adds notifications to the messages of their addresses, and returns the messages that it created. Addresses are
// locked in order until the transaction ends.
func (s *store) add(ctx context.Context, told []notification, r rates, now time.Time) ([]opened, error) {
	slices.SortStableFunc(told, func(a, b notification) int { return a.compare(b.address) })
	var made []opened
	p := db.AddNotificationsParams{Now: now}
	message := ""
	for i := range told {
		n := &told[i]
		if i == 0 || n.address != told[i-1].address {
			id := token.New("message")
			var err error
			message, err = s.queries.OpenMessage(ctx, db.OpenMessageParams{
				ID: id, TeamID: n.teamID, Channel: n.channel, Target: n.target, Lane: n.lane,
				TriesMax: int32(r.triesMax), MessagesMax: int32(r.hourly), //nolint:gosec // small numbers
				Now: now, Soonest: now.Add(r.gather), SpacingSeconds: r.spacing.Seconds(), PeriodSeconds: period.Seconds(),
			})
			if err != nil {
				return nil, fmt.Errorf("opening a message: %w", err)
			}
			if message == id {
				made = append(made, opened{n.address, id})
			}
		}
		p.Ids, p.Events, p.Messages = append(p.Ids, token.New("notification")), append(p.Events, n.eventID), append(p.Messages, message)
		p.Teams, p.Subjects = append(p.Teams, n.teamID), append(p.Subjects, n.subject)
		p.Channels, p.Targets = append(p.Channels, n.channel), append(p.Targets, n.target)
	}
	if err := s.queries.AddNotifications(ctx, p); err != nil {
		return nil, fmt.Errorf("adding %d notifications: %w", len(told), err)
	}
	return made, nil
}

// toSend returns the data for an attempt to send a pending message; for others the error is delivery.ErrEnded.
func (s *store) toSend(ctx context.Context, id string) (*db.MessageToSendRow, error) {
	row, err := s.queries.MessageToSend(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, delivery.ErrEnded
	case err != nil:
		return nil, fmt.Errorf("reading message %s: %w", id, err)
	}
	return &row, nil
}

// close stops a message from collecting events, and returns its events.
func (s *store) close(ctx context.Context, id string, now time.Time) ([]db.EventsOfMessageRow, error) {
	if err := s.queries.CloseMessage(ctx, db.CloseMessageParams{ID: id, Now: now}); err != nil {
		return nil, fmt.Errorf("closing message %s: %w", id, err)
	}
	if err := s.queries.WithholdNotifications(ctx, id); err != nil {
		return nil, fmt.Errorf("reading the consent for message %s: %w", id, err)
	}
	events, err := s.queries.EventsOfMessage(ctx, db.EventsOfMessageParams{MessageID: id, RowsMax: eventsMax})
	if err != nil {
		return nil, fmt.Errorf("reading the events of message %s: %w", id, err)
	}
	return events, nil
}

// record writes attempts, and returns the deliveries of the messages that failed.
func (s *store) record(ctx context.Context, tries []*delivery.Try, now time.Time) ([]db.FailedNotificationsRow, error) {
	p := db.RecordMessagesParams{Now: now}
	for _, t := range tries {
		p.Ids, p.Tries, p.Statuses = append(p.Ids, t.ID), append(p.Tries, t.Made), append(p.Statuses, statusOf(t))
		p.StatusCodes, p.Errors = append(p.StatusCodes, int32(t.StatusCode)), append(p.Errors, t.Error) //nolint:gosec // three digits
		p.Nexts = append(p.Nexts, now.Add(t.Wait))
	}
	failed, err := s.queries.RecordMessages(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("storing %d attempts: %w", len(tries), err)
	}
	if len(failed) == 0 {
		return nil, nil
	}
	rows, err := s.queries.FailedNotifications(ctx, failed)
	if err != nil {
		return nil, fmt.Errorf("reading the events of %d messages: %w", len(failed), err)
	}
	return rows, nil
}

// filter selects the notifications of a list; "" selects all.
type filter struct{ subject, status string }

func (s *store) list(ctx context.Context, teamID string, f filter, after paging.Position, n int) ([]db.ListNotificationsRow, error) {
	p := db.ListNotificationsParams{TeamID: teamID, BeforeCreatedAt: after.Created, BeforeID: after.ID, RowsMax: int32(n)} //nolint:gosec // a page
	if f.subject != "" {
		p.Subject = &f.subject
	}
	if f.status != "" {
		p.Status = &f.status
	}
	rows, err := s.queries.ListNotifications(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("listing notifications: %w", err)
	}
	return rows, nil
}

func (s *store) purge(ctx context.Context, endedBefore time.Time, rowsMax int32) (int64, error) {
	n, err := s.queries.PurgeMessages(ctx, db.PurgeMessagesParams{EndedBefore: endedBefore, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("purging messages: %w", err)
	}
	return n, nil
}
