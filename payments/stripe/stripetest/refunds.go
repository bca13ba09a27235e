package stripetest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// ErrNotPossible is returned for what Stripe would refuse: a refund of more than was paid, or of a disputed payment.
var ErrNotPossible = errors.New("not possible")

// Refund refunds an amount of cents of a payment, as the operator does in the dashboard, and returns the refund's id.
func (d *Double) Refund(intentID string, cents int64) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refund(intentID, cents)
}

func (d *Double) refund(intentID string, cents int64) (string, error) {
	charge := d.chargeOf(intentID)
	if charge == nil || charge["disputed"] == true || cents < 1 || charge.num("amount_refunded")+cents > charge.num("amount") {
		return "", fmt.Errorf("refunding %d of %s: %w", cents, intentID, ErrNotPossible)
	}
	id := d.id("re")
	d.refunds[id] = object{
		"id": id, "object": "refund", "amount": cents, "charge": charge.str("id"), "payment_intent": intentID,
		"status": "succeeded", "created": d.now(), "currency": "usd",
	}
	d.setRefunded(charge, charge.num("amount_refunded")+cents)
	d.emit("charge.refunded", charge)
	return id, nil
}

func (d *Double) setRefunded(charge object, cents int64) {
	charge["amount_refunded"], charge["refunded"] = cents, cents == charge.num("amount")
}

// FailRefund undoes a refund that did not reach its bank.
func (d *Double) FailRefund(refundID string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	refund := d.refunds[refundID]
	if refund == nil || refund.str("status") != "succeeded" {
		return fmt.Errorf("failing %s: %w", refundID, ErrNotPossible)
	}
	refund["status"] = "failed"
	charge := d.charges[refund.str("charge")]
	d.setRefunded(charge, charge.num("amount_refunded")-refund.num("amount"))
	d.emit("charge.refund.updated", refund)
	return nil
}

func (d *Double) createRefund(c *call) (int, any) {
	intent := c.form.Get("payment_intent")
	charge := d.chargeOf(intent)
	if charge == nil {
		return missing("payment_intent", intent)
	}
	cents := charge.num("amount") - charge.num("amount_refunded")
	if text := c.form.Get("amount"); text != "" {
		cents, _ = strconv.ParseInt(text, 10, 64)
	}
	id, err := d.refund(intent, cents)
	if err != nil {
		return invalid("charge_already_refunded", err.Error())
	}
	return http.StatusOK, maps.Clone(d.refunds[id])
}

func (d *Double) chargeOf(intentID string) object {
	pi := d.intents[intentID]
	if pi == nil || pi.str("status") != "succeeded" {
		return nil
	}
	return d.charges[pi.str("latest_charge")]
}

// Dispute takes the rest of a payment, as the cardholder's bank does, and returns the dispute's id.
func (d *Double) Dispute(intentID string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	charge := d.chargeOf(intentID)
	if charge == nil || charge["disputed"] == true || charge["refunded"] == true {
		return "", fmt.Errorf("disputing %s: %w", intentID, ErrNotPossible)
	}
	id := d.id("dp")
	d.disputes[id] = object{
		"id": id, "object": "dispute", "amount": charge.num("amount") - charge.num("amount_refunded"), "charge": charge.str("id"),
		"payment_intent": intentID, "status": "needs_response", "created": d.now(), "currency": "usd", "livemode": false,
	}
	charge["disputed"] = true
	d.emit("charge.dispute.created", d.disputes[id])
	d.emit("charge.dispute.funds_withdrawn", d.disputes[id])
	return id, nil
}

// CloseDispute decides a dispute.
func (d *Double) CloseDispute(disputeID string, won bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dispute := d.disputes[disputeID]
	if dispute == nil || dispute.str("status") != "needs_response" {
		return fmt.Errorf("closing %s: %w", disputeID, ErrNotPossible)
	}
	dispute["status"] = "lost"
	if won {
		dispute["status"] = "won"
		d.emit("charge.dispute.funds_reinstated", dispute)
	}
	d.emit("charge.dispute.closed", dispute)
	return nil
}

func (d *Double) listDisputes(c *call) (int, any) {
	return d.list(c, d.disputes, func(o object) bool { return o.str("payment_intent") == c.form.Get("payment_intent") })
}
