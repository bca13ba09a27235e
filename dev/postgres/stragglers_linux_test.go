package postgres

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A backend that waits for what a killed process held never looks whether its server lives. One that is stopped stands
// in for it here.
func TestABackendStaysBehind(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// leave gives the directory back after the server was killed.
		leave   func(t *testing.T, s *Server)
		restart bool
	}{
		"and the server is stopped": {leave: func(t *testing.T, s *Server) {
			t.Helper()
			if err := s.Stop(t.Context()); err == nil {
				t.Error("Stop of a server that was killed: got nil, want an error that says so")
			}
		}},
		"and the owner is lost, and another starts": {restart: true, leave: func(t *testing.T, s *Server) {
			t.Helper()
			if err := s.release(); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := dataIn(t)
			s := start(t, Config{DataDir: dir})
			backend := stopABackend(t, s)
			if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			<-s.Done()
			tt.leave(t, s)
			if tt.restart {
				stop(t, start(t, Config{DataDir: dir}))
			}
			// It has been killed by now, and let go of the shared memory; the kernel may still be at the rest of it.
			eventually(t, fmt.Sprintf("the end of backend %d of the killed server", backend), func() bool { return !running(backend) })
		})
	}
}

// stopABackend returns the process id of a backend that does nothing any more.
func stopABackend(t *testing.T, s *Server) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	backend := int(conn.PgConn().PID())
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return backend
}
