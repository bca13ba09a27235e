package caddymodule

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// processKey tells the databases apart in which this process has an instance.
type processKey struct{ url string }

// pooledProcess is this process as those that share a database know it, and what its
// gates have in common there. It outlives every configuration in which there is one for
// the database, whatever else they change.
type pooledProcess struct {
	*x402.Process

	instance *instance.Instance
	pool     *pgxpool.Pool
}

// instanceFile is the file in Caddy's data directory by whose lock a successor of this
// process knows that it is gone: one for each database, whoever connects to it and how.
func instanceFile(url string) (string, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return "", fmt.Errorf("parsing the database URL: %w", err)
	}
	database := sha256.Sum256(fmt.Appendf(nil, "%s:%d/%s", cfg.Host, cfg.Port, cfg.Database))
	return filepath.Join(caddy.AppDataDir(), "turnpike", fmt.Sprintf("instance-%x", database[:8])), nil
}

// openProcess registers this process in a database, or goes on with what it is there
// under other terms. Whoever calls it calls closeProcess in the end.
func openProcess(ctx context.Context, url string, terms instance.Terms) (*pooledProcess, error) {
	shared, wasThere, err := pools.LoadOrNew(processKey{url}, func() (caddy.Destructor, error) {
		file, err := instanceFile(url)
		if err != nil {
			return nil, err
		}
		pool, err := db.Open(ctx, url, func(c *pgxpool.Config) { c.MaxConns = 1 })
		if err != nil {
			return nil, err
		}
		this, err := instance.Open(ctx, instance.Config{
			DB: pool, Terms: terms, File: file, Logger: currentLogger("turnpike.instance"), OnEnd: endProcess,
		})
		if err != nil {
			pool.Close()
			return nil, err
		}
		return &pooledProcess{Process: x402.NewProcess(this), instance: this, pool: pool}, nil
	})
	if err != nil {
		return nil, err
	}
	p, ok := shared.(*pooledProcess)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as process", shared)
	}
	if wasThere {
		p.instance.Change(terms)
	}
	return p, nil
}

func closeProcess(url string) error {
	_, err := pools.Delete(processKey{url})
	return err
}

const processCloseTimeout = 5 * time.Second

// Destruct implements caddy.Destructor: nothing of this process is in the database any more.
func (p *pooledProcess) Destruct() error {
	ctx, cancel := context.WithTimeout(context.Background(), processCloseTimeout)
	defer cancel()
	err := p.instance.Close(ctx)
	p.pool.Close()
	return err
}

// endedTimeout is how long requests have to end that are under way when the process was
// ended by another. All they can get is 503.
const endedTimeout = 30 * time.Second

// endProcess stops Caddy and exits, since another process has taken on what this one had
// begun. A supervisor starts it anew: with an exit status of 1, Caddy's own unit for
// systemd would not.
func endProcess() {
	exit := func() { os.Exit(caddy.ExitCodeFailedQuit) } //nolint:forbidigo // Caddy itself exits with no other status than 0
	time.AfterFunc(endedTimeout, exit)
	caddy.OnExit(func(context.Context) { exit() })
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt) // which Caddy takes for the wish to stop in good order
	}
	if err != nil { // there is no such signal on this system
		_ = caddy.Stop()
		exit()
	}
}
