package webhooks_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/webhooks"
)

// A failing address gets one try at a time until one succeeds.
func TestFailingAddressHasOneTryAtATime(t *testing.T) {
	t.Parallel()
	hour := slices.Repeat([]time.Duration{time.Hour}, 7)
	p := setup(t, options{config: func(c *webhooks.Config) { c.Schedule = hour }})
	r := newReceiver(t, first(1, status(500)))
	limit := func() int { return p.Count(`select running_max from lane`) }
	p.tell(team, r.URL, 1)
	p.Until("the first try", `select exists (select from webhook_delivery where tries = 1)`)
	if got := limit(); got != 1 {
		t.Errorf("after a failure: got %d at a time, want 1", got)
	}
	p.call(team, http.MethodPost, "/v1/webhooks/deliveries/"+p.only(team).ID+"/redeliver", http.StatusOK, nil)
	p.ended()
	if got := limit(); got != 4 {
		t.Errorf("after a success: got %d at a time, want 4", got)
	}
}

// A team whose addresses all hang, however many they are, leaves half of the slots to others.
func TestTeamHasHalfOfTheSlots(t *testing.T) {
	t.Parallel()
	const slots = 8
	p := setup(t, options{config: func(c *webhooks.Config) { c.Slots = slots }})
	var mu sync.Mutex
	under, most := 0, 0
	release := make(chan struct{})
	hung := newReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
		mu.Lock()
		under++
		most = max(most, under)
		mu.Unlock()
		select {
		case <-release:
		case <-r.Context().Done():
		}
		mu.Lock()
		under--
		mu.Unlock()
	})
	for i := range 3 * slots {
		p.tell(team, hung.URL+"/"+string(rune('a'+i)), i)
	}
	hung.until(t, slots/2)
	good := newReceiver(t, status(200))
	for i := range slots {
		p.tell("team_b", good.URL, i)
	}
	p.Until("the other team's deliveries", `select count(*) = $1 from webhook_delivery where team_id = 'team_b' and status = 'delivered'`, slots)
	mu.Lock()
	if most != slots/2 || under != slots/2 {
		t.Errorf("got %d tries of the team that hangs at once, %d now, want %d", most, under, slots/2)
	}
	mu.Unlock()
	close(release)
	p.ended()
	for _, d := range p.list(team) {
		if len(d.Tries) != 1 || d.Status != "delivered" {
			t.Errorf("got %s by %v, want one try: waiting for a slot is none", d.Status, outcomes(d))
		}
	}
}
