package db_test

import (
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// Usage of a month without a partition stays in the default partition, and does not stop migrations: they create the
// partitions of the months to come all the same.
func TestMigratePassesUsageOfNoMonth(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, migrate)
	conn := dial(t, url)
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	month := func(ahead int) string {
		first := time.Now().UTC().AddDate(0, 0, 1-time.Now().UTC().Day())
		return "ledger_usage_" + first.AddDate(0, ahead, 0).Format("2006_01")
	}
	for ahead := range 13 { // as if nobody had migrated for a year
		exec(`drop table ` + month(ahead))
	}
	exec(`insert into ledger_usage (debit_account, credit_account, amount, operation) values (1, 2, 3, 'scrape')`)
	for range 2 {
		if _, err := db.Migrate(t.Context(), url); err != nil {
			t.Fatalf("migrating with usage in the default partition: %v", err)
		}
	}
	q := db.New(conn)
	if n, err := q.CountUsageMonths(t.Context()); err != nil || n != 12 {
		t.Errorf("got %d months made, %v; want 12", n, err)
	}
	if n, err := q.CountUsageOfNoMonth(t.Context()); err != nil || n != 1 {
		t.Errorf("got %d rows in the default partition, %v; want the one", n, err)
	}
	exec(`insert into ledger_usage (debit_account, credit_account, amount, operation) values (1, 2, 3, 'scrape')`) // metering continues
}
