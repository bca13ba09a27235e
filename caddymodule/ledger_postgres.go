package caddymodule

import (
	"context"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func init() {
	caddy.RegisterModule(new(LedgerPostgres))
}

const (
	ledgerConnectTimeout = 15 * time.Second
	ledgerCloseTimeout   = 15 * time.Second
)

// LedgerPostgres keeps the ledger in a Postgres database, whose schema
// `turnpike migrate` makes. Any number of edges can share it.
type LedgerPostgres struct {
	// The URL of the database; give it as a placeholder such as
	// `{env.DATABASE_URL}`. Required.
	URL string `json:"url"`

	shared  *postgresLedger
	poolKey string
}

// CaddyModule returns the Caddy module information.
func (*LedgerPostgres) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.ledgers.postgres",
		New: func() caddy.Module { return new(LedgerPostgres) },
	}
}

// Provision connects, or goes on with the connections of the configuration
// before: requests under way keep their meter.
func (l *LedgerPostgres) Provision(caddy.Context) error {
	url, err := resolveSecret("ledger postgres", l.URL)
	if err != nil {
		return err
	}
	key := "ledger postgres " + url
	shared, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) { return openPostgresLedger(url) })
	if err != nil {
		return fmt.Errorf("ledger postgres: %w", err)
	}
	ledger, ok := shared.(*postgresLedger)
	if !ok {
		return fmt.Errorf("pool holds a %T as ledger", shared)
	}
	l.shared, l.poolKey = ledger, key
	return nil
}

// Cleanup lets go of the connections; the last user closes them.
func (l *LedgerPostgres) Cleanup() error {
	if l.poolKey == "" {
		return nil
	}
	_, err := pools.Delete(l.poolKey)
	return err
}

// Meter implements Ledger.
func (l *LedgerPostgres) Meter() credits.Meter { return l.shared.meter }

// Keys implements Ledger.
func (l *LedgerPostgres) Keys() apikey.Resolver { return l.shared.keys }

// Claims implements Ledger.
func (l *LedgerPostgres) Claims() x402.ClaimStore { return l.shared.claims }

// EdgeID implements Ledger.
func (l *LedgerPostgres) EdgeID() uuid.UUID { return l.shared.meter.EdgeID() }

// Ping implements Ledger.
func (l *LedgerPostgres) Ping(ctx context.Context) error { return l.shared.pool.Ping(ctx) }

// postgresLedger is what outlives a configuration.
type postgresLedger struct {
	pool   *pgxpool.Pool
	meter  *credits.Postgres
	keys   *apikey.Store
	claims x402.ClaimStore
}

func openPostgresLedger(url string) (*postgresLedger, error) {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerConnectTimeout)
	defer cancel()
	pool, err := db.Open(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	meter, err := credits.NewPostgres(ctx, credits.Config{
		URL: url, EdgeID: credits.NewID(), Logger: currentLogger("turnpike.meter"), OnBatch: observeBatch,
	})
	if err != nil {
		pool.Close()
		return nil, err
	}
	keys := apikey.NewStore(pool, time.Now)
	keys.Watch(currentLogger("turnpike.keys"))
	return &postgresLedger{pool: pool, meter: meter, keys: keys, claims: x402.NewPostgresClaims(pool)}, nil
}

func observeBatch(requests, _ int, took time.Duration) {
	batchSeconds.Observe(took.Seconds())
	batchRequests.Observe(float64(requests))
}

// Destruct implements caddy.Destructor: what is captured is written down first.
func (l *postgresLedger) Destruct() error {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerCloseTimeout)
	defer cancel()
	err := l.meter.Close(ctx)
	l.keys.Close()
	l.pool.Close()
	return err
}

// Interface guards
var (
	_ Ledger             = (*LedgerPostgres)(nil)
	_ caddy.Provisioner  = (*LedgerPostgres)(nil)
	_ caddy.CleanerUpper = (*LedgerPostgres)(nil)
)
