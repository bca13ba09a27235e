//go:build unix

package handover

import (
	"syscall"
	"testing"
)

// The next request has arrived during a response. net/http has read its first byte to notice a client that disconnects,
// and the new server still gets that byte.
func TestByteReadAheadGoesOver(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	old := serve(t, s, "old")
	c := dial(t, s)
	c.send("GET /stream HTTP/1.1\nHost: a\n\n")
	<-old.entered
	if _, err := c.r.Peek(1); err != nil {
		t.Fatal(err)
	}
	serve(t, s, "new")
	old.end()
	c.send(post("x"))
	eventually(t, "its first byte is read", func() bool { return old.unread(t) == 'O' })
	close(old.goOn)
	c.want("begun old ")
	c.want("new x")
}

// unread returns the first byte that has arrived and has not been read, or 0.
func (srv *server) unread(t *testing.T) byte {
	t.Helper()
	srv.generation.mu.Lock()
	defer srv.generation.mu.Unlock()
	for conn := range srv.generation.conns {
		raw, err := conn.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var b [1]byte
		if err := raw.Control(func(fd uintptr) { _, _, _ = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT) }); err != nil {
			t.Fatal(err)
		}
		return b[0]
	}
	return 0
}
