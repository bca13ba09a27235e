package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// repeatFigures are what the audit of repetitions has counted.
type repeatFigures struct {
	things    int
	byWallet  int
	left      int // how often a client did not wait
	elsewhere int // how often an edge was asked that does not settle on the wallet's network
	given     int // answers
	freeKeys  int // of them for nothing, by key, of what is paid
	freeCoins int // and by wallet
	stolen    int // and of what is not paid
	unpaid    int // things that were given just before a kill, and are not paid
}

// audit holds every answer against what paid for it: a thing is done once and paid once, and whoever gets it for nothing
// gets what was paid.
func (l *repeating) audit(b *books, f *findings) {
	f.repeats.things = len(l.things)
	claims := make(map[uuid.UUID]*db.ListClaimEndsRow, len(b.claims))
	for _, c := range b.claims {
		claims[c.ID] = c
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
		f.checkThing(b, thing, isPaid(b, claims, payer))
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

// isPaid reports whether a hold or claim has paid, and was not given back.
func isPaid(b *books, claims map[uuid.UUID]*db.ListClaimEndsRow, payer uuid.UUID) bool {
	if c := claims[payer]; c != nil {
		return x402.State(c.State) == x402.StateSettled
	}
	return b.holds[payer].captured
}

// payerOf says what is to pay for what is kept of a key.
func (b *books) payerOf(key string) string {
	payer, ok := b.payers[key]
	if !ok {
		return "nothing is kept of it"
	}
	return fmt.Sprintf("its payer is %s: %+v", payer, b.holds[payer])
}

// checkThing holds the answers to one thing against each other, and against what has become of its payment.
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
			if c := b.claims[got.payment]; c == nil || x402.State(c.State) != x402.StateSettled || b.chain[got.payment] == nil {
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
