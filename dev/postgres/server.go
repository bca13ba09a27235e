package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running private server. It is safe for concurrent use.
type Server struct {
	cfg       Config
	inst      Installation
	owner     identity
	dir       layout
	socketDir string
	ownSocket bool // socketDir lies outside the data directory and is ours to remove
	lock      *os.File
	warden    *warden
	postgres  *child
	orphan    int // an earlier server that is stopping
	log       *slog.Logger

	stopOnce sync.Once
	stopErr  error
}

// Start creates the cluster in cfg.DataDir if there is none, starts the server and returns when it accepts queries.
//
// ctx bounds only the start; the server runs until Stop, or until this process ends.
//
// If an earlier server on the same directory is still dying (it or its owner was killed), Start waits for it until
// cfg.StartTimeout. If another live process runs a server in the directory, the error is a *LockedError.
func Start(ctx context.Context, cfg Config) (_ *Server, err error) {
	if err := checkPlatform(); err != nil {
		return nil, err
	}
	cfg, err = cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: cfg.Logger}
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting private postgres in %s: %w", cfg.DataDir, err)
			err = errors.Join(err, s.release())
		}
	}()
	if s.dir, err = claimDir(cfg.DataDir); err != nil {
		return nil, err
	}
	if s.lock, err = s.dir.acquire(); err != nil {
		return nil, err
	}
	major, err := s.dir.clusterMajor()
	if err != nil {
		return nil, err
	}
	if s.inst, err = findOrInstall(ctx, cfg, major); err != nil {
		return nil, err
	}
	// Only now: a download must not use up the time that a server has to start.
	ctx, cancel := context.WithTimeout(ctx, cfg.StartTimeout)
	defer cancel()
	if err := s.prepare(ctx, major == 0); err != nil {
		return nil, err
	}
	if err := s.launch(ctx); err != nil {
		return nil, err
	}
	s.log.Info("private postgres is ready", "version", s.inst.Version, "binaries", s.inst.Dir, "data_dir", s.dir.base, "pid", s.PID())
	return s, nil
}

// prepare gives the directory to the user that the server runs as, and fills it if it is new.
func (s *Server) prepare(ctx context.Context, fresh bool) (err error) {
	if s.owner, err = chooseIdentity(ctx, s.dir, s.inst.Dir); err != nil {
		return err
	}
	if err := s.dir.handTo(s.owner); err != nil {
		return err
	}
	if s.socketDir, s.ownSocket, err = s.dir.socketDir(s.owner); err != nil {
		return err
	}
	if s.warden, err = startWarden(s.disposable()); err != nil {
		return err
	}
	if fresh && s.cfg.StandbyOf != "" {
		s.log.Info("copying a postgres cluster", "version", s.inst.Version, "data_dir", s.dir.base)
		return s.dir.copyCluster(ctx, s.inst, s.owner, s.cfg.StandbyOf)
	}
	if fresh {
		s.log.Info("creating a new postgres cluster", "version", s.inst.Version, "data_dir", s.dir.base)
		return s.dir.initCluster(ctx, s.inst, s.owner, s.cfg.Ephemeral)
	}
	return nil
}

// disposable are the directories that must not outlive the server.
func (s *Server) disposable() []string {
	var dirs []string
	if s.ownSocket {
		dirs = append(dirs, s.socketDir)
	}
	if s.cfg.Ephemeral {
		dirs = append(dirs, s.dir.base)
	}
	return dirs
}

// URL is the address of a database on this server, for pgx and libpq: a unix socket, no password. It stays valid across
// restarts in the same directory.
func (s *Server) URL(database string) string {
	// The port is explicit so that a PGPORT in the environment has no effect.
	query := url.Values{"host": {s.socketDir}, "port": {port}, "user": {User}}
	u := url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}

// PID is the process id of the server.
func (s *Server) PID() int { return s.postgres.cmd.Process.Pid }

// Installation returns the binaries in use.
func (s *Server) Installation() Installation { return s.inst }

// Done is closed when the server has ended, by Stop or on its own.
func (s *Server) Done() <-chan struct{} { return s.postgres.done }

// LogFile is where the server writes its log. It is removed with an ephemeral server's directory.
func (s *Server) LogFile() string { return s.dir.logFile() }

// CreateDatabase creates a database unless there is one of that name.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("creating database %s: %w", name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// DDL takes no parameters, so this one statement cannot come from the generated queries.
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	if err != nil && !isDuplicateDatabase(err) {
		return fmt.Errorf("creating database %s: %w", name, err)
	}
	return nil
}

// stopGrace bounds each step of a shutdown after the one that ctx bounds.
const stopGrace = 10 * time.Second

// Stop shuts the server down: open transactions are rolled back, committed ones are on disk, and the process is gone when
// Stop returns. If ctx ends first the server gets an immediate shutdown, and then is killed; the next start recovers from
// the log, so no commit is lost either way. Further calls return the result of the first.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		err := s.shutdown(ctx)
		if err != nil {
			s.endStragglers() // it may never be started again, and nothing else would end them
		}
		s.stopErr = errors.Join(err, s.release())
		s.log.Info("private postgres has stopped", "data_dir", s.dir.base)
	})
	return s.stopErr
}

func (s *Server) shutdown(ctx context.Context) error {
	select {
	case <-s.postgres.done:
		// It ended before it was asked to.
		return fmt.Errorf("stopping private postgres: it had already exited (%s)%s", s.postgres.cmd.ProcessState, s.dir.logTail())
	default:
	}
	patience := ctx
	// SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one.
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		if err := s.postgres.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stopping private postgres: %w", err)
		}
		select {
		case <-s.postgres.done:
			if sig != syscall.SIGINT {
				return fmt.Errorf("stopping private postgres: needed the signal %q after %w", sig, context.Cause(patience))
			}
			return nil
		case <-ctx.Done():
		}
		var cancel context.CancelFunc
		ctx, cancel = withGrace(ctx) //nolint:fatcontext // each harsher step has its own bound
		defer cancel()
	}
	<-s.postgres.done
	return fmt.Errorf("stopping private postgres: had to kill it")
}

// withGrace returns a new deadline for the next, harsher step.
func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
}

// release frees everything but the server process, which must be gone. It also serves a Start that failed.
func (s *Server) release() error {
	var errs []error
	switch {
	case s.lock == nil:
		// Nothing here is ours to remove.
	case s.warden != nil:
		errs = append(errs, s.warden.dismiss())
	default:
		for _, dir := range s.disposable() {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	if s.lock != nil {
		errs = append(errs, unlock(s.lock))
	}
	return errors.Join(errs...)
}

// socketFile is the server's file in its socket directory.
func socketFile(dir string) string { return filepath.Join(dir, ".s.PGSQL."+port) }
