package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// pins block database writes: a pinned step of a payer's claim waits as long as its pin exists, and is never written if
// the edge is killed meanwhile. A step is named by the state it leads to, or "finished".
type pins struct {
	s    *stack
	hold *pgx.Conn // holds the lock that pinned writes wait for
}

const pinLock = 4402

const pinSQL = `
create table test_pin (payer text, step text);
create function test_pin() returns trigger language plpgsql as $$
begin
	if exists (
		select from test_pin p
		where p.payer = new.payer and p.step = case
			when old.state in ('settled', 'refund_due') and old.done_at is null and new.done_at is not null then 'finished'
			else new.state
		end
	) then
		perform pg_advisory_xact_lock(%d);
	end if;
	return new;
end $$;
create trigger test_pin before update on x402_claim for each row execute function test_pin();`

func newPins(t *testing.T, s *stack) *pins {
	t.Helper()
	p := &pins{s: s}
	var err error
	if p.hold, err = pgx.Connect(t.Context(), s.databaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.hold.Close(context.Background()) })
	if _, err := p.hold.Exec(t.Context(), fmt.Sprintf(pinSQL, pinLock)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.hold.Exec(t.Context(), `select pg_advisory_lock($1)`, pinLock); err != nil {
		t.Fatal(err)
	}
	return p
}

// set pins a step of the payer's claim.
func (p *pins) set(t *testing.T, payer, step string) {
	t.Helper()
	if _, err := p.s.pool.Exec(t.Context(), `insert into test_pin values ($1, $2)`, payer, step); err != nil {
		t.Fatal(err)
	}
}

const pinnedSQL = `select count(*) from pg_locks where locktype = 'advisory' and not granted
	and database = (select oid from pg_database where datname = current_database())`

// await waits until that many writes are blocked.
func (p *pins) await(t *testing.T, want int) {
	t.Helper()
	eventually(t, "a write that is held up", func() error {
		var got int
		if err := p.s.pool.QueryRow(context.Background(), pinnedSQL).Scan(&got); err != nil || got >= want {
			return err
		}
		return fmt.Errorf("%d are, want %d", got, want)
	})
}

// lose ends the sessions of blocked writes, as Postgres does once it notices the edge's kill, and removes the pins.
func (p *pins) lose(t *testing.T) {
	t.Helper()
	for _, sql := range []string{
		`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted
			and database = (select oid from pg_database where datname = current_database())`,
		`delete from test_pin`,
	} {
		if _, err := p.s.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the end of the writes that were held up", func() error {
		var got int
		if err := p.s.pool.QueryRow(context.Background(), pinnedSQL).Scan(&got); err != nil || got == 0 {
			return err
		}
		return fmt.Errorf("%d are still held up", got)
	})
	if _, err := p.hold.Exec(t.Context(), `select pg_advisory_unlock($1)`, pinLock); err != nil {
		t.Fatal(err)
	}
}
