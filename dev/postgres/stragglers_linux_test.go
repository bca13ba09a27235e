package postgres

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A backend that waits for a lock of a killed process never checks whether its server lives. A backend stopped by SIGSTOP
// stands in for it here.
func TestABackendStaysBehind(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// leave gives up the directory after the server was killed.
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
			// It has been killed by now and has released the shared memory. The kernel may still be cleaning up the rest.
			eventually(t, fmt.Sprintf("the end of backend %d of the killed server", backend), func() bool { return !running(backend) })
		})
	}
}

// stopABackend suspends a backend and returns its process id.
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
