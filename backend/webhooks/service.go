package webhooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// QueueName is the queue of deliveries.
	QueueName = "delivery"

	// purgeMax is how many rows a purge deletes at a time.
	purgeMax = 1000
)

// Config configures a Service.
type Config struct {
	Pool  *pgxpool.Pool  // required
	Tasks delivery.Tasks // required
	// Client sends the POSTs; made with [FetchConfig]. Required.
	Client *fetch.Client
	// MasterSecret is what the teams' secrets are derived from, at least 32 bytes. A new one changes all of them. Required.
	MasterSecret []byte
	// Audiences know the webhook channels of subjects. Their events go to these channels, beside the address that an
	// event names itself. Nil: there are none.
	Audiences outbox.Audiences

	// Schedule is the wait after each failed try. Default [Retries].
	Schedule []time.Duration
	// TryTimeout is how long a receiver may take. Default 30 s.
	TryTimeout time.Duration
	// Slots is how many tries run at once in this process; one team gets at most half of them. Default 256.
	Slots int
	// LaneMax is how many tries to one address run at once, in all processes, while they succeed. Default 4.
	LaneMax int

	Registerer prometheus.Registerer // nil: no metrics are exported
	Logger     *slog.Logger          // required
	Now        func() time.Time      // required
}

// Service implements the operations on webhooks. Its errors are problems for the client.
type Service struct {
	config  Config
	store   *store
	engine  *delivery.Engine
	metrics *metrics
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	var errs []error
	if config.Client == nil {
		errs = append(errs, errors.New("Client is required"))
	}
	if n := len(config.MasterSecret); n < secretBytesMin {
		errs = append(errs, fmt.Errorf("MasterSecret must have at least %d bytes, has %d", secretBytesMin, n))
	}
	s := &Service{store: newStore(config.Pool), metrics: newMetrics()}
	if now := config.Now; now != nil {
		config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the database's precision
	}
	if len(config.Schedule) == 0 {
		config.Schedule = Retries()
	}
	engine, err := delivery.New(delivery.Config{
		Queue: QueueName, Carrier: s, Pool: config.Pool, Tasks: config.Tasks, Schedule: config.Schedule, TryTimeout: config.TryTimeout,
		Slots: config.Slots, LaneMax: config.LaneMax, Logger: config.Logger, Now: config.Now,
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, fmt.Errorf("webhooks: %w", err)
	}
	s.config, s.engine = config, engine
	return s, s.metrics.register(config.Registerer)
}

// FetchConfig derives the configuration for webhook POSTs from that for pages: with the same guard, directly, and
// without host limits, because the host asked for the events.
func FetchConfig(pages fetch.Config) fetch.Config {
	return fetch.Config{
		UserAgent: pages.UserAgent, AllowPrivate: pages.AllowPrivate, AllowPorts: pages.AllowPorts, AllowAnyPort: pages.AllowAnyPort,
		Resolver: pages.Resolver, RootCAs: pages.RootCAs,
		RedirectsMax: -1, RetriesMax: -1, HeaderBytesMax: 64 << 10,
		// The limit of a try is the service's own: these only must not be shorter.
		Timeouts: fetch.Timeouts{Header: delivery.TryTimeoutDefault, BodyIdle: delivery.TryTimeoutDefault, Total: 2 * delivery.TryTimeoutDefault},
	}
}

// Queue is the queue of deliveries, for jobs.Config.Queues.
func (s *Service) Queue() jobs.Queue { return s.engine.Queue() }

// Take creates deliveries of the events that name an address, or whose subject has channels of type webhook. It
// implements outbox.Listener.
func (s *Service) Take(ctx context.Context, tx pgx.Tx, events []outbox.Taken) (func(), error) {
	told, err := s.addressed(ctx, tx, events)
	if err != nil || len(told) == 0 {
		return nil, err
	}
	deliveries, err := newStore(tx).add(ctx, told, s.engine.TriesMax(), s.config.Now())
	if err != nil {
		return nil, err
	}
	works := make([]jobs.Work, len(deliveries))
	for i := range deliveries {
		works[i] = s.engine.Work(deliveries[i].Lane, deliveries[i].TeamID, deliveries[i].ID)
	}
	if err := s.engine.Add(ctx, tx, works...); err != nil {
		return nil, err
	}
	return s.engine.Wake, nil
}

// addressed returns each event once for each address that receives it.
func (s *Service) addressed(ctx context.Context, tx pgx.Tx, events []outbox.Taken) ([]outbox.Taken, error) {
	var told []outbox.Taken
	for i := range events {
		e := events[i]
		if e.Webhook != "" {
			told = append(told, e)
		}
		channels, err := s.config.Audiences.Channels(ctx, tx, &e, outbox.ChannelWebhook)
		if err != nil {
			return nil, err
		}
		for _, c := range channels {
			if c.Target != events[i].Webhook {
				e.Webhook = c.Target
				told = append(told, e)
			}
		}
	}
	return told, nil
}

// Check returns what is wrong with a webhook address, in words for the client, or nil. Nil is no guarantee: the address
// is resolved and checked again at each delivery.
func (s *Service) Check(rawURL string) error {
	if strings.ContainsFunc(rawURL, unicode.IsControl) { // they would be ignored in the URL, and stored
		return errors.New("must not contain control characters")
	}
	u, err := fetch.ParseURL(rawURL)
	if err == nil {
		err = s.config.Client.Check(u)
	}
	switch fetch.ReasonOf(err) {
	case "":
		return nil
	case fetch.ReasonInvalidURL:
		return errors.New(errors.Unwrap(err).Error())
	case fetch.ReasonBlockedPort:
		return errors.New("has a port that is not allowed for webhooks: use 80 or 443")
	default:
		return errors.New("must be publicly reachable: localhost and private addresses are refused")
	}
}

// Redeliver makes a delivery again: a pending one at once, an ended one as a new delivery with all its tries.
func (s *Service) Redeliver(ctx context.Context, c *principal.Caller, id string) (*Delivery, error) {
	if !token.Is(id, "delivery") {
		return nil, notFound()
	}
	var out *Delivery
	err := pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) (err error) {
		if out, err = s.redeliver(ctx, tx, c.TeamID, id); err != nil {
			return err
		}
		return c.Record(ctx, tx, out)
	})
	switch {
	case errors.Is(err, errNotFound):
		return nil, notFound()
	case err != nil:
		return nil, problem.From(err)
	}
	s.engine.Wake()
	return out, nil
}

func (s *Service) redeliver(ctx context.Context, tx pgx.Tx, teamID, id string) (*Delivery, error) {
	tables, now := newStore(tx), s.config.Now()
	row, err := tables.find(ctx, teamID, id)
	if err != nil {
		return nil, err
	}
	// The lane's lock keeps the delivery from changing.
	if err := jobs.LockLanes(ctx, tx, QueueName, row.WebhookDelivery.Lane); err != nil {
		return nil, err
	}
	if row, err = tables.find(ctx, teamID, id); err != nil {
		return nil, err
	}
	d := &row.WebhookDelivery
	if d.Status != delivery.StatusPending {
		if row, err = tables.repeat(ctx, row, s.engine.TriesMax(), now); err != nil {
			return nil, err
		}
		d = &row.WebhookDelivery
		return object(row, nil), s.engine.Add(ctx, tx, s.engine.Work(d.Lane, d.TeamID, d.ID))
	}
	tries, err := tables.tries(ctx, *row)
	if err != nil {
		return nil, err
	}
	hastened, err := jobs.Hasten(ctx, tx, QueueName, d.Lane, d.ID)
	if err != nil {
		return nil, err
	}
	if hastened > 0 {
		d.NextAt = &now
		if err := tables.hasten(ctx, d.ID, now); err != nil {
			return nil, err
		}
	}
	return object(row, tries[d.ID]), nil
}

func notFound() error {
	return problem.New(problem.DeliveryNotFound, "There is no webhook delivery with this id.")
}

// Purge deletes deliveries, and the log of their tries, that ended longer ago than events are kept, and returns how many.
func (s *Service) Purge(ctx context.Context) (int, error) {
	before := s.config.Now().Add(-outbox.Retention)
	for total := 0; ; {
		n, err := s.store.purge(ctx, before, purgeMax)
		if err != nil {
			return total, err
		}
		if total += int(n); n < purgeMax {
			return total, nil
		}
	}
}

var (
	_ delivery.Carrier = (*Service)(nil)
	_ outbox.Listener  = (*Service)(nil)
)
