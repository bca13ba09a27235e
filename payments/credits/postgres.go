package credits

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Config configures the Postgres meter.
type Config struct {
	// URL of the database. Required.
	URL string
	// Instance is this process. Its id marks the holds, so that others can tell when their process has ended. Required.
	Instance Instance
	// Logger is required.
	Logger *slog.Logger
	// SweepEvery is how often orphaned holds are looked for, in addition to when another process ends. Default 30 s.
	SweepEvery time.Duration
	// DecisionTimeout is how long a request waits, [Request.Waited] included, before the meter fails closed. Default
	// 200 ms: with the network round trip, the client gets its response within 250 ms.
	DecisionTimeout time.Duration
	// CommitTimeout bounds one batch, in case the database hangs without closing the connection. The batch's requests
	// have timed out long before. Default 2 s.
	CommitTimeout time.Duration
	// KeepBatches is how long a batch is kept after all its holds have ended, so that one can see which request was
	// held and charged. Default 7 days.
	KeepBatches time.Duration
	// BatchMax is how many requests, and how many ends, one commit takes. Default 1000, which is also the maximum.
	BatchMax int
	// BatchEvery is the time between batches under load, and up to twice that under heavy load: the fixed cost of a
	// batch is then spread over more requests. Under low load no batch waits. Default 25 ms.
	BatchEvery time.Duration
	// OnBatch, if set, is called for every batch with its requests and ends, and how long the commit took. It must not
	// block.
	OnBatch func(requests, ends int, took time.Duration)
	// OnLost, if set, is called for every capture that found its hold closed: see [Postgres.Lost]. It must not block.
	OnLost func()
}

// Instance is this process, among those that share the database.
type Instance interface {
	// ID marks the holds of this process.
	ID() uuid.UUID
	// Live returns nil as long as no other process can have voided this process's holds.
	Live() error
	// Changed returns a channel that is closed the next time that this process ends another instance.
	Changed() <-chan struct{}
}

func (c *Config) setDefaults() {
	if c.SweepEvery == 0 {
		c.SweepEvery = 30 * time.Second
	}
	if c.KeepBatches == 0 {
		c.KeepBatches = 7 * 24 * time.Hour
	}
	if c.BatchEvery == 0 {
		c.BatchEvery = 25 * time.Millisecond
	}
	if c.DecisionTimeout == 0 {
		c.DecisionTimeout = 200 * time.Millisecond
	}
	if c.CommitTimeout == 0 {
		c.CommitTimeout = 2 * time.Second
	}
	if c.BatchMax == 0 {
		c.BatchMax = BatchMaxMost
	}
}

// Postgres is the meter on a database. One batch is in flight at a time, on a connection of its own.
type Postgres struct {
	cfg     Config
	queue   *queue
	revenue int64
	lost    atomic.Int64
	stop    context.CancelFunc
	done    sync.WaitGroup
	waiters sync.Pool

	doubts []doubt  // used by the committer only
	aside  accounts // used by the committer only
}

// NewPostgres connects and starts metering. The schema must be migrated.
func NewPostgres(ctx context.Context, cfg Config) (*Postgres, error) {
	cfg.setDefaults()
	p := &Postgres{cfg: cfg, queue: newQueue(cfg.DecisionTimeout), aside: accounts{}}
	p.waiters.New = func() any { return &waiter{done: make(chan result, 1)} }
	conn, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	q := db.New(conn)
	if p.revenue, err = q.HouseAccount(ctx, db.HouseAccountParams{Kind: "revenue", Unit: "credit"}); err != nil {
		_ = conn.Close(ctx)
		return nil, fmt.Errorf("reading the ledger (is the schema migrated? run `turnpike migrate`): %w", err)
	}
	background, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.done.Go(func() { p.commitBatches(background, conn) })
	p.done.Go(func() { p.keepUp(background) })
	return p, nil
}

// connect opens a connection that belongs to the meter alone.
func (p *Postgres) connect(ctx context.Context) (*pgx.Conn, error) {
	return db.Connect(ctx, p.cfg.URL, "turnpike-meter", map[string]string{"synchronous_commit": "on"})
}

// Authorize implements Meter.
func (p *Postgres) Authorize(ctx context.Context, req Request) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	if req.Amount < 0 {
		return Decision{}, errNegative
	}
	if p.cfg.Instance.Live() != nil { // others may void the hold
		return Decision{}, ErrOverloaded
	}
	w, _ := p.waiters.Get().(*waiter)
	w.req = req
	if !p.queue.push(ctx, w) {
		return Decision{}, ErrOverloaded
	}
	res := <-w.done // also returns when the client leaves: see expire
	if w.state.Load() == answered {
		p.waiters.Put(w) // the committer may still use an abandoned one
	}
	return res.decision, res.err
}

// Capture implements Meter.
func (p *Postgres) Capture(hold Hold, amount money.Credits) {
	p.queue.pushEnd(end{hold: hold, capture: max(0, min(amount, hold.req.Amount))})
}

// Void implements Meter.
func (p *Postgres) Void(hold Hold) { p.queue.pushEnd(end{hold: hold}) }

// Flush implements Meter.
func (p *Postgres) Flush(ctx context.Context) error { return p.queue.flush(ctx) }

// Lost returns how many captures found their hold swept: work that was served but not charged, at the operator's loss.
func (p *Postgres) Lost() int64 { return p.lost.Load() }

// Close refuses new requests, makes the queued ends durable within ctx, and disconnects.
func (p *Postgres) Close(ctx context.Context) error {
	p.queue.close()
	err := p.queue.flush(ctx)
	p.stop()
	p.done.Wait()
	if err != nil {
		return fmt.Errorf("writing the last captures: %w", err)
	}
	return nil
}

// commitBatches is the committer: it takes what is queued, commits it and answers the requests, one batch at a time.
func (p *Postgres) commitBatches(ctx context.Context, conn *pgx.Conn) {
	defer func() {
		if conn != nil {
			_ = conn.Close(context.WithoutCancel(ctx))
		}
	}()
	b := newBatch()
	backoff := newBackoff()
	pace := pace{every: p.cfg.BatchEvery}
	// After a failure, batches become smaller, so that one request that the database refuses cannot fail the others
	// with it.
	limit := p.cfg.BatchMax
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.queue.wake:
		}
		if conn == nil {
			fresh, err := p.reconnect(ctx)
			if err != nil {
				p.cfg.Logger.Error("metering cannot connect to the database", "error", err)
				p.queue.signal()
				backoff.wait(ctx)
				continue
			}
			conn = fresh
		}
		pace.wait(ctx, p.queue)
		b.waiters, b.ends = p.queue.take(b.waiters[:0], b.ends[:0], limit)
		p.part(b)
		if len(b.waiters) == 0 && len(b.ends) == 0 {
			continue
		}
		pace.began(len(b.waiters))
		if err := p.commit(ctx, conn, b); err != nil {
			p.cfg.Logger.Error("metering batch failed", "error", err, "requests", len(b.waiters), "ends", len(b.ends))
			_ = conn.Close(ctx)
			conn = nil
			limit = max(1, limit/4)
			p.queue.signal() // batches of unknown outcome need a connection too
			backoff.wait(ctx)
			continue
		}
		backoff.reset()
		limit = min(p.cfg.BatchMax, 2*limit)
	}
}

// reconnect opens a new connection after a failure, and first finds out the outcome of the batches that were lost.
func (p *Postgres) reconnect(ctx context.Context) (*pgx.Conn, error) {
	// Without this bound, an attempt on a server that hangs would block a later one on its replacement.
	connecting, cancel := context.WithTimeout(ctx, p.cfg.CommitTimeout)
	defer cancel()
	conn, err := p.connect(connecting)
	if err != nil {
		return nil, err
	}
	if err := p.settleDoubts(ctx, conn); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}
