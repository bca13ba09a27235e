package transport

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

var errClosed = errors.New("the response's body was read after it was closed")

// body is the body of a response. It gives its connection back once it has been read to its end. Close may be called
// during a Read, and ends it.
type body struct {
	from   io.Reader
	conn   *conn
	ctx    context.Context //nolint:containedctx // of the request that this body answers
	keep   bool
	parted atomic.Bool // the connection was given back or discarded
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
	isEnd := err == io.EOF //nolint:errorlint // a wrapped EOF is a failure
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

// Close implements io.Closer. If the body was not read to its end, the connection is closed: reading the rest could
// take any time.
func (b *body) Close() error {
	b.closed.Store(true)
	if b.parted.CompareAndSwap(false, true) {
		b.conn.discard()
	}
	return nil
}
