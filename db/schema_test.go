package db_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

var update = flag.Bool("update", false, "write schema.txt anew from the migrations")

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// connect returns a connection to a migrated database of the test's own.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	return dial(t, pgtest.New(t, migrate))
}

func dial(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func TestMigrationsGiveTheSchema(t *testing.T) {
	t.Parallel()
	got := catalog(t, connect(t))
	const golden = "schema.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("reading the schema (make it with: go test ./db -run TestMigrationsGiveTheSchema -update): %v", err)
	}
	diffLines(t, "the migrated schema", got, string(want))
}

func TestMigratingDownAndUpGivesTheSame(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.URL(t)
	conn := dial(t, url)
	empty := catalog(t, conn)

	first, err := db.Migrate(ctx, url)
	if err != nil {
		t.Fatalf("migrating up: %v", err)
	}
	up := catalog(t, conn)
	if first == 0 || up == empty {
		t.Fatalf("migrating an empty database: got %d migrations run, want all", first)
	}
	if again, err := db.Migrate(ctx, url); err != nil || again != 0 {
		t.Errorf("migrating a current database: got %d run and error %v, want none", again, err)
	}

	migrateDown(t, url, 0)
	diffLines(t, "the schema after every migration was taken back", catalog(t, conn), empty)
	if pending, err := db.Pending(ctx, url); err != nil || pending != first {
		t.Errorf("pending after migrating down: got %d and error %v, want %d", pending, err, first)
	}
	if err := migrate(ctx, url); err != nil {
		t.Fatalf("migrating up again: %v", err)
	}
	diffLines(t, "the schema after down and up", catalog(t, conn), up)
	if pending, err := db.Pending(ctx, url); err != nil || pending != 0 {
		t.Errorf("pending after migrating up: got %d and error %v, want 0", pending, err)
	}
}

// The migration to stored available credits changes no balance, and neither does the way back.
func TestMigratingBalances(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, migrate)
	conn := dial(t, url)
	seed(t, conn)
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	want := func(what, query string) {
		t.Helper()
		if got := ""; conn.QueryRow(t.Context(), query).Scan(&got) != nil || got != what {
			t.Errorf("got %q of %s, want %q", got, query, what)
		}
	}
	// Of a batch's three slots, the first two are the customer's, and the second has ended.
	exec(`insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended)
		select gen_random_uuid(), gen_random_uuid(), array[id, id, 999], '{1,1,2}', '{1,70,500}', '{scrape}', '{1,1,1}', ('01' || repeat('0', 1022))::bit(1024)
		from ledger_account where kind = 'customer'`)
	exec(`update ledger_account set available = 5 where kind = 'customer'`)
	const now = `select concat_ws(' ', balance, held, owed, available) from ledger_balance`
	want("10 5 0 5", now)
	migrateDown(t, url, 43)
	want("10 5 0", `select concat_ws(' ', balance, held, owed) from ledger_account where kind = 'customer'`)
	exec(`update ledger_account set balance = 5, owed = 2 where kind = 'customer'`)
	if err := migrate(t.Context(), url); err != nil {
		t.Fatalf("migrating up again: %v", err)
	}
	want("5 5 2 0", now)
}

// Replicas that start together all migrate: one does the work, the others wait for it.
func TestMigratingAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	const replicas = 4
	type result struct {
		run int
		err error
	}
	results := make(chan result, replicas)
	for range replicas {
		go func() {
			run, err := db.Migrate(t.Context(), url)
			results <- result{run, err}
		}()
	}
	worked := 0
	for range replicas {
		r := <-results
		if r.err != nil {
			t.Errorf("migrating: %v", r.err)
		}
		if r.run > 0 {
			worked++
		}
	}
	if worked != 1 {
		t.Errorf("replicas that ran migrations: got %d, want 1", worked)
	}
}

func migrateDown(t *testing.T, url string, to int64) {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	conn := stdlib.OpenDB(*cfg)
	defer conn.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, os.DirFS("migrations"))
	if err != nil {
		t.Fatalf("reading the migrations: %v", err)
	}
	if _, err := provider.DownTo(t.Context(), to); err != nil {
		t.Fatalf("migrating down: %v", err)
	}
}

// catalog describes the public schema, one object a line, sorted, without what differs between versions of Postgres
// (names of not-null constraints) or between runs (object numbers).
func catalog(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	const ours = `c.relnamespace = 'public'::regnamespace and c.relname <> 'goose_db_version'
		and c.relname !~ '^ledger_usage_[0-9]{4}_[0-9]{2}'` // which months exist depends on the day
	sections := []struct{ title, query string }{
		{"tables", `
			select c.relname || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '')
			from pg_class c where c.relkind in ('r', 'p') and ` + ours},
		{"columns", `
			select format('%s.%s %s %s%s%s', c.relname, lpad(a.attnum::text, 2, '0'), a.attname, format_type(a.atttypid, a.atttypmod),
				case when a.attnotnull then ' not null' else '' end,
				case a.attidentity when 'a' then ' generated always as identity' when 'd' then ' generated by default as identity'
					else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end)
			from pg_attribute a
			join pg_class c on c.oid = a.attrelid
			left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
			where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and ` + ours},
		{"constraints", `
			select format('%s.%s %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
			from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype <> 'n' and ` + ours},
		{"indexes", `
			select regexp_replace(pg_get_indexdef(c.oid), ' ON public\.', ' ON ')
			from pg_class c join pg_index i on i.indexrelid = c.oid join pg_class tab on tab.oid = i.indrelid
			where tab.relname <> 'goose_db_version' and ` + ours},
		{"triggers", `
			select regexp_replace(pg_get_triggerdef(g.oid), ' public\.', ' ', 'g')
			from pg_trigger g join pg_class c on c.oid = g.tgrelid where not g.tgisinternal and ` + ours},
		{"functions", `
			select format('%s(%s) returns %s language %s md5 %s', p.proname, pg_get_function_identity_arguments(p.oid),
				pg_get_function_result(p.oid), l.lanname, md5(p.prosrc))
			from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'public'::regnamespace`},
		{"types", `
			select format('%s (%s)', y.typname, string_agg(e.enumlabel, ', ' order by e.enumsortorder))
			from pg_type y join pg_enum e on e.enumtypid = y.oid where y.typnamespace = 'public'::regnamespace group by y.typname`},
	}
	var b strings.Builder
	for _, section := range sections {
		rows, err := conn.Query(t.Context(), `select line from (`+section.query+`) as x (line) order by line collate "C"`)
		if err != nil {
			t.Fatalf("reading %s: %v", section.title, err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("reading %s: %v", section.title, err)
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "# %s\n%s\n\n", section.title, strings.Join(lines, "\n"))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// diffLines reports the lines that only one of the two has.
func diffLines(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	t.Errorf("%s differs", what)
	report := func(sign, these, others string) {
		known := map[string]bool{}
		for line := range strings.SplitSeq(others, "\n") {
			known[line] = true
		}
		for line := range strings.SplitSeq(these, "\n") {
			if !known[line] {
				t.Errorf("%s %s", sign, line)
			}
		}
	}
	report("got  ", got, want)
	report("want ", want, got)
}
