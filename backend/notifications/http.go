package notifications

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
)

const tag = "Notifications"

// Delivery is the delivery of an event to a channel, as clients see it.
type Delivery struct {
	ID          string     `json:"id" example:"notification_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Object      string     `json:"object" enum:"notification_delivery"`
	Created     int64      `json:"created" doc:"Unix time in seconds."`
	EventID     string     `json:"event_id" doc:"The id of the event, which is the same in webhooks." example:"event_4m2c8x6z1b5v9n3k7j0h2g4f"`
	Event       string     `json:"event" doc:"The type of the event." example:"event.monitor.changed"`
	MonitorID   string     `json:"monitor_id" doc:"The id of the monitor that the event is about." example:"monitor_0q2k5t8c4n6d0f2h7w3v1m9x"`
	Channel     string     `json:"channel" enum:"email,slack,confirmation" doc:"The channel's type. confirmation: an email that asks the address to confirm. Deliveries to channels of type webhook are listed by GET /v1/webhooks/deliveries."`
	Target      string     `json:"target" doc:"The channel's target."`
	Status      string     `json:"status" enum:"pending,delivered,logged,failed,unconfirmed,unsubscribed" doc:"The status of the delivery. logged: written to the log, because the installation does not send email. unconfirmed: not sent, because the address has not confirmed that it wants email. unsubscribed: not sent, because the address has unsubscribed from the team's email."`
	MessageID   string     `json:"message_id" doc:"The id of the message that contains the event. Events in the same digest have the same message." example:"message_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Attempts    int32      `json:"attempts" doc:"The number of attempts to send the message."`
	TriesMax    int32      `json:"attempts_max" doc:"The maximum number of attempts." example:"8"`
	NextAttempt *time.Time `json:"next_attempt_at" doc:"When the next attempt is due; null once the delivery has ended."`
	Ended       *time.Time `json:"ended_at" doc:"When the delivery succeeded or was given up."`
	StatusCode  *int32     `json:"status_code" doc:"The status code of the last attempt: of SMTP for email, of HTTP for Slack. Null if there was no response."`
	Error       *string    `json:"error" doc:"Why the last attempt failed, or why none was made."`
}

// withheldReasons say why an event was not sent.
var withheldReasons = map[string]string{
	withheldUnconfirmed: "the address has not confirmed that it wants email", consentUnsubscribed: "the address has unsubscribed",
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
	MonitorID string `query:"monitor_id" maxLength:"200" doc:"Only return deliveries of this monitor."`
	Status    string `query:"status" enum:"pending,delivered,logged,failed,unconfirmed,unsubscribed" doc:"Only return deliveries with this status."`
	Limit     int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"The maximum number of deliveries to return."`
	Cursor    string `query:"cursor" maxLength:"500" doc:"The cursor from the previous response. Omit it for the first page."`
}

type list struct{ paging.Page[*Delivery, string] }

type listOutput struct{ Body *list }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listNotificationDeliveries", Method: http.MethodGet, Path: "/v1/notifications/deliveries", Tags: []string{tag},
		Summary:     "List notifications by email and Slack",
		Description: "Lists the notifications of the last 30 days, with the status of each delivery, newest first.",
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
	rows, err := s.store.list(ctx, principal.From(ctx).TeamID, filter{in.MonitorID, in.Status}, after, in.Limit+1)
	if err != nil {
		return nil, problem.Internal(err)
	}
	var next *string
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := &rows[in.Limit-1].NotificationDelivery
		next = paging.Position{Created: last.CreatedAt, ID: last.ID}.Cursor()
	}
	data := make([]*Delivery, 0, len(rows))
	for i := range rows {
		data = append(data, object(&rows[i]))
	}
	return &listOutput{&list{paging.NewPage(data, next != nil, next)}}, nil
}
