package stripetest

import (
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
)

func (d *Double) createIntent(c *call) (int, any) {
	amount, err := strconv.ParseInt(c.form.Get("amount"), 10, 64)
	if err != nil || amount < 50 {
		return invalid("amount_too_small", "Amount must be at least $0.50 usd")
	}
	customer, pm := c.form.Get("customer"), d.cards[c.form.Get("payment_method")]
	switch {
	case c.form.Get("currency") != "usd":
		return invalid("", "Invalid currency")
	case d.customers[customer] == nil:
		return missing("customer", customer)
	case pm == nil:
		return missing("PaymentMethod", c.form.Get("payment_method"))
	case pm.object.str("customer") != customer:
		return invalid("payment_method_unexpected_state", "The PaymentMethod does not belong to the customer")
	case c.form.Get("confirm") != "true" || c.form.Get("off_session") != "true":
		return invalid("", "This test double only supports payments that are confirmed off session")
	}
	switch first := c.try == 1; {
	case first && pm.behaviour == TimeoutBefore:
		c.hangs = true
		return statusNotTaken, nil
	case first && pm.behaviour == DropBefore:
		c.drops = true
		return statusNotTaken, nil
	case c.try <= 2 && pm.behaviour == InUse:
		return failure(http.StatusConflict, "idempotency_error", "idempotency_key_in_use", "Another request with this key is in progress")
	case c.try <= 2 && pm.behaviour == Limited:
		return failure(http.StatusTooManyRequests, "invalid_request_error", "rate_limit", "Too many requests")
	case first && pm.behaviour == Unavailable:
		return http.StatusServiceUnavailable, object{"error": object{"type": "api_error", "message": "Try again later"}}
	case pm.behaviour == Error500Before:
		return http.StatusInternalServerError, object{"error": object{"type": "api_error", "message": "Something went wrong"}}
	}
	pi := d.newIntent(amount, customer, c.metadata("metadata"))
	pi["payment_method"], pi["description"], pi["receipt_email"] = pm.object.str("id"), c.form.Get("description"), some(c.form.Get("receipt_email"))
	status, body := d.confirm(pi, pm, true)
	switch pm.behaviour { //nolint:exhaustive // the others answer
	case Error500After:
		return http.StatusInternalServerError, object{"error": object{"type": "api_error", "message": "Something went wrong"}}
	case TimeoutAfter:
		c.hangs = true
	case DropAfter:
		c.drops = true
	}
	return status, body
}

func some(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (d *Double) newIntent(amount int64, customer string, metadata object) object {
	id := d.id("pi")
	d.intents[id] = object{
		"id": id, "object": "payment_intent", "amount": amount, "amount_received": int64(0), "currency": "usd",
		"customer": customer, "metadata": metadata, "created": d.now(), "livemode": false,
		"status": "requires_payment_method", "latest_charge": nil, "last_payment_error": nil,
	}
	return d.intents[id]
}

// declines are the codes of cards that are declined: the error code, and the issuer's decline code.
var declines = map[Behaviour][2]string{
	InsufficientFunds:      {"card_declined", "insufficient_funds"},
	ExpiredCard:            {"expired_card", "expired_card"},
	LostCard:               {"card_declined", "lost_card"},
	AuthenticationRequired: {"authentication_required", "authentication_required"},
}

// confirm charges a card for a payment.
func (d *Double) confirm(pi object, pm *card, offSession bool) (int, any) {
	decline, declined := declines[pm.behaviour]
	if declined && (offSession || pm.behaviour != AuthenticationRequired) {
		return d.decline(pi, pm, decline[0], decline[1])
	}
	switch {
	case pm.behaviour == RequiresAction && offSession:
		pi["status"] = "requires_action"
		d.emit("payment_intent.requires_action", pi)
	case pm.behaviour == ProcessingSucceeds, pm.behaviour == ProcessingFails:
		pi["status"] = "processing"
		d.emit("payment_intent.processing", pi)
	default:
		d.succeed(pi)
	}
	return http.StatusOK, maps.Clone(pi)
}

func (d *Double) decline(pi object, pm *card, code, declineCode string) (int, any) {
	e := object{
		"type": "card_error", "code": code, "decline_code": declineCode, "message": "Your card was declined.",
		"payment_method": maps.Clone(pm.object),
	}
	pi["status"], pi["last_payment_error"] = "requires_payment_method", maps.Clone(e)
	d.emit("payment_intent.payment_failed", pi)
	e["payment_intent"] = maps.Clone(pi)
	return http.StatusPaymentRequired, object{"error": e}
}

func (d *Double) succeed(pi object) {
	id := d.id("ch")
	d.charges[id] = object{
		"id": id, "object": "charge", "amount": pi.num("amount"), "amount_refunded": int64(0), "refunded": false, "disputed": false,
		"payment_intent": pi.str("id"), "customer": pi["customer"], "currency": "usd", "status": "succeeded", "paid": true, "livemode": false,
	}
	pi["status"], pi["amount_received"], pi["latest_charge"], pi["last_payment_error"] = "succeeded", pi.num("amount"), id, nil
	d.emit("payment_intent.succeeded", pi)
}

// Finish ends a processing payment according to its card. It reports whether there was one.
func (d *Double) Finish(intentID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	pi := d.intents[intentID]
	if pi == nil || pi.str("status") != "processing" {
		return false
	}
	pm := d.cards[pi.str("payment_method")]
	if pm.behaviour == ProcessingFails {
		d.decline(pi, pm, "card_declined", "generic_decline")
	} else {
		d.succeed(pi)
	}
	return true
}

func (d *Double) getIntent(c *call) (int, any) {
	pi := d.intents[c.PathValue("id")]
	if pi == nil {
		return missing("payment_intent", c.PathValue("id"))
	}
	return http.StatusOK, d.withCharge(pi, c.expands("latest_charge"))
}

// withCharge returns a copy of a payment, with its latest charge whole or as an id.
func (d *Double) withCharge(pi object, whole bool) object {
	pi = maps.Clone(pi)
	if charge := d.charges[pi.str("latest_charge")]; charge != nil && whole {
		pi["latest_charge"] = maps.Clone(charge)
	}
	return pi
}

func (d *Double) listIntents(c *call) (int, any) {
	customer := c.form.Get("customer")
	since, _ := strconv.ParseInt(c.form.Get("created[gte]"), 10, 64)
	until, err := strconv.ParseInt(c.form.Get("created[lt]"), 10, 64)
	if err != nil {
		until = math.MaxInt64
	}
	all := make(map[string]object, len(d.intents))
	for id, pi := range d.intents {
		all[id] = d.withCharge(pi, c.expands("data.latest_charge"))
	}
	return d.list(c, all, func(pi object) bool {
		return (customer == "" || pi.str("customer") == customer) && pi.num("created") >= since && pi.num("created") < until
	})
}

func (d *Double) cancelIntent(c *call) (int, any) {
	pi := d.intents[c.PathValue("id")]
	switch {
	case pi == nil:
		return missing("payment_intent", c.PathValue("id"))
	case !strings.HasPrefix(pi.str("status"), "requires_"):
		return invalid("payment_intent_unexpected_state", "You cannot cancel this PaymentIntent")
	}
	pi["status"] = "canceled"
	d.emit("payment_intent.canceled", pi)
	return http.StatusOK, maps.Clone(pi)
}
