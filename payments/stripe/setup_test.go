package stripe

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
	"github.com/turnpike-edge/turnpike/payments/token"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// openPool opens a database for the test. Commits do not wait for the disk: durability is not tested here.
func openPool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), pgtest.New(t, migrate), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
		c.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
		c.MaxConns = 6
	})
	if err != nil {
		t.Fatalf("opening the database: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// bench is a service with a team, on its own database and Stripe double.
type bench struct {
	t       *testing.T
	pool    *pgxpool.Pool
	q       *db.Queries
	clock   *clocktest.Clock
	stripe  *stripetest.Double
	cfg     Config
	svc     *Service
	team    string
	account int64
}

func setup(t *testing.T, change ...func(*Config)) *bench {
	t.Helper()
	c := clocktest.New()
	b := &bench{t: t, pool: openPool(t), clock: c, stripe: stripetest.New(stripetest.Config{Now: c.Now}), team: token.New("team")}
	b.q = db.New(b.pool)
	b.cfg = configFor(b.pool, b.stripe, b.stripe.Client(), c)
	for _, f := range change {
		f(&b.cfg)
	}
	b.svc = newService(t, b.cfg)
	b.account = newTeam(t, b.q, b.team)
	return b
}

func configFor(pool DB, stripe *stripetest.Double, client *http.Client, c *clocktest.Clock) Config {
	return Config{
		DB: pool, SecretKey: "sk_test_double", WebhookSecret: "whsec_double", APIBase: "http://stripe.test",
		SetupReturnURL: "https://example.com/billing", HTTPClient: client, NoRetries: true, Now: c.Now,
		Logger: slog.New(slog.DiscardHandler),
	}
}

func newService(t testing.TB, cfg Config) *Service {
	t.Helper()
	svc, err := New(cfg)
	if err != nil {
		t.Fatalf("making the service: %v", err)
	}
	return svc
}

func newTeam(t testing.TB, q *db.Queries, id string) int64 {
	t.Helper()
	account, err := q.CreateTeam(t.Context(), db.CreateTeamParams{ID: id, Name: "test"})
	if err != nil {
		t.Fatalf("making a team: %v", err)
	}
	return account
}

// card gives the team a card through the setup page, and returns its id.
func (b *bench) card(behaviour stripetest.Behaviour) string {
	b.t.Helper()
	page, err := b.svc.SetupPage(b.t.Context(), SetupRequest{TeamID: b.team})
	if err != nil {
		b.t.Fatalf("setup page: %v", err)
	}
	pm, err := b.stripe.Complete(page, behaviour)
	if err != nil {
		b.t.Fatalf("completing the setup page: %v", err)
	}
	b.deliver(b.stripe.Events()...)
	return pm
}

func (b *bench) buy(credits money.Credits, key string) (Result, error) {
	return b.svc.Purchase(b.t.Context(), PurchaseRequest{
		TeamID: b.team, Credits: credits, IdempotencyKey: key, RequestHash: sha256.Sum256([]byte(credits.String())),
	})
}

func (b *bench) deliver(events ...stripetest.Event) {
	b.t.Helper()
	for _, ev := range events {
		if err := b.svc.Webhook(b.t.Context(), ev.Payload, b.stripe.Sign(ev.Payload)); err != nil {
			b.t.Fatalf("delivering %s: %v", ev.Type, err)
		}
	}
}

func (b *bench) sweep() {
	b.t.Helper()
	if err := b.svc.Sweep(b.t.Context()); err != nil {
		b.t.Fatalf("sweeping: %v", err)
	}
}

func (b *bench) balance() (balance, owed int64) {
	b.t.Helper()
	a, err := b.q.CreditBalance(b.t.Context(), b.team)
	if err != nil {
		b.t.Fatalf("reading the account: %v", err)
	}
	return a.Balance, a.Owed
}

func (b *bench) wantBalance(balance, owed int64) {
	b.t.Helper()
	if gotBalance, gotOwed := b.balance(); gotBalance != balance || gotOwed != owed {
		b.t.Errorf("balance and owed: got %d and %d, want %d and %d", gotBalance, gotOwed, balance, owed)
	}
}

// spend uses credits up as metered requests do.
func spend(ctx context.Context, pool *pgxpool.Pool, account, credits int64) error {
	_, err := pool.Exec(ctx, `
		with spent as (
			update ledger_account set available = available - $2 where id = $1 and available >= $2 returning id
		)
		insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
		select spent.id, h.id, $2, 'credit', 'reversal', 'spent:' || gen_random_uuid()
		from spent, ledger_account h where h.kind = 'revenue' and h.unit = 'credit'`, account, credits)
	return err
}
