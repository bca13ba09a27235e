package db_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// Codes of the SQL standard, and Postgres' own for an exception that a function raises.
const (
	checkViolation  = "23514"
	uniqueViolation = "23505"
	restrict        = "23001" // what the append-only triggers raise
)

// The rules that the schema itself enforces, whatever a program does. Each case is one statement on a team with 10
// credits, 4 of them held.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, migrate)
	seed(t, dial(t, url))
	pool, err := db.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for _, tc := range []struct {
		name, statement string
		wantCode        string
	}{
		{"spending more than is available", `update ledger_account set available = available - 7 where kind = 'customer'`, checkViolation},
		{"a negative debt", `update ledger_account set owed = -1 where kind = 'customer'`, checkViolation},
		{"a balance on a house account", `update ledger_account set available = 1 where kind = 'revenue' and unit = 'credit'`, checkViolation},
		{"an unknown unit", `insert into ledger_account (kind, unit) values ('promo', 'eur')`, checkViolation},
		{"a customer account without a team", `insert into ledger_account (kind, unit) values ('customer', 'credit')`, checkViolation},
		{"a second account of a team in a unit", `insert into ledger_account (team_id, kind, unit) values ('team_a', 'customer', 'credit')`, uniqueViolation},
		{"a second revenue account", `insert into ledger_account (kind, unit) values ('revenue', 'credit')`, uniqueViolation},
		{"a team that is nobody's prefix", `insert into team (id) values ('crew_a')`, checkViolation},
		{"a wallet without an address", `insert into team (id, kind, network) values ('team_w', 'wallet', 'base')`, checkViolation},
		{"a subscriber with an address", `insert into team (id, network, address) values ('team_w', 'base', '0x1')`, checkViolation},
		{"a key's hash of the wrong length", `insert into api_key (public_id, team_id, account_id, hash, display)
			select 'key_x', team_id, id, 'short', 'tp_x' from ledger_account where kind = 'customer'`, checkViolation},
		{"a transfer of nothing", transfer(`0`, `'topup'`), checkViolation},
		{"a transfer of less than nothing", transfer(`-1`, `'topup'`), checkViolation},
		{"a transfer of no known kind", transfer(`1`, `'gift'`), checkViolation},
		{"a transfer to the same account", `insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
			select id, id, 1, 'credit', 'grant', 'x' from ledger_account where kind = 'customer'`, checkViolation},
		{"the same key of a kind twice", `insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
			select debit_account, credit_account, amount, unit, kind, idem_key from ledger_transfer`, uniqueViolation},
		{"changing a transfer", `update ledger_transfer set amount = amount + 1`, restrict},
		{"deleting a transfer", `delete from ledger_transfer`, restrict},
		{"emptying the transfers", `truncate ledger_transfer`, restrict},
		{"changing usage", `update ledger_usage set amount = amount + 1`, restrict},
		{"deleting usage", `delete from ledger_usage`, restrict},
		{"emptying the usage", `truncate ledger_usage`, restrict},
		{"changing a month's usage", month(`update %s set amount = amount + 1`), restrict},
		{"deleting a month's usage", month(`delete from %s`), restrict},
		{"emptying a month's usage", month(`truncate %s`), restrict},
		{"emptying the usage of no month", `truncate ledger_usage_default`, restrict},
		{"usage of nothing", `insert into ledger_usage (debit_account, credit_account, amount, operation) values (1, 2, 0, 'x')`, checkViolation},
		{"changing a batch's usage", `update meter_usage set amounts = '{2}'`, restrict},
		{"emptying the usage of batches", `truncate meter_usage`, restrict},
		{"usage of nothing by a batch", batchUsage(`'{0}'`, `'{1}'`), checkViolation},
		{"usage of no request by a batch", batchUsage(`'{1}'`, `'{0}'`), checkViolation},
		{"usage by a batch of half a request", batchUsage(`'{1,1}'`, `'{1}'`), checkViolation},
		{"capturing more than a hold", `update hold set captured = amount + 1`, checkViolation},
		{"a negative capture", `update hold set captured = -1`, checkViolation},
		{"an unknown state of a hold", `update hold set state = 'lost'`, checkViolation},
		{"a second hold with an id", `insert into hold (id, account_id, job_id, operation, amount, expires_at)
			select id, account_id, 'another', operation, amount, expires_at from hold`, uniqueViolation},
		{"a second hold of a job", `insert into hold (id, account_id, job_id, operation, amount, expires_at)
			select gen_random_uuid(), account_id, job_id, operation, amount, expires_at from hold`, uniqueViolation},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tx, err := pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(t.Context())
			_, err = tx.Exec(t.Context(), tc.statement)
			var refused *pgconn.PgError
			if !errors.As(err, &refused) {
				t.Fatalf("%s: got error %v, want a refusal", tc.statement, err)
			}
			if refused.Code != tc.wantCode {
				t.Errorf("code: got %s (%s), want %s", refused.Code, refused.Message, tc.wantCode)
			}
		})
	}
}

func TestAppendOnlyErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	seed(t, conn)
	_, err := conn.Exec(t.Context(), `delete from ledger_transfer`)
	if err == nil || !strings.Contains(err.Error(), "reversing transfer") {
		t.Errorf("error: got %v, want it to name the reversing transfer", err)
	}
}

// The accounts on the other side of every transfer exist without any team.
func TestHouseAccountsAreThere(t *testing.T) {
	t.Parallel()
	rows, err := connect(t).Query(t.Context(),
		`select kind || ' ' || unit from ledger_account where kind <> 'customer' order by kind, unit`)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(accounts, ", ")
	for _, want := range []string{"revenue credit", "promo credit", "stripe_clearing credit", "revenue usdc6", "x402_clearing usdc6"} {
		if !strings.Contains(got, want) {
			t.Errorf("house accounts: got %s, want %s among them", got, want)
		}
	}
}

// month returns a statement on the partition of this month.
func month(statement string) string {
	return fmt.Sprintf(statement, "ledger_usage_"+time.Now().UTC().Format("2006_01"))
}

func batchUsage(amounts, ns string) string {
	return `insert into meter_usage (credit_account, account_ids, key_ids, amounts, ns, operations, operation_nums)
		values (2, '{1}', '{1}', ` + amounts + `, ` + ns + `, '{x}', '{1}')`
}

func transfer(amount, kind string) string {
	return `insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
		select h.id, c.id, ` + amount + `, 'credit', ` + kind + `, 'x' from ledger_account h, ledger_account c
		where h.kind = 'promo' and h.unit = 'credit' and c.kind = 'customer'`
}

func seed(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for _, statement := range []string{
		`insert into team (id) values ('team_a')`,
		`insert into ledger_account (team_id, kind, unit, available) values ('team_a', 'customer', 'credit', 6)`,
		`insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
			select h.id, c.id, 10, 'credit', 'grant', 'first' from ledger_account h, ledger_account c
			where h.kind = 'promo' and h.unit = 'credit' and c.kind = 'customer'`,
		`insert into ledger_usage (debit_account, credit_account, amount, operation) values (1, 2, 3, 'POST /v1/scrapes')`,
		batchUsage(`'{1}'`, `'{1}'`),
		`insert into hold (id, account_id, job_id, operation, amount, expires_at)
			select gen_random_uuid(), id, 'crawl_a', 'POST /v1/crawls', 4, now() + interval '1 hour' from ledger_account where kind = 'customer'`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
