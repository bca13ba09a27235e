package ledger

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

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// processKey identifies the instance of this process in a database.
type processKey struct{ url string }

// pooledProcess is this process as an instance in a database, and the state that its gates share there. It stays across
// all configurations that use the database, whatever else they change.
type pooledProcess struct {
	*gate.Process

	instance *instance.Instance
	pool     *pgxpool.Pool
}

// instanceFile returns the path of the lock file in Caddy's data directory. Its lock tells a successor whether this
// process is gone. There is one file for each database, whatever user or options connect to it.
func instanceFile(url string) (string, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return "", fmt.Errorf("parsing the database URL: %w", err)
	}
	database := sha256.Sum256(fmt.Appendf(nil, "%s:%d/%s", cfg.Host, cfg.Port, cfg.Database))
	return filepath.Join(caddy.AppDataDir(), "turnpike", fmt.Sprintf("instance-%x", database[:8])), nil
}

// openProcess registers this process in a database, or returns its registration with the new terms. The caller must
// call closeProcess in the end.
func openProcess(ctx context.Context, url string, terms instance.Terms) (*pooledProcess, error) {
	shared, wasThere, err := reload.Pool.LoadOrNew(processKey{url}, func() (caddy.Destructor, error) {
		file, err := instanceFile(url)
		if err != nil {
			return nil, err
		}
		pool, err := db.Open(ctx, url, func(c *pgxpool.Config) { c.MaxConns = 1 })
		if err != nil {
			return nil, err
		}
		this, err := instance.Open(ctx, instance.Config{
			DB: pool, Terms: terms, File: file, Logger: reload.CurrentLogger("turnpike.instance"), OnEnd: endProcess,
		})
		if err != nil {
			pool.Close()
			return nil, err
		}
		return &pooledProcess{Process: gate.NewProcess(this), instance: this, pool: pool}, nil
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
	_, err := reload.Pool.Delete(processKey{url})
	return err
}

const processCloseTimeout = 5 * time.Second

// Destruct implements caddy.Destructor. Nothing of this process is in the database by now.
func (p *pooledProcess) Destruct() error {
	ctx, cancel := context.WithTimeout(context.Background(), processCloseTimeout)
	defer cancel()
	err := p.instance.Close(ctx)
	p.pool.Close()
	return err
}

// endedTimeout is how long running requests have to finish after another process has ended this one. All they can get is 503.
const endedTimeout = 30 * time.Second

// endProcess stops Caddy and exits, because another process has taken over this one's work. A supervisor restarts it;
// but Caddy's own unit for systemd does not do so after exit status 1.
func endProcess() {
	exit := func() { os.Exit(caddy.ExitCodeFailedQuit) } //nolint:forbidigo // Caddy's own exit status is always 0
	time.AfterFunc(endedTimeout, exit)
	caddy.OnExit(func(context.Context) { exit() })
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt) // Caddy then stops gracefully
	}
	if err != nil { // this system has no such signal
		_ = caddy.Stop()
		exit()
	}
}
