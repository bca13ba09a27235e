package main

import (
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// topupFigures are the counts from the audit of card purchases.
type topupFigures struct {
	answers   map[string]int // by last response
	statuses  map[int]int    // of all responses
	purchases int
	asked     int
	charged   int // payments, and the money that came in and went out
	cents     money.Cents
	credited  money.Credits
}

// packOf returns the pack that a payment of so many cents buys. It compares the Stripe fake's record with the price
// list, not with the database, which could be wrong itself.
func packOf(cents int64) (price.Pack, bool) {
	for _, pack := range price.DefaultPacks() {
		if int64(pack.Price) == cents {
			return pack, true
		}
	}
	return price.Pack{}, false
}

// boughtBy sums up what a team has paid for, by the Stripe fake's records alone.
func (b *books) boughtBy(team string) (bought money.Credits) {
	for _, paid := range b.oracle.Payments {
		if pack, ok := packOf(paid.Charged); ok && paid.TeamID == team {
			bought += pack.Credits
		}
	}
	return bought
}

// audit compares the purchases in the database with the Stripe fake's charges, and both with the clients' responses.
func (l *topups) audit(b *books, f *findings) {
	f.toppedUp.statuses, f.toppedUp.purchases, f.toppedUp.answers = l.statuses, len(l.purchases), make(map[string]int)
	payments := make(map[string]*stripetest.Payment) // by intent
	chargedFor := make(map[string]int)               // by top-up
	for i := range b.oracle.Payments {
		paid := &b.oracle.Payments[i]
		payments[paid.ID] = paid
		if paid.Charged > 0 {
			chargedFor[paid.TopupID]++
			f.checkCharge(b, paid)
		}
	}
	for id, row := range b.topups {
		f.checkTopup(row, chargedFor[id])
	}
	told := make(map[string]bool)
	for _, bought := range l.purchases {
		f.toppedUp.asked += bought.asked
		f.checkPurchase(b, bought, payments, told)
	}
	for id, paid := range payments {
		if paid.Charged > 0 && !told[id] {
			f.violatef("payment %s of %s was charged, and no client was told", id, paid.TeamID)
		}
	}
}

// checkCharge checks that each charge is credited, in the amount it paid for.
func (f *findings) checkCharge(b *books, paid *stripetest.Payment) {
	f.toppedUp.charged++
	f.toppedUp.cents += money.Cents(paid.Charged)
	row, pack := b.topups[paid.TopupID], price.Pack{}
	if row != nil {
		pack, _ = packOf(paid.Charged)
		f.toppedUp.credited += money.Credits(row.EntryCredits)
	}
	switch {
	case row == nil:
		f.violatef("payment %s of %d cents is for the top-up %q, which is not there", paid.ID, paid.Charged, paid.TopupID)
	case row.PaymentIntentID == nil || *row.PaymentIntentID != paid.ID:
		f.violatef("payment %s was charged for %s beside another", paid.ID, row.ID)
	case row.EntryCents != paid.Charged || row.EntryCredits != int64(pack.Credits):
		f.violatef("payment %s: charged %d cents for %d credits, the ledger has %d cents and %d credits",
			paid.ID, paid.Charged, pack.Credits, row.EntryCents, row.EntryCredits)
	}
}

// checkTopup checks that a purchase has ended, and that what moved for it was charged once.
func (f *findings) checkTopup(row *db.ListTopupsWithEntriesRow, charges int) {
	const succeeded, failed = "succeeded", "failed"
	switch row.State {
	case succeeded, failed:
	default:
		f.violatef("top-up %s is left %s", row.ID, row.State)
	}
	if charges > 1 {
		f.violatef("top-up %s was charged %d times", row.ID, charges)
	}
	if charges == 0 && (row.State == succeeded || row.EntryCents != 0 || row.EntryCredits != 0) {
		f.violatef("top-up %s is %s, the ledger has %d credits for it, and nothing was charged", row.ID, row.State, row.EntryCredits)
	}
	if charges > 0 && row.State != succeeded {
		f.violatef("top-up %s was charged and is %s", row.ID, row.State)
	}
}

// checkPurchase checks that a client that got credits paid for them once, and a refused one paid nothing.
func (f *findings) checkPurchase(b *books, bought *purchase, payments map[string]*stripetest.Payment, told map[string]bool) {
	f.toppedUp.answers[fmt.Sprintf("%d %s", bought.status, bought.code)]++
	paid := payments[bought.intent]
	switch bought.status {
	case http.StatusOK:
		if told[bought.intent] {
			f.violatef("payment %s is the answer to two purchases", bought.intent)
		}
		told[bought.intent] = true
		if paid == nil || paid.Charged != int64(bought.pack.Price) || paid.TeamID != b.teams[bought.team].id {
			f.violatef("purchase %s was answered with 200 for %q, of which Stripe says %+v", bought.key, bought.intent, paid)
		}
		if bought.credits != bought.pack.Credits {
			f.violatef("purchase %s of %d credits was answered with %d", bought.key, bought.pack.Credits, bought.credits)
		}
	case http.StatusPaymentRequired:
		if paid != nil && paid.Charged > 0 {
			f.violatef("purchase %s was refused (%s), and %d cents were charged by %s", bought.key, bought.code, paid.Charged, paid.ID)
		}
	default:
		f.violatef("purchase %s has no last answer: status %d after %d requests", bought.key, bought.status, bought.asked)
	}
}
