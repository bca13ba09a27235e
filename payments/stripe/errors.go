package stripe

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	// ErrKeyReuse: the idempotency key was used with another request (422).
	ErrKeyReuse = errors.New("idempotency key was used with another request")
	// ErrKeyInProgress: a request with the key is at work right now (409).
	ErrKeyInProgress = errors.New("a request with this idempotency key is in progress")
	// ErrUnavailable: nothing was charged, and trying again later may work (503):
	// top-ups are switched off, or the database or Stripe cannot be used.
	ErrUnavailable = errors.New("top-ups are not available")
	// ErrSignature: a webhook that is not Stripe's, too old, or not an event (400).
	ErrSignature = errors.New("webhook refused")
	// ErrPayloadTooLarge: a webhook over [WebhookBytesMax] (413).
	ErrPayloadTooLarge = errors.New("webhook payload is too large")
)

// PackError means that no pack has that many credits (400). Nothing was written.
type PackError struct {
	Credits money.Credits
	Allowed []money.Credits
}

func (e *PackError) Error() string {
	return fmt.Sprintf("no pack of %d credits: want one of %v", e.Credits, e.Allowed)
}

// NoPaymentMethodError means that the team has no saved card (402). Nothing was
// written; the same idempotency key can be used once there is a card.
type NoPaymentMethodError struct {
	// SetupURL is a page of Stripe's on which a card can be saved. It is empty
	// where none could be made just now; [Service.SetupPage] makes one.
	SetupURL string
}

func (e *NoPaymentMethodError) Error() string { return "no payment method is saved" }

// DeclinedError means that the payment was tried and failed; nothing was charged
// (402). It is the stored outcome of its idempotency key.
type DeclinedError struct {
	TopupID         string
	PaymentIntentID string // may be empty
	// Code is Stripe's error code, such as card_declined or expired_card, or
	// payment_failed where there is none.
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

// AuthenticationError means that the issuer wants the card's owner to confirm (402).
// Nothing was charged. It is the stored outcome of its idempotency key; a payment on
// the page is a purchase of its own, credited when Stripe reports it.
type AuthenticationError struct {
	TopupID         string
	PaymentIntentID string
	// ActionURL is a page of Stripe's on which the owner can pay for the same pack.
	// It lapses 90 minutes after the purchase, and with the team's next attempt. It may be empty
	// where the outcome became known too late to offer one.
	ActionURL string
	Replayed  bool
}

func (e *AuthenticationError) Error() string { return "payment needs the card owner's confirmation" }

// InProgressError means that the team has a purchase whose outcome is not known yet
// (409). Another may be tried when it is.
type InProgressError struct {
	TopupID    string
	RetryAfter time.Duration
}

func (e *InProgressError) Error() string { return "another top-up is in progress" }

// TooSoonError means that the team tried within the last [Config.AttemptEvery] (429).
type TooSoonError struct {
	RetryAfter time.Duration
}

func (e *TooSoonError) Error() string {
	return fmt.Sprintf("the last top-up was tried a moment ago: wait %s", e.RetryAfter)
}

// VelocityError means that the team has reached what it may try or spend in 24 hours
// (429).
type VelocityError struct {
	// Limit says which one in words for the caller, with its figure.
	Limit      string
	RetryAfter time.Duration
}

func (e *VelocityError) Error() string { return "top-up limit reached: " + e.Limit }
