package credits

import (
	"strings"
	"testing"
)

// The audit finds every kind of change made without the ledger, each with its own message.
func TestAuditFinds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	b.open(t, c, 20)
	job := b.open(t, c, 30)
	b.capture(t, job, 6)
	b.capture(t, job, 7)
	b.close(t, job)
	b.sound(t)
	for _, tc := range []struct {
		name  string
		wrong []string // statements, run with the triggers disabled
		want  string
	}{
		{
			"a balance that nothing made",
			[]string{`update ledger_account set available = available + 5 where kind = 'customer'`},
			"available 72 less owed 0 plus open holds of 20 is 92, but the movements sum to 87",
		},
		{
			"a debt that nothing made",
			[]string{`update ledger_account set available = 0, owed = 5 where kind = 'customer'`},
			"available 0 less owed 5 plus open holds of 20 is 15, but the movements sum to 87",
		},
		{
			"something held by no hold",
			[]string{`update ledger_account set available = available - 5 where kind = 'customer'`},
			"available 62 less owed 0 plus open holds of 20 is 82, but the movements sum to 87",
		},
		{
			"an open hold that holds nothing",
			[]string{`update hold set amount = amount + 5 where state = 'open'`},
			"available 67 less owed 0 plus open holds of 25 is 92, but the movements sum to 87",
		},
		{
			"a capture that was not charged",
			[]string{`update hold set captured = captured + 1 where state = 'closed'`},
			"is closed and captured 14 credits for 2 items, but usage has 13 credits for 2 items",
		},
		{
			"an item that was not counted",
			[]string{`update hold set captures = captures + 1 where state = 'closed'`},
			"is closed and captured 13 credits for 3 items, but usage has 13 credits for 2 items",
		},
		{
			"a hold that was charged and stays open",
			[]string{
				`insert into ledger_usage (debit_account, credit_account, amount, operation, hold_id)
				 select debit_account, credit_account, 1, operation, (select id from hold where state = 'open') from ledger_usage`,
			},
			"is open and captured 0 credits for 0 items, but usage has 1 credits for 1 items",
		},
		{
			"usage of no hold",
			[]string{`update hold set id = gen_random_uuid() where state = 'closed'`},
			"is absent and captured 0 credits for 0 items, but usage has 13 credits for 2 items",
		},
		{
			"a transfer that is gone",
			[]string{`delete from ledger_transfer`},
			"movements sum to -13",
		},
		{
			"a transfer of mixed units",
			[]string{`update ledger_transfer set unit = 'usdc6'`},
			"is between accounts that do not exist or have another unit",
		},
		{
			"a transfer from nowhere",
			[]string{`update ledger_transfer set debit_account = 1000000`},
			"movements in credit sum to 100, want 0",
		},
		{
			"half a reversal",
			[]string{
				`insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, reverses)
				 select credit_account, debit_account, amount - 1, unit, 'reversal', 'half', id from ledger_transfer`,
			},
			"is not the opposite of transfer",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tx, err := b.pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(t.Context())
			for _, statement := range append([]string{`set local session_replication_role = replica`}, tc.wrong...) {
				if _, err := tx.Exec(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			found, err := NewLedger(tx).Check(t.Context())
			if err != nil || len(found) == 0 {
				t.Fatalf("got %v, %v; want %q", found, err, tc.want)
			}
			var all strings.Builder
			for _, d := range found {
				all.WriteString(d.TeamID + " " + d.Detail + "\n")
			}
			if !strings.Contains(all.String(), tc.want) {
				t.Errorf("got %swant %q", all.String(), tc.want)
			}
		})
	}
}

func TestAuditWarns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 10)
	b.spend(t, c, 3)
	r, err := b.ledger.Audit(t.Context())
	if err != nil || len(r.Warnings) != 0 {
		t.Fatalf("got %+v, %v; want no warning", r, err)
	}
	// Two opposite transfers, in a month that has no partition.
	for _, sides := range []string{"debit_account, credit_account", "credit_account, debit_account"} {
		_, err := b.pool.Exec(t.Context(), `insert into ledger_usage (debit_account, credit_account, amount, operation, created_at)
			select `+sides+`, 1, operation, '2001-01-01' from ledger_usage limit 1`)
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err = b.ledger.Audit(t.Context())
	if err != nil || len(r.Differences) != 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "2 rows of usage") {
		t.Fatalf("got %+v, %v; want a warning of 2 rows and no difference", r, err)
	}
}
