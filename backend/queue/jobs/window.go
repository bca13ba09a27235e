package jobs

import (
	"sync"
	"time"
)

// elsewhereAfter is when a promoted task that did not begin here, although slots were free, counts as begun by another
// process. River gives jobs to whichever process fetches them, and does not notify the others.
const elsewhereAfter = time.Second

// window computes how many more tasks a process may promote: as many as it can begin soon, less those that it has
// promoted, and less those that it has begun and not finished, whichever process promoted them.
type window struct {
	size, slots int
	now         func() time.Time

	mu        sync.Mutex
	begun     int         // tasks
	busy      int         // slots
	ahead     []promotion // oldest first
	aheadN    int
	freeSince time.Time
}

type promotion struct {
	at time.Time
	n  int
}

func newWindow(size, slots int, now func() time.Time) *window {
	return &window{size: size, slots: slots, now: now, freeSince: now()}
}

func (w *window) room() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	horizon := w.now().Add(-elsewhereAfter)
	for len(w.ahead) > 0 && w.busy < w.slots && !w.freeSince.After(horizon) && !w.ahead[0].at.After(horizon) {
		w.aheadN -= w.ahead[0].n
		w.ahead = w.ahead[1:]
	}
	return w.size - w.begun - w.aheadN
}

// promoted records that n tasks were promoted.
func (w *window) promoted(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead = append(w.ahead, promotion{w.now(), n})
	w.aheadN += n
}

// freeSlots returns how many slots are idle.
func (w *window) freeSlots() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slots - w.busy
}

// begin records that n tasks have reached a slot together.
func (w *window) begin(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy++
	w.begun += n
	for n > 0 && len(w.ahead) > 0 {
		some := min(n, w.ahead[0].n)
		n, w.aheadN = n-some, w.aheadN-some
		if w.ahead[0].n -= some; w.ahead[0].n == 0 {
			w.ahead = w.ahead[1:]
		}
	}
}

// leave records that a slot is free again.
func (w *window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy == w.slots {
		w.freeSince = w.now()
	}
	w.busy--
}

// end records that n tasks are stored or handed back.
func (w *window) end(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun -= n
}
