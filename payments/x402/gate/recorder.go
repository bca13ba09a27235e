package gate

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// errNotReleased is the write error of an upstream handler whose response is withheld because its payment was not
// settled.
var errNotReleased = errors.New("the response is not released: its payment was not settled")

// Room is a response writer that limits how much of a response is held in memory. It is asked before more than
// [RoomFrom] bytes are held: bytes is the new total. If there is no room, the response is treated as over the cap.
type Room interface {
	http.ResponseWriter

	Room(bytes int) bool
}

// RoomFrom is how many bytes of a response are held without asking.
const RoomFrom = 16 << 10

// hasRoom asks the first Room among the writers that w wraps.
func hasRoom(w http.ResponseWriter, bytes int) bool {
	for bytes > RoomFrom {
		switch asked := w.(type) {
		case Room:
			return asked.Room(bytes)
		case interface{ Unwrap() http.ResponseWriter }:
			w = asked.Unwrap()
		default:
			return true
		}
	}
	return true
}

// recorder holds a response back until its payment is settled. Up to its cap it only buffers. At the cap it calls full
// once, which settles and decides whether the response may be sent; after that it writes through.
type recorder struct {
	w       http.ResponseWriter
	header  http.Header
	before  http.Header // what was set before the handler ran
	status  int
	body    bytes.Buffer
	max     int
	full    func() error
	through bool  // writing through to w
	refused bool  // full returned an error
	err     error // the error for the caller to return
}

func newRecorder(w http.ResponseWriter, bytesMax int, full func() error) *recorder {
	return &recorder{w: w, header: w.Header().Clone(), before: w.Header().Clone(), max: bytesMax, full: full}
}

func (r *recorder) Header() http.Header {
	if r.through {
		return r.w.Header()
	}
	return r.header
}

func (r *recorder) WriteHeader(status int) {
	if r.status != 0 || status < http.StatusOK { // 1xx cannot be held back, so they are dropped
		return
	}
	r.status = status
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.refused {
		return 0, errNotReleased
	}
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.through {
		return r.w.Write(p)
	}
	if size := r.body.Len() + len(p); size <= r.max && hasRoom(r.w, size) {
		return r.body.Write(p)
	}
	if err := r.full(); err != nil {
		r.refused = true
		return 0, err
	}
	return r.w.Write(p)
}

// FlushError implements the method that http.ResponseController looks for. A response that is held back cannot be
// flushed, which is not the handler's error.
func (r *recorder) FlushError() error {
	if r.through {
		return http.NewResponseController(r.w).Flush()
	}
	return nil
}

// Flush implements http.Flusher.
func (r *recorder) Flush() { _ = r.FlushError() }

// release sends what is held back, with the receipt if there is one. After that, the recorder writes through.
func (r *recorder) release(receipt *x402.Receipt) error {
	h := r.w.Header()
	clear(h)
	maps.Copy(h, r.header)
	stripInternal(h)
	if err := decorate(h, receipt); err != nil {
		return err
	}
	r.through = true
	r.w.WriteHeader(max(r.status, http.StatusOK))
	_, _ = r.w.Write(r.body.Bytes()) // a client that has left is no error: it can retry
	r.body = bytes.Buffer{}          // free the memory: streaming the rest may take hours
	return nil
}

// response returns the held response for storage. It has only the handler's headers, so that each retry gets its own
// request id.
func (r *recorder) response() *claims.Response {
	return &claims.Response{
		Status: max(r.status, http.StatusOK),
		Header: changedHeaders(r.before, r.header),
		Body:   bytes.Clone(r.body.Bytes()),
	}
}

// changedHeaders returns the headers that the handler has changed.
func changedHeaders(before, after http.Header) http.Header {
	out := make(http.Header, len(after))
	for name, values := range after {
		if !slices.Equal(before[name], values) {
			out[name] = slices.Clone(values)
		}
	}
	stripInternal(out)
	return out
}

// tee passes a response through unless it is withheld, and keeps a copy up to a cap.
type tee struct {
	http.ResponseWriter

	before http.Header
	header http.Header
	status int
	body   bytes.Buffer
	max    int
	over   bool
	free   bool        // the upstream says that the response cost nothing
	left   bool        // a write was refused because the client had left
	gone   func() bool // whether the client has left
	onHead func(http.Header) error
	// withheld is why nothing is passed through; it is set when the headers are due.
	withheld error
}

func newTee(w http.ResponseWriter, bytesMax int, onHead func(http.Header) error) *tee {
	return &tee{ResponseWriter: w, before: w.Header().Clone(), max: bytesMax, onHead: onHead}
}

func (t *tee) WriteHeader(status int) {
	if status < http.StatusOK && status != http.StatusSwitchingProtocols {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	if t.status == 0 {
		t.status = status
		t.header = changedHeaders(t.before, t.ResponseWriter.Header())
		t.free = costsNothing(t.ResponseWriter.Header())
		stripInternal(t.ResponseWriter.Header())
		t.withheld = t.onHead(t.ResponseWriter.Header())
	}
	if t.passes() {
		t.ResponseWriter.WriteHeader(status)
	}
}

// passes reports whether the response is passed through.
func (t *tee) passes() bool { return t.withheld == nil }

func (t *tee) Write(p []byte) (int, error) {
	if t.status == 0 {
		t.WriteHeader(http.StatusOK)
	}
	if !t.over {
		size := t.body.Len() + len(p)
		if size > t.max || t.body.Len() == 0 && t.announced() > int64(t.max) || !hasRoom(t.ResponseWriter, size) {
			t.over = true
			t.body = bytes.Buffer{}
		} else {
			t.body.Write(p)
		}
	}
	if !t.passes() {
		if t.over { // no client reads it and no copy is kept
			return 0, errNotReleased
		}
		return len(p), nil
	}
	n, err := t.ResponseWriter.Write(p)
	switch {
	case err == nil || !t.gone():
		return n, err
	case t.over: // no client reads it and no copy is kept
		t.left = true
		return n, err
	default: // keep the copy for the client's retry
		return len(p), nil
	}
}

// announced returns the response's Content-Length, or 0. A response that will exceed the cap is not copied at all.
func (t *tee) announced() int64 {
	n, err := strconv.ParseInt(t.header.Get("Content-Length"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Unwrap lets http.ResponseController reach the connection, for upgrades.
func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Flush implements http.Flusher.
func (t *tee) Flush() { _ = t.FlushError() }

// FlushError implements the method that http.ResponseController looks for.
func (t *tee) FlushError() error {
	if t.status == 0 {
		t.WriteHeader(http.StatusOK)
	}
	if !t.passes() {
		return nil
	}
	return http.NewResponseController(t.ResponseWriter).Flush()
}

// response returns the copy, or nil if the response is over the cap.
func (t *tee) response() *claims.Response {
	if t.over || t.status == http.StatusSwitchingProtocols {
		return nil
	}
	if t.status == 0 {
		t.WriteHeader(http.StatusOK)
	}
	return &claims.Response{Status: t.status, Header: t.header, Body: t.body.Bytes()}
}
