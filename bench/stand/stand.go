//go:build linux

package stand

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/bench/proc"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	identitySecret = "an identity secret of the benchmark, 32 bytes"
	database       = "bench"
	// stopGrace is how long processes may take to stop before they are killed.
	stopGrace = 10 * time.Second
)

// caddyfile charges by key for the web data service.
const caddyfile = `{
	admin off
	default_bind 127.0.0.1
	auto_https off
	persist_config off
	turnpike {
		ledger postgres {env.DATABASE_URL}
		upstream {$BACKEND}
		identity_secret {env.TURNPIKE_IDENTITY_SECRET}
	}
}

{$TURNPIKE_SITE} {
	api_key
	meter {
		price upstream
	}
	reverse_proxy {$BACKEND} {
		transport direct
	}
}
`

// walSettings make checkpoints as rare as on a server that is sized for its load, so that they do not disturb
// measurements. Commits are as durable as ever.
var walSettings = map[string]string{
	"max_wal_size": "4GB", "min_wal_size": "1GB", "checkpoint_timeout": "30min", "shared_buffers": "512MB", "wal_compression": "on",
}

// PostgresSettings returns the settings of every Postgres that is measured.
func PostgresSettings() map[string]string { return maps.Clone(walSettings) }

// Options are the settings of a benchmark of the whole product.
type Options struct {
	Binary string
	Readme string // the file whose table is rewritten; empty: none
	Short  bool   // for CI
}

// Stand is the running product on this machine.
type Stand struct {
	Dir      string
	Postgres *postgres.Server
	Pool     *pgxpool.Pool
	// Worker runs the jobs, and also serves the API unless there is a separate backend for it.
	Worker *rig.Backend
	Team   string

	api  *rig.Backend
	edge *rig.Edge
	key  string
}

// Open starts a Postgres with further settings and a team with funds credits. Close the result even after an error.
func Open(ctx context.Context, funds money.Credits, settings map[string]string) (*Stand, error) {
	s := &Stand{}
	return s, s.open(ctx, funds, settings)
}

func (s *Stand) open(ctx context.Context, funds money.Credits, settings map[string]string) (err error) {
	if s.Dir, err = os.MkdirTemp("", "tpbench-"); err != nil {
		return err
	}
	data := filepath.Join(s.Dir, "postgres")
	all := PostgresSettings()
	maps.Copy(all, settings)
	if s.Postgres, err = postgres.Start(ctx, postgres.Config{DataDir: data, Settings: all}); err != nil {
		return err
	}
	if err := s.Postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	if _, err := db.Migrate(ctx, s.Postgres.URL(database)); err != nil {
		return err
	}
	if s.Pool, err = db.Open(ctx, s.Postgres.URL(database), nil); err != nil {
		return err
	}
	s.Team = token.New("team")
	if _, err := db.New(s.Pool).CreateTeam(ctx, db.CreateTeamParams{ID: s.Team}); err != nil {
		return fmt.Errorf("making a team: %w", err)
	}
	grant := credits.Grant{TeamID: s.Team, Amount: funds, Source: credits.SourcePromo, Key: s.Team}
	if _, err := credits.NewLedger(s.Pool).Grant(ctx, grant); err != nil {
		return err
	}
	key, err := apikey.NewStore(s.Pool, time.Now).Create(ctx, apikey.NewKey{TeamID: s.Team, Scopes: apikey.ScopeRead | apikey.ScopeWrite})
	s.key = key.Key
	return err
}

// Config says how to start the product.
type Config struct {
	// Binary is the path of the built binary.
	Binary string
	// Port is the local port that serves the pages.
	Port string
	// Apart runs jobs in a separate worker beside a backend for the API. Without it one backend does both.
	Apart bool
	// Env has further settings of the backends, each as NAME=value.
	Env []string
}

// Start starts the processes of the product.
func (s *Stand) Start(ctx context.Context, c Config) (err error) {
	place := rig.BackendConfig{
		Binary: c.Binary, Dir: s.Dir, DatabaseURL: s.Pool.Config().ConnString(), IdentitySecret: identitySecret, Port: c.Port,
		BlobURL: filepath.Join(s.Dir, "blobs"), PublicURL: "http://edge.example.test", Env: append([]string{"TURNPIKE_BROWSER=off"}, c.Env...),
	}
	if c.Apart {
		place.Role = "api"
		if s.api, err = rig.StartBackend(ctx, place); err != nil {
			return err
		}
		place.Role = "worker"
	}
	if s.Worker, err = rig.StartBackend(ctx, place); err != nil {
		return err
	}
	answers := s.Worker
	if c.Apart {
		answers = s.api
	}
	s.edge, err = rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: c.Binary, Dir: s.Dir, Caddyfile: []byte(caddyfile), Upstream: answers.Address,
		DatabaseURL: place.DatabaseURL, IdentitySecret: identitySecret,
	})
	return err
}

// CPU is the CPU time that the product has used so far. API is zero if the worker serves the API.
type CPU struct{ Edge, API, Worker, Postgres time.Duration }

// All is the sum.
func (c CPU) All() time.Duration { return c.Edge + c.API + c.Worker + c.Postgres }

// Less returns the CPU time since before.
func (c CPU) Less(before CPU) CPU {
	return CPU{c.Edge - before.Edge, c.API - before.API, c.Worker - before.Worker, c.Postgres - before.Postgres}
}

// CPU reads the clocks of all processes.
func (s *Stand) CPU() (c CPU, err error) {
	of := map[*time.Duration]int{&c.Edge: s.edge.PID(), &c.Worker: s.Worker.PID(), &c.Postgres: s.Postgres.PID()}
	if s.api != nil {
		of[&c.API] = s.api.PID()
	}
	for used, pid := range of {
		if *used, err = proc.CPUOfTree(pid); err != nil {
			return c, fmt.Errorf("reading CPU times: %w", err)
		}
	}
	return c, nil
}

// Memory is the peak resident memory of the worker, in bytes.
func (s *Stand) Memory() (int64, error) { return proc.ResidentMost(s.Worker.PID()) }

// Stop ends the processes of the product.
func (s *Stand) Stop(ctx context.Context) error {
	var errs []error
	if s.edge != nil {
		errs = append(errs, s.edge.Stop(ctx))
	}
	for _, b := range []*rig.Backend{s.api, s.Worker} {
		if b != nil {
			errs = append(errs, b.Stop(ctx))
		}
	}
	s.edge, s.api, s.Worker = nil, nil, nil
	return errors.Join(errs...)
}

// Close ends everything and removes all files.
func (s *Stand) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	var errs []error
	if s.edge != nil {
		errs = append(errs, s.edge.Kill())
	}
	for _, b := range []*rig.Backend{s.api, s.Worker} {
		if b != nil {
			errs = append(errs, b.Kill())
		}
	}
	if s.Pool != nil {
		s.Pool.Close()
	}
	if s.Postgres != nil {
		errs = append(errs, s.Postgres.Stop(ctx))
	}
	return errors.Join(append(errs, os.RemoveAll(s.Dir))...)
}
