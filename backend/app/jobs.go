package app

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

// Variables with settings of jobs.
const (
	jobSlotsName    = "TURNPIKE_JOB_SLOTS"
	teamRunningName = "TURNPIKE_TEAM_RUNNING"
	jobLeaseName    = "TURNPIKE_JOB_LEASE"
	// webhookSecretName is the secret from which teams' webhook secrets are made. Default: the content secret.
	webhookSecretName = "TURNPIKE_WEBHOOK_SECRET"
)

// Defaults of jobs, and limits beyond which a setting is an error.
const (
	jobSlotsDefault    = 64
	jobSlotsMax        = 10_000
	teamRunningDefault = 12
	// gatherPages is how long finished pages wait for more, to share one commit. Their results are visible after it.
	gatherPages     = 50 * time.Millisecond
	jobLeaseDefault = time.Minute
	jobLeaseMin     = time.Second
	jobLeaseMax     = time.Hour

	// jobsConnections are for promoting tasks and renewing their leases.
	jobsConnections = 8
	// workConnections is a worker's minimum, unless the database's address sets a limit: its tasks are many more, but
	// each needs a connection only now and then, and their results are saved over a few connections.
	workConnections = 16
	// stopTimeout bounds a stop beyond the tasks' grace period: results must still be saved.
	stopTimeout = 40 * time.Second
)

// JobsConfig is how work that outlives a request runs.
type JobsConfig struct {
	Slots, TeamRunning int
	Lease              time.Duration
	// grace is how long running tasks may continue at shutdown.
	Grace time.Duration
}

func defaultJobs() JobsConfig {
	return JobsConfig{Slots: jobSlotsDefault, TeamRunning: teamRunningDefault, Lease: jobLeaseDefault, Grace: drainTimeout}
}

func JobsFromEnv() (JobsConfig, error) {
	cfg := defaultJobs()
	for _, number := range []struct {
		name string
		at   *int
	}{{jobSlotsName, &cfg.Slots}, {teamRunningName, &cfg.TeamRunning}} {
		if err := intFromEnv(number.name, 1, jobSlotsMax, number.at); err != nil {
			return cfg, err
		}
	}
	if text := os.Getenv(jobLeaseName); text != "" {
		lease, err := time.ParseDuration(text)
		if err != nil || lease < jobLeaseMin || lease > jobLeaseMax {
			return cfg, fmt.Errorf("%s is %q: want %s to %s, such as 60s", jobLeaseName, text, jobLeaseMin, jobLeaseMax)
		}
		cfg.Lease = lease
	}
	return cfg, nil
}

// poolOf configures the pool that requests and tasks use.
func (c *Config) poolOf(pool *pgxpool.Config) {
	db.AcquireWithin(connectionWait)(pool)
	if c.Role.works() && !strings.Contains(c.DatabaseURL, "pool_max_conns") {
		pool.MaxConns = max(pool.MaxConns, workConnections)
	}
}

// openWork creates the features whose work outlives requests, and its queues; a worker also processes them.
func (b *Backend) openWork(ctx context.Context, cfg Config) (err error) {
	if err := b.openWebhooks(cfg); err != nil {
		return err
	}
	if err := b.openNotifications(cfg); err != nil {
		return err
	}
	if err := b.openEvents(cfg); err != nil {
		return err
	}
	b.batches, err = batches.New(batches.Config{
		Pool: b.pool, Jobs: jobsOf{b}, Pages: b.scrapes.Engine(), Files: b.files, Webhooks: b.webhooks, Owe: owe,
		LaneMax: cfg.Jobs.TeamRunning, Logger: cfg.Logger, Now: time.Now,
	})
	if err != nil {
		return err
	}
	if err := b.openCrawls(cfg); err != nil {
		return err
	}
	config := jobs.Config{Pool: b.pool, Logger: cfg.Logger, Now: time.Now, Registerer: b.registry, Grace: cfg.Jobs.Grace}
	if cfg.Role.works() {
		b.jobsPool, err = db.Open(ctx, cfg.DatabaseURL, func(c *pgxpool.Config) { c.MaxConns = jobsConnections })
		if err != nil {
			return err
		}
		config.Pool, config.Periodic = b.jobsPool, b.periodic()
		deliveries, messages := b.webhooks.Queue(), b.notifications.Queue()
		deliveries.Lease, messages.Lease = cfg.Jobs.Lease, cfg.Jobs.Lease
		config.Queues = []jobs.Queue{
			{
				Name: crawls.Queue, Handler: jobs.ByGroup(map[string]jobs.Handler{"batch": b.batches, "crawl": b.crawls}),
				Slots: cfg.Jobs.Slots, LaneMax: cfg.Jobs.TeamRunning, Lease: cfg.Jobs.Lease,
				Gather: gatherPages, // no Backlog: a page that waits for its host would delay those behind it
			},
			deliveries, messages,
		}
		config.Queues = append(config.Queues, b.monitorQueues(cfg.Jobs.Lease)...)
	}
	if b.jobs, err = jobs.New(config); err != nil {
		return err
	}
	b.crawls.Work(b.jobs)
	return nil
}

// owe adds a wallet's payment to the refund queue.
func owe(ctx context.Context, tx pgx.Tx, claim uuid.UUID, note string) (bool, error) {
	return refunds.NewQueue(tx).Owe(ctx, claim, note)
}

// openWebhooks creates the webhooks, which deliver events to receivers.
func (b *Backend) openWebhooks(cfg Config) (err error) {
	if b.poster, err = fetch.New(webhooks.FetchConfig(cfg.Fetch)); err != nil {
		return err
	}
	b.webhooks, err = webhooks.New(webhooks.Config{
		Pool: b.pool, Tasks: jobsOf{b}, Client: b.poster, MasterSecret: cfg.WebhookSecret, Audiences: b.hooked,
		Registerer: b.registry, Logger: cfg.Logger, Now: time.Now,
	})
	return err
}

// openEvents creates the dispatcher, which passes events to webhooks and notifications.
func (b *Backend) openEvents(cfg Config) (err error) {
	if !cfg.Role.works() {
		return nil
	}
	b.events, err = outbox.NewDispatcher(outbox.Config{
		Pool: b.pool, Listeners: []outbox.Listener{b.webhooks, b.notifications}, Registerer: b.registry, Logger: cfg.Logger,
	})
	return err
}

// jobsOf adds work. It looks up the jobs only when work is added, because the handlers of queues are created before
// them.
type jobsOf struct{ b *Backend }

func (j jobsOf) Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error {
	return j.b.jobs.Enqueue(ctx, tx, works...)
}

func (j jobsOf) Wake(queue string) { j.b.jobs.Wake(queue) }

// work runs background jobs until ctx ends, and then lets running tasks finish.
func (b *Backend) work(ctx context.Context) error {
	if err := b.jobs.Start(ctx); err != nil {
		if ctx.Err() != nil { // stopped during the start
			return nil
		}
		return err
	}
	var indexing sync.WaitGroup
	indexing.Go(func() { b.index.Run(ctx) })
	indexing.Go(func() { b.schedules.Run(ctx, b.grace) })
	b.events.Run(ctx)
	indexing.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.grace+stopTimeout)
	defer cancel()
	return b.jobs.Stop(ctx)
}

// examineJobs reports how much work runs at once.
func examineJobs() Finding {
	const name = "Jobs (batches, crawls)"
	cfg, err := JobsFromEnv()
	if err != nil {
		return Finding{name, false, err.Error()}
	}
	return Finding{name, true, fmt.Sprintf("%d pages at once in a worker, at most %d in all for one team; the pages of a lost worker are taken over after %s",
		cfg.Slots, cfg.TeamRunning, cfg.Lease)}
}
