package workshop

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/backend/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// outpostSchema is that of all outposts, so that they share the work of making it.
var outpostSchema = Schema("")

// Tasks are the jobs of services that want them before there are any, since the queues are the services' own.
type Tasks struct{ *jobs.Jobs }

// Outpost is a database with two teams, team_a and team_b, and a process that tells others of events.
type Outpost struct {
	T      testing.TB
	URL    string
	Pool   *pgxpool.Pool
	Tasks  *Tasks
	Outbox *outbox.Dispatcher
	Logger *slog.Logger // says what goes on where tests are verbose
}

// NewOutpost makes an outpost with so many connections, at the database of another or, if url is empty, at one of its own.
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

// ThisMachine is how what is on this machine may be asked, whatever its port.
func ThisMachine() fetch.Config {
	return fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true}
}

// Man makes the queues' worker and the outbox that tells its listeners. Nothing is done before [Outpost.Start].
func (p *Outpost) Man(queues []jobs.Queue, listeners ...outbox.Listener) {
	p.T.Helper()
	var err error
	p.Tasks.Jobs, err = jobs.New(jobs.Config{Pool: p.Open(9), Queues: queues, Grace: graceTime, Logger: p.Logger, Now: time.Now})
	Must(p.T, err)
	p.Outbox, err = outbox.NewDispatcher(outbox.Config{Pool: p.Pool, Listeners: listeners, Tick: 50 * time.Millisecond, Logger: p.Logger})
	Must(p.T, err)
}

// Start tells and works until the test ends.
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

// Tell adds an event, and has it told.
func (p *Outpost) Tell(e outbox.Event) {
	p.T.Helper()
	Must(p.T, pgx.BeginFunc(context.Background(), p.Pool, func(tx pgx.Tx) error { return outbox.Add(context.Background(), tx, e) }))
	p.Outbox.Wake()
}

// Count is what a query counts.
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

// Until waits until the database says what a query asks for.
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
			p.T.Fatalf("%s: not within %s", what, patience)
		}
	}
}
