package topup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

// refuse writes the response for an error of the top-ups. Use it only where nothing was charged.
func (t *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	no := refusalOf(err)
	if no.Status >= http.StatusInternalServerError && no.Status != http.StatusNotImplemented && r.Context().Err() == nil {
		t.logger.Error("top-ups", zap.Error(err))
	}
	return t.app.Refuse(w, r, no)
}

// refusePurchase is refuse for a purchase. A purchase may also be limited or replayed, and an unexpected error leaves
// its outcome unknown.
func (t *Handler) refusePurchase(w http.ResponseWriter, r *http.Request, err error) error {
	if isReplayed(err) {
		markReplayed(w)
	}
	if limit, wait, isLimited := limitOf(err); isLimited {
		h := w.Header()
		if policy := t.app.TopUps().RatePolicy(); policy != "" {
			h[headerRatePolicy] = []string{policy}
		}
		h["Ratelimit"] = []string{fmt.Sprintf("%q;r=0;t=%d", limit, seconds(wait))}
	}
	no := refusalOf(err)
	if no.Status == http.StatusInternalServerError {
		t.logger.Error("purchase with unknown outcome", zap.Error(err))
		no.Detail = "Something went wrong here. If the card was charged, its credits are added automatically: check GET /user/credits/info first."
		return t.app.Refuse(w, r, no)
	}
	return t.refuse(w, r, err)
}

// refuseWebhook responds to the sender of an event: 4xx if it is not the payment provider, 503 if it should send again.
func (t *Handler) refuseWebhook(w http.ResponseWriter, r *http.Request, err error) error {
	if !errors.Is(err, stripe.ErrSignature) && !errors.Is(err, stripe.ErrPayloadTooLarge) && !errors.Is(err, ErrOff) {
		t.logger.Error("a webhook event was not processed, and will be sent again", zap.Error(err))
		return t.app.Refuse(w, r, response.RefuseOverloaded("The event was not processed: send it again."))
	}
	return t.refuse(w, r, err)
}

// refusalOf maps all errors of the top-ups and of reading a request.
func refusalOf(err error) *response.Refusal {
	switch {
	case errors.Is(err, ErrOff):
		return refuseOff()
	case errors.Is(err, stripe.ErrKeyReuse):
		return &response.Refusal{
			Status: http.StatusUnprocessableEntity, Code: "idempotency_key_reuse", Slug: "unprocessable",
			Detail: "This Idempotency-Key was used for a different request: use a new key for a new purchase. Nothing was charged.",
		}
	case errors.Is(err, stripe.ErrKeyInProgress):
		return &response.Refusal{
			Status: http.StatusConflict, Code: "idempotency_key_in_progress", Slug: "conflict", RetryAfter: keyRetryAfter,
			Detail: "The first request with this Idempotency-Key is still in progress: retry it shortly to get its outcome.",
		}
	case errors.Is(err, stripe.ErrUnavailable):
		return refuseUnavailable()
	case errors.Is(err, stripe.ErrSignature):
		return response.RefuseBadRequest(&price.RequestError{
			Loc: []any{"header", "Stripe-Signature"}, Reason: "is not a valid signature by Stripe for this body, or is more than five minutes old",
		})
	case errors.Is(err, stripe.ErrPayloadTooLarge):
		return response.RefusePrice(&price.BodyTooLargeError{BytesMax: stripe.WebhookBytesMax})
	case errors.Is(err, context.Canceled):
		return refuseUnavailable() // the client has left
	}
	if no := refusePayment(err); no != nil {
		return no
	}
	if no := refuseAttempt(err); no != nil {
		return no
	}
	return response.RefusePrice(err)
}

// refusePayment maps the errors of taking the money.
func refusePayment(err error) *response.Refusal {
	no := &response.Refusal{Status: http.StatusPaymentRequired, Slug: "payment_required", Metadata: map[string]any{}}
	put := func(name, value string) {
		if value != "" {
			no.Metadata[name] = value
		}
	}
	if none, ok := errors.AsType[*stripe.NoPaymentMethodError](err); ok {
		no.Code = "no_payment_method"
		no.Detail = "No card is saved. Save one on the page that POST " + PathPaymentMethod + " returns, then buy again. Nothing was charged."
		put("setup_url", none.SetupURL)
		put("setup", "POST "+PathPaymentMethod)
		return no
	}
	if declined, ok := errors.AsType[*stripe.DeclinedError](err); ok {
		no.Code = "card_declined"
		no.Detail = "The card was declined"
		if declined.Message != "" {
			no.Detail += ": " + strings.TrimSuffix(declined.Message, ".")
		}
		no.Detail += ". Nothing was charged."
		put("reason", declined.Code)
		put("decline_code", declined.DeclineCode)
		put("payment_intent_id", declined.PaymentIntentID)
		put("topup_id", declined.TopupID)
		return no
	}
	if wanted, ok := errors.AsType[*stripe.AuthenticationError](err); ok {
		no.Code = "authentication_required"
		no.Detail = "The card's bank requires the cardholder to confirm the payment. Nothing was charged. "
		if wanted.ActionURL != "" {
			no.Detail += "Complete the payment on the page at metadata.action_url; the credits are then added automatically."
		} else {
			no.Detail += "Retry the purchase: the response will include a page on which the cardholder can confirm it."
		}
		put("action_url", wanted.ActionURL)
		put("payment_intent_id", wanted.PaymentIntentID)
		put("topup_id", wanted.TopupID)
		return no
	}
	return nil
}

// refuseAttempt maps the reasons why a purchase was not attempted.
func refuseAttempt(err error) *response.Refusal {
	if pack, ok := errors.AsType[*stripe.PackError](err); ok {
		amounts := make([]string, len(pack.Allowed))
		for i, amount := range pack.Allowed {
			amounts[i] = amount.String()
		}
		return response.RefuseBadRequest(&price.RequestError{
			Loc: []any{"body", "credits"}, Reason: fmt.Sprintf("got %d, want one of %s", pack.Credits, strings.Join(amounts, ", ")),
		})
	}
	if busy, ok := errors.AsType[*stripe.InProgressError](err); ok {
		return &response.Refusal{
			Status: http.StatusConflict, Code: "topup_in_progress", Slug: "conflict", RetryAfter: atLeastSecond(busy.RetryAfter),
			Detail:   "A top-up of this team is still in progress. Wait for its outcome, so that you do not pay twice. Nothing more was charged.",
			Metadata: map[string]any{"topup_id": busy.TopupID},
		}
	}
	limit, wait, isLimited := limitOf(err)
	if !isLimited {
		return nil
	}
	no := &response.Refusal{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Slug: "too_many_requests", RetryAfter: wait,
		Metadata: map[string]any{"policy": limit, "retry_after": seconds(wait)},
		Detail:   "This team attempted a purchase a moment ago: try again in " + strconv.Itoa(seconds(wait)) + " s. Nothing was charged.",
	}
	if velocity, ok := errors.AsType[*stripe.VelocityError](err); ok {
		no.Detail = "This team has reached its purchase limit: " + velocity.Limit + ". Nothing was charged."
	}
	return no
}

// limitOf returns the limit that an error is about.
func limitOf(err error) (name string, wait time.Duration, isLimited bool) {
	if soon, ok := errors.AsType[*stripe.TooSoonError](err); ok {
		return policyAttempt, atLeastSecond(soon.RetryAfter), true
	}
	if velocity, ok := errors.AsType[*stripe.VelocityError](err); ok {
		return policyDay, atLeastSecond(velocity.RetryAfter), true
	}
	return "", 0, false
}

// Names of the limits in RateLimit-Policy.
const (
	policyAttempt = "topup"
	policyDay     = "topup-day"
)

// ratePolicy returns the limits of a configuration as a RateLimit-Policy value.
func ratePolicy(key *stripeKey) string {
	every, attempts := key.attemptEvery, key.dailyAttempts
	if every == 0 {
		every = time.Minute
	}
	if attempts == 0 {
		attempts = 20
	}
	return fmt.Sprintf("%q;q=1;w=%d, %q;q=%d;w=86400", policyAttempt, seconds(every), policyDay, attempts)
}

func isReplayed(err error) bool {
	if declined, ok := errors.AsType[*stripe.DeclinedError](err); ok {
		return declined.Replayed
	}
	if wanted, ok := errors.AsType[*stripe.AuthenticationError](err); ok {
		return wanted.Replayed
	}
	return false
}

const (
	keyRetryAfter         = 2 * time.Second
	unavailableRetryAfter = 10 * time.Second
)

func refuseUnavailable() *response.Refusal {
	no := response.RefuseOverloaded("Top-ups are not available at the moment. Nothing was charged.")
	no.RetryAfter = unavailableRetryAfter
	return no
}

func refuseOff() *response.Refusal {
	return &response.Refusal{
		Status: http.StatusNotImplemented, Code: "provider_not_configured", Slug: "not_implemented",
		Detail: "Credit purchases are not configured on this service. Nothing was charged. Its operator can set STRIPE_SECRET_KEY and " +
			"STRIPE_WEBHOOK_SECRET for the edge, or grant credits with `turnpike credits grant`.",
	}
}

func refuseNoCardFound() *response.Refusal {
	return &response.Refusal{
		Status: http.StatusNotFound, Code: "payment_method_not_found", Slug: "not_found",
		Detail:   "No card is saved. POST " + PathPaymentMethod + " returns a page on which you can save one.",
		Metadata: map[string]any{"setup": "POST " + PathPaymentMethod},
	}
}

// seconds rounds up: a client that retries too early is refused again.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

func atLeastSecond(d time.Duration) time.Duration {
	return max(time.Second, time.Duration(seconds(d))*time.Second)
}
