package stripe

import (
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// movement is a ledger entry for a refund or dispute: from the customer if positive, to the customer if negative.
type movement struct {
	kind    string
	credits money.Credits
	cents   money.Cents
}

// share is what is taken back of a purchase: by refunds, and beyond them by disputes.
type share struct {
	credits money.Credits
	cents   money.Cents
}

// movements computes the entries from the row's recorded refunds and disputes to the current ones.
func movements(row *db.Topup, refunded, disputed money.Cents) []movement {
	var ms []movement
	add := func(kind string, was, is share) {
		if is != was {
			ms = append(ms, movement{kind: kind, credits: is.credits - was.credits, cents: is.cents - was.cents})
		}
	}
	wasRefunded, wasDisputed := taken(row, row.RefundedCents, row.DisputedCents)
	isRefunded, isDisputed := taken(row, refunded, disputed)
	if isRefunded.cents >= wasRefunded.cents {
		add("refund", wasRefunded, isRefunded)
	} else { // a refund failed on its way: we have the money again
		add("reversal", wasRefunded, isRefunded)
	}
	if isDisputed.cents >= wasDisputed.cents {
		add("dispute", wasDisputed, isDisputed)
	} else {
		add("dispute_won", wasDisputed, isDisputed)
	}
	return ms
}

// taken returns what refunds take of a row, and what disputes take beyond that. Together they take no more than was
// paid; fractions of a credit are rounded up.
func taken(row *db.Topup, refunded, disputed money.Cents) (byRefunds, byDisputes share) {
	refunded = min(refunded, row.AmountCents)
	total := min(refunded+disputed, row.AmountCents)
	byRefunds = share{creditsFor(row, refunded), refunded}
	byDisputes = share{creditsFor(row, total) - byRefunds.credits, total - refunded}
	return byRefunds, byDisputes
}

// creditsFor returns the part of a row's credits for an amount of cents, rounded up. The limits of a pack keep the
// product within 64 bits.
func creditsFor(row *db.Topup, cents money.Cents) money.Credits {
	return row.Credits - row.Credits*money.Credits(row.AmountCents-cents)/money.Credits(row.AmountCents)
}
