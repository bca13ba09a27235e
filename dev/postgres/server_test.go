//go:build unix

package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestDataPersistsAcrossRestart(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir})
	for range 2 { // the second time it exists already
		if err := s.CreateDatabase(t.Context(), `turn"pike`); err != nil {
			t.Fatal(err)
		}
	}
	first := s.URL(`turn"pike`)
	exec1(t, first, `CREATE TABLE toll (n int); INSERT INTO toll VALUES (7)`)
	stop(t, s)
	if exists(filepath.Join(dir, "pgdata", "postmaster.pid")) {
		t.Error("postmaster.pid is left after a clean stop")
	}

	s = start(t, Config{DataDir: dir})
	if got := s.URL(`turn"pike`); got != first {
		t.Errorf("URL after a restart: got %s, want %s", got, first)
	}
	if got := query1(t, first, `SELECT n::text FROM toll`); got != "7" {
		t.Errorf("n: got %s, want 7", got)
	}
	stop(t, s)
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("second Stop: got %v, want what the first one said", err)
	}
}

func TestServerIsPrivateAndDurable(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir, Settings: map[string]string{"max_connections": "17", "work_mem": "8MB"}})
	for name, want := range map[string]string{
		"listen_addresses": "", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
		"max_connections": "17", "work_mem": "8MB", "timezone": "UTC", "server_encoding": "UTF8", "data_checksums": "on",
	} {
		if got := query1(t, s.URL("postgres"), `SELECT current_setting('`+name+`')`); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "pgdata"), filepath.Join(dir, "socket")} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o700 {
			t.Errorf("mode of %s: got %o, want 700", path, got)
		}
	}
	if got := query1(t, s.URL("postgres"), `SELECT lower('ÄÖ')`); runtime.GOOS == "linux" && got != "äö" {
		t.Errorf("lower: got %s, want äö", got)
	}
}

func TestSecondInstanceIsRefused(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir})
	_, err := Start(t.Context(), Config{DataDir: dir, Offline: true, Ephemeral: true})
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("got %v, want a *LockedError", err)
	}
	if locked.PID != os.Getpid() {
		t.Errorf("holder: got %d, want %d", locked.PID, os.Getpid())
	}
	// Above all, the refused instance must not have removed the running server's files.
	if got := query1(t, s.URL("postgres"), `SELECT 'alive'`); got != "alive" {
		t.Errorf("got %s, want alive", got)
	}
	stop(t, s)
	stop(t, start(t, Config{DataDir: dir}))
}

func TestStartAfterServerWasKilled(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir})
	url := s.URL("postgres")
	exec1(t, url, `CREATE TABLE toll (n int); INSERT INTO toll VALUES (1)`)
	// Busy backends notice the server's death late, and a restart has to wait for them.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 4 {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		go conn.Exec(ctx, `SELECT count(*) FROM generate_series(1, 20000000)`)
	}
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	if err := s.Stop(t.Context()); err == nil {
		t.Error("Stop of a server that was killed: got nil, want an error that says so")
	}
	if !exists(filepath.Join(dir, "pgdata", "postmaster.pid")) {
		t.Fatal("a killed server leaves postmaster.pid; this test is pointless without")
	}
	s = start(t, Config{DataDir: dir})
	if got := query1(t, url, `SELECT n::text FROM toll`); got != "1" {
		t.Errorf("n: got %s, want 1", got)
	}
	stop(t, s)
}

func TestStalePIDFileOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir})
	owner := s.owner
	stop(t, s)

	// A live process of the same user, which PostgreSQL could signal, but which is not PostgreSQL.
	other := owner.command("/bin/sh", []string{"-c", "read x"})
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	bystander, err := startChild(other)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { stdin.Close(); <-bystander.done }()

	path := filepath.Join(dir, "pgdata", "postmaster.pid")
	line := strconv.Itoa(other.Process.Pid)
	if err := os.WriteFile(path, []byte(line+"\n"+filepath.Join(dir, "pgdata")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, owner.uid, owner.gid); err != nil {
		t.Fatal(err)
	}
	stop(t, start(t, Config{DataDir: dir, StartTimeout: 30 * time.Second}))
	if !running(other.Process.Pid) {
		t.Error("the bystander was killed")
	}
}

func TestOwnerIsKilled(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	owner := startOwner(t, dir)
	exec1(t, owner.url, `CREATE TABLE toll (n int); INSERT INTO toll VALUES (1)`)
	if err := owner.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	owner.cmd.Wait()
	// Start without waiting: the new owner has to cope with a server that is just shutting down.
	s := start(t, Config{DataDir: dir})
	if running(owner.pid) {
		t.Errorf("server %d has outlived its owner", owner.pid)
	}
	if got := query1(t, s.URL("postgres"), `SELECT n::text FROM toll`); got != "1" {
		t.Errorf("n: got %s, want 1", got)
	}
	stop(t, s)
}

func TestEphemeralServerLeavesNothing(t *testing.T) {
	t.Parallel()
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		// Too long for a socket path, and with commas, which separate socket directories.
		dir := filepath.Join(tempDir(t), strings.Repeat("long,", 20))
		s := start(t, Config{DataDir: dir, Ephemeral: true})
		if got := len(socketFile(s.socketDir)); got > socketPathMax {
			t.Errorf("length of the socket's path: got %d, want at most %d", got, socketPathMax)
		}
		exec1(t, s.URL("postgres"), `SELECT 1`)
		stop(t, s)
		for _, path := range []string{dir, s.socketDir} {
			if exists(path) {
				t.Errorf("%s is left", path)
			}
		}
	})
	t.Run("owner killed", func(t *testing.T) {
		t.Parallel()
		dir := dataIn(t)
		owner := startOwner(t, dir, "EPHEMERAL=1")
		if err := owner.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the server ends", func() bool { return !running(owner.pid) })
		eventually(t, "the directory goes", func() bool { return !exists(dir) })
	})
}

func TestStopAtOnceWhenContextHasEnded(t *testing.T) {
	t.Parallel()
	s := start(t, Config{DataDir: dataIn(t), Ephemeral: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Whether the shutdown is in time is a race, so the error is ignored. The server must be gone in any case.
	_ = s.Stop(ctx)
	if running(s.PID()) {
		t.Errorf("server %d is still there", s.PID())
	}
}

func TestHalfMadeClusterIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	half := filepath.Join(dir, "pgdata.new")
	if err := os.MkdirAll(half, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, lockName), filepath.Join(half, "PG_VERSION")} {
		if err := os.WriteFile(path, []byte("15\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, start(t, Config{DataDir: dir}))
	if exists(half) {
		t.Error("the half-made cluster is still there")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, dir, name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		files map[string]string
		cfg   Config
		want  []string
	}{
		{"a directory of other things", map[string]string{"letter.txt": "x"}, Config{}, []string{"contains other files"}},
		{
			"a cluster of a version that is not here",
			map[string]string{lockName: "", "pgdata/PG_VERSION": "9\n"},
			Config{},
			[]string{"existing cluster needs 9", "install them with: "},
		},
		{"a version that is none", map[string]string{lockName: "", "pgdata/PG_VERSION": "new\n"}, Config{}, []string{`got "new"`}},
		{"no version", map[string]string{lockName: "", "pgdata/base": ""}, Config{}, []string{"PG_VERSION", "move it away"}},
		{
			"settings", nil,
			Config{Settings: map[string]string{"listen_addresses": "*", "a b": "x"}, StartTimeout: -1},
			[]string{"listen_addresses cannot be changed", `"a b" is not the name`, "StartTimeout"},
		},
		{
			"a setting that the server does not know", nil,
			Config{Settings: map[string]string{"max_connection": "3"}},
			[]string{`unrecognized configuration parameter "max_connection"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			for name, content := range tt.files {
				write(t, dir, name, content)
			}
			tt.cfg.DataDir, tt.cfg.Offline = dir, true
			s, err := Start(t.Context(), tt.cfg)
			if err == nil {
				stop(t, s)
				t.Fatal("got a server, want an error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want it to contain %q", err, want)
				}
			}
			for name := range tt.files {
				if !exists(filepath.Join(dir, name)) {
					t.Errorf("%s is gone", name)
				}
			}
		})
	}
	t.Run("no directory", func(t *testing.T) {
		t.Parallel()
		if _, err := Start(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), "DataDir: is empty") {
			t.Errorf("got %v, want a complaint about DataDir", err)
		}
	})
}
