package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	stripego "github.com/stripe/stripe-go/v76"

	"github.com/turnpike-edge/turnpike/db"
)

// chargeStatus is the result of a payment.
type chargeStatus int

const (
	// statusUnknown: it may have been charged. Nothing is assumed.
	statusUnknown chargeStatus = iota
	// statusCharged: Stripe has received the money.
	statusCharged
	// statusProcessing: Stripe does not know yet.
	statusProcessing
	// statusOwner: the issuer wants the card's owner to confirm; nothing was charged.
	statusOwner
	// statusRefused: it failed for good; nothing was charged.
	statusRefused
	// statusInvalid: Stripe refused the request as invalid; nothing was charged by this request.
	statusInvalid
	// statusBarred: Stripe refused our key; nothing was charged by this request.
	statusBarred
)

// outcome is a chargeStatus and its details.
type outcome struct {
	chargeStatus               chargeStatus
	intent                     *stripego.PaymentIntent // may be nil
	code, declineCode, message string
	err                        error
}

func (o *outcome) intentID() string {
	if o.intent == nil {
		return ""
	}
	return o.intent.ID
}

// charge asks Stripe for the payment of a row. It may be called again within [resendFor], always with the same
// parameters: they come from the row alone. If a new version of this function changes them, Stripe refuses payments
// that an older version began; those are then looked up.
func (s *Service) charge(ctx context.Context, row *db.Topup) outcome {
	p := &stripego.PaymentIntentParams{
		Params:        params(ctx, row.ID),
		Amount:        new(int64(row.AmountCents)),
		Currency:      new(currency),
		Customer:      new(row.CustomerID),
		PaymentMethod: row.PaymentMethodID,
		Confirm:       new(true),
		OffSession:    new(true),
		Description:   new(description(row)),
		ReceiptEmail:  some(row.ReceiptEmail),
	}
	p.AddMetadata(metadataTopup, row.ID)
	p.AddMetadata(metadataTeam, row.TeamID)
	pi, err := s.api.PaymentIntents.New(p)
	if err != nil {
		return outcomeOfError(err)
	}
	return outcomeOf(pi)
}

func description(row *db.Topup) string { return fmt.Sprintf("%d credits", row.Credits) }

// outcomeOf reads the chargeStatus from the payment itself.
func outcomeOf(pi *stripego.PaymentIntent) outcome {
	o := outcome{intent: pi}
	switch pi.Status {
	case stripego.PaymentIntentStatusSucceeded:
		o.chargeStatus = statusCharged
	case stripego.PaymentIntentStatusProcessing:
		o.chargeStatus = statusProcessing
	case stripego.PaymentIntentStatusRequiresAction:
		o.chargeStatus, o.code = statusOwner, codeAuthentication
	case stripego.PaymentIntentStatusRequiresPaymentMethod:
		o.refuse(pi.LastPaymentError)
	case stripego.PaymentIntentStatusCanceled:
		o.chargeStatus, o.code, o.message = statusRefused, codeFailed, "The payment was cancelled."
	case stripego.PaymentIntentStatusRequiresCapture, stripego.PaymentIntentStatusRequiresConfirmation:
		// We never create payments that reach these states.
		o.err = fmt.Errorf("payment %s is %s", pi.ID, pi.Status)
	}
	return o
}

const (
	// codeAuthentication is both a code of Stripe's and a decline code of issuers.
	codeAuthentication = string(stripego.ErrorCodeAuthenticationRequired)
	codeFailed         = "payment_failed"
)

// refuse reads why the issuer declined.
func (o *outcome) refuse(e *stripego.Error) {
	o.chargeStatus, o.code, o.message = statusRefused, codeFailed, "The payment failed."
	if e == nil {
		return
	}
	if e.Code != "" {
		o.code = string(e.Code)
	}
	if e.Msg != "" {
		o.message = e.Msg
	}
	o.declineCode = string(e.DeclineCode)
	if o.code == codeAuthentication || o.declineCode == codeAuthentication {
		o.chargeStatus, o.code = statusOwner, codeAuthentication
	}
}

// outcomeOfError reads the chargeStatus of a payment request that failed with an error response, or without a response.
func outcomeOfError(err error) outcome {
	o := outcome{err: err}
	e, ok := errors.AsType[*stripego.Error](err)
	if !ok {
		return o // no response: timeout, broken connection, not JSON
	}
	o.intent = e.PaymentIntent
	switch {
	case e.PaymentIntent != nil && e.PaymentIntent.Status == stripego.PaymentIntentStatusSucceeded,
		e.PaymentIntent != nil && e.PaymentIntent.Status == stripego.PaymentIntentStatusProcessing:
		return outcomeOf(e.PaymentIntent)
	case e.Type == stripego.ErrorTypeCard:
		o.refuse(e)
	case e.HTTPStatusCode == http.StatusUnauthorized, e.HTTPStatusCode == http.StatusForbidden:
		o.chargeStatus = statusBarred
	case e.Type == stripego.ErrorTypeInvalidRequest &&
		(e.HTTPStatusCode == http.StatusBadRequest || e.HTTPStatusCode == http.StatusNotFound):
		o.refuse(nil)
		o.chargeStatus = statusInvalid
		if e.Code != "" {
			o.code = string(e.Code)
		}
		o.message = "The saved card could not be used. Save it again, or save another card."
	}
	// The rest (409, 429, 5xx, idempotency_error) says nothing about the first request with this key.
	return o
}

// lookup searches Stripe for the payment of a row whose responses were all lost. If there is none, it returns
// statusUnknown without an error.
func (s *Service) lookup(ctx context.Context, row *db.Topup) outcome {
	p := &stripego.PaymentIntentListParams{Customer: new(row.CustomerID)}
	p.Context = ctx
	p.Limit = new(int64(100))
	p.CreatedRange = &stripego.RangeQueryParams{GreaterThanOrEqual: row.CreatedAt.Add(-clockSlack).Unix()}
	it := s.api.PaymentIntents.List(p)
	for it.Next() {
		if pi := it.PaymentIntent(); pi.Metadata[metadataTopup] == row.ID {
			return outcomeOf(pi)
		}
	}
	if err := it.Err(); err != nil {
		return outcome{err: fmt.Errorf("searching for the payment of %s: %w", row.ID, err)}
	}
	return outcome{}
}

// clockSlack is how much our clock and Stripe's may differ.
const clockSlack = 10 * time.Minute
