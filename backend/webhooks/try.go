package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

// answerBytesMax is how much of a response is read: enough to reuse the connection after a short one.
const answerBytesMax = 1 << 10

// Body is the body of the POST.
type Body struct {
	ID        string          `json:"id"`
	Object    string          `json:"object"`
	Timestamp int64           `json:"timestamp"`
	Attempt   string          `json:"delivery_attempt"`
	Data      json.RawMessage `json:"data"`
}

// Try makes one try. It implements delivery.Carrier.
func (s *Service) Try(ctx context.Context, t jobs.Task) (*delivery.Try, error) {
	d, err := s.store.toSend(ctx, t.Group)
	if err != nil {
		return nil, delivery.Unread(err)
	}
	out := &delivery.Try{ID: t.Group, Lane: t.Lane, Made: d.Tries, TriesMax: d.TriesMax, At: s.config.Now()}
	request, err := s.request(t.TeamID, d, out.At)
	if err != nil {
		return nil, err
	}
	response, err := s.post(ctx, request, d)
	out.Took = max(s.config.Now().Sub(out.At), 0)
	switch {
	case err == nil:
		out.StatusCode, out.RetryAfter = response.StatusCode, fetch.RetryAfter(response.Header)
		// Only 2xx is success, and 410 means never again (RFC 9110 section 15.5.11).
		out.Taken, out.Refused = out.StatusCode/100 == 2, out.StatusCode == http.StatusGone
	case ctx.Err() != nil:
		return nil, ctx.Err() // the process is stopping, or another worker has the task: it says nothing about the receiver
	default:
		out.Error = string(fetch.ReasonOf(err))
	}
	return out, nil
}

// Standing implements delivery.Carrier.
func (s *Service) Standing(ctx context.Context, id string) (made, most int32, err error) {
	d, err := s.store.toSend(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	return d.Tries, d.TriesMax, nil
}

// Record implements delivery.Carrier.
func (s *Service) Record(ctx context.Context, tx pgx.Tx, tries []*delivery.Try) error {
	return newStore(tx).record(ctx, tries, s.config.Now())
}

// Recorded implements delivery.Carrier.
func (s *Service) Recorded(tries []*delivery.Try) {
	for _, t := range tries {
		s.metrics.tries.WithLabelValues(t.Outcome()).Inc()
	}
}

// request returns a try that begins now.
func (s *Service) request(teamID string, d *db.DeliveryToSendRow, now time.Time) (*fetch.Request, error) {
	body, err := encode(&Body{
		ID: d.EventID, Object: eventPrefix + d.Type, Timestamp: now.UnixMilli(), Attempt: attempt(d.Tries+1, d.TriesMax), Data: d.Data,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding event %s: %w", d.EventID, err)
	}
	signature, err := s.sign(teamID, keyState{d.KeyVersion, d.KeyRotatedAt}, d.EventID, now, body)
	if err != nil {
		return nil, err
	}
	return &fetch.Request{
		Method: http.MethodPost, Body: body, NoRedirects: true, HeadBytes: answerBytesMax,
		Header: http.Header{
			"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Webhook-Id": {d.EventID},
			"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)}, "Webhook-Signature": {signature},
		},
	}, nil
}

// encode keeps the payload as the event has it: HTML is not escaped, and numbers keep their digits.
func encode(body *Body) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func (s *Service) post(ctx context.Context, request *fetch.Request, d *db.DeliveryToSendRow) (*fetch.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.engine.TryTimeout())
	defer cancel()
	var err error
	if request.URL, err = fetch.ParseURL(d.Url); err != nil {
		return nil, err
	}
	return s.config.Client.Do(ctx, *request)
}
