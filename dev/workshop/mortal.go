package workshop

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// cable is a worker's connection to the database, which can be cut: to the rest of the world the worker is then dead,
// without notice, whatever it continues to do.
type cable struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

var errCut = errors.New("the database connection is cut")

func (c *cable) configure(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cut {
			return nil, errors.Join(errCut, conn.Close())
		}
		c.conns = append(c.conns, conn)
		return conn, nil
	}
}

// Mortal is a worker that can be killed.
type Mortal struct {
	Jobs *jobs.Jobs
	Pool *pgxpool.Pool

	cable *cable
}

// NewMortal starts the worker that the function makes of a pool, with a short lease. It is buried when the test ends.
func (p *Place) NewMortal(worker func(pool *pgxpool.Pool, change ...func(*jobs.Queue)) *jobs.Jobs) *Mortal {
	p.T.Helper()
	m := &Mortal{cable: &cable{}}
	m.Pool = p.Open(m.cable.configure)
	m.Jobs = worker(m.Pool, func(q *jobs.Queue) { q.Lease = time.Second })
	Must(p.T, m.Jobs.Start(context.Background()))
	p.T.Cleanup(m.Bury)
	return m
}

// Kill cuts the worker's connection.
func (m *Mortal) Kill() {
	m.cable.mu.Lock()
	defer m.cable.mu.Unlock()
	m.cable.cut = true
	for _, conn := range m.cable.conns {
		_ = conn.Close()
	}
}

// Bury stops a worker, dead or alive. Errors are ignored, because a dead worker cannot stop cleanly.
func (m *Mortal) Bury() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.Jobs.Stop(ctx)
}
