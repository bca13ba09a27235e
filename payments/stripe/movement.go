package stripe

import "github.com/turnpike-edge/turnpike/db"

// movement is one kind of entry that a refund or dispute makes: from the customer
// where positive, to the customer where negative.
type movement struct {
	kind           string
	credits, cents int64
}

// share is what is taken of a purchase: by refunds, and beyond them by disputes.
type share struct{ credits, cents int64 }

// movements work out the entries from what was refunded and disputed of a row to
// what is now.
func movements(row *db.Topup, refunded, disputed int64) []movement {
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
	} else { // a refund that failed on its way: the money is ours again
		add("reversal", wasRefunded, isRefunded)
	}
	if isDisputed.cents >= wasDisputed.cents {
		add("dispute", wasDisputed, isDisputed)
	} else {
		add("dispute_won", wasDisputed, isDisputed)
	}
	return ms
}

// taken is what refunds take of a row, and what disputes take beyond that. Both
// together take no more than was paid, and parts of a credit are taken whole.
func taken(row *db.Topup, refunded, disputed int64) (byRefunds, byDisputes share) {
	refunded = min(refunded, row.AmountCents)
	total := min(refunded+disputed, row.AmountCents)
	byRefunds = share{creditsFor(row, refunded), refunded}
	byDisputes = share{creditsFor(row, total) - byRefunds.credits, total - refunded}
	return byRefunds, byDisputes
}

// creditsFor is so many cents' part of a row's credits, rounded up. The product
// stays within 64 bits by the limits of a pack.
func creditsFor(row *db.Topup, cents int64) int64 {
	return row.Credits - row.Credits*(row.AmountCents-cents)/row.AmountCents
}
