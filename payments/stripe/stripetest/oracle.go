package stripetest

// Payment is the real result of one payment.
type Payment struct {
	ID      string `json:"id"`
	TopupID string `json:"topup_id"`
	TeamID  string `json:"team_id"`
	Status  string `json:"status"`
	// Amounts are cents: charged, refunded, and taken by disputes that are open or lost.
	Charged  int64 `json:"charged"`
	Refunded int64 `json:"refunded"`
	Disputed int64 `json:"disputed"`
}

// Net is what the operator keeps of it.
func (p Payment) Net() int64 { return p.Charged - p.Refunded - p.Disputed }

// Oracle is what was really charged.
type Oracle struct {
	Charged  int64     `json:"charged"`
	Net      int64     `json:"net"`
	Payments []Payment `json:"payments"`
}

// Oracle returns all payments, the oldest first, and their totals.
func (d *Double) Oracle() Oracle {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := Oracle{Payments: []Payment{}}
	for _, id := range d.order {
		pi := d.intents[id]
		if pi == nil {
			continue
		}
		metadata, _ := pi["metadata"].(object)
		p := Payment{ID: id, TopupID: metadata.str("topup_id"), TeamID: metadata.str("team_id"), Status: pi.str("status"), Charged: pi.num("amount_received")}
		if charge := d.charges[pi.str("latest_charge")]; charge != nil {
			p.Refunded = charge.num("amount_refunded")
		}
		for _, dispute := range d.disputes {
			if dispute.str("payment_intent") == id && dispute.str("status") != "won" {
				p.Disputed += dispute.num("amount")
			}
		}
		o.Payments = append(o.Payments, p)
		o.Charged += p.Charged
		o.Net += p.Net()
	}
	return o
}
