package credits

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Random histories on one account: the ledger in Postgres decides as the model in memory does, balances agree after
// every step, and so do the books at the end.
func TestPostgresAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	edges := []*Postgres{b.meter(t, nil), b.meter(t, nil)}
	rapid.Check(t, func(rt *rapid.T) {
		h := newHistory(t, rt, b, edges)
		rt.Repeat(map[string]func(*rapid.T){
			"authorize": h.authorize,
			"adopt":     h.adopt,
			"edge":      h.edge,
			"lose":      h.lose,
			"sweep":     h.sweep,
			"capture":   h.capture,
			"void":      h.void,
			"grant":     h.grant,
			"revoke":    h.revoke,
			"":          h.compare,
		})
	})
	b.sound(t)
}

// history is one account in both ledgers, and its holds.
type history struct {
	t            *testing.T
	b            *bench
	edges        []*Postgres
	pg           *Postgres // the edge of the next step
	model        *Memory
	team         string
	account, key int64
	holds        []pair
	grants, jobs int
}

// pair is one hold in both ledgers.
type pair struct{ pg, model Hold }

func newHistory(t *testing.T, rt *rapid.T, b *bench, edges []*Postgres) *history {
	t.Helper()
	h := &history{t: t, b: b, pg: edges[0], edges: edges, model: NewMemory()}
	start := money.Credits(rapid.Int64Range(0, 50).Draw(rt, "start"))
	h.account, h.key = b.account(t, start)
	if err := b.pool.QueryRow(t.Context(), `select team_id from ledger_account where id = $1`, h.account).Scan(&h.team); err != nil {
		rt.Fatal(err)
	}
	h.model.AllowKey(h.key)
	if err := h.model.Fund(h.account, start); err != nil {
		rt.Fatal(err)
	}
	return h
}

func (h *history) authorize(rt *rapid.T) {
	req := request(h.account, h.key, money.Credits(rapid.Int64Range(0, 20).Draw(rt, "amount")))
	want, err := h.model.Authorize(h.t.Context(), req)
	if err != nil {
		rt.Fatal(err)
	}
	got, err := h.pg.Authorize(h.t.Context(), req)
	if err != nil {
		rt.Fatal(err)
	}
	if got.Outcome != want.Outcome || (want.Outcome != KeyInvalid && got.Available != want.Available) {
		rt.Fatalf("authorising %d: got %+v, the model says %+v", req.Amount, got, want)
	}
	if got.Outcome == Accepted {
		h.holds = append(h.holds, pair{got.Hold, want.Hold})
	}
}

// pick returns a hold, which may have ended.
func (h *history) pick(rt *rapid.T) pair {
	if len(h.holds) == 0 {
		rt.Skip("no hold yet")
	}
	return h.holds[rapid.IntRange(0, len(h.holds)-1).Draw(rt, "hold")]
}

func (h *history) capture(rt *rapid.T) {
	hold := h.pick(rt)
	amount := money.Credits(rapid.Int64Range(0, 25).Draw(rt, "captured"))
	h.model.Capture(hold.model, amount)
	h.pg.Capture(hold.pg, amount)
}

func (h *history) void(rt *rapid.T) {
	hold := h.pick(rt)
	h.model.Void(hold.model)
	h.pg.Void(hold.pg)
}

// adopt makes a hold a job's. In the model, such a hold cannot be ended any more.
func (h *history) adopt(rt *rapid.T) {
	hold := h.pick(rt)
	_, open := h.model.holds[hold.model.id]
	h.jobs++
	err := Adopt(h.t.Context(), h.b.pool, hold.pg.ID(), fmt.Sprintf("%s %d", h.team, h.jobs), time.Now().Add(time.Hour))
	if open != (err == nil) || !open && !errors.Is(err, ErrHoldNotOpen) {
		rt.Fatalf("adopting a hold: open %t, got %v", open, err)
	}
	delete(h.model.holds, hold.model.id)
}

// edge switches to another edge.
func (h *history) edge(rt *rapid.T) { h.pg = rapid.SampledFrom(h.edges).Draw(rt, "edge") }

// lose cuts the edges' connections. Each edge fails closed until it is connected again and has settled what was in doubt.
func (h *history) lose(rt *rapid.T) {
	if rapid.IntRange(0, 9).Draw(rt, "lose") > 0 {
		return
	}
	h.b.exec(h.t, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'turnpike-meter' and datname = current_database()`)
	for _, edge := range h.edges {
		d, err := edge.Authorize(h.t.Context(), request(h.account, h.key, 0))
		for err != nil {
			d, err = edge.Authorize(h.t.Context(), request(h.account, h.key, 0))
		}
		if d.Outcome == Accepted {
			edge.Void(d.Hold)
		}
	}
}

// sweep treats one of the edges as dead: everything that is open there is voided.
func (h *history) sweep(rt *rapid.T) {
	if rapid.IntRange(0, 9).Draw(rt, "sweep") > 0 {
		return
	}
	dead := rapid.SampledFrom(h.edges).Draw(rt, "dead")
	h.b.lose(h.t, dead)
	h.b.sweep(h.t)
	h.b.find(h.t, dead)
	for _, hold := range h.holds {
		var edge uuid.UUID
		if err := h.b.pool.QueryRow(h.t.Context(), `select edge_id from meter_batch where id = $1`, hold.pg.ID().Batch()).Scan(&edge); err != nil {
			rt.Fatal(err)
		}
		if edge == dead.cfg.Instance.ID() {
			h.model.Void(hold.model)
		}
	}
}

func (h *history) grant(rt *rapid.T) {
	amount := money.Credits(rapid.Int64Range(1, 30).Draw(rt, "granted"))
	h.grants++
	if _, err := h.b.ledger.Grant(h.t.Context(), Grant{
		TeamID: h.team, Amount: amount, Source: SourcePromo, Key: fmt.Sprintf("%s %d", h.team, h.grants),
	}); err != nil {
		rt.Fatal(err)
	}
	if err := h.model.Fund(h.account, amount); err != nil {
		rt.Fatal(err)
	}
}

func (h *history) revoke(rt *rapid.T) {
	if rapid.IntRange(0, 9).Draw(rt, "revoke") > 0 {
		return
	}
	h.model.RevokeKey(h.key)
	if _, err := h.b.pool.Exec(h.t.Context(), `update api_key set revoked_at = now() where id = $1`, h.key); err != nil {
		rt.Fatal(err)
	}
}

func (h *history) compare(rt *rapid.T) {
	for _, m := range h.edges {
		if err := m.Flush(h.t.Context()); err != nil {
			rt.Fatal(err)
		}
	}
	got, want := h.b.balance(h.t, h.account), h.model.Balance(h.account)
	if got.Balance != want.Balance || got.Held != want.Held {
		rt.Fatalf("got %+v, the model says %+v", got, want)
	}
}

// A statement that the database refuses must not make other requests fail: the batch is tried again in smaller parts.
func TestPoisonedBatch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	if _, err := b.pool.Exec(t.Context(), `alter table meter_batch add constraint no_poison check (not 'poison' = any(operations))`); err != nil {
		t.Fatal(err)
	}
	outcomes := concurrently(t, 16, func(i int) Decision {
		req := request(account, key, 1)
		if i == 7 {
			req.Operation = "poison"
			if d, err := m.Authorize(t.Context(), req); err == nil {
				t.Errorf("got %+v for the poisoned request, want an error", d)
			}
			return Decision{Outcome: KeyInvalid}
		}
		for { // fails closed until the batches are small enough
			if d, err := m.Authorize(t.Context(), req); err == nil {
				return d
			}
		}
	})
	if outcomes[Accepted] != 15 {
		t.Fatalf("got %v, want the 15 others accepted", outcomes)
	}
	b.sound(t)
}
