package postgres

import (
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A backend that waits for what a killed process held never looks whether its server lives. One that is stopped stands
// in for it here.
func TestStartAfterABackendStayedBehind(t *testing.T) {
	t.Parallel()
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir})
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	backend := int(conn.PgConn().PID())
	for _, kill := range []struct {
		pid    int
		signal syscall.Signal
	}{{backend, syscall.SIGSTOP}, {s.PID(), syscall.SIGKILL}} {
		if err := syscall.Kill(kill.pid, kill.signal); err != nil {
			t.Fatal(err)
		}
	}
	<-s.Done()
	if err := s.Stop(t.Context()); err == nil {
		t.Error("Stop of a server that was killed: got nil, want an error that says so")
	}
	s = start(t, Config{DataDir: dir})
	if running(backend) {
		t.Errorf("backend %d of the server before is still there", backend)
	}
	stop(t, s)
}
