package credits

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// One test for each invariant of the ledger, by name, on a real database.

func TestInvariantBalanced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	b.work(t, c, b.meter(t, nil), 1)
	totals, err := b.q.TrialBalance(t.Context())
	if err != nil || len(totals) == 0 {
		t.Fatalf("got %v, %v; want a trial balance", totals, err)
	}
	for _, total := range totals {
		if total.Total != 0 || total.Entries == 0 {
			t.Errorf("%s: got %d over %d entries, want 0 over some", total.Unit, total.Total, total.Entries)
		}
	}
	b.sound(t)
}

// work does some of every operation that moves credits, in a random order.
func (b *bench) work(t testing.TB, c customer, m Meter, seed uint64) {
	t.Helper()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(seed, 0))
	var short *Insufficient
	steps := []func(i int) error{
		func(i int) error {
			_, err := b.ledger.Grant(ctx, Grant{TeamID: c.team, Amount: 20, Source: SourceStripe, Key: fmt.Sprint(c.team, seed, i)})
			return err
		},
		func(int) error {
			d, err := m.Authorize(ctx, request(c.account, c.key, money.Credits(random.IntN(5))))
			if err != nil || d.Outcome != Accepted {
				return err
			}
			if random.IntN(3) == 0 {
				m.Void(d.Hold)
			} else {
				m.Capture(d.Hold, d.Hold.Amount())
			}
			return nil
		},
		func(int) error {
			n := c.newJobHold(9)
			if _, err := b.ledger.OpenHold(ctx, n); err != nil {
				if errors.As(err, &short) {
					return nil
				}
				return err
			}
			if err := b.ledger.CaptureHold(ctx, n.JobID, money.Credits(random.IntN(10)), 1); err != nil {
				return err
			}
			_, err := b.ledger.CloseHold(ctx, n.JobID)
			return err
		},
		func(i int) error {
			key := fmt.Sprint(c.team, seed, i)
			claw := Clawback{TeamID: c.team, Amount: 12, Cause: CauseDispute, Key: key}
			if _, err := b.ledger.ClawBack(ctx, claw); err != nil || random.IntN(2) == 0 {
				return err
			}
			_, err := b.ledger.WinDispute(ctx, key, "")
			return err
		},
		func(i int) error {
			_, err := b.ledger.Refund(ctx, c.team, 2, fmt.Sprint(c.team, seed, i), "")
			return err
		},
	}
	for i := range 40 {
		if err := steps[random.IntN(len(steps))](i); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
	}
	if err := m.Flush(ctx); err != nil {
		t.Error(err)
	}
}

const (
	restrictViolation     = "23001"
	checkViolation        = "23514"
	insufficientPrivilege = "42501"
)

func refusedWith(t testing.TB, err error, code, what string) {
	t.Helper()
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != code {
		t.Errorf("%s: got %v, want a refusal with %s", what, err, code)
	}
}

// rewrites are all the ways to change recorded data.
func (b *bench) rewrites(t testing.TB) []string {
	t.Helper()
	rows, err := b.pool.Query(t.Context(), `select relname from pg_class where relname ~ '^ledger_(transfer|usage)' and relkind in ('r', 'p')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 16 { // transfers, usage, its default partition and thirteen months
		t.Fatalf("got %v, %v; want the log's tables with thirteen months", tables, err)
	}
	var out []string
	for _, table := range tables {
		out = append(out, `update `+table+` set amount = amount + 1`, `delete from `+table, `truncate `+table)
	}
	return out
}

func TestInvariantAppendOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.spend(t, b.customer(t, 100), 10)
	if _, err := b.pool.Exec(t.Context(), `
		insert into ledger_usage (debit_account, credit_account, amount, operation, created_at)
		select debit_account, credit_account, 1, 'old', to_timestamp(0) from ledger_usage union all
		select credit_account, debit_account, 1, 'new', now() + make_interval(months => ahead) from ledger_usage, generate_series(1, 12) as ahead`); err != nil {
		t.Fatal(err)
	}
	for _, statement := range b.rewrites(t) {
		_, err := b.pool.Exec(t.Context(), statement) // as a superuser, who passes every permission check
		refusedWith(t, err, restrictViolation, statement)
	}
}

// The role that owns the tables cannot rewrite them either, and neither can a role with the rights that a program needs.
func TestInvariantAppendOnlyForItsOwner(t *testing.T) {
	t.Parallel()
	admin := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	owner := "owner_" + conn.Config().Database
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		for _, statement := range []string{`drop owned by ` + owner, `drop role ` + owner} {
			if _, err := conn.Exec(ctx, statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
		conn.Close(ctx)
	})
	for _, statement := range []string{
		`create role ` + owner,
		`grant create, usage on schema public to ` + owner,
		`grant create on database ` + conn.Config().Database + ` to ` + owner, // for the schema of the jobs
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	asOwner, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	query := asOwner.Query()
	query.Set("role", owner)
	asOwner.RawQuery = query.Encode()
	if err := migrate(t.Context(), asOwner.String()); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Open(t, asOwner.String(), nil)
	b := &bench{url: asOwner.String(), pool: pool, q: db.New(pool), ledger: NewLedger(pool)}
	c := b.customer(t, 100) // the role can do everything that the ledger does
	b.work(t, c, b.meter(t, nil), 1)
	b.sound(t)
	for _, statement := range b.rewrites(t) {
		_, err := pool.Exec(t.Context(), statement)
		refusedWith(t, err, insufficientPrivilege, statement)
	}
	// Partitions that are made later give no such right either.
	if _, err := pool.Exec(t.Context(), `select ledger_usage_ensure_month(13)`); err != nil {
		t.Fatal(err)
	}
	for _, statement := range b.rewrites(t) {
		_, err := pool.Exec(t.Context(), statement)
		refusedWith(t, err, insufficientPrivilege, statement)
	}
}

// The database refuses account states that can never be valid, for every role.
func TestInvariantAccount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	own := fmt.Sprintf(` where id = %d`, c.account)
	const house = ` where kind = 'revenue' and unit = 'credit'`
	for name, row := range map[string]struct{ statement, code string }{
		"less than nothing available":      {`update ledger_account set available = -1` + own, checkViolation},
		"less than nothing owed":           {`update ledger_account set owed = -1` + own, checkViolation},
		"owed while something is free":     {`update ledger_account set owed = 1` + own, checkViolation},
		"a house account with a balance":   {`update ledger_account set available = 1` + house, checkViolation},
		"a house account that owes":        {`update ledger_account set owed = 1` + house, checkViolation},
		"another team's":                   {`update ledger_account set team_id = 'other'` + own, restrictViolation},
		"of another kind":                  {`update ledger_account set kind = 'promo'` + own, restrictViolation},
		"in another unit":                  {`update ledger_account set unit = 'usdc6'` + own, restrictViolation},
		"made with a kind there is not":    {`insert into ledger_account (kind, unit) values ('bonus', 'credit')`, checkViolation},
		"made in a unit there is not":      {`insert into ledger_account (kind, unit) values ('promo', 'euro')`, checkViolation},
		"made for a customer without team": {`insert into ledger_account (kind, unit) values ('customer', 'credit')`, checkViolation},
		"made for the house with a team":   {`insert into ledger_account (kind, unit, team_id) select 'promo', 'usdc6', id from team limit 1`, checkViolation},
	} {
		_, err := b.pool.Exec(t.Context(), row.statement)
		refusedWith(t, err, row.code, name)
	}
	b.sound(t)
}

func TestInvariantDuplicateIsANoOp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	c := b.customer(t, 100)
	transfer := b.grantOf(t, c)
	b.grant(t, c, 200)
	other := b.customer(t, 50)
	m := b.meter(t, nil)
	n := c.newJobHold(5)
	held, err := m.Authorize(ctx, request(c.account, c.key, 4))
	if err != nil || held.Outcome != Accepted {
		t.Fatalf("got %+v, %v; want accepted", held, err)
	}
	for name, apply := range map[string]func() error{
		"grant": func() error {
			_, err := b.ledger.Grant(ctx, Grant{TeamID: c.team, Amount: 7, Source: SourcePromo, Key: "again"})
			return err
		},
		"top-up": func() error {
			_, err := b.ledger.Grant(ctx, Grant{TeamID: c.team, Amount: 7, Source: SourceStripe, Key: "again"})
			return err
		},
		"refund of usage": func() error { _, err := b.ledger.Refund(ctx, c.team, 3, "again", ""); return err },
		"clawback": func() error {
			_, err := b.ledger.ClawBack(ctx, Clawback{TeamID: c.team, Amount: 3, Cause: CauseRefund, Key: "again"})
			return err
		},
		"dispute": func() error {
			_, err := b.ledger.ClawBack(ctx, Clawback{TeamID: other.team, Amount: 60, Cause: CauseDispute, Key: "again"})
			return err
		},
		"reversal": func() error { _, err := b.ledger.Reverse(ctx, transfer, ""); return err },
		"hold":     func() error { _, err := b.ledger.OpenHold(ctx, n); return err },
		"capture": func() error {
			m.Capture(held.Hold, 3)
			return m.Flush(ctx)
		},
	} {
		if err := apply(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := [2]Balance{b.balance(t, c.account), b.balance(t, other.account)}
		for range 3 {
			if err := apply(); err != nil {
				t.Fatalf("%s again: %v", name, err)
			}
		}
		if after := [2]Balance{b.balance(t, c.account), b.balance(t, other.account)}; after != before {
			t.Errorf("%s again: got %+v, want %+v as before", name, after, before)
		}
	}
	b.sound(t)
}

func TestInvariantOneOf64ConcurrentDuplicates(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	c := b.customer(t, 100)
	n := c.newJobHold(11)
	var granted, clawed, refunded atomic.Int64
	count := func(made bool, err error, of *atomic.Int64) {
		if err != nil {
			t.Error(err)
		}
		if made {
			of.Add(1)
		}
	}
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			made, err := b.ledger.Grant(ctx, Grant{TeamID: c.team, Amount: 5, Source: SourceStripe, Key: "pi_1"})
			count(made, err, &granted)
			moved, err := b.ledger.ClawBack(ctx, Clawback{TeamID: c.team, Amount: 3, Cause: CauseRefund, Key: "re_1"})
			count(moved.Made, err, &clawed)
			made, err = b.ledger.Refund(ctx, c.team, 2, "ticket", "")
			count(made, err, &refunded)
			_, err = b.ledger.OpenHold(ctx, n)
			count(false, err, &refunded)
		})
	}
	all.Wait()
	if g, k, r := granted.Load(), clawed.Load(), refunded.Load(); g != 1 || k != 1 || r != 1 {
		t.Fatalf("got %d grants, %d clawbacks and %d refunds, want one of each", g, k, r)
	}
	b.wants(t, c, 104, 11, 0)
	b.sound(t)
}

func TestInvariantNoLostUpdateOf500HotCredits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 0)
	var all sync.WaitGroup
	for i := range 500 {
		all.Go(func() {
			if _, err := b.ledger.Grant(t.Context(), Grant{TeamID: c.team, Amount: 1, Source: SourceStripe, Key: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b.wants(t, c, 500, 0, 0)
	b.sound(t)
}

// Conservation: at all times, what customers have, less what they owe, equals what the house has given out.
func TestInvariantConservation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	customers := []customer{b.customer(t, 50), b.customer(t, 50), b.customer(t, 50)}
	var all sync.WaitGroup
	for seed := range uint64(9) {
		all.Go(func() { b.work(t, customers[seed%3], m, seed) })
	}
	all.Wait()
	var customersHave, houseGave int64
	err := b.pool.QueryRow(t.Context(), `
		select (select sum(balance - owed) from ledger_balance),
			(select sum(case when e.debit_account = a.id then e.amount else -e.amount end)
			 from ledger_entry e join ledger_account a on a.id in (e.debit_account, e.credit_account) and a.kind <> 'customer')`).
		Scan(&customersHave, &houseGave)
	if err != nil || customersHave != houseGave || customersHave == 0 {
		t.Fatalf("customers have %d, the house gave %d, %v; want the same", customersHave, houseGave, err)
	}
	b.sound(t)
}

// entry is a row of the log for the replay.
type entry struct {
	debit, credit, amount int64
}

func (b *bench) log(t testing.TB) []entry {
	t.Helper()
	rows, err := b.pool.Query(t.Context(), `select debit_account, credit_account, amount from ledger_entry order by created_at`)
	if err != nil {
		t.Fatal(err)
	}
	log, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e entry, err error) {
		return e, row.Scan(&e.debit, &e.credit, &e.amount)
	})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestInvariantBalanceIsTheJournalsProjection(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	customers := []customer{b.customer(t, 30), b.customer(t, 60)}
	for seed := range uint64(2) {
		b.work(t, customers[seed], m, seed)
		for _, c := range customers {
			sum := money.Credits(0)
			for _, e := range b.log(t) {
				switch c.account {
				case e.credit:
					sum += money.Credits(e.amount)
				case e.debit:
					sum -= money.Credits(e.amount)
				}
			}
			if got := b.balance(t, c.account); got.Balance-got.Owed != sum {
				t.Errorf("got %+v, the journal says %d", got, sum)
			}
		}
	}
}

// Overdraft drain: many concurrent takers of all kinds take exactly what one account has.
func TestInvariantOverdraftDrain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	meters := []*Postgres{b.meter(t, nil), b.meter(t, nil)}
	var taken, refused atomic.Int64
	var all sync.WaitGroup
	for i := range 300 {
		all.Go(func() {
			if i%3 == 0 {
				var short *Insufficient
				n := c.newJobHold(1)
				if _, err := b.ledger.OpenHold(t.Context(), n); errors.As(err, &short) {
					refused.Add(1)
					return
				} else if err != nil {
					t.Error(err)
				}
				if err := b.ledger.CaptureHold(t.Context(), n.JobID, 1, 1); err != nil {
					t.Error(err)
				}
				if _, err := b.ledger.CloseHold(t.Context(), n.JobID); err != nil {
					t.Error(err)
				}
				taken.Add(1)
				return
			}
			m := meters[i%3-1]
			d, err := m.Authorize(t.Context(), request(c.account, c.key, 1))
			switch {
			case err != nil:
				t.Error(err)
			case d.Outcome == Accepted:
				m.Capture(d.Hold, 1)
				taken.Add(1)
			case d.Outcome == Refused:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	for _, m := range meters {
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if taken.Load() != 100 || refused.Load() != 200 {
		t.Fatalf("got %d taken and %d refused, want 100 and 200", taken.Load(), refused.Load())
	}
	b.wants(t, c, 0, 0, 0)
	b.sound(t)
}

func TestInvariantThousandMovesOfOneUnit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 1000)
	m := b.meter(t, nil)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 50 {
				d, err := m.Authorize(t.Context(), request(c.account, c.key, 1))
				if err != nil || d.Outcome != Accepted {
					t.Errorf("got %+v, %v; want accepted", d, err)
					return
				}
				m.Capture(d.Hold, 1)
			}
		})
	}
	all.Wait()
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.wants(t, c, 0, 0, 0)
	var n int
	if err := b.pool.QueryRow(t.Context(), `select sum(n) from ledger_used where debit_account = $1`, c.account).Scan(&n); err != nil || n != 1000 {
		t.Fatalf("got %d requests in usage, %v; want 1000", n, err)
	}
	b.sound(t)
}

func TestInvariantUnitsNeverMix(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	insert := func(unit, house, of string) error {
		_, err := b.pool.Exec(t.Context(), `
			insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
			select h.id, $1, 1, $2, 'grant', 'mixed' from ledger_account h where h.kind = $3 and h.unit = $4`,
			c.account, unit, house, of)
		return err
	}
	refusedWith(t, insert("credit", "x402_clearing", "usdc6"), checkViolation, "USDC into credits")
	refusedWith(t, insert("usdc6", "x402_clearing", "usdc6"), checkViolation, "USDC into credits, as USDC")
	refusedWith(t, insert("usdc6", "promo", "credit"), checkViolation, "credits as USDC")
	if _, err := b.ledger.Grant(t.Context(), Grant{TeamID: c.team, Amount: 1, Source: "x402_clearing", Key: "mixed"}); err == nil {
		t.Error("a grant from an account in USDC: got no error")
	}
	b.wants(t, c, 100, 0, 0)
	b.sound(t)
}

func TestInvariantReversalByCompensation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 40)
	before := b.log(t)
	made, err := b.ledger.Reverse(t.Context(), b.grantOf(t, c), "a slip")
	if err != nil || !made.Made {
		t.Fatalf("got %+v, %v; want a reversal", made, err)
	}
	after := b.log(t)
	want := append(slices.Clone(before), entry{debit: before[0].credit, credit: before[0].debit, amount: 40})
	if !slices.Equal(after, want) {
		t.Errorf("log: got %v, want %v: what was, and its opposite", after, want)
	}
	b.wants(t, c, 0, 0, 0)
	b.sound(t)
}

// Rebuild from log: the log and the open holds restore the accounts after their state is lost.
func TestInvariantRebuildFromLog(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	var customers []customer
	for seed := range uint64(4) {
		c := b.customer(t, 80)
		b.work(t, c, m, seed)
		b.grant(t, c, 100)
		b.open(t, c, 10)
		if d, err := m.Authorize(t.Context(), request(c.account, c.key, 3)); err != nil || d.Outcome != Accepted {
			t.Fatalf("got %+v, %v; want accepted", d, err)
		}
		customers = append(customers, c)
	}
	var want, got []Balance
	for _, c := range customers {
		want = append(want, b.balance(t, c.account))
	}
	if _, err := b.pool.Exec(t.Context(), `update ledger_account set available = 0, owed = 0`); err != nil {
		t.Fatal(err)
	}
	lost, err := b.q.ListAccountsOutOfBalance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range lost { // the value that the check computes
		if _, err := b.pool.Exec(t.Context(),
			`update ledger_account set available = greatest($2::bigint, 0), owed = greatest(-$2::bigint, 0) where id = $1`,
			a.ID, a.TransfersBalance-a.OpenHolds); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range customers {
		got = append(got, b.balance(t, c.account))
	}
	if !slices.Equal(got, want) {
		t.Errorf("rebuilt: got %+v, want %+v", got, want)
	}
	b.sound(t)
}

// Per-account order: an account's transfers are read back in the order in which they were made, whatever others do meanwhile.
func TestInvariantOrderPerAccount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all sync.WaitGroup
	for i := range 6 {
		c := b.customer(t, 100)
		all.Go(func() {
			var want []money.Credits
			for n := money.Credits(1); n <= 20; n++ {
				if (int(n)+i)%3 == 0 {
					b.spend(t, c, n)
					want = append(want, -n)
				} else {
					b.grant(t, c, n)
					want = append(want, n)
				}
			}
			transfers, err := b.ledger.Transfers(t.Context(), c.account, 20)
			if err != nil {
				t.Error(err)
			}
			var got []money.Credits
			for _, tr := range slices.Backward(transfers) {
				if !tr.Incoming {
					tr.Amount = -tr.Amount
				}
				got = append(got, tr.Amount)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	all.Wait()
	b.sound(t)
}

func TestInvariantDuplicateOfARefusedIsNotApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 10)
	m := b.meter(t, nil)
	req, n := request(c.account, c.key, 11), c.newJobHold(11)
	var short *Insufficient
	for range 3 {
		if d, err := m.Authorize(t.Context(), req); err != nil || d.Outcome != Refused {
			t.Fatalf("authorising: got %+v, %v; want refused", d, err)
		}
		if _, err := b.ledger.OpenHold(t.Context(), n); !errors.As(err, &short) {
			t.Fatalf("opening: got %v, want it refused", err)
		}
		grant := Grant{TeamID: "team_" + uuid.NewString(), Amount: 5, Source: SourcePromo, Key: "refused"}
		if made, err := b.ledger.Grant(t.Context(), grant); !errors.Is(err, ErrNoAccount) || made {
			t.Fatalf("granting: got %t, %v; want ErrNoAccount", made, err)
		}
	}
	// A refusal leaves nothing behind: the same request is accepted once there are credits.
	b.grant(t, c, 1)
	if d, err := m.Authorize(t.Context(), req); err != nil || d.Outcome != Accepted {
		t.Fatalf("authorising: got %+v, %v; want accepted", d, err)
	}
	b.wants(t, c, 11, 11, 0)
	b.sound(t)
}
