package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// answerBytesMax is how much of an answer is read: so much that a short one leaves its connection usable.
	answerBytesMax = 1 << 10
	// storeWait is how long a try waits for a database that is away.
	storeWait = 2 * time.Second
	// shareWait is how long a try waits whose team has its share of the slots.
	shareWait = time.Second
)

var errShare = errors.New("the team has its share of the slots")

// tried is what came of a try.
type tried struct {
	id              string // the delivery's
	lane            string
	tries, triesMax int32 // before this one; at most
	at              time.Time
	took            time.Duration
	statusCode      int    // 0: there was no answer
	reason          string // why
	retryAfter      time.Duration

	verdict verdict
}

// Body is what is posted.
type Body struct {
	ID        string          `json:"id"`
	Object    string          `json:"object"`
	Timestamp int64           `json:"timestamp"`
	Attempt   string          `json:"delivery_attempt"`
	Data      json.RawMessage `json:"data"`
}

// Run makes one try. It implements jobs.Handler.
func (s *Service) Run(ctx context.Context, t jobs.Task) (any, error) {
	leave, ok := s.share.enter(t.TeamID)
	if !ok {
		return nil, jobs.Wait(errShare, shareWait)
	}
	defer leave()
	d, err := s.store.toSend(ctx, t.Group)
	switch {
	case errors.Is(err, errNotFound):
		return nil, nil // it has ended, and so does its task
	case err != nil:
		return nil, jobs.Wait(err, storeWait)
	}
	out := &tried{id: t.Group, lane: t.Lane, tries: d.Tries, triesMax: d.TriesMax, at: s.config.Now()}
	request, err := s.request(t.TeamID, d, out.at)
	if err != nil {
		return nil, err
	}
	response, err := s.post(ctx, request, d)
	out.took = max(s.config.Now().Sub(out.at), 0)
	switch {
	case err == nil:
		out.statusCode, out.retryAfter = response.StatusCode, fetch.RetryAfter(response.Header)
	case ctx.Err() != nil:
		return nil, ctx.Err() // the process is to end, or the task is another's: it says nothing about the receiver
	default:
		out.reason = string(fetch.ReasonOf(err))
	}
	return out, nil
}

// request is a try that begins now.
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

// encode leaves the data as the event has it: markup stays, numbers keep their digits.
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
	ctx, cancel := context.WithTimeout(ctx, s.config.TryTimeout)
	defer cancel()
	var err error
	if request.URL, err = fetch.ParseURL(d.Url); err != nil {
		return nil, err
	}
	return s.config.Client.Do(ctx, *request)
}
