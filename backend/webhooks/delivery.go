package webhooks

import (
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// eventPrefix comes before an event's type in all responses and payloads.
const eventPrefix = "event."

// Delivery is an event on its way to an address, as clients see it.
type Delivery struct {
	ID          string     `json:"id" example:"delivery_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Object      string     `json:"object" enum:"webhook_delivery"`
	Created     int64      `json:"created" doc:"Unix time in seconds."`
	EventID     string     `json:"event_id" doc:"The id of the event, which is sent to the webhook. It is the same in all attempts and redeliveries." example:"event_4m2c8x6z1b5v9n3k7j0h2g4f"`
	Event       string     `json:"event" doc:"The type of the event." example:"event.batch.completed"`
	Subject     string     `json:"subject" doc:"The id of the resource that the event is about." example:"batch_0q2k5t8c4n6d0f2h7w3v1m9x"`
	URL         string     `json:"url" format:"uri"`
	Status      string     `json:"status" enum:"pending,delivered,failed"`
	Redelivers  *string    `json:"redelivers" doc:"The id of the delivery that this one repeats."`
	TriesMax    int32      `json:"attempts_max" doc:"The maximum number of attempts." example:"8"`
	NextAttempt *time.Time `json:"next_attempt_at" doc:"When the next attempt is due; null once the delivery has ended."`
	Ended       *time.Time `json:"ended_at" doc:"When the delivery succeeded or was given up."`
	Tries       []Try      `json:"attempts" nullable:"false" doc:"The attempts so far."`
}

// Try is one POST.
type Try struct {
	Attempt    string  `json:"attempt" doc:"The number of the attempt, as in the body's delivery_attempt." example:"1/8"`
	Timestamp  int64   `json:"timestamp" doc:"When the attempt began, in Unix time in milliseconds, as in the body."`
	Duration   int32   `json:"duration_ms"`
	StatusCode *int32  `json:"status_code" doc:"The HTTP status of the response; null if there was none."`
	Error      *string `json:"error" doc:"Why there was no response: timeout, dns, connect, tls, reset, blocked_address and so on." example:"timeout"`
}

func object(row *db.DeliveryRow, tries []db.WebhookTry) *Delivery {
	d := &row.WebhookDelivery
	out := &Delivery{
		ID: d.ID, Object: "webhook_delivery", Created: d.CreatedAt.Unix(), EventID: d.EventID, Event: eventPrefix + row.Type,
		Subject: row.Subject, URL: d.Url, Status: d.Status, Redelivers: d.Redelivers, TriesMax: d.TriesMax,
		NextAttempt: seconds(d.NextAt), Ended: seconds(d.EndedAt), Tries: make([]Try, len(tries)),
	}
	for i, t := range tries {
		out.Tries[i] = Try{attempt(t.N, d.TriesMax), t.At.UnixMilli(), t.TookMs, t.StatusCode, t.Error}
	}
	return out
}

// seconds returns a time as clients see it: in UTC, to the second.
func seconds(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC().Truncate(time.Second)
	return &at
}

// attempt returns a try's number as clients see it.
func attempt(n, of int32) string { return fmt.Sprintf("%d/%d", n, of) }
