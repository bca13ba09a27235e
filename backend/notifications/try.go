package notifications

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// eventsMax is how many events of a message are read.
	eventsMax = 1000
	// behindWait is how often a message checks whether the one before it is still being sent.
	behindWait = 30 * time.Second
)

// statusLogged is for messages that were logged because no mailer is configured.
const statusLogged = "logged"

var (
	errGathers = errors.New("the message is waiting for further events")
	errBehind  = errors.New("the previous message is still being sent")
)

// carried is what an attempt passes to its log.
type carried struct {
	channel string
	logged  bool
}

// statusOf is the state of a message after an attempt.
func statusOf(t *delivery.Try) string {
	if c, _ := t.Carried.(carried); c.logged && t.Status == delivery.StatusDelivered {
		return statusLogged
	}
	return t.Status
}

// Try sends a message once it has collected its events. It implements delivery.Carrier.
func (s *Service) Try(ctx context.Context, t jobs.Task) (*delivery.Try, error) {
	m, err := s.store.toSend(ctx, t.Group)
	if err != nil {
		return nil, delivery.Unread(err)
	}
	now := s.config.Now()
	if m.ClosedAt == nil {
		if early := m.DueAt.Sub(now); early > 0 {
			return nil, jobs.Wait(errGathers, early)
		}
		if m.Behind && now.Sub(m.CreatedAt) < behindMax {
			return nil, jobs.Wait(errBehind, behindWait)
		}
	}
	events, err := s.store.close(ctx, t.Group, now)
	if err != nil {
		return nil, delivery.Unread(err)
	}
	message := s.message(t.Group, m, events)
	out := &delivery.Try{ID: t.Group, Lane: t.Lane, Made: m.Tries, TriesMax: m.TriesMax, At: now}
	if out.Taken, err = s.isSettled(ctx, message, events); err != nil {
		return nil, delivery.Unread(err)
	} else if out.Taken {
		return out, nil
	}
	said, err := s.send(ctx, message)
	out.Took = max(s.config.Now().Sub(out.At), 0)
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err() // the process stops, or another owns the task: this says nothing about the receiver
	}
	out.Carried = carried{m.Channel, said.logged}
	out.Taken, out.Refused, out.StatusCode, out.RetryAfter = err == nil, said.refused, said.code, said.retryAfter
	if err != nil {
		out.Error = plain(err.Error(), errorRunesMax)
	}
	if e, ok := errors.AsType[*operatorError](err); ok {
		s.config.Logger.WarnContext(ctx, "email could not be sent", "message", t.Group, "status", said.code, "error", e.inner)
	}
	return out, nil
}

// isSettled reports whether there is nothing to send: all events are withheld, or a consent request was answered. It asks
// an address that was never asked, and sets the Question of a consent request.
func (s *Service) isSettled(ctx context.Context, m *Message, events []db.EventsOfMessageRow) (settled bool, err error) {
	switch {
	case len(m.Notices) == 0 && len(events) > 0 && *events[0].Withheld == withheldUnconfirmed:
		return true, s.askFirst(ctx, m, events[0].Subject)
	case len(m.Notices) == 0:
		return true, nil
	case m.Channel == channelConfirmation:
		m.Question, err = s.question(ctx, m.TeamID, m.Target)
		return m.Question == nil, err
	default:
		return false, nil
	}
}

// said is a receiver's response.
type said struct {
	code       int  // 0: no response
	refused    bool // permanently
	retryAfter time.Duration
	logged     bool // logged instead of sent
}

func (s *Service) send(ctx context.Context, m *Message) (said, error) {
	ctx, cancel := context.WithTimeout(ctx, s.engine.TryTimeout())
	defer cancel()
	switch m.Channel {
	case outbox.ChannelEmail, channelConfirmation:
		letter, err := s.letter(m)
		if err != nil {
			return said{}, err
		}
		return s.config.Mailer.mail(ctx, letter)
	case outbox.ChannelSlack:
		return s.postSlack(ctx, m)
	default:
		return said{refused: true}, fmt.Errorf("unknown channel type %s", m.Channel)
	}
}

// Standing implements delivery.Carrier.
func (s *Service) Standing(ctx context.Context, id string) (made, most int32, err error) {
	m, err := s.store.toSend(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	return m.Tries, m.TriesMax, nil
}

// Failure is the data of event.notification.failed, which webhooks receive for a message that was given up.
type Failure struct {
	ID         string   `json:"id"`
	Object     string   `json:"object"`
	MonitorID  string   `json:"monitor_id"`
	Channel    string   `json:"channel"`
	Target     string   `json:"target"`
	EventIDs   []string `json:"event_ids"`
	Attempts   int32    `json:"attempts"`
	StatusCode *int32   `json:"status_code"`
	Error      *string  `json:"error"`
}

// Record writes attempts, and an event for each message and subject that was given up. It implements delivery.Carrier.
func (s *Service) Record(ctx context.Context, tx pgx.Tx, tries []*delivery.Try) error {
	failed, err := newStore(tx).record(ctx, tries, s.config.Now())
	if err != nil {
		return err
	}
	for i := range failed {
		if err := outbox.Add(ctx, tx, failure(&failed[i])); err != nil {
			return err
		}
	}
	return nil
}

func failure(f *db.FailedNotificationsRow) outbox.Event {
	return outbox.Event{
		TeamID: f.TeamID, Type: FailedType, Subject: f.Subject, Webhook: f.Webhook,
		Data: Failure{
			ID: f.ID, Object: "notification", MonitorID: f.Subject, Channel: f.Channel, Target: f.Target, EventIDs: f.Events,
			Attempts: f.Tries, StatusCode: f.StatusCode, Error: f.Error,
		},
	}
}

// Recorded implements delivery.Carrier.
func (s *Service) Recorded(tries []*delivery.Try) {
	for _, t := range tries {
		if t.Status == delivery.StatusFailed {
			s.config.Logger.Warn("a notification was given up", "message", t.ID, "status", t.StatusCode, "error", t.Error)
		}
		if c, ok := t.Carried.(carried); ok {
			outcome := t.Outcome()
			if c.logged {
				outcome = statusLogged
			}
			s.metrics.tries.WithLabelValues(c.channel, outcome).Inc()
		}
	}
}
