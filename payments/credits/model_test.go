package credits

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Random histories on one account: the ledger in Postgres decides as the model
// in memory does, balances agree after every step, and the books at the end.
func TestPostgresAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pg := b.meter(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		h := newHistory(t, rt, b, pg)
		rt.Repeat(map[string]func(*rapid.T){
			"authorize": h.authorize,
			"again":     h.again,
			"capture":   h.capture,
			"void":      h.void,
			"grant":     h.grant,
			"revoke":    h.revoke,
			"":          h.compare,
		})
	})
	b.sound(t)
}

// history is one account in both ledgers, and the holds that were made on it.
type history struct {
	t            *testing.T
	b            *bench
	pg           *Postgres
	model        *Memory
	team         string
	account, key int64
	requests     []Request
	grants       int
}

func newHistory(t *testing.T, rt *rapid.T, b *bench, pg *Postgres) *history {
	t.Helper()
	h := &history{t: t, b: b, pg: pg, model: NewMemory()}
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

func (h *history) decide(rt *rapid.T, req Request) {
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
}

func (h *history) authorize(rt *rapid.T) {
	req := request(h.account, h.key, money.Credits(rapid.Int64Range(0, 20).Draw(rt, "amount")))
	h.requests = append(h.requests, req)
	h.decide(rt, req)
}

func (h *history) pick(rt *rapid.T) Request {
	if len(h.requests) == 0 {
		rt.Skip("no request yet")
	}
	return h.requests[rapid.IntRange(0, len(h.requests)-1).Draw(rt, "request")]
}

// again sends an id that was used before, whatever became of it.
func (h *history) again(rt *rapid.T) { h.decide(rt, h.pick(rt)) }

func (h *history) capture(rt *rapid.T) {
	req := h.pick(rt)
	amount := money.Credits(rapid.Int64Range(0, 25).Draw(rt, "captured"))
	h.model.Capture(req, amount)
	h.pg.Capture(req, amount)
}

func (h *history) void(rt *rapid.T) {
	req := h.pick(rt)
	h.model.Void(req)
	h.pg.Void(req)
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
	if err := h.pg.Flush(h.t.Context()); err != nil {
		rt.Fatal(err)
	}
	got, want := h.b.balance(h.t, h.account), h.model.Balance(h.account)
	if got.Balance != want.Balance || got.Held != want.Held {
		rt.Fatalf("got %+v, the model says %+v", got, want)
	}
}

// A statement that the database refuses must not take the others down with it:
// the batch is tried again in smaller parts.
func TestPoisonedBatch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	if _, err := b.pool.Exec(t.Context(), `alter table hold add constraint no_poison check (operation <> 'poison')`); err != nil {
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
			req.ID = NewID()
		}
	})
	if outcomes[Accepted] != 15 {
		t.Fatalf("got %v, want the 15 others accepted", outcomes)
	}
	b.sound(t)
}

// Edges that are long gone are forgotten, but never while a hold is theirs.
func TestForgetEdges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	gone := uuid.New()
	for _, statement := range []string{
		`insert into edge (id, heartbeat_at) values ('` + gone.String() + `', now() - interval '2 hours')`,
	} {
		if _, err := b.pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.New(b.pool).ForgetEdges(t.Context(), 3600); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := b.pool.QueryRow(t.Context(), `select count(*) from edge where id = $1`, gone).Scan(&left); err != nil || left != 0 {
		t.Fatalf("got %d edges, %v; want the lost one forgotten", left, err)
	}
}
