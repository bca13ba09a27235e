package main

import (
	"fmt"
	"net/http"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// buyingFigures are the counts from the audit of x402 payments.
type buyingFigures struct {
	answers  map[string]int // by last response
	payments int
	resent   int
	settled  int
	refunds  int // recorded as due
	refunded int
	given    int // refunds due for responses that were served just before the edge was killed
}

// audit compares each payment's last response with its claim, the ledger and the chain.
func (l *buying) audit(b *books, f *findings) {
	f.bought.answers, f.bought.payments = make(map[string]int), len(l.payments)
	known := make(map[paymentKey]bool)
	for _, paid := range l.payments {
		known[paid.paymentKey] = true
		f.bought.resent += max(0, paid.sent-1)
		f.checkPayment(b, paid)
	}
	for _, thing := range b.asked {
		for _, made := range thing.payments {
			known[made] = true
		}
	}
	refunds := refundsOf(b)
	earned := len(b.chain)
	for key, s := range b.chain {
		if c := refunds[s.tx]; c != nil && !known[key] {
			delete(refunds, s.tx)
			earned--
			f.checkRefund(c, s)
			continue
		}
		if !known[key] || s.times != 1 || s.units != priceUnits || s.to != payTo {
			f.violatef("transaction %s: moved %d to %s by an authorisation used %d times, ours: %t", s.tx, s.units, s.to, s.times, known[key])
		}
	}
	for key, c := range b.claims {
		f.checkClaim(c, b.chain[key], b.transfers[c.ID.String()])
	}
	for tx, c := range refunds {
		f.violatef("claim %s is refunded by transaction %s, which is not on the chain", c.ID, tx)
	}
	// Refunds are paid from a separate account of the operator, so earned is everything that came in.
	if want := uint64(earned) * priceUnits; b.earned != want || len(b.transfers) != earned { //nolint:gosec // a count
		f.violatef("earned %d on the chain, want %d for %d settlements, of which the ledger has %d", b.earned, want, earned, len(b.transfers))
	}
}

// refundsOf returns the refunded claims by the transaction that refunded them.
func refundsOf(b *books) map[common.Hash]*db.ListClaimEndsRow {
	refunds := make(map[common.Hash]*db.ListClaimEndsRow)
	for _, c := range b.claims {
		if claims.State(c.State) == claims.StateRefunded {
			refunds[common.HexToHash(c.RefundTransaction)] = c
		}
	}
	return refunds
}

// checkRefund checks that a refund went to the payer, in full and once.
func (f *findings) checkRefund(c *db.ListClaimEndsRow, s *settlement) {
	if s.times != 1 || s.units != priceUnits || s.to != common.HexToAddress(c.Payer) {
		f.violatef("claim %s is refunded by transaction %s, which moved %d to %s, %d times", c.ID, s.tx, s.units, s.to, s.times)
	}
}

// checkClaim checks that money moved on the chain and in the ledger exactly where the claim says so.
func (f *findings) checkClaim(c *db.ListClaimEndsRow, s *settlement, transferred int64) {
	paid := false
	switch claims.State(c.State) {
	case claims.StateSettled:
		paid = true
		f.bought.settled++
	case claims.StateRefundDue:
		paid = true
		f.bought.refunds++
	case claims.StateRefunded:
		paid = true
		f.bought.refunded++
	case claims.StateFailed, claims.StateReleased, claims.StateAbandoned:
	case claims.StateClaimed, claims.StateServed, claims.StateSettling, claims.StateUnknown:
		f.violatef("claim %s is left %s", c.ID, c.State)
	default:
		f.violatef("claim %s is in the unknown state %s", c.ID, c.State)
	}
	var want int64
	if paid {
		want = priceUnits
	}
	if paid != (s != nil) || transferred != want {
		f.violatef("claim %s is %s, on the chain: %t, in the ledger: %d", c.ID, c.State, s != nil, transferred)
	}
	if paid && s != nil && common.HexToHash(c.Transaction) != s.tx {
		f.violatef("claim %s names transaction %s, the chain has %s", c.ID, c.Transaction, s.tx)
	}
}

// checkPayment checks that a served client has paid once, and any other has paid nothing or is owed a refund.
func (f *findings) checkPayment(books *books, b *payment) {
	c, s, jobs := books.claims[b.paymentKey], books.chain[b.paymentKey], books.jobs
	state := "never claimed"
	if c != nil {
		state = c.State
	}
	f.bought.answers[fmt.Sprintf("%d %s", b.status, b.code)]++
	switch b.status {
	case http.StatusOK:
		isGiven := c != nil && isRefund(c) && servedJustBeforeKill(books.absences, b.inc, b.at)
		if isGiven {
			f.bought.given++ // settled before, and the edge was killed before it could record that it had served
		}
		if c == nil || claims.State(c.State) != claims.StateSettled && !isGiven || s == nil {
			f.violatef("payment %s was answered with 200, its claim is %s, on the chain: %t", b.nonce, state, s != nil)
			return
		}
		if b.receipt == nil || !b.receipt.Success || common.HexToHash(b.receipt.Transaction) != s.tx {
			f.violatef("payment %s: receipt %+v, the chain has %s", b.nonce, b.receipt, s.tx)
		}
		if job := jobs[b.job]; job == nil || job.payment != c.ID || job.times != 1 {
			f.violatef("payment %s was answered with %q (%+v); its claim is %s", b.nonce, b.job, job, c.ID)
		}
	case http.StatusPaymentRequired:
		if s != nil {
			f.violatef("payment %s was refused (%s), and it has moved money in %s; its claim is %s", b.nonce, b.code, s.tx, state)
		}
	case http.StatusConflict:
		if c == nil || !isRefund(c) {
			f.violatef("payment %s was answered with 409 %s, its claim is %s", b.nonce, b.code, state)
		}
	default:
		f.violatef("payment %s has no last answer: status %d after %d sendings; its claim is %s", b.nonce, b.status, b.sent, state)
	}
}

// isRefund reports whether a claim is to be refunded, or was.
func isRefund(c *db.ListClaimEndsRow) bool {
	state := claims.State(c.State)
	return state == claims.StateRefundDue || state == claims.StateRefunded
}
