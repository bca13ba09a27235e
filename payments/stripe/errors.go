package stripe

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	// ErrKeyReuse: the idempotency key was used with a different request (422).
	ErrKeyReuse = errors.New("idempotency key was used with another request")
	// ErrKeyInProgress: a request with the key is being processed (409).
	ErrKeyInProgress = errors.New("a request with this idempotency key is in progress")
	// ErrUnavailable: nothing was charged, and a later try may work (503): top-ups are switched off, or the database or
	// Stripe cannot be used.
	ErrUnavailable = errors.New("top-ups are not available")
	// ErrSignature: a webhook that is not from Stripe, is too old, or is not an event (400).
	ErrSignature = errors.New("webhook refused")
	// ErrPayloadTooLarge: a webhook over [WebhookBytesMax] (413).
	ErrPayloadTooLarge = errors.New("webhook payload is too large")
)

// PackError means that there is no pack with this number of credits (400). Nothing was written.
type PackError struct {
	Credits money.Credits
	Allowed []money.Credits
}

func (e *PackError) Error() string {
	return fmt.Sprintf("no pack of %d credits: want one of %v", e.Credits, e.Allowed)
}

// NoPaymentMethodError means that the team has no saved card (402). Nothing was written; the same idempotency key can
// be used once there is a card.
type NoPaymentMethodError struct {
	// SetupURL is a Stripe page on which a card can be saved. It is empty if none could be created; [Service.SetupPage]
	// creates one.
	SetupURL string
}

func (e *NoPaymentMethodError) Error() string { return "no payment method is saved" }

// DeclinedError means that the payment was attempted and failed; nothing was charged (402). It is the stored outcome of
// its idempotency key.
type DeclinedError struct {
	TopupID         string
	PaymentIntentID string // may be empty
	// Code is Stripe's error code, such as card_declined or expired_card, or payment_failed if there is none.
	Code string
	// DeclineCode is the issuer's reason, such as insufficient_funds. It may be empty.
	DeclineCode string
	// Message is a sentence for the card's owner.
	Message  string
	Replayed bool
}

func (e *DeclinedError) Error() string {
	if e.DeclineCode != "" {
		return fmt.Sprintf("payment declined: %s (%s)", e.Code, e.DeclineCode)
	}
	return "payment declined: " + e.Code
}

// AuthenticationError means that the issuer wants the card's owner to confirm (402). Nothing was charged. It is the
// stored outcome of its idempotency key; a payment on the page is a separate purchase, credited when Stripe reports it.
type AuthenticationError struct {
	TopupID         string
	PaymentIntentID string
	// ActionURL is a Stripe page on which the owner can pay for the same pack. It expires 90 minutes after the
	// purchase, and with the team's next attempt. It is empty if the outcome became known too late to offer a page.
	ActionURL string
	Replayed  bool
}

func (e *AuthenticationError) Error() string { return "payment requires cardholder confirmation" }

// InProgressError means that the team has a purchase of unknown outcome (409). Another can be attempted once it is
// known.
type InProgressError struct {
	TopupID    string
	RetryAfter time.Duration
}

func (e *InProgressError) Error() string { return "another top-up is in progress" }

// TooSoonError means that the team's last attempt was within [Config.AttemptEvery] (429).
type TooSoonError struct {
	RetryAfter time.Duration
}

func (e *TooSoonError) Error() string {
	return fmt.Sprintf("the last top-up was attempted a moment ago: wait %s", e.RetryAfter)
}

// VelocityError means that the team has reached its limit of attempts or spending in 24 hours (429).
type VelocityError struct {
	// Limit names the limit with its figure, in words that can be shown to the client.
	Limit      string
	RetryAfter time.Duration
}

func (e *VelocityError) Error() string { return "top-up limit reached: " + e.Limit }
