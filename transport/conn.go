package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"time"
)

const (
	// informationalMax is how many 1xx responses may come before the final one, as in net/http.
	informationalMax = 5
	readBuffer       = 4 << 10
	// writeBuffer takes most requests whole, which are then one packet.
	writeBuffer = 4 << 10
)

// Buffers are needed from a request's first byte to its response's last, not
// while a connection is idle, so that few are in use and those are warm.
var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}
	writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, writeBuffer) }}
)

// conn is a connection to an upstream. One goroutine uses it at a time.
type conn struct {
	transport *Transport
	host      string
	net       net.Conn
	probe     probe
	interrupt func() // ends what the connection waits for

	reader   *bufio.Reader
	stop     func() bool // has the end of the request's context not interrupt any more
	left     int64       // how many bytes of a header may still come; negative: what comes is no header
	answered bool        // something has come since the request was sent
	since    time.Time   // when it was kept
}

// past is a deadline that is over.
var past = time.Unix(1, 0)

func newConn(nc net.Conn, t *Transport, host string) *conn {
	c := &conn{transport: t, host: host, net: nc}
	c.interrupt = func() { _ = nc.SetDeadline(past) }
	c.probe.init(nc)
	return c
}

var errHeaderTooLong = errors.New("the upstream's response header is longer than is taken")

// Read implements io.Reader for the buffer, and bounds headers.
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
	if c.left > 0 {
		c.left -= int64(n)
	}
	return n, err
}

// exchange sends the request and reads the response's header. After an error the
// connection is for discard.
func (c *conn) exchange(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c.answered = false
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

// setReadDeadline sets one that the end of ctx has not set already.
func (c *conn) setReadDeadline(ctx context.Context, when time.Time) {
	_ = c.net.SetReadDeadline(when)
	if ctx.Err() != nil {
		c.interrupt()
	}
}

func (c *conn) send(req *http.Request) error {
	w, _ := writers.Get().(*bufio.Writer)
	w.Reset(c.net)
	err := req.Write(w)
	if err == nil {
		err = w.Flush()
	}
	w.Reset(nil)
	writers.Put(w)
	return err
}

var (
	errSwitched      = errors.New("the upstream switched protocols without being asked to")
	errInformational = errors.New("the upstream sent too many 1xx responses")
)

// receive reads the header of the final response.
func (c *conn) receive(req *http.Request) (*http.Response, error) {
	for range informationalMax + 1 {
		c.left = c.transport.HeaderBytesMax
		resp, err := http.ReadResponse(c.reader, req)
		if err != nil {
			return nil, err
		}
		c.left = -1
		switch {
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errSwitched
		case resp.StatusCode >= http.StatusOK:
			return resp, nil
		}
		if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.Got1xxResponse != nil {
			if err := trace.Got1xxResponse(resp.StatusCode, textproto.MIMEHeader(resp.Header)); err != nil {
				return nil, err
			}
		}
	}
	return nil, errInformational
}

// release is for a connection whose response has been read to its end: it is
// kept for another request, if it may be.
func (c *conn) release(keep bool) {
	isWhole := c.stop() && c.reader.Buffered() == 0 // more than the response is nobody's
	c.reader.Reset(nil)
	readers.Put(c.reader)
	c.reader = nil
	if !keep || !isWhole || !c.transport.idle.put(c) {
		_ = c.net.Close()
	}
}

// discard is for a connection on which something failed, or of whose response no more is
// wanted. Its buffer may be in use still.
func (c *conn) discard() {
	c.stop()
	_ = c.net.Close()
}

// body is a response's, which gives its connection back when it has been read
// to its end.
type body struct {
	from io.Reader
	conn *conn
	ctx  context.Context //nolint:containedctx // the request's, whose body this answers
	keep bool
	once sync.Once
	over error // what Read returns from now on
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.over != nil {
		return 0, b.over
	}
	n, err := b.from.Read(p)
	if err == nil {
		return n, nil
	}
	b.over = err
	b.once.Do(func() {
		if err == io.EOF {
			b.conn.release(b.keep)
			return
		}
		if b.ctx.Err() != nil {
			b.over = context.Cause(b.ctx)
		}
		b.conn.discard()
	})
	return n, b.over
}

// Close implements io.Closer. What has not been read is not waited for, and ends
// the connection.
func (b *body) Close() error {
	b.once.Do(b.conn.discard)
	return nil
}
