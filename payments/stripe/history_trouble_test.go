package stripe

import "time"

// trouble plans failures of a process: often none.
func (h *history) trouble() acts {
	a := acts{at: map[int]act{}, on: map[string]act{}}
	if h.depth > 1 {
		return a
	}
	for range h.rng.IntN(3) {
		if h.rng.IntN(2) == 0 {
			a.at[1+h.rng.IntN(12)] = h.oneAct()
		} else {
			a.on[decisive[h.rng.IntN(len(decisive))]] = h.oneAct()
		}
	}
	return a
}

// decisive are the operations around which money could be lost.
var decisive = []string{
	"OpenTopup", "POST payment_intents", "CreditTopup", "commit", "MarkTopupUnknown", "FailTopup", "FailTopupWithPage",
	"TakeBackTopup", "RecordStripeEvent", "TopupForUpdate", "GET payment_intents", "TakeDueTopups", "POST checkout",
}

func (h *history) oneAct() act {
	a := act{after: h.rng.IntN(2) == 0}
	between := func(name string, f func()) {
		a.name, a.others = name, func() {
			h.depth++
			f()
			h.depth--
		}
	}
	switch h.rng.IntN(9) {
	case 0, 1, 2:
		a.kill = true
	case 3:
		a.down = true
	case 4:
		a.lose = true
	case 5:
		between("webhooks", func() { h.deliverSome(1 + h.rng.IntN(4)) })
	case 6:
		between("sweep", func() {
			h.clock.Advance(61 * time.Second)
			h.sweep(acts{})
		})
	case 7:
		between("refund", func() { h.refund(); h.deliverSome(3) })
		if h.rng.IntN(2) == 0 {
			between("dispute", func() { h.dispute(); h.deliverSome(3) })
		}
	case 8:
		between("another purchase", func() {
			h.clock.Advance(61 * time.Second)
			h.purchase(acts{})
		})
	}
	return a
}
