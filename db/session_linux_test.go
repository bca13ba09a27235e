package db_test

import (
	"context"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// Each end of a TCP connection notices when the other is gone.
func TestConnectionsAreKeptAlive(t *testing.T) {
	t.Parallel()
	relay := pgtest.NewLoser(t, pgtest.New(t, migrate)) // by TCP, wherever the server listens
	conn, err := db.Connect(t.Context(), relay.URL, "turnpike-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	socket, ok := conn.PgConn().Conn().(*net.TCPConn)
	if !ok {
		t.Fatalf("got a %T, want a TCP connection", conn.PgConn().Conn())
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range []struct{ name, level, want int }{
		{unix.SO_KEEPALIVE, unix.SOL_SOCKET, 1},
		{unix.TCP_KEEPIDLE, unix.IPPROTO_TCP, 15},
		{unix.TCP_KEEPINTVL, unix.IPPROTO_TCP, 5},
		{unix.TCP_KEEPCNT, unix.IPPROTO_TCP, 3},
		{unix.TCP_USER_TIMEOUT, unix.IPPROTO_TCP, 30_000},
	} {
		var got int
		if failed := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), option.level, option.name) }); failed != nil || err != nil {
			t.Fatal(failed, err)
		}
		if got != option.want {
			t.Errorf("option %d: got %d, want %d", option.name, got, option.want)
		}
	}
	for name, want := range map[string]string{
		"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3", "tcp_user_timeout": "30s",
	} {
		if got := conn.Config().RuntimeParams[name]; got != want {
			t.Errorf("%s: got %q asked of the server, want %q", name, got, want)
		}
	}
}
