package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/db/outage"
)

const (
	tickDefault = 250 * time.Millisecond
	// eventsMax is how many events are dispatched in one transaction.
	eventsMax = 200
	// refusedWait is how long after a refusal an event is dispatched again.
	refusedWait = time.Minute
	// roundTimeout bounds one transaction.
	roundTimeout = 30 * time.Second
	// pauseMost is the longest pause during a database outage.
	pauseMost = 5 * time.Second
	// purgeMax is how many rows a purge deletes at a time.
	purgeMax = 1000
)

// Listener receives events.
type Listener interface {
	// Take writes in tx what must be done about events, for all or none of them. The returned function, unless nil, is
	// called after tx is committed. If tx is not committed, Take may get an event again. After an error the events are
	// dispatched one by one, and later again.
	Take(ctx context.Context, tx pgx.Tx, events []Taken) (committed func(), err error)
}

// Config configures a Dispatcher.
type Config struct {
	Pool      *pgxpool.Pool // required
	Listeners []Listener

	// Tick is how soon events of other processes are found. Default 250 ms.
	Tick       time.Duration
	Registerer prometheus.Registerer // nil: no metrics are exported
	Logger     *slog.Logger          // required
}

// Dispatcher passes events to listeners. Several processes may run one each.
type Dispatcher struct {
	config  Config
	queries *db.Queries
	metrics *metrics
	urgent  chan struct{}
}

// NewDispatcher makes a Dispatcher; Run runs it.
func NewDispatcher(config Config) (*Dispatcher, error) {
	if config.Pool == nil || config.Logger == nil {
		return nil, errors.New("outbox: Pool and Logger are required")
	}
	if config.Tick == 0 {
		config.Tick = tickDefault
	}
	d := &Dispatcher{config: config, queries: db.New(config.Pool), metrics: newMetrics(), urgent: make(chan struct{}, 1)}
	return d, d.metrics.register(config.Registerer)
}

// Wake makes the dispatcher look for events at once. Call it after a commit that added one.
func (d *Dispatcher) Wake() {
	select {
	case d.urgent <- struct{}{}:
	default:
	}
}

// Run dispatches events until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) {
	tick, measure := time.NewTicker(d.config.Tick), time.NewTicker(measureEvery)
	defer tick.Stop()
	defer measure.Stop()
	pause := d.config.Tick
	for {
		err := d.drain(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			pause = d.config.Tick
		default:
			if pause == d.config.Tick || !outage.Is(err) {
				d.config.Logger.Error("events could not be dispatched", "error", err)
			}
			pause = min(2*pause, pauseMost)
			rest(ctx, pause)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-d.urgent:
		case <-measure.C:
			d.measure(ctx)
		}
	}
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// drain dispatches events until there are none left.
func (d *Dispatcher) drain(ctx context.Context) error {
	for {
		shown, err := d.show(ctx, func(ctx context.Context, queries *db.Queries) ([]db.TakeEventsRow, error) {
			return queries.TakeEvents(ctx, eventsMax)
		})
		if err != nil && len(shown) > 0 && ctx.Err() == nil && !outage.Is(err) {
			err = d.single(ctx, shown)
		}
		if err != nil || len(shown) < eventsMax {
			return err
		}
	}
}

// single dispatches events one by one, so that a refused event does not block others, and postpones the refused ones.
func (d *Dispatcher) single(ctx context.Context, events []db.TakeEventsRow) error {
	for i := range events {
		id := events[i].ID
		_, err := d.show(ctx, func(ctx context.Context, queries *db.Queries) ([]db.TakeEventsRow, error) {
			rows, err := queries.TakeEvent(ctx, id)
			return asTaken(rows), err
		})
		if err == nil {
			continue
		}
		if ctx.Err() != nil || outage.Is(err) {
			return err
		}
		d.config.Logger.Error("an event was refused and will be retried later", "event", id, "type", events[i].Type, "after", refusedWait, "error", err)
		d.metrics.refused.Inc()
		if err := d.queries.PutOffEvent(ctx, db.PutOffEventParams{ID: id, AfterSeconds: refusedWait.Seconds()}); err != nil {
			return fmt.Errorf("putting off event %s: %w", id, err)
		}
	}
	return nil
}

func asTaken(rows []db.TakeEventRow) []db.TakeEventsRow {
	events := make([]db.TakeEventsRow, len(rows))
	for i := range rows {
		events[i] = db.TakeEventsRow(rows[i])
	}
	return events
}

// show selects events and calls the listeners in one transaction. It returns the events even if that failed.
func (d *Dispatcher) show(
	ctx context.Context, take func(context.Context, *db.Queries) ([]db.TakeEventsRow, error),
) (rows []db.TakeEventsRow, err error) {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	var committed []func()
	err = pgx.BeginFunc(ctx, d.config.Pool, func(tx pgx.Tx) error {
		queries := db.New(tx)
		if rows, err = take(ctx, queries); err != nil || len(rows) == 0 {
			return err
		}
		ids, events := make([]string, len(rows)), make([]Taken, len(rows))
		for i := range rows {
			ids[i], events[i] = rows[i].ID, taken(&rows[i])
		}
		for _, listener := range d.config.Listeners {
			after, err := listener.Take(ctx, tx, events)
			if err != nil {
				return err
			}
			if after != nil {
				committed = append(committed, after)
			}
		}
		return queries.MarkEventsDispatched(ctx, ids)
	})
	if err != nil {
		return rows, fmt.Errorf("dispatching %d events: %w", len(rows), err)
	}
	d.metrics.dispatched.Add(float64(len(rows)))
	for _, f := range committed {
		f()
	}
	return rows, nil
}

func taken(row *db.TakeEventsRow) Taken {
	e := Taken{
		ID: row.ID, JSON: row.Data, CreatedAt: row.CreatedAt,
		Event: Event{TeamID: row.TeamID, Type: row.Type, Subject: row.Subject, Data: row.Data},
	}
	if row.Webhook != nil {
		e.Webhook = *row.Webhook
	}
	return e
}

// Purge deletes events that have expired at now and that nothing refers to, and returns how many. Call it after the
// listeners' own purges.
func Purge(ctx context.Context, queries *db.Queries, now time.Time) (int, error) {
	for total := 0; ; {
		n, err := queries.PurgeEvents(ctx, db.PurgeEventsParams{Now: now, RowsMax: purgeMax})
		if err != nil {
			return total, fmt.Errorf("purging events: %w", err)
		}
		if total += int(n); n < purgeMax {
			return total, nil
		}
	}
}
