package stripetest

import (
	"maps"
	"net/http"
)

// Behaviour is how a card behaves when it is charged.
type Behaviour string

// The behaviours of cards. Those that lose a response do so only the first time: a retry gets the stored response, or
// is executed then.
const (
	OK                Behaviour = "ok"
	InsufficientFunds Behaviour = "insufficient_funds"
	ExpiredCard       Behaviour = "expired_card"
	LostCard          Behaviour = "lost_card"
	// AuthenticationRequired is declined unless its owner is present: on a page it succeeds.
	AuthenticationRequired Behaviour = "authentication_required"
	// RequiresAction is the same, but as a payment that waits, without an error.
	RequiresAction Behaviour = "requires_action"
	// ProcessingSucceeds and ProcessingFails get their result when [Double.Finish] is called.
	ProcessingSucceeds Behaviour = "processing_succeeds"
	ProcessingFails    Behaviour = "processing_fails"
	// Error500Before responds 500 without a charge; Error500After responds 500 after the charge. Both responses are
	// stored under the key.
	Error500Before Behaviour = "500_before"
	Error500After  Behaviour = "500_after_charge"
	// TimeoutBefore never receives the request, TimeoutAfter never responds; Drop… close the connection instead.
	TimeoutBefore Behaviour = "timeout_before"
	TimeoutAfter  Behaviour = "timeout_after_charge"
	DropBefore    Behaviour = "drop_before"
	DropAfter     Behaviour = "drop_after_charge"
	// InUse responds 409 for a while, as if the key's first request were in progress, and Limited 429.
	InUse   Behaviour = "409_in_use"
	Limited Behaviour = "429"
	// Unavailable responds 503 once, without a charge and without storing the response.
	Unavailable Behaviour = "503"
)

// Behaviours returns all behaviours.
func Behaviours() []Behaviour {
	return []Behaviour{
		OK, InsufficientFunds, ExpiredCard, LostCard, AuthenticationRequired, RequiresAction, ProcessingSucceeds, ProcessingFails,
		Error500Before, Error500After, TimeoutBefore, TimeoutAfter, DropBefore, DropAfter, InUse, Limited, Unavailable,
	}
}

// card is a payment method with its behaviour.
type card struct {
	object    object
	behaviour Behaviour
}

// AddCard adds a card to a customer, as its owner does on a page.
func (d *Double) AddCard(customerID string, b Behaviour) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.addCard(customerID, b)
}

func (d *Double) addCard(customerID string, b Behaviour) string {
	id := d.id("pm")
	d.cards[id] = &card{behaviour: b, object: object{
		"id": id, "object": "payment_method", "type": "card", "customer": customerID, "created": d.now(), "livemode": false,
		"billing_details": object{"email": "owner@example.com"},
		"card":            object{"brand": "visa", "last4": "4242", "exp_month": int64(12), "exp_year": int64(2034)},
	}}
	return id
}

// SetBehaviour changes how a card behaves from now on.
func (d *Double) SetBehaviour(paymentMethodID string, b Behaviour) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cards[paymentMethodID].behaviour = b
}

// Customer returns the id of a team's customer, or "".
func (d *Double) Customer(teamID string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, c := range d.customers {
		if metadata, _ := c["metadata"].(object); metadata.str("team_id") == teamID {
			return id
		}
	}
	return ""
}

// DefaultCard returns the default payment method for a customer's invoices.
func (d *Double) DefaultCard(customerID string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	settings, _ := d.customers[customerID]["invoice_settings"].(object)
	return settings.str("default_payment_method")
}

func (d *Double) createCustomer(c *call) (int, any) {
	id := d.id("cus")
	d.customers[id] = object{
		"id": id, "object": "customer", "created": d.now(), "livemode": false, "email": nil,
		"metadata": c.metadata("metadata"), "invoice_settings": object{},
	}
	if email := c.form.Get("email"); email != "" {
		d.customers[id]["email"] = email
	}
	return http.StatusOK, d.customers[id]
}

func (d *Double) getCustomer(c *call) (int, any) {
	if o := d.customers[c.PathValue("id")]; o != nil {
		return http.StatusOK, o
	}
	return missing("customer", c.PathValue("id"))
}

func (d *Double) updateCustomer(c *call) (int, any) {
	o := d.customers[c.PathValue("id")]
	if o == nil {
		return missing("customer", c.PathValue("id"))
	}
	if email := c.form.Get("email"); email != "" {
		o["email"] = email
	}
	if pm := c.form.Get("invoice_settings[default_payment_method]"); pm != "" {
		if known := d.cards[pm]; known == nil || known.object.str("customer") != o.str("id") {
			return missing("PaymentMethod", pm)
		}
		o["invoice_settings"] = object{"default_payment_method": pm}
	}
	return http.StatusOK, o
}

func (d *Double) listCards(c *call) (int, any) {
	all := make(map[string]object, len(d.cards))
	for id, known := range d.cards {
		all[id] = known.object
	}
	return d.list(c, all, func(o object) bool { return o.str("customer") == c.form.Get("customer") && o["customer"] != nil })
}

func (d *Double) getCard(c *call) (int, any) {
	known := d.cards[c.PathValue("id")]
	if known == nil {
		return missing("PaymentMethod", c.PathValue("id"))
	}
	return http.StatusOK, maps.Clone(known.object)
}

func (d *Double) detachCard(c *call) (int, any) {
	known := d.cards[c.PathValue("id")]
	if known == nil {
		return missing("PaymentMethod", c.PathValue("id"))
	}
	known.object["customer"] = nil
	return http.StatusOK, known.object
}
