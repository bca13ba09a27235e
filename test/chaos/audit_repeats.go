package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// repeatFigures are the counts from the audit of repeated requests.
type repeatFigures struct {
	things    int
	byWallet  int
	left      int // how often a client did not wait
	elsewhere int // how often an edge was asked that does not settle on the wallet's network
	given     int // responses
	freeKeys  int // of them free, by key, for something paid
	freeCoins int // of them free, by wallet, for something paid
	stolen    int // of them free, for something unpaid
	unpaid    int // things that were given just before a kill, and are not paid
}

// audit compares every response with what paid for it: each thing is done once and paid once, and a free response
// repeats something that was paid.
func (l *repeating) audit(b *books, f *findings) {
	f.repeats.things = len(l.things)
	ends := make(map[uuid.UUID]*db.ListClaimEndsRow, len(b.claims))
	for _, c := range b.claims {
		ends[c.ID] = c
	}
	pays := make(map[uuid.UUID]bool) // holds and claims that pay for a thing
	for _, thing := range l.things {
		if thing.wallet != nil {
			f.repeats.byWallet++
		}
		f.repeats.left += thing.left
		f.repeats.elsewhere += thing.elsewhere
		payer, ok := b.payers[thing.key]
		if ok {
			pays[payer] = true
		}
		f.checkThing(b, thing, isPaid(b, ends, payer))
	}
	for id, h := range b.holds {
		if h.captured && b.isRepeater(h.account) && !pays[id] {
			f.violatef("hold %s is charged, and pays for nothing that was asked for", id)
		}
	}
	for _, thing := range l.things {
		for _, made := range thing.payments {
			if c := b.claims[made]; c != nil && b.chain[made] != nil && !pays[c.ID] && !isRefund(c) {
				f.violatef("claim %s is settled, and pays for nothing that was asked for", c.ID)
			}
		}
	}
}

// isPaid reports whether a hold or claim has paid and was not refunded.
func isPaid(b *books, ends map[uuid.UUID]*db.ListClaimEndsRow, payer uuid.UUID) bool {
	if c := ends[payer]; c != nil {
		return claims.State(c.State) == claims.StateSettled
	}
	return b.holds[payer].captured
}

// payerOf names the hold or claim that pays for the response stored under an Idempotency-Key.
func (b *books) payerOf(key string) string {
	payer, ok := b.payers[key]
	if !ok {
		return "nothing is kept of it"
	}
	return fmt.Sprintf("its payer is %s: %+v", payer, b.holds[payer])
}

// checkThing compares the responses to one thing with each other, and with its payment.
func (f *findings) checkThing(b *books, thing *repeated, paid bool) {
	unpaid := false
	for i := range thing.given {
		got := &thing.given[i]
		f.repeats.given++
		if got.job != thing.given[0].job {
			f.violatef("%s was answered with %s and with %s", thing.key, thing.given[0].job, got.job)
		}
		switch {
		case got.free && !paid:
			f.repeats.stolen++
			f.violatef("%s was given for nothing, and is not paid", thing.key)
		case got.free && thing.wallet != nil:
			f.repeats.freeCoins++
		case got.free:
			f.repeats.freeKeys++
		case thing.wallet != nil:
			if c := b.claims[got.payment]; c == nil || claims.State(c.State) != claims.StateSettled || b.chain[got.payment] == nil {
				f.violatef("%s was given for payment %s, which is not settled", thing.key, got.payment.nonce)
			}
		case paid:
		case servedJustBeforeKill(b.absences, got.inc, got.at):
			unpaid = true
		default:
			f.violatef("%s was given for a credit, which was not taken: at %s by edge %s; %s", thing.key, got.at.Format(time.TimeOnly), got.inc.edge.Address,
				b.payerOf(thing.key))
		}
	}
	if unpaid {
		f.repeats.unpaid++
	}
}
