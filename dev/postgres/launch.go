package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// An external process cannot notify us that it is ready or gone, so both are polled.
const (
	readyPoll = 20 * time.Millisecond
	retryPoll = 100 * time.Millisecond
)

// stragglerGrace is how long the backends of a killed server may take to end by themselves. They do as soon as they
// check. One that waits for a lock of a process that was killed with the server never checks.
const stragglerGrace = 3 * time.Second

// launch starts the server, and retries while an earlier one on the same directory is still dying.
func (s *Server) launch(ctx context.Context) error {
	if err := keepLastLog(s.dir.logFile()); err != nil {
		return err
	}
	ticker := time.NewTicker(retryPoll)
	defer ticker.Stop()
	patience := time.Now().Add(stragglerGrace)
	for attempt := 1; ; attempt++ {
		s.clearWay()
		if time.Now().After(patience) {
			s.endStragglers()
		}
		err := s.attempt(ctx)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errDirectoryBusy) {
			return err
		}
		s.log.Debug("waiting for an earlier server to stop", "attempt", attempt, "data_dir", s.dir.base)
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for an earlier server to stop: %w: %w", context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

// keepLastLog starts a new log and keeps the previous one, so that no log grows for ever and that of a crash can be read.
func keepLastLog(path string) error {
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

var errDirectoryBusy = errors.New("the directory is busy")

// attempt starts the server once and waits until it accepts connections, ends or runs out of time.
func (s *Server) attempt(ctx context.Context) error {
	log, err := os.OpenFile(s.dir.logFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	before, err := log.Seek(0, 2)
	if err != nil {
		return err
	}
	cmd := s.owner.command(filepath.Join(s.inst.Dir, "postgres"), s.cfg.serverArgs(s.dir.pgdata(), s.socketDir))
	cmd.Stdout, cmd.Stderr = log, log
	if s.postgres, err = startChild(cmd); err != nil {
		return fmt.Errorf("starting %s as %s: %w", cmd.Path, s.owner, err)
	}
	if err := s.warden.watch(s.postgres); err != nil {
		return errors.Join(err, s.postgres.kill())
	}
	err = s.awaitReady(ctx)
	if err == nil {
		return nil
	}
	err = errors.Join(err, s.postgres.kill())
	if busy(s.dir.logFile(), before) {
		return fmt.Errorf("%w%s", errDirectoryBusy, s.dir.logTail())
	}
	return fmt.Errorf("%w%s", err, s.dir.logTail())
}

// awaitReady polls by connecting, which is what clients need.
func (s *Server) awaitReady(ctx context.Context) error {
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.postgres.done:
			return fmt.Errorf("the server exited immediately: %w", s.postgres.err)
		case <-ctx.Done():
			return fmt.Errorf("the server did not become ready: %w: %w", context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

// busy reports whether the log (lc_messages is C) says that the server found a live one: its lock file, or its shared
// memory, which backends keep for a moment after the server was killed.
func busy(path string, from int64) bool {
	data, err := os.ReadFile(path)
	if err != nil || int64(len(data)) < from {
		return false
	}
	for _, trace := range []string{"pre-existing shared memory block", `lock file "`} {
		if strings.Contains(string(data[from:]), trace) {
			return true
		}
	}
	return false
}

// clearWay removes what an earlier server on this directory left. We hold the directory's lock, so any server that still
// runs has lost its owner.
func (s *Server) clearWay() {
	pid := readPID(s.dir.pidFile())
	if pid == 0 || pid == os.Getpid() {
		return
	}
	if alive(pid) {
		if runsIn(pid, s.dir.pgdata()) {
			if pid == s.orphan {
				return
			}
			s.orphan = pid
			s.log.Warn("stopping a server whose owner process is gone", "pid", pid, "data_dir", s.dir.base)
			if err := syscallKill(pid, syscall.SIGINT); err != nil {
				s.log.Warn("stopping it failed", "pid", pid, "error", err)
			}
			return
		}
		// The number now belongs to another process (common after a container restart). PostgreSQL only checks whether it
		// is alive, and would refuse to start for ever. It ignores the number of its own parent, so we write ours; the
		// rest of the file, with the shared memory key to check, stays.
		if err := renamePID(s.dir.pidFile()); err != nil {
			s.log.Warn("repairing a stale postmaster.pid failed", "error", err)
			return
		}
	}
	// The socket's lock has the same weakness and no other purpose.
	for _, path := range []string{socketFile(s.socketDir), socketFile(s.socketDir) + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.log.Warn("removing a stale socket failed", "error", err)
		}
	}
}

// endStragglers kills the remaining processes of a server whose postmaster is dead. The data is safe: the next start
// recovers it from the log, as after any crash.
func (s *Server) endStragglers() {
	if pid := readPID(s.dir.pidFile()); pid != os.Getpid() && alive(pid) && runsIn(pid, s.dir.pgdata()) {
		return // a complete server that is shutting down
	}
	for _, pid := range workingIn(s.dir.pgdata()) {
		s.log.Warn("killing a process that a killed server left behind", "pid", pid, "data_dir", s.dir.base)
		if err := syscallKill(pid, syscall.SIGKILL); err != nil {
			s.log.Warn("killing it failed", "pid", pid, "error", err)
		}
	}
	s.awaitStragglers()
}

// awaitStragglers waits until the killed processes are gone, but at most a second: the kernel may keep one for longer.
func (s *Server) awaitStragglers() {
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); <-ticker.C {
		if len(workingIn(s.dir.pgdata())) == 0 {
			return
		}
	}
}

// renamePID writes our process id into the first line, in place, so that the file keeps its owner.
func renamePID(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(data), "\n")
	return os.WriteFile(path, fmt.Appendf(nil, "%d\n%s", os.Getpid(), rest), 0o600)
}

func isDuplicateDatabase(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "42P04"
}
