package notifications

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

const (
	// QueueName is the queue of messages.
	QueueName = "notification"

	// FailedType is the type of the event for a message that was given up.
	FailedType = "notification.failed"

	gatherDefault  = 5 * time.Second
	spacingDefault = time.Minute
	hourlyDefault  = 12
	slotsDefault   = 32
	period         = time.Hour
	secretBytesMin = 32
	// behindMax is how long a message waits, and collects events, while the one before it is still being sent.
	behindMax = time.Hour
	// purgeMax is how many rows a purge removes at a time.
	purgeMax = 1000
)

// Config configures a Service.
type Config struct {
	Pool  *pgxpool.Pool  // required
	Tasks delivery.Tasks // required
	// Audiences know the channels of subjects. Nil: no channels.
	Audiences outbox.Audiences
	// Targets says which targets are allowed.
	Targets Targets
	// Mailer sends email. Required: a [LogMailer] if none should be sent.
	Mailer Mailer
	// Client posts to Slack; use webhooks.FetchConfig. Required.
	Client *fetch.Client
	// PublicURL is the service's public URL, where links lead. Required.
	PublicURL string
	// MasterSecret signs the links in mail, at least 32 bytes. Links signed with an earlier secret stop working. Required.
	MasterSecret []byte

	// Gather is how long the first event for an address waits for more. Default 5 s.
	Gather time.Duration
	// Spacing is the minimum time between messages to an address, in which events collect. Default 1 min.
	Spacing time.Duration
	// Hourly is how many messages an address gets per hour at most. Events collect until another is allowed. Default 12.
	Hourly int
	// Schedule are the delays after each failed attempt. Default [Retries].
	Schedule []time.Duration
	// TryTimeout is the time limit of an attempt. Default 30 s.
	TryTimeout time.Duration
	// Slots is how many messages this process sends at once, at most half of them for one team. Default 32.
	Slots int

	Registerer prometheus.Registerer // nil: no metrics are exported
	Logger     *slog.Logger          // required
	Now        func() time.Time      // required
}

// Service implements notifications. Its errors are problems ready for the client.
type Service struct {
	config     Config
	key        []byte // for unsubscribe links
	confirmKey []byte // for confirmation links
	store      *store
	engine     *delivery.Engine
	metrics    *metrics
}

// New returns a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	var errs []error
	if config.Mailer == nil || config.Client == nil {
		errs = append(errs, errors.New("Mailer and Client are required"))
	}
	base, err := url.Parse(config.PublicURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		errs = append(errs, errors.New("PublicURL must be an absolute http or https URL without query and fragment"))
	}
	if n := len(config.MasterSecret); n < secretBytesMin {
		errs = append(errs, fmt.Errorf("MasterSecret must have at least %d bytes, has %d", secretBytesMin, n))
	}
	if config.Gather < 0 || config.Spacing < 0 || config.Hourly < 0 {
		errs = append(errs, errors.New("Gather, Spacing and Hourly must not be negative"))
	}
	if now := config.Now; now != nil {
		config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the database's precision
	}
	config.PublicURL = strings.TrimSuffix(config.PublicURL, "/")
	config.Gather = cmp.Or(config.Gather, gatherDefault)
	config.Spacing = cmp.Or(config.Spacing, spacingDefault)
	config.Hourly = cmp.Or(config.Hourly, hourlyDefault)
	if len(config.Schedule) == 0 {
		config.Schedule = Retries()
	}
	s := &Service{store: newStore(config.Pool), metrics: newMetrics()}
	s.engine, err = delivery.New(delivery.Config{
		Queue: QueueName, Carrier: s, Pool: config.Pool, Tasks: config.Tasks, Schedule: config.Schedule, TryTimeout: config.TryTimeout,
		Slots: cmp.Or(config.Slots, slotsDefault), LaneMax: 1, Logger: config.Logger, Now: config.Now,
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, fmt.Errorf("notifications: %w", err)
	}
	for info, key := range map[string]*[]byte{unsubscribeInfo: &s.key, confirmInfo: &s.confirmKey} {
		if *key, err = hkdf.Key(sha256.New, config.MasterSecret, nil, info, sha256.Size); err != nil {
			return nil, fmt.Errorf("notifications: deriving the keys of links: %w", err)
		}
	}
	s.config = config
	return s, s.metrics.register(config.Registerer)
}

// Queue is the queue of messages, for jobs.Config.Queues.
func (s *Service) Queue() jobs.Queue { return s.engine.Queue() }

// Check is [Targets.Check] for this installation.
func (s *Service) Check(c outbox.Channel) (outbox.Channel, error) { return s.config.Targets.Check(c) }

// Take adds events to the messages of the channels that receive them. It implements outbox.Listener.
func (s *Service) Take(ctx context.Context, tx pgx.Tx, events []outbox.Taken) (func(), error) {
	var told []notification
	for i := range events {
		e := &events[i]
		channels, err := s.channels(ctx, tx, e)
		if err != nil {
			return nil, err
		}
		for _, c := range channels {
			told = append(told, notification{
				eventID: e.ID, subject: e.Subject, address: address{e.TeamID, c.Type, c.Target, delivery.Lane(e.TeamID, c.Type, c.Target)},
			})
		}
	}
	if len(told) == 0 {
		return nil, nil
	}
	opened, err := newStore(tx).add(ctx, told, rates{
		triesMax: s.engine.TriesMax(), gather: s.config.Gather, spacing: s.config.Spacing, hourly: s.config.Hourly,
	}, s.config.Now())
	if err != nil {
		return nil, err
	}
	works := make([]jobs.Work, len(opened))
	for i, m := range opened {
		works[i] = s.engine.Work(m.lane, m.teamID, m.id)
	}
	if err := s.engine.Add(ctx, tx, works...); err != nil {
		return nil, err
	}
	return s.engine.Wake, nil
}

// channels are the channels that receive an event, or are asked by it.
func (s *Service) channels(ctx context.Context, tx pgx.Tx, e *outbox.Taken) ([]outbox.Channel, error) {
	if e.Type == RequestedType {
		return requested(e)
	}
	return s.config.Audiences.Channels(ctx, tx, e, outbox.ChannelEmail, outbox.ChannelSlack)
}

// Purge deletes messages, with their deliveries, that ended longer ago than events are kept, and returns how many.
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
