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

// The states of a connection. Its serving goroutine changes them; others only change waiting to interrupted.
const (
	apart       uint32 = iota // its bytes are not interpreted: no server reports it, or it is HTTP/2 or hijacked
	fresh                     // nothing has been read
	idle                      // a request has been answered
	due                       // net/http has set the deadline for the next request; it reads next unless its buffer has a request
	spare                     // a request has been answered, and the buffer is empty
	waiting                   // the first bytes of a request are being read
	interrupted               // that read was interrupted
	left                      // that read was interrupted or never begun: this server has no bytes of a request
	arriving                  // the first bytes have been read
	active                    // the header has been read
	handled                   // a handler has the request
)

// wholeBuffer is the size of net/http's read buffer. A read of that size means an empty buffer; a read of one byte less
// means a buffer with only the byte that was read ahead.
const wholeBuffer = 4096

// preface starts HTTP/2 without TLS (RFC 9113 section 3.4). It is no HTTP/1 method.
const preface = "PRI"

// conn is a connection that can move to another server. It embeds *net.TCPConn, so that net/http and reverse proxies
// can use the optional interfaces of one.
type conn struct {
	*net.TCPConn

	socket *Socket
	at     atomic.Uint32
	kept   atomic.Bool // Close was called, but the connection is still open
	// interrupting is held during an interrupt, so that the connection is not handed over in the middle of one.
	interrupting sync.Mutex

	// The fields below are set before the connection is served, or by its serving goroutine.
	generation *Generation
	inTLS      bool
	keep       net.KeepAliveConfig
	unread     []byte // what the previous server has read; it is read first
	prefaceAt  int    // how much of the preface has come; more than its length means something else came
	request    request
	ahead      []byte // the byte of the next request that net/http read during this one
}

// begin records that a server of the generation reports the connection.
func (c *conn) begin(g *Generation, inTLS bool) {
	c.generation, c.inTLS = g, inTLS
	c.at.Store(fresh)
}

// leaving reports whether the generation is ending and another one takes over.
func (c *conn) leaving() bool {
	return c.generation != nil && c.generation.ending.Load() && c.socket.succeeded()
}

// rest runs when a request has been answered and the client may send the next one.
func (c *conn) rest() {
	switch {
	case c.at.Load() == apart:
	case c.inTLS:
		c.at.Store(handled)
	case c.leaving() && c.request.isAll():
		// A server that is already shut down closes the connection without another read.
		c.unread, c.ahead = slices.Concat(c.ahead, c.unread), c.ahead[:0]
		c.at.Store(spare)
	default:
		c.at.Store(idle)
	}
}

// Read implements net.Conn. Once the connection leaves, it returns io.EOF as if the client had closed; net/http sends
// no response to that.
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

// begun records that net/http already has part of the next request (RFC 9112 section 9.3.2: pipelining).
func (c *conn) begun() {
	c.request.lose()
	c.ahead = c.ahead[:0]
	c.at.Store(arriving)
}

// readAhead is the size of the read with which net/http detects, while a handler runs, that the client has gone. Its
// reads of bodies are as large as its buffer or larger.
const readAhead = 1

// readFirst reads the first bytes of a request, unless the connection leaves first.
func (c *conn) readFirst(p []byte) (int, error) {
	c.at.Store(waiting)
	if c.leaving() { // checked after waiting is set: an interrupt sees that state, or it came before
		c.leave(nil)
		return 0, io.EOF
	}
	n, err := c.take(p)
	if c.at.CompareAndSwap(waiting, arriving) {
		if n == 0 {
			c.at.Store(handled) // the connection ends here
			return n, err
		}
		c.request.begin(c.ahead, p, n)
		c.ahead = c.ahead[:0]
		c.look(p[:n])
		return n, err
	}
	if n == 0 && !errors.Is(err, os.ErrDeadlineExceeded) { // the client closed it before the interrupt
		c.at.Store(handled)
		return n, err
	}
	c.leave(p[:n])
	return 0, io.EOF
}

// leave keeps for the next server what was read of a request that this server did not get or is about to drop.
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

// readMore reads what follows the first bytes.
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

// look detects HTTP/2.
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

// SetReadDeadline implements net.Conn. Its calls show what net/http is doing: between two requests it calls once before
// it reads the next, again if it already has part of that, and once before the handler.
func (c *conn) SetReadDeadline(t time.Time) error {
	switch c.at.Load() {
	case idle:
		c.at.Store(due)
	case due: // for a request in the buffer
		c.begun()
	case active:
		c.at.Store(handled)
	}
	return c.TCPConn.SetReadDeadline(t)
}

// interrupt ends a read of first bytes. It reports false if there is no such read.
func (c *conn) interrupt() bool {
	c.interrupting.Lock()
	defer c.interrupting.Unlock()
	if !c.at.CompareAndSwap(waiting, interrupted) {
		return false
	}
	_ = c.TCPConn.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection
	return true
}

// Close implements net.Conn. http.Server.Shutdown closes a connection that it takes to be idle while the serving
// goroutine still goes on to a read or to its end. So while the generation is ending, the decision to close the
// connection or hand it over is made later, in end.
func (c *conn) Close() error {
	for c.leaving() {
		switch at := c.at.Load(); {
		case at == waiting:
			if !c.interrupt() {
				continue // bytes came just now, or it was interrupted already
			}
		case at == apart, at == arriving: // may be in a read that only closing ends
			return c.TCPConn.Close()
		case c.inTLS && at != fresh && at != interrupted && at != left:
			return c.TCPConn.Close()
		}
		c.kept.Store(true)
		return nil
	}
	return c.TCPConn.Close()
}

// end runs when the server has let go of the connection and nothing else uses it. It hands over or closes a kept one.
func (c *conn) end() {
	if !c.kept.Load() {
		return
	}
	c.interrupting.Lock() // an interrupt that found it waiting is complete now
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
