package response

import (
	"io"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// Writer sees a response's status and header just before they are sent. It removes what the upstream sends to the
// edge, and adds the edge's headers for the client. It buffers nothing; streaming, flushing, hijacking and copying work
// as in the writer below it.
type Writer struct {
	caddyhttp.ResponseWriterWrapper

	// Status is 0 until the header is written.
	Status int

	requestID  []string // as in the header
	isFromPage bool     // a script may read the response
	modifier   Modifier // or nil
	room       Room     // nil without a gate
}

// Modifier modifies the header of the upstream's final response before it is sent.
type Modifier interface {
	ModifyResponse(status int, header http.Header)
}

// Room bounds how much of a response is held.
type Room interface {
	// Grow makes room for that many bytes, and reports whether there is enough.
	Grow(bytes int64) (ok bool)
}

// NewWriter returns a writer for the response to r.
func NewWriter(w http.ResponseWriter, r *http.Request) *Writer {
	e := new(Writer)
	e.Init(w, r, nil)
	return e
}

// Init sets up a writer. The modifier may be nil.
func (w *Writer) Init(below http.ResponseWriter, r *http.Request, modifier Modifier) {
	w.ResponseWriter, w.requestID, w.isFromPage, w.modifier = below, request.IDValue(r), IsFromPage(r), modifier
}

// Hold says that an x402 gate writes to w. The gate holds responses within the room, and writes challenges and receipts.
func (w *Writer) Hold(room Room) { w.room = room }

// WriteHeader implements http.ResponseWriter.
func (w *Writer) WriteHeader(status int) {
	w.Begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// Begin runs with the status before the header is sent. Informational responses (RFC 9110, section 15.2) precede the
// final one; 101 is final.
func (w *Writer) Begin(status int) {
	if w.Status != 0 {
		return
	}
	h := w.Header()
	isFinal := status >= http.StatusOK || status == http.StatusSwitchingProtocols
	if isFinal {
		w.Status = status
		// Set even if a stored response has one, which is the id of another request.
		h[request.IDHeader] = w.requestID
		if w.modifier != nil {
			w.modifier.ModifyResponse(status, h)
		}
		AllowOrigins(h, w.isFromPage)
	}
	delete(h, edgewire.CostHeader)
	delete(h, edgewire.AdoptedHeader)
	delete(h, edgewire.IdentityHeader)
	if w.room == nil {
		delete(h, x402.HeaderRequired)
		delete(h, x402.HeaderReceiptV1)
		delete(h, x402.HeaderReceiptV2)
	}
}

// Write implements http.ResponseWriter.
func (w *Writer) Write(p []byte) (int, error) {
	w.Begin(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

// Room implements gate.Room.
func (w *Writer) Room(bytes int) bool { return w.room == nil || w.room.Grow(int64(bytes)) }

// ReadFrom implements io.ReaderFrom.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	w.Begin(http.StatusOK)
	return w.ResponseWriterWrapper.ReadFrom(r)
}

// FlushError flushes for http.ResponseController. A flush sends the header.
func (w *Writer) FlushError() error {
	w.Begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush() //nolint:wrapcheck // the caller expects the errors of the inner writer
}

// Flush implements http.Flusher.
func (w *Writer) Flush() { _ = w.FlushError() }

// Interface guards
var (
	_ http.Flusher  = (*Writer)(nil)
	_ io.ReaderFrom = (*Writer)(nil)
	_ http.Pusher   = (*Writer)(nil)
	_ gate.Room     = (*Writer)(nil)
)
