package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// EnvURL names the environment variable with the address of a server to use instead of starting one.
const EnvURL = "TURNPIKE_TEST_POSTGRES_URL"

// harness creates the host of this process, once.
type harness struct {
	mu   sync.Mutex
	host *host
	err  error
}

func (h *harness) get(ctx context.Context) (*host, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.host == nil && h.err == nil {
		// A failure is kept: otherwise each of the next tests would fail only after its own wait.
		h.host, h.err = newHost(ctx)
	}
	return h.host, h.err
}

func (h *harness) close(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.host == nil {
		return nil
	}
	return h.host.close(ctx)
}

// host is a server and this process's databases on it.
type host struct {
	admin    string
	server   *postgres.Server // nil if it is not ours
	pool     *pgxpool.Pool
	presence *pgx.Conn // holds the advisory lock that shows that this process lives
	prefix   string
	serial   atomic.Int64

	mu        sync.Mutex
	templates map[string]*template
	kept      []string // databases that live until close
}

type template struct {
	once sync.Once
	name string
	err  error
}

const (
	namePrefix = "tptest_"
	poolSize   = 4 // admin connections of one process; many processes share max_connections
)

// TempServer starts a throwaway server for tests, with connections for many test processes at once and with fsync on as
// in production, since durability is under test.
func TempServer(ctx context.Context) (*postgres.Server, error) {
	dir, err := os.MkdirTemp("", "turnpike-pg-")
	if err != nil {
		return nil, err
	}
	server, err := postgres.Start(ctx, postgres.Config{
		DataDir:   dir,
		Offline:   true, // a test run downloads nothing
		Ephemeral: true,
		Settings:  map[string]string{"max_connections": "300"},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return server, nil
}

func newHost(ctx context.Context) (_ *host, err error) {
	h := &host{admin: os.Getenv(EnvURL), templates: map[string]*template{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close(context.WithoutCancel(ctx)))
		}
	}()
	if h.admin == "" {
		if h.server, err = TempServer(ctx); err != nil {
			return nil, err
		}
		h.admin = h.server.URL("postgres")
	}
	config, err := pgxpool.ParseConfig(h.admin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvURL, err)
	}
	config.MaxConns = poolSize
	if h.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if err := h.announce(ctx); err != nil {
		return nil, err
	}
	return h, h.sweep(ctx)
}

// announce takes a random name for this process and its lock, before anything is named so.
func (h *host) announce(ctx context.Context) (err error) {
	if h.presence, err = pgx.Connect(ctx, h.admin); err != nil {
		return err
	}
	id := strings.ToLower(rand.Text()[:12])
	h.prefix = namePrefix + id + "_"
	_, err = h.presence.Exec(ctx, `SELECT pg_advisory_lock($1)`, lockKey(id))
	return err
}

func lockKey(id string) int64 {
	sum := fnv.New64a()
	sum.Write([]byte("turnpike pgtest " + id))
	return int64(sum.Sum64())
}

// sweep drops the databases of dead processes. Our own server has none.
func (h *host) sweep(ctx context.Context) error {
	if h.server != nil {
		return nil
	}
	rows, err := h.pool.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, namePrefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, h.prefix) {
			continue
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(name, namePrefix), "_")
		if err := h.sweepOne(ctx, id, name); err != nil {
			return fmt.Errorf("dropping %s, left by an earlier run: %w", name, err)
		}
	}
	return nil
}

func (h *host) sweepOne(ctx context.Context, id, name string) error {
	conn, err := h.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var gone bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, lockKey(id)).Scan(&gone); err != nil || !gone {
		return err
	}
	dropErr := h.drop(ctx, name)
	_, err = conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, lockKey(id))
	return errors.Join(dropErr, err)
}

// url is the address of another database on the same server.
func (h *host) url(database string) string {
	if u, err := url.Parse(h.admin); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		u.Path = "/" + database
		return u.String()
	}
	// The keyword form, in which the last value counts.
	return h.admin + " dbname=" + database
}

// create makes a database as a copy of another.
func (h *host) create(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s%d", h.prefix, h.serial.Add(1))
	_, err := h.pool.Exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(template))
	return name, err
}

func (h *host) drop(ctx context.Context, name string) error {
	_, err := h.pool.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
	return err
}

// keep leaves a database for close to drop.
func (h *host) keep(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, name)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// template returns the name of the migrated database for key, and creates it on first use.
func (h *host) template(ctx context.Context, key string, migrate func(context.Context, string) error) (string, error) {
	h.mu.Lock()
	t := h.templates[key]
	if t == nil {
		t = &template{}
		h.templates[key] = t
	}
	h.mu.Unlock()
	t.once.Do(func() { t.name, t.err = h.makeTemplate(ctx, migrate) })
	if t.err != nil {
		return "", fmt.Errorf("making the template %s: %w", key, t.err)
	}
	return t.name, nil
}

func (h *host) makeTemplate(ctx context.Context, migrate func(context.Context, string) error) (string, error) {
	name, err := h.create(ctx, "template0")
	if err != nil {
		return "", err
	}
	if err := migrate(ctx, h.url(name)); err != nil {
		return "", errors.Join(fmt.Errorf("migrating: %w", err), h.drop(context.WithoutCancel(ctx), name))
	}
	// A template with open connections cannot be copied.
	_, err = h.pool.Exec(ctx, "ALTER DATABASE "+quote(name)+" ALLOW_CONNECTIONS false")
	return name, err
}

// close removes this process's databases from the server, and the server if it is its own.
func (h *host) close(ctx context.Context) error {
	var errs []error
	if h.server == nil && h.presence != nil {
		h.mu.Lock()
		for _, t := range h.templates {
			if t.name != "" {
				errs = append(errs, h.drop(ctx, t.name))
			}
		}
		for _, name := range h.kept {
			errs = append(errs, h.drop(ctx, name))
		}
		h.mu.Unlock()
	}
	if h.presence != nil {
		errs = append(errs, h.presence.Close(ctx))
	}
	if h.pool != nil {
		h.pool.Close()
	}
	if h.server != nil {
		errs = append(errs, h.server.Stop(ctx))
	}
	return errors.Join(errs...)
}
