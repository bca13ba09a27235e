package crawls_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/jobs"
)

// cable is a worker's way to the database, which can be cut: to the rest of the world the worker is then dead, without a
// word, whatever it goes on doing.
type cable struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

var errCut = errors.New("the cable is cut")

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

func (c *cable) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

// mortal is a worker that can be killed.
type mortal struct {
	jobs  *jobs.Jobs
	pool  *pgxpool.Pool
	cable *cable
}

func (p *place) newMortal() *mortal {
	p.t.Helper()
	m := &mortal{cable: &cable{}}
	var err error
	m.pool = p.open(m.cable.configure)
	m.jobs = p.worker(m.pool, func(q *jobs.Queue) { q.Lease = time.Second })
	err = m.jobs.Start(context.Background())
	must(p.t, err)
	p.t.Cleanup(m.bury)
	return m
}

// bury ends what is left of a worker, dead or alive. It cannot say that all is well, being dead.
func (m *mortal) bury() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.jobs.Stop(ctx)
}
