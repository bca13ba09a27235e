package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/topup"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

func init() {
	caddy.RegisterModule(new(Postgres))
}

const (
	ledgerConnectTimeout = 15 * time.Second
	ledgerCloseTimeout   = 15 * time.Second
)

// Postgres keeps the ledger in a Postgres database; `turnpike migrate` creates its schema. Any number of edges
// can share it. A process locks a file in Caddy's data directory as long as it lives. So the next process knows that it
// is gone and takes over its work.
type Postgres struct {
	// The URL of the database. Give it as a placeholder such as `{env.DATABASE_URL}`. Required.
	URL string `json:"url"`

	// The URL of the database itself, such as `{env.DATABASE_DIRECT_URL}`, if `url` leads to a pooler in transaction mode: one
	// connection listens there for changed keys. Default, also if the placeholder is empty: there is no pooler.
	DirectURL string `json:"direct_url,omitempty"`

	// How often this edge reports that it is alive. Default: 10s.
	Heartbeat caddy.Duration `json:"heartbeat,omitempty"`

	// How long this edge may be silent before the others take it for dead; they then void its holds and finish its
	// payments. An edge that was only silent ends its process when it notices. At least three heartbeats. Default: 1m,
	// or six heartbeats if that is more.
	LostAfter caddy.Duration `json:"lost_after,omitempty"`

	// How often this edge looks for what dead ones left behind. Default: half of lost_after.
	SweepEvery caddy.Duration `json:"sweep_every,omitempty"`

	// How long a request waits for its credits before it is refused with 503, and how long a payment waits for each
	// access to the ledger before the upstream runs. Default: 200ms, so that the response is sent within 250 ms.
	DecisionTimeout caddy.Duration `json:"decision_timeout,omitempty"`

	// How long one commit may take, for a database that hangs without closing the connection. At least
	// decision_timeout. Default: 2s, or twice decision_timeout if that is more.
	CommitTimeout caddy.Duration `json:"commit_timeout,omitempty"`

	// How many requests one commit takes, at most 1000. With fewer, each is decided sooner and costs more. Default: 1000.
	BatchMax int `json:"batch_max,omitempty"`

	// How many known keys are kept in memory, about 250 bytes each. Revocations reach them at once. Default: 200000.
	KeyCacheMax int `json:"key_cache_max,omitempty"`

	shared  *postgresLedger
	poolKey *postgresKey
}

// postgresKey identifies a ledger. Configurations share a ledger only if all of this is the same.
type postgresKey struct {
	url, direct                      string
	heartbeat, lostAfter, sweepEvery time.Duration
	decisionTimeout, commitTimeout   time.Duration
	batchMax, keyCacheMax            int
}

// CaddyModule returns the Caddy module information.
func (*Postgres) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.ledgers.postgres",
		New: func() caddy.Module { return new(Postgres) },
	}
}

// Provision connects, or continues with the connections of the earlier configuration. Running requests keep their meter.
func (l *Postgres) Provision(caddy.Context) error {
	if err := errors.Join(config.CheckNoPassword("ledger postgres", l.URL), config.CheckNoPassword("ledger postgres: direct_url", l.DirectURL)); err != nil {
		return err
	}
	url, err := config.Resolve("ledger postgres", l.URL)
	if err != nil {
		return err
	}
	direct := strings.TrimSpace(caddy.NewReplacer().ReplaceAll(l.DirectURL, ""))
	if direct == "" {
		direct = url
	} else {
		url = db.Pooled(url)
	}
	if err := errors.Join(l.setTimes(), l.setLimits()); err != nil {
		return fmt.Errorf("ledger postgres: %w", err)
	}
	key := postgresKey{
		url: url, direct: direct, heartbeat: time.Duration(l.Heartbeat), lostAfter: time.Duration(l.LostAfter), sweepEvery: time.Duration(l.SweepEvery),
		decisionTimeout: time.Duration(l.DecisionTimeout), commitTimeout: time.Duration(l.CommitTimeout),
		batchMax: l.BatchMax, keyCacheMax: l.KeyCacheMax,
	}
	shared, _, err := reload.Pool.LoadOrNew(key, func() (caddy.Destructor, error) { return openPostgresLedger(&key) })
	if err != nil {
		return fmt.Errorf("ledger postgres: %w", err)
	}
	ledger, ok := shared.(*postgresLedger)
	if !ok {
		return fmt.Errorf("pool holds a %T as ledger", shared)
	}
	l.shared, l.poolKey = ledger, &key
	return nil
}

// setTimes sets defaults and checks the times. An edge with too few heartbeats would be taken for dead while it serves,
// and its requests would not be charged.
func (l *Postgres) setTimes() error {
	const beatsMin, beats = 3, 6
	if l.Heartbeat < 0 || l.LostAfter < 0 || l.SweepEvery < 0 {
		return errors.New("heartbeat, lost_after and sweep_every cannot be negative")
	}
	if l.Heartbeat == 0 {
		l.Heartbeat = caddy.Duration(10 * time.Second)
		if l.LostAfter > 0 {
			l.Heartbeat = min(l.Heartbeat, l.LostAfter/beats)
		}
	}
	if l.LostAfter == 0 {
		l.LostAfter = max(caddy.Duration(time.Minute), beats*l.Heartbeat)
	}
	if l.LostAfter < beatsMin*l.Heartbeat {
		return fmt.Errorf("lost_after is %s and heartbeat %s: want at least three heartbeats",
			time.Duration(l.LostAfter), time.Duration(l.Heartbeat))
	}
	if l.SweepEvery == 0 {
		l.SweepEvery = l.LostAfter / 2
	}
	return nil
}

// setLimits sets defaults and checks the limits. A commit must not time out while its requests still wait: they would
// be refused needlessly.
func (l *Postgres) setLimits() error {
	if l.DecisionTimeout < 0 || l.CommitTimeout < 0 {
		return errors.New("decision_timeout and commit_timeout cannot be negative")
	}
	if l.BatchMax < 0 || l.BatchMax > credits.BatchMaxMost {
		return fmt.Errorf("batch_max is %d: want 1 to %d", l.BatchMax, credits.BatchMaxMost)
	}
	if l.KeyCacheMax < 0 {
		return fmt.Errorf("key_cache_max is %d: want more than 0", l.KeyCacheMax)
	}
	if l.DecisionTimeout == 0 {
		l.DecisionTimeout = caddy.Duration(200 * time.Millisecond)
		if l.CommitTimeout > 0 {
			l.DecisionTimeout = min(l.DecisionTimeout, l.CommitTimeout)
		}
	}
	if l.CommitTimeout == 0 {
		l.CommitTimeout = max(caddy.Duration(2*time.Second), 2*l.DecisionTimeout)
	}
	if l.CommitTimeout < l.DecisionTimeout {
		return fmt.Errorf("commit_timeout is %s and decision_timeout %s: want a commit_timeout that is not shorter",
			time.Duration(l.CommitTimeout), time.Duration(l.DecisionTimeout))
	}
	if l.BatchMax == 0 {
		l.BatchMax = credits.BatchMaxMost
	}
	if l.KeyCacheMax == 0 {
		l.KeyCacheMax = 200_000
	}
	return nil
}

// Cleanup releases the connections. The last user closes them.
func (l *Postgres) Cleanup() error {
	if l.poolKey == nil {
		return nil
	}
	_, err := reload.Pool.Delete(*l.poolKey)
	return err
}

// Meter implements Ledger.
func (l *Postgres) Meter() credits.Meter { return l.shared.meter }

// Keys implements Ledger.
func (l *Postgres) Keys() apikey.Resolver { return l.shared.keys }

// Claims implements Ledger.
func (l *Postgres) Claims() claims.Store { return l.shared.claims }

// Outbox implements Ledger.
func (l *Postgres) Outbox() outbox.Store { return l.shared.outbox }

// Process implements Ledger.
func (l *Postgres) Process() *gate.Process { return l.shared.process.Process }

// recoveries is how often within lost_after to look for what other processes left behind.
const recoveries = 4

// Times implements Ledger.
func (l *Postgres) Times() (decision, recovery time.Duration) {
	return time.Duration(l.DecisionTimeout), time.Duration(l.LostAfter) / recoveries
}

// Ping implements Ledger.
func (l *Postgres) Ping(ctx context.Context) error {
	if err := l.shared.process.Live(); err != nil {
		return err
	}
	return l.shared.pool.Ping(ctx)
}

// DatabaseURL returns the URL of the database, where purchases are kept too.
func (l *Postgres) DatabaseURL() string { return l.poolKey.url }

// Begin implements reload.User.
func (l *Postgres) Begin() (end func()) { return l.shared.uses.Begin() }

// Hold implements reload.Holder.
func (l *Postgres) Hold() (release func() error) { return reload.HoldPooled(*l.poolKey) }

// postgresLedger is the part that outlives a configuration.
type postgresLedger struct {
	key     postgresKey
	uses    reload.Uses
	process *pooledProcess
	pool    *pgxpool.Pool
	meter   *credits.Postgres
	keys    *apikey.Store
	claims  claims.Store
	outbox  outbox.Store
}

func openPostgresLedger(key *postgresKey) (*postgresLedger, error) {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerConnectTimeout)
	defer cancel()
	pool, err := db.Open(ctx, key.url, nil)
	if err != nil {
		return nil, err
	}
	process, err := openProcess(ctx, key.url, instance.Terms{Heartbeat: key.heartbeat, LostAfter: key.lostAfter})
	if err != nil {
		pool.Close()
		return nil, err
	}
	meter, err := credits.NewPostgres(ctx, credits.Config{
		URL: key.url, Instance: process.instance, SweepEvery: key.sweepEvery,
		DecisionTimeout: key.decisionTimeout, CommitTimeout: key.commitTimeout, BatchMax: key.batchMax,
		Logger: reload.CurrentLogger("turnpike.meter"), OnBatch: observeBatch, OnLost: lostTotal.Inc,
	})
	if err != nil {
		pool.Close()
		return nil, errors.Join(err, closeProcess(key.url))
	}
	// The look-up of a key has the same time limit as that of credits.
	keys := apikey.NewStore(pool, time.Now, apikey.CacheMax(key.keyCacheMax), apikey.WaitMax(key.decisionTimeout), apikey.ListenAt(key.direct))
	keys.Watch(reload.CurrentLogger("turnpike.keys"))
	l := &postgresLedger{
		key: *key, process: process, pool: pool, meter: meter, keys: keys,
		claims: claims.NewPostgres(pool, process.ID()), outbox: outbox.NewPostgres(pool, process.ID()),
	}
	months.Add(l, db.New(pool))
	return l, nil
}

func observeBatch(requests, _ int, took time.Duration) {
	metrics.BatchSeconds.Observe(took.Seconds())
	metrics.BatchRequests.Observe(float64(requests))
}

// Destruct implements caddy.Destructor. Running requests finish first.
func (l *postgresLedger) Destruct() error {
	return reload.CloseWhenUnused(&l.uses, l.close, func(err error) {
		reload.CurrentLogger("turnpike.meter").Error("closing the ledger of an earlier configuration", "error", err)
	})
}

// close writes the captures to the database, and disconnects.
func (l *postgresLedger) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerCloseTimeout)
	defer cancel()
	months.Remove(l)
	err := l.meter.Close(ctx)
	l.keys.Close()
	l.pool.Close()
	return errors.Join(err, closeProcess(l.key.url))
}

// Interface guards
var (
	_ Ledger               = (*Postgres)(nil)
	_ topup.DatabaseLedger = (*Postgres)(nil)
	_ reload.User          = (*Postgres)(nil)
	_ caddy.Provisioner    = (*Postgres)(nil)
	_ caddy.CleanerUpper   = (*Postgres)(nil)
)
