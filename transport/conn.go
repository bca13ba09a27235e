package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"sync"
	"time"
)

const (
	readBuffer = 4 << 10
	// writeBuffer holds most requests whole, so that each is sent as one packet.
	writeBuffer = 4 << 10
)

// Buffers are needed from the first byte of a request to the last byte of its response, not while a connection is idle.
// A pool keeps few in use, and those warm in the CPU cache.
var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}
	writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, writeBuffer) }}
)

// conn is a connection to an upstream. One goroutine at a time uses it.
type conn struct {
	transport *Transport
	host      string
	net       net.Conn
	probe     probe
	interrupt func() // ends a read or write that blocks

	reader   *bufio.Reader
	stop     func() bool // the end of the request's context no longer interrupts after this call
	left     int64       // how many bytes of a header may still come; negative outside a header
	sent     bool        // some of the request was sent
	answered bool        // something has come since the request began
	failed   error       // the last network error
	since    time.Time   // when it became idle
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

func newConn(nc net.Conn, t *Transport, host string) *conn {
	c := &conn{transport: t, host: host, net: nc}
	c.interrupt = func() { _ = nc.SetDeadline(past) }
	c.probe.init(nc)
	return c
}

var (
	errHeaderTooLong = errors.New("the upstream's response header is too large")
	errSwitched      = errors.New("the upstream switched protocols without being asked to")
	errHungUp        = fmt.Errorf("the upstream closed the connection before the end of its response's header: %w", io.ErrUnexpectedEOF)
)

// Read implements io.Reader for the buffer, and limits the size of headers.
func (c *conn) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errHeaderTooLong
	}
	if c.left > 0 {
		p = p[:min(int64(len(p)), c.left)]
	}
	n, err := c.net.Read(p)
	if n > 0 {
		c.answered = true
	}
	if err != nil {
		c.failed = err
	}
	if c.left > 0 {
		c.left -= int64(n)
	}
	return n, err
}

// Write implements io.Writer for the buffer.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.net.Write(p)
	if n > 0 {
		c.sent = true
	}
	if err != nil {
		c.failed = err
	}
	return n, err
}

// exchange sends the request and reads the header of the response. After an error, the caller must discard the
// connection.
func (c *conn) exchange(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c.sent, c.answered, c.failed = false, false, nil
	c.reader, _ = readers.Get().(*bufio.Reader)
	c.reader.Reset(c)
	c.stop = context.AfterFunc(ctx, c.interrupt)
	if err := c.send(req); err != nil {
		return nil, err
	}
	if t := c.transport.HeaderTimeout; t > 0 {
		c.setReadDeadline(ctx, time.Now().Add(t))
	}
	resp, err := c.receive(req)
	if err != nil {
		return nil, err
	}
	if c.transport.HeaderTimeout > 0 {
		c.setReadDeadline(ctx, time.Time{})
	}
	if resp.Body == http.NoBody {
		c.release(!resp.Close)
	} else {
		resp.Body = &body{from: resp.Body, conn: c, ctx: ctx, keep: !resp.Close}
	}
	return resp, nil
}

// setReadDeadline sets a deadline, but keeps the one that the end of ctx has set.
func (c *conn) setReadDeadline(ctx context.Context, when time.Time) {
	_ = c.net.SetReadDeadline(when)
	if ctx.Err() != nil {
		c.interrupt()
	}
}

func (c *conn) send(req *http.Request) error {
	w, _ := writers.Get().(*bufio.Writer)
	w.Reset(c)
	err := req.Write(w)
	if err == nil {
		err = w.Flush()
	}
	w.Reset(nil)
	writers.Put(w)
	return err
}

// receive reads the header of the final response. Informational responses are limited as in net/http: to HeaderBytesMax
// together, or to that each if a ClientTrace receives them.
func (c *conn) receive(req *http.Request) (*http.Response, error) {
	c.left = c.transport.HeaderBytesMax
	for {
		resp, err := http.ReadResponse(c.reader, req)
		if err != nil {
			return nil, c.because(err)
		}
		switch code := resp.StatusCode; {
		case code >= http.StatusOK:
			c.left = -1
			return resp, nil
		case code == http.StatusSwitchingProtocols:
			return nil, errSwitched // RFC 9110, section 7.8
		case code < http.StatusContinue:
			return nil, fmt.Errorf("the upstream's status %03d is not a valid HTTP status", code)
		}
		if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.Got1xxResponse != nil {
			if err := trace.Got1xxResponse(resp.StatusCode, textproto.MIMEHeader(resp.Header)); err != nil {
				return nil, err
			}
			c.left = c.transport.HeaderBytesMax
		}
	}
}

// because returns the reason why no header could be read. A timeout stays an unwrapped net.Error, because some code
// checks for it without unwrapping.
func (c *conn) because(err error) error {
	switch {
	case errors.Is(c.failed, os.ErrDeadlineExceeded):
		return errHeaderTimeout
	case errors.Is(c.failed, io.EOF):
		return errHungUp
	}
	return err
}

// repeatable reports whether the request of a failed exchange may be sent again. An upstream may close a kept
// connection at the very moment it is used again (RFC 9112, section 9.3.1). A request of which nothing was sent can
// then be sent again, and so can a safe one.
func (c *conn) repeatable(req *http.Request) bool {
	switch {
	case c.failed == nil || errors.Is(c.failed, os.ErrDeadlineExceeded):
		return false
	case !c.sent:
		return true
	}
	return !c.answered && isSafe(req)
}

// release ends the use of a connection whose response was read to its end. If keep allows it, the connection is kept
// for another request.
func (c *conn) release(keep bool) {
	isWhole := c.stop() && c.reader.Buffered() == 0 // bytes after the response belong to no request
	c.reader.Reset(nil)
	readers.Put(c.reader)
	c.reader = nil
	if !keep || !isWhole {
		_ = c.net.Close()
		return
	}
	c.keep()
}

// keep puts an unused connection among the idle ones.
func (c *conn) keep() {
	if !c.transport.idle.put(c) {
		_ = c.net.Close()
	}
}

// discard closes a connection that failed, or whose response is not read to its end. Its buffer may still be in use.
func (c *conn) discard() {
	c.stop()
	_ = c.net.Close()
}

// headerTimeout is a net.Error and context.DeadlineExceeded, like net/http's.
type headerTimeout struct{}

var errHeaderTimeout error = headerTimeout{}

func (headerTimeout) Error() string        { return "the upstream's response header took too long" }
func (headerTimeout) Timeout() bool        { return true }
func (headerTimeout) Temporary() bool      { return true }
func (headerTimeout) Is(target error) bool { return target == context.DeadlineExceeded }
