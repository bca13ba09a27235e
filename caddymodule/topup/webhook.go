package topup

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

type receivedAnswer struct {
	Received bool `json:"received"`
}

// webhook responds with 2xx only after the event's changes are stored. Until then the payment provider sends it again.
func (t *Handler) webhook(w http.ResponseWriter, r *http.Request) error {
	signature, err := t.checkHeaders(r)
	if err != nil {
		return t.refuseUnread(w, r, err)
	}
	payload, err := t.events.read(w, r)
	if err != nil {
		if errors.Is(err, errSlowEvent) {
			return t.app.Refuse(w, r, response.RefuseOverloaded("The event did not arrive in time: send it again."))
		}
		return t.refuse(w, r, err)
	}
	if err := t.app.TopUps().Webhook(r.Context(), payload, signature); err != nil {
		return t.refuseWebhook(w, r, err)
	}
	return t.answer(w, r, http.StatusOK, &receivedAnswer{Received: true})
}

// drainedMax is how much of an unread body net/http reads, in bytes, before it sends the response and reuses the
// connection. With more it closes the connection.
const drainedMax = 256 << 10

// unusedFor is how long a client may still send after such a response: as long as net/http waits before it closes.
const unusedFor = 500 * time.Millisecond

// refuseUnread refuses a request before its body has arrived. A connection that is closed while bytes arrive is reset,
// and its client can lose the response (RFC 9112 section 9.6). So the rest of a long body is discarded for a moment.
// net/http does that only for its own request body, and Caddy wraps it.
func (t *Handler) refuseUnread(w http.ResponseWriter, r *http.Request, err error) error {
	body := http.NewResponseController(w)
	if r.ContentLength <= drainedMax {
		_ = body.SetReadDeadline(passed)
		return t.refuse(w, r, err)
	}
	if err := t.refuse(w, r, err); err != nil {
		return err
	}
	_ = body.Flush()
	_ = body.SetReadDeadline(time.Now().Add(unusedFor))
	_, _ = io.Copy(io.Discard, r.Body)
	return nil
}

// checkHeaders returns the signature of a possible event.
func (t *Handler) checkHeaders(r *http.Request) (string, error) {
	if r.ContentLength > stripe.WebhookBytesMax {
		return "", stripe.ErrPayloadTooLarge
	}
	signatures := r.Header["Stripe-Signature"]
	switch len(signatures) {
	case 0:
		return "", &price.RequestError{Loc: []any{"header", "Stripe-Signature"}, Missing: true, Reason: "is missing: this endpoint only accepts Stripe's events"}
	case 1:
		return signatures[0], t.app.TopUps().CheckSignature(signatures[0])
	default:
		return "", stripe.ErrSignature
	}
}

const (
	// eventsReadMax is how many event bodies are read at once: 16 MiB if all have the largest size.
	eventsReadMax = 64
	// eventReadTimeout is how long reading one may take. Events have a few KiB, and their sender has a fast connection.
	eventReadTimeout = 5 * time.Second
)

// passed is a deadline that ends a read at once.
var passed = time.Unix(1, 0)

// errSlowEvent is returned for a body that took too long, or was the oldest when eventsReadMax others were being read.
var errSlowEvent = errors.New("the event did not arrive in time")

// eventReads tracks the bodies that are being read from unverified senders. If one too many arrives, the oldest read is
// ended. So slow senders only hinder each other, not the payment provider, whose events arrive at once.
type eventReads struct {
	mu   sync.Mutex
	open []*http.ResponseController // oldest first
}

func (b *eventReads) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body := http.NewResponseController(w)
	_ = body.SetReadDeadline(time.Now().Add(eventReadTimeout)) // fails only for writers of tests, which have no slow clients
	b.begin(body)
	payload, err := price.ReadBody(r, stripe.WebhookBytesMax)
	b.end(body)
	_ = body.SetReadDeadline(time.Time{}) // otherwise it stays on the connection
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("%w: %w", errSlowEvent, err)
	}
	return payload, err
}

func (b *eventReads) begin(body *http.ResponseController) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.open) == eventsReadMax {
		_ = b.open[0].SetReadDeadline(passed)
		b.open = slices.Delete(b.open, 0, 1)
	}
	b.open = append(b.open, body)
}

// end must run before the request ends. A deadline that is set later would hit the connection's next request.
func (b *eventReads) end(body *http.ResponseController) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = slices.DeleteFunc(b.open, func(other *http.ResponseController) bool { return other == body })
}
