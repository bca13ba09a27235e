package transport

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

var errClosed = errors.New("the response's body is read after it was closed")

// body is a response's, which gives its connection back when it has been read
// to its end. Close may be called while Read waits, and ends that.
type body struct {
	from   io.Reader
	conn   *conn
	ctx    context.Context //nolint:containedctx // the request's, whose body this answers
	keep   bool
	parted atomic.Bool // the connection has been given back, or away
	closed atomic.Bool
	over   error // what Read returns from now on
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, errClosed
	}
	if b.over != nil {
		return 0, b.over
	}
	n, err := b.from.Read(p)
	if err == nil {
		return n, nil
	}
	isEnd := err == io.EOF //nolint:errorlint // a wrapped one is a failure
	if !isEnd && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	b.over = err
	if b.parted.CompareAndSwap(false, true) {
		if isEnd {
			b.conn.release(b.keep)
		} else {
			b.conn.discard()
		}
	}
	return n, err
}

// Close implements io.Closer. What has not been read is not waited for, and ends
// the connection.
func (b *body) Close() error {
	b.closed.Store(true)
	if b.parted.CompareAndSwap(false, true) {
		b.conn.discard()
	}
	return nil
}
