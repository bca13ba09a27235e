package credits

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/money"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bench is a migrated database with a ledger.
type bench struct {
	url    string
	pool   *pgxpool.Pool
	q      *db.Queries
	ledger *Ledger
}

func newBench(t testing.TB) *bench {
	t.Helper()
	url := pgtest.New(t, migrate)
	pool := pgtest.Open(t, url, nil)
	return &bench{url: url, pool: pool, q: db.New(pool), ledger: NewLedger(pool)}
}

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// meter starts an edge's meter on the bench, and closes it after the test.
func (b *bench) meter(t testing.TB, change func(*Config)) *Postgres {
	t.Helper()
	cfg := Config{
		URL: b.url, Instance: b.instance(t), Logger: slog.New(slog.DiscardHandler),
		// The tests are about decisions, not about the speed of this machine.
		DecisionTimeout: time.Minute, CommitTimeout: time.Minute,
	}
	if change != nil {
		change(&cfg)
	}
	m, err := NewPostgres(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := m.Close(ctx); err != nil {
			t.Errorf("closing the meter: %v", err)
		}
	})
	return m
}

// process is an instance whose state the test controls.
type process struct {
	id   uuid.UUID
	live error
}

func (p *process) ID() uuid.UUID          { return p.id }
func (p *process) Live() error            { return p.live }
func (*process) Changed() <-chan struct{} { return nil }

// instance makes one that is alive.
func (b *bench) instance(t testing.TB) *process {
	t.Helper()
	p := &process{id: uuid.New()}
	b.exec(t, `insert into edge (id) values ($1)`, p.id)
	return p
}

// account makes a team with credits and a key.
func (b *bench) account(t testing.TB, credits money.Credits) (account, key int64) {
	t.Helper()
	ctx := t.Context()
	team := "team_" + uuid.NewString()
	account, err := b.q.CreateTeam(ctx, db.CreateTeamParams{ID: team})
	if err != nil {
		t.Fatal(err)
	}
	if credits > 0 {
		if _, err := b.ledger.Grant(ctx, Grant{TeamID: team, Amount: credits, Source: SourcePromo, Key: team}); err != nil {
			t.Fatal(err)
		}
	}
	hash := uuid.New()
	row, err := b.q.CreateKey(ctx, db.CreateKeyParams{
		PublicID: "key_" + hash.String(), Hash: append(hash[:], hash[:]...), Display: "tp_…", Scopes: []string{"write"}, TeamID: team,
	})
	if err != nil {
		t.Fatal(err)
	}
	return account, row.ID
}

func (b *bench) balance(t testing.TB, account int64) Balance {
	t.Helper()
	var out Balance
	err := b.pool.QueryRow(t.Context(), `select id, balance, held, owed from ledger_balance where id = $1`, account).
		Scan(&out.Account, &out.Balance, &out.Held, &out.Owed)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sound fails the test unless the ledger is consistent.
func (b *bench) sound(t testing.TB) {
	t.Helper()
	differences, err := b.ledger.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Errorf("ledger out of balance: %s %s", d.TeamID, d.Detail)
	}
}

// hold authorizes, which must succeed.
func (b *bench) hold(t testing.TB, m Meter, req Request) Hold {
	t.Helper()
	d, err := m.Authorize(t.Context(), req)
	if err != nil || d.Outcome != Accepted {
		t.Fatalf("got %+v, %v; want accepted", d, err)
	}
	return d.Hold
}

func (b *bench) adopt(t testing.TB, hold Hold, job string) {
	t.Helper()
	if err := Adopt(t.Context(), b.pool, hold.ID(), job, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// lose ends an edge's instance, and find makes it live again.
func (b *bench) lose(t testing.TB, m *Postgres) {
	t.Helper()
	b.exec(t, `update edge set ended_at = now() where id = $1`, m.cfg.Instance.ID())
}

// sweep voids the holds of instances that have ended. It repeats until all are void: a meter sweeps when it starts, and
// what it has locked is skipped here.
func (b *bench) sweep(t testing.TB) {
	t.Helper()
	for open := 1; open > 0; {
		if _, err := b.ledger.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := b.pool.QueryRow(t.Context(), `select count(*) from meter_batch b
			where not b.done and not exists (select from edge e where e.id = b.edge_id and e.ended_at is null)`).Scan(&open)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) find(t testing.TB, m *Postgres) {
	t.Helper()
	b.exec(t, `update edge set ended_at = null where id = $1`, m.cfg.Instance.ID())
}

func (b *bench) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := b.pool.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	m := b.meter(t, nil)
	t.Run("meter", func(t *testing.T) {
		testMeter(t, func(*testing.T) *subject {
			return &subject{
				Meter: m,
				newAccount: func(t *testing.T, credits money.Credits) (int64, int64) {
					return b.account(t, credits)
				},
				revoke: func(t *testing.T, key int64) {
					if _, err := b.pool.Exec(t.Context(), `update api_key set revoked_at = now() where id = $1`, key); err != nil {
						t.Fatal(err)
					}
				},
				balance: func(t *testing.T, account int64) Balance { return b.balance(t, account) },
			}
		})
	})
	b.sound(t)
}

func TestGrant(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	if _, err := b.q.CreateTeam(ctx, db.CreateTeamParams{ID: "team_a"}); err != nil {
		t.Fatal(err)
	}
	grant := Grant{TeamID: "team_a", Amount: 500, Source: SourcePromo, Key: "welcome"}
	var all sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range 16 {
		all.Go(func() {
			now, err := b.ledger.Grant(ctx, grant)
			if err != nil {
				t.Errorf("granting: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if now {
				made++
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Fatalf("got %d grants, want 1", made)
	}
	got, err := b.ledger.Balance(ctx, "team_a")
	if err != nil || got.Balance != 500 {
		t.Fatalf("got %+v, %v; want 500", got, err)
	}
	grant.Amount = 501
	if _, err := b.ledger.Grant(ctx, grant); err == nil {
		t.Fatal("got no error for a reused key with another amount")
	}
	if _, err := b.ledger.Grant(ctx, Grant{TeamID: "team_none", Amount: 1, Source: SourcePromo, Key: "x"}); err == nil {
		t.Fatal("got no error for an unknown team")
	}
	b.sound(t)
}

func TestGrantPaysWhatIsOwedFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	if _, err := b.q.CreateTeam(ctx, db.CreateTeamParams{ID: "team_a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `update ledger_account set owed = 120 where team_id = 'team_a'`); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Balance{{Balance: 0, Owed: 20}, {Balance: 80, Owed: 0}} {
		if _, err := b.ledger.Grant(ctx, Grant{TeamID: "team_a", Amount: 100, Source: SourcePromo, Key: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		got, err := b.ledger.Balance(ctx, "team_a")
		if err != nil || got.Balance != want.Balance || got.Owed != want.Owed {
			t.Fatalf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

// Three edges meter the same busy accounts during captures, voids and revocations: no deadlock, nothing overspent, and
// the books agree afterwards.
func TestSeveralEdgesOnTheSameAccounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	type customer struct{ account, key int64 }
	customers := make([]customer, 8)
	for i := range customers {
		customers[i].account, customers[i].key = b.account(t, 400)
	}
	var mu sync.Mutex
	spent := make(map[int64]money.Credits)
	var edges, clients sync.WaitGroup
	for e := range 3 {
		m := b.meter(t, nil)
		for c := range 16 {
			random := rand.New(rand.NewPCG(uint64(e), uint64(c)))
			clients.Go(func() {
				for range 60 {
					who := customers[random.IntN(len(customers))]
					req := request(who.account, who.key, money.Credits(random.IntN(5)))
					d, err := m.Authorize(t.Context(), req)
					if err != nil || d.Outcome != Accepted {
						continue
					}
					if random.IntN(4) == 0 {
						m.Void(d.Hold)
						continue
					}
					amount := money.Credits(random.Int64N(int64(req.Amount) + 1))
					m.Capture(d.Hold, amount)
					mu.Lock()
					spent[who.account] += amount
					mu.Unlock()
				}
			})
		}
		edges.Go(func() {
			clients.Wait()
			if err := m.Flush(t.Context()); err != nil {
				t.Errorf("flushing: %v", err)
			}
		})
	}
	edges.Wait()
	for _, c := range customers {
		got := b.balance(t, c.account)
		if got.Balance != 400-spent[c.account] || got.Held != 0 {
			t.Errorf("account %d: got %+v, want balance %d and nothing held", c.account, got, 400-spent[c.account])
		}
	}
	b.sound(t)
}

// A database that goes away: requests fail closed within the deadline, and those whose batch committed all the same are
// voided when it is back.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	const patience = 250 * time.Millisecond
	m := b.meter(t, func(c *Config) { c.DecisionTimeout = patience })
	held := b.hold(t, m, request(account, key, 10))

	// Another session locks the account's row for longer than requests wait.
	tx, err := b.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `select from ledger_account where id = $1 for update`, account); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := m.Authorize(t.Context(), request(account, key, 5)); err != ErrOverloaded { //nolint:errorlint // the exact value
		t.Fatalf("got %v, want ErrOverloaded", err)
	}
	if took := time.Since(start); took > 4*patience {
		t.Fatalf("took %v to fail closed, want about %v", took, patience)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}

	// Its connection is cut: the meter reconnects by itself.
	if _, err := b.pool.Exec(t.Context(),
		`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'turnpike-meter' and datname = current_database()`,
	); err != nil {
		t.Fatal(err)
	}
	m.Capture(held, 10)
	deadline := time.Now().Add(5 * time.Second)
	for {
		d, err := m.Authorize(t.Context(), request(account, key, 0))
		if err == nil && d.Outcome == Accepted {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not back after 5 s: %+v, %v", d, err)
		}
	}
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.balance(t, account); got.Balance != 90 || got.Held != 0 {
		t.Fatalf("got %+v, want 90 and nothing held", got)
	}
	b.sound(t)
}

func TestSweepVoidsTheHoldsOfALostEdge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account, key := b.account(t, 100)
	gone, alive := b.meter(t, nil), b.meter(t, nil)
	lost, adopted := b.hold(t, gone, request(account, key, 10)), b.hold(t, gone, request(account, key, 30))
	b.hold(t, alive, request(account, key, 20))
	b.adopt(t, adopted, "batch_1")
	b.lose(t, gone)
	b.sweep(t)
	if got := b.balance(t, account); got.Balance != 100 || got.Held != 50 {
		t.Fatalf("got %+v, want 100 with 50 held", got)
	}

	// The edge was only slow: its capture comes too late, and the operator bears the loss.
	gone.Capture(lost, 10)
	if err := gone.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := gone.Lost(); got != 1 {
		t.Errorf("got %d lost captures, want 1", got)
	}
	if got := b.balance(t, account); got.Balance != 100 {
		t.Errorf("got %+v, want 100", got)
	}
	b.sound(t)
}

func TestTransfersAreAppendOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.account(t, 100)
	for _, statement := range []string{
		`update ledger_transfer set amount = 1`, `delete from ledger_transfer`, `truncate ledger_transfer`,
	} {
		if _, err := b.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s: got no error", statement)
		}
	}
}
