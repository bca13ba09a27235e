package stripe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	stripego "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"github.com/turnpike-edge/turnpike/db"
)

// event is the part of a Stripe event that is used: its id and type, and the object it concerns. The rest differs
// between API versions, and is older than Stripe's current state.
type event struct {
	id, kind string
	live     bool
	// intentID and setupID are the ids of the payment and the setup intent that the object is, or belongs to. Each may
	// be empty.
	intentID, setupID string
}

// Webhook processes one event from Stripe: the body as sent, and the header Stripe-Signature. Each event is processed
// once, however often it arrives. Errors: [ErrSignature] and [ErrPayloadTooLarge], which are final; any other error
// means that Stripe should send it again (503).
func (s *Service) Webhook(ctx context.Context, payload []byte, signature string) error {
	if len(payload) > WebhookBytesMax {
		return ErrPayloadTooLarge
	}
	ev, err := parseEvent(payload, signature, s.cfg.WebhookSecret, s.cfg.Now())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	if ev.live != s.live {
		s.cfg.Logger.Warn("an event of the other mode (live or test) was ignored", "event", ev.id, "live", ev.live)
		return nil
	}
	done, err := s.q.StripeEventIsDone(ctx, ev.id)
	if err != nil {
		return fmt.Errorf("looking up event %s: %w", ev.id, err)
	}
	if done {
		return nil
	}
	if err := s.handle(ctx, ev); err != nil {
		return fmt.Errorf("event %s (%s): %w", ev.id, ev.kind, err)
	}
	return nil
}

func (s *Service) handle(ctx context.Context, ev *event) error {
	switch ev.kind {
	case "payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.processing", "payment_intent.canceled",
		"charge.refunded", "charge.refund.updated", "refund.updated", "refund.failed",
		"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed",
		"charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated",
		"checkout.session.completed", "setup_intent.succeeded":
		switch {
		case ev.intentID != "":
			return s.sync(ctx, ev.intentID, ev)
		case ev.setupID != "":
			return s.cardWasSaved(ctx, ev)
		}
	}
	return s.done(ctx, ev)
}

// cardWasSaved saves the card of a setup intent for the team's purchases.
func (s *Service) cardWasSaved(ctx context.Context, ev *event) error {
	p := &stripego.SetupIntentParams{Params: params(ctx, "")}
	p.AddExpand("payment_method")
	setup, err := s.api.SetupIntents.Get(ev.setupID, p)
	if isMissing(err) {
		return s.done(ctx, ev)
	}
	if err != nil {
		return fmt.Errorf("reading setup intent %s: %w", ev.setupID, err)
	}
	if setup.Status != stripego.SetupIntentStatusSucceeded || setup.Customer == nil || !belongs(setup.PaymentMethod, setup.Customer.ID) {
		return s.done(ctx, ev) // or the card was removed since
	}
	taken := false
	err = s.inTx(ctx, ev, func(q *db.Queries) (err error) {
		taken, err = s.take(ctx, q, setup.Customer.ID, setup.PaymentMethod)
		return err
	})
	if err == nil && taken {
		s.makeDefault(ctx, setup.Customer.ID, setup.PaymentMethod.ID)
	}
	return err
}

// CheckSignature checks a header Stripe-Signature before its body is read. It returns [ErrSignature] if the header is
// malformed, or more than five minutes old or early: no event can have such a header. Passing proves nothing: anyone
// can write a valid header.
func (s *Service) CheckSignature(header string) error {
	if err := checkSignature(header, s.cfg.Now()); err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return nil
}

// checkSignature parses "t=<seconds>,v1=<hexadecimal>", and further signatures, like the library: of several times the
// last one counts, which is the signed one. The age uses our own clock, which the library cannot do.
func checkSignature(header string, now time.Time) error {
	var at time.Time
	isSigned := false
	for part := range strings.SplitSeq(header, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || strings.Contains(value, "=") {
			return webhook.ErrInvalidHeader
		}
		switch name {
		case "t":
			seconds, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return webhook.ErrInvalidHeader
			}
			at = time.Unix(seconds, 0)
		case "v1":
			sum, err := hex.DecodeString(value)
			isSigned = isSigned || err == nil && len(sum) == sha256.Size
		}
	}
	if !isSigned {
		return webhook.ErrNoValidSignature
	}
	if age := now.Sub(at); age > webhook.DefaultTolerance || age < -webhook.DefaultTolerance {
		return fmt.Errorf("signed %s ago: want at most %s", age, webhook.DefaultTolerance)
	}
	return nil
}

// parseEvent verifies the signature, then reads the event.
func parseEvent(payload []byte, signature, secret string, now time.Time) (*event, error) {
	if err := checkSignature(signature, now); err != nil {
		return nil, err
	}
	if err := webhook.ValidatePayloadIgnoringTolerance(payload, signature, secret); err != nil {
		return nil, err
	}
	var body struct {
		ID       string `json:"id"`
		Object   string `json:"object"`
		Type     string `json:"type"`
		Livemode bool   `json:"livemode"`
		Data     struct {
			Object struct {
				ID            string    `json:"id"`
				Object        string    `json:"object"`
				PaymentIntent reference `json:"payment_intent"`
				SetupIntent   reference `json:"setup_intent"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(payload, &body); err != nil {
		return nil, fmt.Errorf("reading the event: %w", err)
	}
	if body.ID == "" || body.Type == "" || body.Object != "event" {
		return nil, errors.New("not an event: want an id and a type")
	}
	o := body.Data.Object
	ev := &event{
		id: body.ID, kind: body.Type, live: body.Livemode,
		intentID: string(o.PaymentIntent), setupID: string(o.SetupIntent),
	}
	switch o.Object {
	case "payment_intent":
		ev.intentID = o.ID
	case "setup_intent":
		ev.setupID = o.ID
	}
	return ev, nil
}

// reference is the id of an object, given as an id or as the whole object.
type reference string

// UnmarshalJSON implements json.Unmarshaler.
func (r *reference) UnmarshalJSON(data []byte) error {
	*r = ""
	if len(data) == 0 || data[0] != '{' {
		var id *string
		if err := json.Unmarshal(data, &id); err != nil {
			return err
		}
		*r = reference(deref(id))
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*r = reference(object.ID)
	return nil
}
