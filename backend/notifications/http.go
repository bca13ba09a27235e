package notifications

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/paging"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/db"
)

const tag = "Notifications"

// Delivery is the delivery of an event to a channel, as clients see it.
type Delivery struct {
	ID          string     `json:"id" example:"notification_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Object      string     `json:"object" enum:"notification_delivery"`
	Created     int64      `json:"created" doc:"Unix time in seconds."`
	EventID     string     `json:"event_id" doc:"The id that webhooks are sent of the same event." example:"event_4m2c8x6z1b5v9n3k7j0h2g4f"`
	Event       string     `json:"event" doc:"What happened." example:"event.monitor.changed"`
	MonitorID   string     `json:"monitor_id" doc:"The monitor it happened to." example:"monitor_0q2k5t8c4n6d0f2h7w3v1m9x"`
	Channel     string     `json:"channel" enum:"email,slack,confirmation" doc:"The channel's type; confirmation: a mail that asks the address to confirm. Those of type webhook are listed by GET /v1/webhooks/deliveries."`
	Target      string     `json:"target" doc:"The channel's target."`
	Status      string     `json:"status" enum:"pending,delivered,logged,failed,unconfirmed,unsubscribed" doc:"logged: written to the log of an installation that sends no mail. unconfirmed: not sent, since the address has not confirmed that it wants mail. unsubscribed: not sent, since the address wants no mail of the team."`
	MessageID   string     `json:"message_id" doc:"The message that it is in; events of a digest have the same." example:"message_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Attempts    int32      `json:"attempts" doc:"How many tries there were to send the message."`
	TriesMax    int32      `json:"attempts_max" doc:"How many tries there are at most." example:"8"`
	NextAttempt *time.Time `json:"next_attempt_at" doc:"When the next try is due; null once it has ended."`
	Ended       *time.Time `json:"ended_at" doc:"When it was delivered or given up."`
	StatusCode  *int32     `json:"status_code" doc:"What the last try was answered: of SMTP, or of HTTP for Slack. Null without an answer."`
	Error       *string    `json:"error" doc:"Why the last try failed, or why there was none."`
}

// withheldReasons say why an event was not sent.
var withheldReasons = map[string]string{
	withheldUnconfirmed: "the address has not confirmed that it wants mail", consentUnsubscribed: "the address has unsubscribed",
}

func object(row *db.ListNotificationsRow) *Delivery {
	d, m := &row.NotificationDelivery, &row.NotificationMessage
	if d.Withheld != nil {
		m.Error = new(withheldReasons[*d.Withheld])
	}
	return &Delivery{
		ID: d.ID, Object: "notification_delivery", Created: d.CreatedAt.Unix(), EventID: d.EventID, Event: "event." + row.Type,
		MonitorID: d.Subject, Channel: d.Channel, Target: d.Target, Status: row.Status, MessageID: m.ID, Attempts: m.Tries,
		TriesMax: m.TriesMax, NextAttempt: seconds(m.NextAt), Ended: seconds(m.EndedAt), StatusCode: m.StatusCode, Error: m.Error,
	}
}

// seconds formats a time for clients: in UTC, to the second.
func seconds(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC().Truncate(time.Second)
	return &at
}

type listInput struct {
	MonitorID string `query:"monitor_id" maxLength:"200" doc:"Only of this monitor; leave it out for all."`
	Status    string `query:"status" enum:"pending,delivered,logged,failed,unconfirmed,unsubscribed" doc:"Only deliveries of this status; leave it out for all."`
	Limit     int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"How many to answer."`
	Cursor    string `query:"cursor" maxLength:"500" doc:"The cursor of the answer before; leave it out for the first."`
}

type list struct {
	Object string      `json:"object" enum:"list"`
	Data   []*Delivery `json:"data" nullable:"false" doc:"Deliveries, from the latest."`
	Cursor *string     `json:"cursor,omitempty" doc:"Asks for what follows; absent where nothing does."`
}

type listOutput struct{ Body *list }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listNotificationDeliveries", Method: http.MethodGet, Path: "/v1/notifications/deliveries", Tags: []string{tag},
		Summary:     "List notifications by mail and Slack",
		Description: "What was sent to channels in the last 30 days, and what became of it.",
		Errors:      []int{400, 401},
	}, s.list)
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	after, err := paging.Parse(in.Cursor, "notification")
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(in.MonitorID) || strings.ContainsRune(in.MonitorID, 0) {
		return nil, problem.Validation(problem.Fault{Loc: []any{"query", "monitor_id"}, Msg: "must be the id of a monitor", Type: problem.FaultInvalid})
	}
	rows, err := s.store.list(ctx, caller.From(ctx).TeamID, filter{in.MonitorID, in.Status}, after, in.Limit+1)
	if err != nil {
		return nil, problem.Internal(err)
	}
	answer := &list{Object: "list", Data: []*Delivery{}}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := &rows[in.Limit-1].NotificationDelivery
		answer.Cursor = paging.Position{Created: last.CreatedAt, ID: last.ID}.Cursor()
	}
	for i := range rows {
		answer.Data = append(answer.Data, object(&rows[i]))
	}
	return &listOutput{answer}, nil
}
