package idempotency_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
)

// slot is the place of the tests' holds in their batches.
const slot = 5

// hold writes a hold, ended or not, captured or not.
func (d *desk) hold(ended, captured bool) uuid.UUID {
	d.t.Helper()
	batch := uuid.New()
	batch[14], batch[15] = 0, 0
	_, err := d.pool.Exec(d.t.Context(), `insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended, captured)
		values ($1, gen_random_uuid(), '{}', '{}', '{}', '{}', '{}',
			set_bit(repeat('1', 1024)::bit(1024), $2, $3), set_bit(repeat('0', 1024)::bit(1024), $2, $4))`,
		batch, slot, bit(ended), bit(captured))
	must(d.t, err)
	batch[15] = slot
	return batch
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// claim writes a claim.
func (d *desk) claim(state, settle string, isDone bool) uuid.UUID {
	d.t.Helper()
	id := uuid.New()
	_, err := d.pool.Exec(d.t.Context(), `insert into x402_claim (id, network, asset, payer, nonce, version, pay_to, amount, payment, payload_hash,
			request_hash, method, uri, operation, settle, lapses_at, keep_until, edge_id, created_at, state, done_at,
			refunded_at, refund_transaction, refund_log, refund_from)
		values ($1::uuid, 'n', 'usdc', 'p', sha256(convert_to($1::text, 'UTF8')), 2, 'us', 1, '', sha256(''),
			sha256(''), 'POST', '/', 'x', $3, now(), now(), gen_random_uuid(), now(), $2, case when $4 then now() end,
			case when $2 = 'refunded' then now() end, case when $2 = 'refunded' then $1::text end, case when $2 = 'refunded' then 0 end, 'us')`,
		id, state, settle, isDone)
	must(d.t, err)
	return id
}

// The state of the first request's hold or claim decides whether a retry is free, pays, waits or starts anew.
func TestPayerDecides(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	const free, price, wait, anew = "free", "at its price", "wait", "anew"
	adopted := d.hold(true, false)
	_, err := d.pool.Exec(t.Context(), `insert into hold (id, account_id, job_id, operation, amount, expires_at) values ($1, 1, 'job', 'x', 1, now())`, adopted)
	must(t, err)
	noSlot := uuid.New() // of no hold: there are 1024 slots
	noSlot[14], noSlot[15] = 0xff, 0xff
	for _, tt := range []struct {
		name  string
		payer uuid.UUID
		want  string
	}{
		{"a hold that is open", d.hold(false, false), wait},
		{"a hold that was captured", d.hold(true, true), free},
		{"a hold that was given back", d.hold(true, false), price},
		{"a hold that a job has", adopted, free},
		{"a hold that is not there", uuid.New(), price},
		{"no hold's id", noSlot, price},
		{"claimed", d.claim("claimed", "after", false), wait},
		{"served", d.claim("served", "after", true), wait},
		{"settling", d.claim("settling", "after", true), wait},
		{"unknown", d.claim("unknown", "after", true), wait},
		{"settled", d.claim("settled", "after", true), free},
		{"settled, and its answer not given yet", d.claim("settled", "before", false), wait},
		{"settled before", d.claim("settled", "before", true), free},
		{"failed", d.claim("failed", "after", true), price},
		{"released", d.claim("released", "after", true), price},
		{"abandoned", d.claim("abandoned", "after", false), price},
		{"to be paid back", d.claim("refund_due", "after", true), price},
		{"paid back", d.claim("refunded", "after", true), price},
		{"settled before, to be paid back", d.claim("refund_due", "before", true), anew},
		{"settled before, paid back", d.claim("refunded", "before", true), anew},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := *d
			d.t = t
			first := d.request(tt.name, "body")
			first.Payer = tt.payer
			attempt := d.begin(first)
			must(t, attempt.Record(t.Context(), nil, 200, 7, []byte("answer")))
			again := d.request(tt.name, "body")
			again.Payer, again.Covered = d.hold(false, false), 7
			if tt.want == price { // a retry that covers less is refused
				poor := *again
				poor.Covered = 6
				_, _, err := d.store.Begin(t.Context(), &poor)
				if short, ok := errors.AsType[*idempotency.NotCoveredError](err); !ok || short.Cost != 7 {
					t.Errorf("with 6: got %v, want that it costs 7", err)
				}
			}
			if got := d.outcome(again); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if tt.want == price {
				if got := d.outcome(again); got != price { // a second retry pays as well
					t.Errorf("again: got %s, want %s", got, price)
				}
				other := d.request(tt.name, "body")
				other.Covered = 7
				if got := d.outcome(other); got != wait {
					t.Errorf("another: got %s, want %s for the one that pays", got, wait)
				}
			}
			// A lost attempt is treated by its payer, too.
			lost := d.request(tt.name+", lost", "body")
			lost.Payer = tt.payer
			d.begin(lost)
			_, err := d.pool.Exec(t.Context(), `update idempotency set locked_until = now() where key = $1`, lost.Key)
			must(t, err)
			next := d.request(lost.Key, "body")
			attempt, _, err = d.store.Begin(t.Context(), next)
			if _, under := errors.AsType[*idempotency.InProgressError](err); under != (tt.want == wait) {
				t.Fatalf("lost: got %v, want %s", err, tt.want)
			}
			if tt.want != wait && (attempt.Identity != lost.Identity || attempt.Paid != (tt.want == free)) {
				t.Errorf("lost: got %+v, want %s, under the identity of the first", attempt, tt.want)
			}
		})
	}
}

// outcome is the result of a request whose key has a response that costs 7.
func (d *desk) outcome(r *idempotency.Request) string {
	d.t.Helper()
	attempt, answer, err := d.store.Begin(d.t.Context(), r)
	_, under := errors.AsType[*idempotency.InProgressError](err)
	switch {
	case under:
		return "wait"
	case err != nil:
		return err.Error()
	case attempt != nil && attempt.Identity == r.Identity && !attempt.Paid:
		return "anew"
	case attempt != nil:
		return fmt.Sprintf("%+v", *attempt)
	case string(answer.Body) == "answer" && answer.Status == 200 && answer.Cost == 0:
		return "free"
	case string(answer.Body) == "answer" && answer.Status == 200 && answer.Cost == 7:
		return "at its price"
	}
	return fmt.Sprintf("%+v", *answer)
}

// A response without cost stays free, whatever happened to its hold.
func TestFreeAnswers(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	for _, payer := range []uuid.UUID{d.hold(true, false), d.hold(false, false), d.claim("refunded", "before", true), {}} {
		first := d.request(payer.String(), "body")
		first.Payer = payer
		must(t, d.begin(first).Record(t.Context(), nil, 200, 0, []byte("answer")))
		if got := d.outcome(d.request(payer.String(), "body")); got != "free" {
			t.Errorf("got %s, want it free", got)
		}
	}
}

// Of concurrent retries exactly one pays.
func TestOneRepetitionPays(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	first := d.request("k", "body")
	first.Payer = d.hold(true, false)
	must(t, d.begin(first).Record(t.Context(), nil, 200, 7, []byte("answer")))
	const crowd = 16
	var all sync.WaitGroup
	var paid, free atomic.Int64
	for range crowd {
		again := d.request("k", "body")
		again.Payer, again.Covered = d.hold(false, false), 7
		all.Go(func() {
			switch got := d.outcome(again); got {
			case "at its price":
				paid.Add(1)
				_, err := d.pool.Exec(t.Context(), `update meter_batch set ended = set_bit(ended, $2, 1), captured = set_bit(captured, $2, 1)
					where id = (left($1::text, 32) || '0000')::uuid`, again.Payer, slot)
				if err != nil {
					t.Error(err)
				}
			case "free":
				free.Add(1)
			default:
				t.Errorf("got %s, want it free or at its price", got)
			}
		})
	}
	all.Wait()
	if paid.Load() != 1 || free.Load() != crowd-1 {
		t.Errorf("%d have paid, and %d had it for nothing, want 1 and %d", paid.Load(), free.Load(), crowd-1)
	}
}
