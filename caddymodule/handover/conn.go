package handover

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// What a connection is at. The goroutine that serves it moves it on; others only from waiting to interrupted.
const (
	apart       uint32 = iota // its bytes are not ours to understand: no server tells of it, HTTP/2, hijacked
	fresh                     // nothing has been read
	idle                      // a request has been answered
	due                       // and net/http has set the time for the next, and reads that unless it has it in its buffer
	spare                     // a request has been answered, and there is nothing in the buffer
	waiting                   // the first bytes of a request are being read
	interrupted               // that read has been interrupted
	left                      // it was, or not begun: nothing of a request is with this server
	arriving                  // the first bytes have been read
	active                    // the header has been read
	handled                   // and the request is in a handler
)

// wholeBuffer is the size of net/http's buffer for reading: a read of so much finds nothing in it, and one of a byte less
// just the byte that was read ahead.
const wholeBuffer = 4096

// preface begins HTTP/2 without TLS (RFC 9113 section 3.4), and no method of HTTP/1.
const preface = "PRI"

// conn is a connection that can leave its server. It has all that a *net.TCPConn has, so that net/http and reverse
// proxies use what they use of one.
type conn struct {
	*net.TCPConn

	socket *Socket
	at     atomic.Uint32
	kept   atomic.Bool // was told to close, and has not been closed
	// interrupting is held while others do; who hands over must not do so in between.
	interrupting sync.Mutex

	// The rest is set before the connection is served, or by who serves it.
	generation *Generation
	inTLS      bool
	keep       net.KeepAliveConfig
	unread     []byte // by whoever had it before
	prefaceAt  int    // so much of it has come; more than it is long: it was something else
	request    request
	ahead      []byte // the byte of the next request that net/http has read while it handled this one
}

// begin says that the server of a generation tells of it.
func (c *conn) begin(g *Generation, inTLS bool) {
	c.generation, c.inTLS = g, inTLS
	c.at.Store(fresh)
}

// leaving reports whether the generation is at its end and another takes over.
func (c *conn) leaving() bool {
	return c.generation != nil && c.generation.ending.Load() && c.socket.succeeded()
}

// rest is when a request has been answered and the client may send the next.
func (c *conn) rest() {
	switch {
	case c.at.Load() == apart:
	case c.inTLS:
		c.at.Store(handled)
	case c.leaving() && c.request.isAll():
		// A server that is shut down by now will close it without reading again.
		c.unread, c.ahead = slices.Concat(c.ahead, c.unread), c.ahead[:0]
		c.at.Store(spare)
	default:
		c.at.Store(idle)
	}
}

// Read implements net.Conn. A connection that is left reads as if the client had closed it, which net/http does not answer.
func (c *conn) Read(p []byte) (int, error) {
	switch at := c.at.Load(); {
	case at == handled, at == apart:
	case at == fresh, at == due && len(p) == wholeBuffer-len(c.ahead):
		return c.readFirst(p)
	case at == idle, at == due:
		c.begun()
	case at == spare, at == left:
		c.at.Store(left)
		return 0, io.EOF
	case at == active:
		c.at.Store(handled)
	}
	return c.readMore(p)
}

// begun is when net/http has a part of the next request already (RFC 9112 section 9.3.2: pipelining).
func (c *conn) begun() {
	c.request.lose()
	c.ahead = c.ahead[:0]
	c.at.Store(arriving)
}

// readAhead is the size of the read by which net/http watches whether the client leaves while a request is handled. It
// reads bodies by its buffer, or what is larger.
const readAhead = 1

// readFirst reads the first bytes of a request, unless the connection leaves before they come.
func (c *conn) readFirst(p []byte) (int, error) {
	c.at.Store(waiting)
	if c.leaving() { // only now: who interrupts either finds it waiting, or was before
		c.leave(nil)
		return 0, io.EOF
	}
	n, err := c.take(p)
	if c.at.CompareAndSwap(waiting, arriving) {
		if n == 0 {
			c.at.Store(handled) // it ends here
			return n, err
		}
		c.request.begin(c.ahead, p, n)
		c.ahead = c.ahead[:0]
		c.look(p[:n])
		return n, err
	}
	if n == 0 && !errors.Is(err, os.ErrDeadlineExceeded) { // the client was faster
		c.at.Store(handled)
		return n, err
	}
	c.leave(p[:n])
	return 0, io.EOF
}

// leave leaves what has been read of a request, and was not given to this server or is about to be dropped by it.
func (c *conn) leave(read []byte) {
	c.unread = slices.Concat(c.ahead, read, c.unread)
	c.ahead = c.ahead[:0]
	c.at.Store(left)
}

func (c *conn) take(p []byte) (int, error) {
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	return c.TCPConn.Read(p)
}

// readMore reads after the first bytes.
func (c *conn) readMore(p []byte) (int, error) {
	at := c.at.Load()
	if at == handled && len(p) != readAhead {
		c.request.readsBody()
	}
	n, err := c.take(p)
	switch {
	case n == 0:
	case at == arriving:
		c.look(p[:n])
		c.request.grow(p, n)
	case at == handled && len(p) == readAhead:
		c.ahead = append(c.ahead[:0], p[0])
	case at == handled:
		c.request.body += int64(n)
	}
	return n, err
}

// look finds out whether the connection is HTTP/2.
func (c *conn) look(b []byte) {
	for i := 0; i < len(b) && c.prefaceAt < len(preface); i++ {
		if b[i] != preface[c.prefaceAt] {
			c.prefaceAt = len(preface) + 1
			return
		}
		if c.prefaceAt++; c.prefaceAt == len(preface) {
			c.at.Store(apart)
		}
	}
}

// WriteTo implements io.WriterTo, as *net.TCPConn does.
func (c *conn) WriteTo(w io.Writer) (int64, error) {
	var sum int64
	if len(c.unread) > 0 {
		n, err := w.Write(c.unread)
		c.unread = c.unread[n:]
		if sum = int64(n); err != nil {
			return sum, err
		}
	}
	n, err := c.TCPConn.WriteTo(w)
	return sum + n, err
}

// SetReadDeadline implements net.Conn. By it net/http tells what it is at: between two requests it is called once before
// the next is read, again if that has begun, and before a handler is.
func (c *conn) SetReadDeadline(t time.Time) error {
	switch c.at.Load() {
	case idle:
		c.at.Store(due)
	case due: // of what is in the buffer
		c.begun()
	case active:
		c.at.Store(handled)
	}
	return c.TCPConn.SetReadDeadline(t)
}

// interrupt ends a read of first bytes. It reports false if there is none.
func (c *conn) interrupt() bool {
	c.interrupting.Lock()
	defer c.interrupting.Unlock()
	if !c.at.CompareAndSwap(waiting, interrupted) {
		return false
	}
	_ = c.TCPConn.SetReadDeadline(time.Unix(1, 0)) // fails only on what is closed
	return true
}

// Close implements net.Conn. When the generation is at its end, whether the connection is closed or handed over is decided
// once the server has let go of it: http.Server.Shutdown closes what it takes to be idle while the goroutine that serves it
// goes on, to a read or to its end.
func (c *conn) Close() error {
	for c.leaving() {
		switch at := c.at.Load(); {
		case at == waiting:
			if !c.interrupt() {
				continue // something came in this moment, or it was interrupted
			}
		case at == apart, at == arriving: // may be in a read that nothing else ends
			return c.TCPConn.Close()
		case c.inTLS && at != fresh && at != interrupted && at != left:
			return c.TCPConn.Close()
		}
		c.kept.Store(true)
		return nil
	}
	return c.TCPConn.Close()
}

// end is when the server has let go of it: nobody else uses the connection.
func (c *conn) end() {
	if !c.kept.Load() {
		return
	}
	c.interrupting.Lock() // who has found it waiting has interrupted it by now
	defer c.interrupting.Unlock()
	if at := c.at.Load(); at != left && at != spare && at != fresh {
		c.TCPConn.Close()
		return
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		c.TCPConn.Close()
		return
	}
	c.socket.handOver(accepted{conn: c.TCPConn, keep: c.keep, unread: c.unread})
}

// Interface guards
var (
	_ net.Conn      = (*conn)(nil)
	_ io.ReaderFrom = (*conn)(nil)
	_ io.WriterTo   = (*conn)(nil)
)
