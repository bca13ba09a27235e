package stripetest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// session is a Checkout Session, that is, a page.
type session struct {
	object object
	amount int64
	// metadata is the payment's metadata.
	metadata object
}

func (d *Double) createSession(c *call) (int, any) {
	customer, mode := c.form.Get("customer"), c.form.Get("mode")
	expires := d.cfg.Now().Add(24 * time.Hour).Unix()
	if text := c.form.Get("expires_at"); text != "" {
		expires, _ = strconv.ParseInt(text, 10, 64)
		if in := time.Unix(expires, 0).Sub(d.cfg.Now()); in < 30*time.Minute || in > 24*time.Hour {
			return invalid("", "The expires_at timestamp must be between 30 minutes and 24 hours from Checkout Session creation")
		}
	}
	switch {
	case d.customers[customer] == nil:
		return missing("customer", customer)
	case !strings.HasPrefix(c.form.Get("success_url"), "http"):
		return invalid("url_invalid", "Not a valid URL")
	case mode != "setup" && mode != "payment":
		return invalid("", "Invalid mode")
	}
	id := d.id("cs")
	s := &session{metadata: c.metadata("payment_intent_data[metadata]"), object: object{
		"id": id, "object": "checkout.session", "mode": mode, "customer": customer, "status": "open", "created": d.now(),
		"expires_at": expires, "livemode": false, "url": d.cfg.PagesURL + "/_pages/" + id, "metadata": c.metadata("metadata"),
		"payment_intent": nil, "setup_intent": nil,
	}}
	if mode == "payment" {
		var err error
		if s.amount, err = strconv.ParseInt(c.form.Get("line_items[0][price_data][unit_amount]"), 10, 64); err != nil {
			return invalid("", "Missing line items")
		}
	} else {
		setup := d.id("seti")
		d.setups[setup] = object{
			"id": setup, "object": "setup_intent", "customer": customer, "status": "requires_payment_method",
			"created": d.now(), "livemode": false, "payment_method": nil,
		}
		s.object["setup_intent"] = setup
	}
	d.sessions[id] = s
	return http.StatusOK, maps.Clone(s.object)
}

// lapse closes a page that has expired.
func (d *Double) lapse(s *session) {
	if s.object.str("status") == "open" && s.object.num("expires_at") <= d.now() {
		s.object["status"], s.object["url"] = "expired", nil
		d.emit("checkout.session.expired", s.object)
	}
}

func (d *Double) getSession(c *call) (int, any) {
	s := d.sessions[c.PathValue("id")]
	if s == nil {
		return missing("checkout.session", c.PathValue("id"))
	}
	d.lapse(s)
	return http.StatusOK, maps.Clone(s.object)
}

func (d *Double) expireSession(c *call) (int, any) {
	s := d.sessions[c.PathValue("id")]
	if s == nil {
		return missing("checkout.session", c.PathValue("id"))
	}
	if d.lapse(s); s.object.str("status") != "open" {
		return invalid("", "Only Checkout Sessions with a status in [\"open\"] can be expired")
	}
	s.object["expires_at"] = d.now()
	d.lapse(s)
	return http.StatusOK, maps.Clone(s.object)
}

func (d *Double) getSetup(c *call) (int, any) {
	setup := d.setups[c.PathValue("id")]
	if setup == nil {
		return missing("setup_intent", c.PathValue("id"))
	}
	setup = maps.Clone(setup)
	if known := d.cards[setup.str("payment_method")]; known != nil && c.expands("payment_method") {
		setup["payment_method"] = maps.Clone(known.object)
	}
	return http.StatusOK, setup
}

// ErrClosed is returned for a page that is paid, used or expired.
var ErrClosed = errors.New("the page is closed")

// Complete does what a person does on a page, given by its address or id: it enters a card with this behaviour. A
// declined payment leaves the page open. It returns the id of the card.
func (d *Double) Complete(page string, b Behaviour) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := page[strings.LastIndexByte(page, '/')+1:]
	s := d.sessions[id]
	if s == nil {
		return "", fmt.Errorf("no such page: %s", page)
	}
	if d.lapse(s); s.object.str("status") != "open" {
		return "", ErrClosed
	}
	pm := d.addCard(s.object.str("customer"), b)
	if setup := d.setups[s.object.str("setup_intent")]; setup != nil {
		setup["status"], setup["payment_method"] = "succeeded", pm
		d.close(s)
		d.emit("setup_intent.succeeded", setup)
		return pm, nil
	}
	pi := d.intents[s.object.str("payment_intent")]
	if pi == nil {
		pi = d.newIntent(s.amount, s.object.str("customer"), s.metadata)
		s.object["payment_intent"] = pi.str("id")
	}
	pi["payment_method"] = pm
	if status, _ := d.confirm(pi, d.cards[pm], false); status != http.StatusOK {
		return pm, nil
	}
	d.close(s)
	return pm, nil
}

func (d *Double) close(s *session) {
	s.object["status"], s.object["url"] = "complete", nil
	d.emit("checkout.session.completed", s.object)
}

func (d *Double) servePage(w http.ResponseWriter, r *http.Request) {
	b := Behaviour(r.FormValue("behaviour"))
	if b == "" {
		b = OK
	}
	pm, err := d.Complete(r.PathValue("id"), b)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	write(w, http.StatusOK, object{"payment_method": pm})
}
