package credits

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

func TestHoldID(t *testing.T) {
	t.Parallel()
	batch := newBatchID()
	for _, slot := range []int{0, 1, 255, 256, slotsMax - 1} {
		id := holdID(batch, slot)
		if id.Batch() != batch || id.Slot() != slot {
			t.Errorf("got batch %s and slot %d of %s, want %s and %d", id.Batch(), id.Slot(), id, batch, slot)
		}
		if again, err := ParseHoldID(id.String()); err != nil || again != id {
			t.Errorf("got %s, %v; want %s", again, err, id)
		}
	}
	if version := batch.Version(); version != 7 || batch.Variant() != uuid.RFC4122 {
		t.Errorf("got version %d of variant %s, want a UUIDv7", version, batch.Variant())
	}
	if _, err := ParseHoldID("hold"); err == nil {
		t.Error("got no error for what is no id")
	}
}

// A key's end takes effect with the next metered request. Requests of other keys in the same batch are not refused.
func TestKeysThatHaveEnded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 1000)
	_, revoked := b.account(t, 1000)
	_, expired := b.account(t, 1000)
	_, expiring := b.account(t, 1000)
	b.exec(t, `update api_key set revoked_at = now() where id = $1`, revoked)
	b.exec(t, `update api_key set expires_at = now() - interval '1 second' where id = $1`, expired)
	b.exec(t, `update api_key set expires_at = now() + interval '1 hour' where id = $1`, expiring)
	m := b.meter(t, nil)
	keys := []int64{key, revoked, expired, expiring}
	outcomes := concurrently(t, 400, func(i int) Decision {
		d, err := m.Authorize(t.Context(), request(account, keys[i%len(keys)], 1))
		if err != nil {
			t.Errorf("authorising: %v", err)
		}
		if want := i%len(keys) == 1 || i%len(keys) == 2; (d.Outcome == KeyInvalid) != want {
			t.Errorf("key %d: got %+v", i%len(keys), d)
		}
		return d
	})
	if outcomes[Accepted] != 200 || outcomes[KeyInvalid] != 200 {
		t.Errorf("got %v, want half accepted", outcomes)
	}
	b.sound(t)
}

// locked locks the row of a hold's batch, as a job does that adopts another of its holds.
func (b *bench) locked(t *testing.T, hold Hold) (unlock func()) {
	t.Helper()
	tx, err := b.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `select from meter_batch where id = $1 for update`, hold.ID().Batch()); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Commit(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A locked batch delays neither metering nor the ends of other batches. Its own ends are written when the lock is released.
func TestEndsOfALockedBatchWait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	first, second := b.hold(t, m, request(account, key, 10)), b.hold(t, m, request(account, key, 20))
	unlock := b.locked(t, first)
	m.Capture(first, 10)
	m.Capture(second, 20)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for b.balance(t, account).Balance != 80 {
		b.hold(t, m, request(account, key, 0))
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the other batch's end was kept waiting")
		}
	}
	if got := b.balance(t, account); got.Held != 10 {
		t.Errorf("got %+v, want the locked batch's 10 held", got)
	}
	unlock()
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.balance(t, account); got.Balance != 70 || got.Held != 0 || m.Lost() != 0 {
		t.Errorf("got %+v and %d lost, want 70 with nothing held or lost", got, m.Lost())
	}
	b.sound(t)
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	ctx, soon := t.Context(), time.Now().Add(time.Hour)
	hold := b.hold(t, m, request(account, key, 30))

	tx, err := b.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := Adopt(ctx, tx, hold.ID(), "crawl_undone", soon); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	b.adopt(t, hold, "crawl_a")
	var operation string
	var amount, owner, by int64
	if err := b.pool.QueryRow(ctx, `select operation, amount, account_id, key_id from hold where id = $1 and job_id = 'crawl_a' and state = 'open'`,
		uuid.UUID(hold.ID())).Scan(&operation, &amount, &owner, &by); err != nil {
		t.Fatal(err)
	}
	if operation != "scrape" || amount != 30 || owner != account || by != key {
		t.Errorf("got %s, %d, account %d, key %d", operation, amount, owner, by)
	}

	// The edge does not know of the adoption, and can no longer capture the hold. Another job cannot adopt it either.
	m.Capture(hold, 30)
	if err := m.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if got := b.balance(t, account); got.Balance != 100 || got.Held != 30 {
		t.Errorf("got %+v, want 100 with 30 held", got)
	}
	ended := b.hold(t, m, request(account, key, 1))
	m.Void(ended)
	if err := m.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]HoldID{
		"adopted": hold.ID(), "ended": ended.ID(), "unknown": HoldID(NewID()),
		"past the batch": holdID(hold.ID().Batch(), 1), "past all batches": holdID(hold.ID().Batch(), slotsMax),
	} {
		if err := Adopt(ctx, b.pool, id, "crawl_"+name, soon); !errors.Is(err, ErrHoldNotOpen) {
			t.Errorf("%s: got %v, want ErrHoldNotOpen", name, err)
		}
	}
	b.sound(t)
}

// Edges meter the same rows, a sweeper treats one of them as dead again and again, and jobs adopt holds: nothing
// deadlocks, and the books agree.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const customers, edges, clients, rounds = 40, 3, 12, 40
	accounts, keys := make([]int64, customers), make([]int64, customers)
	for i := range customers {
		accounts[i], keys[i] = b.account(t, 500)
	}
	done, stop := context.WithCancel(t.Context())
	var all, beside sync.WaitGroup
	meters := make([]*Postgres, edges)
	for e := range edges {
		meters[e] = b.meter(t, nil)
	}
	beside.Go(func() {
		for done.Err() == nil {
			b.lose(t, meters[0])
			if _, err := b.ledger.Sweep(t.Context()); err != nil {
				t.Errorf("sweeping: %v", err)
			}
		}
	})
	for e, m := range meters {
		for c := range clients {
			random := rand.New(rand.NewPCG(uint64(e), uint64(c)))
			all.Go(func() {
				for range rounds {
					i := random.IntN(customers)
					d, err := m.Authorize(t.Context(), request(accounts[i], keys[i], money.Credits(random.IntN(9))))
					if err != nil {
						t.Errorf("authorising: %v", err)
					}
					switch {
					case d.Outcome != Accepted:
					case random.IntN(4) == 0:
						err := Adopt(t.Context(), b.pool, d.Hold.ID(), "job_"+d.Hold.ID().String(), time.Now().Add(time.Hour))
						if err != nil && (e > 0 || !errors.Is(err, ErrHoldNotOpen)) {
							t.Errorf("adopting: %v", err)
						}
					default:
						m.Capture(d.Hold, money.Credits(random.IntN(9)))
					}
				}
			})
		}
	}
	all.Wait()
	stop()
	beside.Wait()
	for e, m := range meters {
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e > 0 && m.Lost() > 0 {
			t.Errorf("edge %d has lost %d captures, want none", e, m.Lost())
		}
	}
	b.sound(t)
}

// A batch with an unknown outcome either had committed or had not. Both times its requests were refused, and must hold nothing.
func TestBatchInDoubt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	conn, err := m.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, committed := range []bool{true, false} {
		batch := newBatch()
		batch.id = newBatchID()
		for _, amount := range []money.Credits{10, 200, 7} {
			batch.waiters = append(batch.waiters, &waiter{req: request(account, key, amount), done: make(chan result, 1)})
		}
		params := batch.fill(m.cfg.Instance.ID(), m.revenue)
		if committed {
			if _, err := db.New(conn).MeterBatch(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			if got := b.balance(t, account); got.Held != 10 {
				t.Fatalf("got %+v, want 10 held", got)
			}
		}
		doubts := &Postgres{cfg: m.cfg, queue: m.queue}
		doubts.undo(batch, errors.New("connection lost"))
		if res := <-batch.waiters[0].done; !errors.Is(res.err, ErrOverloaded) {
			t.Errorf("got %+v, want the request refused", res)
		}
		if err := doubts.settleDoubts(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.balance(t, account); got.Balance != 100 || got.Held != 0 {
			t.Errorf("committed %t: got %+v, want 100 with nothing held", committed, got)
		}
		if _, err := db.New(conn).MeterBatch(t.Context(), params); err == nil {
			t.Errorf("committed %t: the batch could commit after it was settled", committed)
		}
	}
	if m.Lost() != 0 {
		t.Errorf("got %d lost, want none", m.Lost())
	}
	b.sound(t)
}

// Done batches are deleted when they are old, open ones never.
func TestOldBatchesAreDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	aged := func(hold Hold) uuid.UUID {
		old := hold.ID().Batch()
		copy(old[:4], []byte{1, 0, 0, 0}) // a batch id of 2004
		b.exec(t, `update meter_batch set id = $2, created_at = now() - interval '8 days' where id = $1`, hold.ID().Batch(), old)
		return old
	}
	done, open, young := b.hold(t, m, request(account, key, 1)), b.hold(t, m, request(account, key, 2)), b.hold(t, m, request(account, key, 3))
	m.Capture(done, 1)
	m.Void(young)
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[uuid.UUID]bool{aged(done): false, aged(open): true, young.ID().Batch(): true}
	if err := m.sweep(t.Context(), b.q); err != nil {
		t.Fatal(err)
	}
	for id, kept := range want {
		if _, err := b.q.MeterBatchEnded(t.Context(), id); (err == nil) != kept {
			t.Errorf("batch %s: got %v, want it kept: %t", id, err, kept)
		}
	}
	b.sound(t)
}

// The statement must have one plan, even on the empty tables of a new installation: it looks the batch's accounts up in
// their order. Any other plan would lock them in another order, or read the whole table.
func TestThePlanLooksAccountsUp(t *testing.T) {
	t.Parallel()
	for _, customers := range []int{0, 1000} {
		b := newBench(t)
		if customers > 0 {
			b.fill(t, customers)
		}
		plans := plansOf(t, b)
		plan := plans[strings.Index(plans, "Update on ledger_account"):strings.Index(plans, "insert into meter_batch")]
		for _, want := range []string{"Nested Loop", "Index Scan using ledger_account_pkey", "Index Cond: (id = "} {
			if !strings.Contains(plan, want) {
				t.Errorf("%d customers: got no %q in the plan\n%s", customers, want, plan)
			}
		}
		for _, no := range []string{"Seq Scan on", "Hash Join", "Merge Join", "Bitmap"} {
			if strings.Contains(plans, no) {
				t.Errorf("%d customers: got %q in the plans\n%s", customers, no, plans)
			}
		}
	}
}

// plansOf returns the plans of a batch statement that holds and captures, on a connection of its own.
func plansOf(t *testing.T, b *bench) string {
	t.Helper()
	account, key := b.account(t, 100)
	hold := b.hold(t, b.meter(t, nil), request(account, key, 1))
	config, err := pgx.ParseConfig(b.url)
	if err != nil {
		t.Fatal(err)
	}
	var plans strings.Builder
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { plans.WriteString(n.Message + "\n") }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
		set client_min_messages = log`); err != nil {
		t.Fatal(err)
	}
	batch := newBatch()
	batch.id = newBatchID()
	batch.waiters = []*waiter{{req: request(account, key, 1)}}
	batch.ends = []end{{hold: hold, capture: 1}}
	row, err := db.New(conn).MeterBatch(t.Context(), batch.fill(uuid.New(), 1))
	if err != nil || !row.EndsTaken || len(row.Ids) != 1 {
		t.Fatalf("got %+v, %v; want the batch taken", row, err)
	}
	return plans.String()
}

// The transfers of an account list its usage together with its credits, newest first.
func TestTransfersShowUsage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	m := b.meter(t, nil)
	for _, amount := range []money.Credits{5, 7} {
		m.Capture(b.hold(t, m, request(account, key, amount)), amount)
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.ledger.Transfers(t.Context(), account, 2)
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v, %v; want the newest two", got, err)
	}
	for i, want := range []money.Credits{7, 5} {
		if got[i].Kind != "usage" || got[i].Amount != want || got[i].Incoming || got[i].Requests != 1 || got[i].Operation != "scrape" {
			t.Errorf("movement %d: got %+v, want %d used", i, got[i], want)
		}
	}
	all, err := b.ledger.Transfers(t.Context(), account, 10)
	if err != nil || len(all) != 3 || !all[2].Incoming || all[2].Kind != "grant" {
		t.Errorf("got %+v, %v; want the grant last", all, err)
	}
	credited, debited, err := b.ledger.Totals(t.Context(), account)
	if err != nil || credited != 100 || debited != 12 {
		t.Errorf("got %d credited and %d debited, %v; want 100 and 12", credited, debited, err)
	}
}

// Usage of a month without a partition goes into the default partition, and metering continues. Partitions for the
// months to come are made by the first process that needs them.
func TestUsageOfAMonthWithoutPartition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	month := "ledger_usage_" + time.Now().UTC().Format("2006_01")
	b.exec(t, `drop table `+month)
	m := b.meter(t, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := b.q.EnsureUsageMonths(t.Context()); err != nil {
				t.Errorf("making the months: %v", err)
			}
		})
	}
	all.Wait()
	b.exec(t, `drop table `+month)
	m.Capture(b.hold(t, m, request(account, key, 5)), 5)
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.fold(t)
	var n int
	if err := b.pool.QueryRow(t.Context(), `select count(*) from ledger_usage_default`).Scan(&n); err != nil || n != 1 {
		t.Errorf("got %d rows in the default partition, %v; want 1", n, err)
	}
	b.sound(t)
}

// fold adds up the usage of all batches, however recent.
func (b *bench) fold(t testing.TB) {
	t.Helper()
	if err := FoldUsage(t.Context(), b.q, 0); err != nil {
		t.Fatal(err)
	}
}

// One statement adds up a bounded number of batches with a bounded number of entries, so that none runs too long.
func TestAddingUpIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	account, key := b.account(t, 1000)
	for range 8 {
		m.Capture(b.hold(t, m, request(account, key, 1)), 1)
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		batches int32
		entries int64
		want    int64
	}{
		{3, 1000, 3},
		{1000, 1, 1}, // one at least
		{1000, 4, 2}, // a row of one entry counts as nearly four
		{1000, 1000, 2},
		{1000, 1000, 0},
	} {
		got, err := b.q.FoldUsage(t.Context(), db.FoldUsageParams{BatchSize: step.batches, EntriesMost: step.entries})
		if err != nil || got != step.want {
			t.Errorf("of %d batches and %d entries: got %d, %v; want %d", step.batches, step.entries, got, err, step.want)
		}
	}
	b.sound(t)
}

// Usage is added up by account, key, operation and hour. Queries of usage give the same result before and after that.
func TestUsageIsAddedUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	var accounts, keys [2]int64
	for i := range accounts {
		accounts[i], keys[i] = b.account(t, 1000)
	}
	for n := range 12 { // four batches or more for each account
		for i := range accounts {
			r := request(accounts[i], keys[i], 10)
			if n%3 == 0 {
				r.Operation = "GET /v1/other"
			}
			m.Capture(b.hold(t, m, r), money.Credits(1+n%3))
		}
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const used = `select format('%s %s %s: %s for %s', debit_account, key_id, operation, sum(amount), sum(n))
		from ledger_used group by debit_account, credit_account, key_id, operation order by 1`
	read := func(query string) []string {
		rows, err := b.pool.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	before := read(used)
	if len(before) != 4 {
		t.Fatalf("got %v, want usage of two operations by two accounts", before)
	}
	b.sound(t)
	none := db.FoldUsageParams{OlderThanSeconds: 600, BatchSize: 1000, EntriesMost: 1000}
	if n, err := b.q.FoldUsage(t.Context(), none); err != nil || n != 0 {
		t.Fatalf("got %d batches added up, %v; want none before their time", n, err)
	}
	b.fold(t)
	if after := read(used); !slices.Equal(after, before) {
		t.Errorf("got %q after they were added up, want %q", after, before)
	}
	for query, want := range map[string]string{
		`select count(*)::text from meter_usage`: "0",
		// One row for each operation of an account, or two if the hour changed meanwhile.
		`select (count(*) between 4 and 8)::text from ledger_usage`: "true",
	} {
		if got := read(query); got[0] != want {
			t.Errorf("%s: got %s, want %s", query, got[0], want)
		}
	}
	b.sound(t)
}

// Usage of different hours stays in separate rows.
func TestUsageIsAddedUpByTheHour(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	b.exec(t, `
		insert into meter_usage (credit_account, account_ids, key_ids, amounts, ns, operations, operation_nums, created_at)
		select r.id, array[$1::bigint, $1], array[$2::bigint, $2], array[n, 10 * n], array[1, 2], '{a,b}', '{2,1}', h.at::timestamptz
		from ledger_account r, (values (1, '2026-11-01 10:00Z'), (2, '2026-11-01 10:59Z'), (4, '2026-11-01 11:00Z')) as h (n, at)
		where r.kind = 'revenue' and r.unit = 'credit'`, account, key)
	b.fold(t)
	rows, err := b.pool.Query(t.Context(), `
		select format('%s %s for %s at %s', operation, amount, n, to_char(created_at at time zone 'utc', 'HH24:MI'))
		from ledger_usage where debit_account = $1 and key_id = $2 order by created_at, operation`, account, key)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	want := []string{"a 30 for 4 at 10:59", "b 3 for 2 at 10:59", "a 40 for 2 at 11:00", "b 4 for 1 at 11:00"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
