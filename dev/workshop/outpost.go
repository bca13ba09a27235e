package workshop

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// outpostSchema is shared by all outposts, so that it is created only once.
var outpostSchema = Schema("")

// Tasks are the jobs of services that need them before they exist, since the services own the queues.
type Tasks struct{ *jobs.Jobs }

// Outpost is a database with two teams, team_a and team_b, and a process that notifies others of events.
type Outpost struct {
	T      testing.TB
	URL    string
	Pool   *pgxpool.Pool
	Tasks  *Tasks
	Outbox *outbox.Dispatcher
	Logger *slog.Logger // prints the log in verbose tests
}

// NewOutpost creates an outpost with conns connections, on the database url or, if that is empty, on its own.
func NewOutpost(t testing.TB, url string, conns int32) *Outpost {
	t.Helper()
	p := &Outpost{T: t, URL: url, Tasks: &Tasks{}, Logger: Logger()}
	if testing.Verbose() {
		p.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	isOwn := p.URL == ""
	if isOwn {
		p.URL = pgtest.New(t, outpostSchema)
	}
	p.Pool = p.Open(conns)
	if isOwn {
		Must(t, db.New(p.Pool).AddTestTeams(t.Context(), []string{"team_a", "team_b"}))
	}
	return p
}

// Open opens another pool.
func (p *Outpost) Open(conns int32) *pgxpool.Pool {
	p.T.Helper()
	return pgtest.Open(p.T, p.URL, func(c *pgxpool.Config) { c.MaxConns = conns })
}

// ThisMachine is the configuration that allows requests to this machine, on any port.
func ThisMachine() fetch.Config {
	return fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true}
}

// Man creates the worker of the queues and the outbox of the listeners. Nothing runs before [Outpost.Start].
func (p *Outpost) Man(queues []jobs.Queue, listeners ...outbox.Listener) {
	p.T.Helper()
	var err error
	p.Tasks.Jobs, err = jobs.New(jobs.Config{Pool: p.Open(9), Queues: queues, Grace: graceTime, Logger: p.Logger, Now: time.Now})
	Must(p.T, err)
	p.Outbox, err = outbox.NewDispatcher(outbox.Config{Pool: p.Pool, Listeners: listeners, Tick: 50 * time.Millisecond, Logger: p.Logger})
	Must(p.T, err)
}

// Start runs the outbox and the worker until the test ends.
func (p *Outpost) Start() {
	p.T.Helper()
	Must(p.T, p.Tasks.Start(context.Background()))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Outbox.Run(ctx)
	}()
	p.T.Cleanup(func() {
		cancel()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		if err := p.Tasks.Stop(ctx); err != nil {
			p.T.Errorf("stopping: %v", err)
		}
	})
}

// Tell adds an event, and wakes the outbox to deliver it.
func (p *Outpost) Tell(e outbox.Event) {
	p.T.Helper()
	Must(p.T, pgx.BeginFunc(context.Background(), p.Pool, func(tx pgx.Tx) error { return outbox.Add(context.Background(), tx, e) }))
	p.Outbox.Wake()
}

// Count returns the count that a query selects.
func (p *Outpost) Count(query string, args ...any) int {
	p.T.Helper()
	var n int
	Must(p.T, p.Pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// Exec executes a statement.
func (p *Outpost) Exec(statement string, args ...any) {
	p.T.Helper()
	_, err := p.Pool.Exec(context.Background(), statement, args...)
	Must(p.T, err)
}

// Until waits until a query selects true.
func (p *Outpost) Until(what, query string, args ...any) {
	p.T.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(patience)
	for {
		var so bool
		Must(p.T, p.Pool.QueryRow(context.Background(), query, args...).Scan(&so))
		if so {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			p.T.Fatalf("%s: did not happen within %s", what, patience)
		}
	}
}
