package webhooks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// The statuses of deliveries.
const (
	StatusPending   = "pending"
	StatusDelivered = "delivered"
	StatusFailed    = "failed"
)

// Why a try had no answer, beside the reasons of backend/fetch.
const (
	errorLost     = "worker_lost"
	errorInternal = "internal_server_error"
)

// eventPrefix makes an event's type what callers know it by.
const eventPrefix = "event."

// Schedule returns how long after each try that failed the next one is due: 8 tries over about 24 h.
func Schedule() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8*time.Hour + 30*time.Minute,
	}
}

// jitter is the part of a wait by which chance makes it longer or shorter, so that what failed together does not come
// back together.
const jitter = 0.1

func spread(d time.Duration, chance float64) time.Duration {
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*chance))
}

// Delivery is an event on its way to an address, as callers see it.
type Delivery struct {
	ID          string  `json:"id" example:"delivery_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Object      string  `json:"object" enum:"webhook_delivery"`
	Created     int64   `json:"created" doc:"Unix time in seconds."`
	EventID     string  `json:"event_id" doc:"The id that is sent, the same in all tries and redeliveries." example:"event_4m2c8x6z1b5v9n3k7j0h2g4f"`
	Event       string  `json:"event" doc:"What happened." example:"event.batch.completed"`
	Subject     string  `json:"subject" doc:"The id of what it happened to." example:"batch_0q2k5t8c4n6d0f2h7w3v1m9x"`
	URL         string  `json:"url" format:"uri"`
	Status      string  `json:"status" enum:"pending,delivered,failed"`
	Redelivers  *string `json:"redelivers" doc:"The delivery that this one repeats."`
	TriesMax    int32   `json:"attempts_max" doc:"How many tries there are at most." example:"8"`
	NextAttempt *int64  `json:"next_attempt_at" doc:"When the next try is due, as Unix time in seconds; null once it has ended."`
	Ended       *int64  `json:"ended_at" doc:"When it was delivered or given up, as Unix time in seconds."`
	Tries       []Try   `json:"attempts" nullable:"false" doc:"The tries so far."`
}

// Try is one POST.
type Try struct {
	Attempt    string  `json:"attempt" doc:"As in the body's delivery_attempt." example:"1/8"`
	Timestamp  int64   `json:"timestamp" doc:"When it began, as Unix time in milliseconds, as in the body."`
	Duration   int32   `json:"duration_ms"`
	StatusCode *int32  `json:"status_code" doc:"What was answered; null without an answer."`
	Error      *string `json:"error" doc:"Why there was no answer: timeout, dns, connect, tls, reset, blocked_address and so on." example:"timeout"`
}

func object(row *db.DeliveryRow, tries []db.WebhookTry) *Delivery {
	d := &row.WebhookDelivery
	out := &Delivery{
		ID: d.ID, Object: "webhook_delivery", Created: d.CreatedAt.Unix(), EventID: d.EventID, Event: eventPrefix + row.Type,
		Subject: row.Subject, URL: d.Url, Status: d.Status, Redelivers: d.Redelivers, TriesMax: d.TriesMax,
		NextAttempt: unix(d.NextAt), Ended: unix(d.EndedAt), Tries: make([]Try, len(tries)),
	}
	for i, t := range tries {
		out.Tries[i] = Try{attempt(t.N, d.TriesMax), t.At.UnixMilli(), t.TookMs, t.StatusCode, t.Error}
	}
	return out
}

func unix(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	seconds := t.Unix()
	return &seconds
}

// attempt is a try's number as callers see it.
func attempt(n, of int32) string { return fmt.Sprintf("%d/%d", n, of) }

// lane names whom a delivery waits behind: what else a team sends to an address.
func lane(teamID, url string) string {
	sum := sha256.Sum256([]byte(teamID + "\x00" + url))
	return hex.EncodeToString(sum[:8])
}

// verdict is what becomes of a delivery after a try.
type verdict struct {
	status string
	after  time.Duration // until the next try, where it is pending
}

// judge decides by what the receiver said: only 2xx is success, 410 means never again (RFC 9110 section 15.5.11), and
// whoever asks to be left alone is, if that is longer than the schedule's wait.
func judge(t *tried, schedule []time.Duration, chance float64) verdict {
	switch {
	case t.statusCode >= 200 && t.statusCode < 300:
		return verdict{status: StatusDelivered}
	case t.statusCode == 410, t.tries+1 >= t.triesMax:
		return verdict{status: StatusFailed}
	}
	wait := schedule[min(int(t.tries), len(schedule)-1)]
	return verdict{StatusPending, max(spread(wait, chance), t.retryAfter)}
}

// byTime orders tries by their end.
func byTime(tries []*tried) []*tried {
	sorted := slices.Clone(tries)
	slices.SortStableFunc(sorted, func(a, b *tried) int { return a.at.Add(a.took).Compare(b.at.Add(b.took)) })
	return sorted
}

func chance() float64 { return rand.Float64() } //nolint:gosec // it only spreads
