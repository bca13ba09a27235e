package caddymodule

import (
	"io"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// edgeWriter sees a response's status and header just before they are sent. It removes what the upstream sends to the
// edge, and adds the edge's headers for the client. It buffers nothing; streaming, flushing, hijacking and copying work
// as in the writer below it.
// below it does.
type edgeWriter struct {
	caddyhttp.ResponseWriterWrapper

	requestID  []string     // as in the header
	isFromPage bool         // a script may read the response
	run        *heldRun     // nil without a hold
	paid       bool         // the gate below the handler writes challenges and receipts
	status     int          // 0 until the header is written
	room       *limits.Room // for what the gate holds; nil if it holds nothing
}

func newEdgeWriter(w http.ResponseWriter, r *http.Request) *edgeWriter {
	e := new(edgeWriter)
	e.init(w, r, nil)
	return e
}

func (w *edgeWriter) init(below http.ResponseWriter, r *http.Request, run *heldRun) {
	w.ResponseWriter, w.requestID, w.isFromPage, w.run = below, request.IDValue(r), response.IsFromPage(r), run
}

// WriteHeader implements http.ResponseWriter.
func (w *edgeWriter) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// begin runs with the status before the header is sent. Informational responses (RFC 9110, section 15.2) precede the
// final one; 101 is final.
func (w *edgeWriter) begin(status int) {
	if w.status != 0 {
		return
	}
	h := w.Header()
	isFinal := status >= http.StatusOK || status == http.StatusSwitchingProtocols
	if isFinal {
		w.status = status
		// Set even if a stored response has one, which is the id of another request.
		h[request.IDHeader] = w.requestID
		if w.run != nil {
			w.run.answered(status, h)
		}
		response.AllowOrigins(h, w.isFromPage)
	}
	delete(h, edgewire.CostHeader)
	delete(h, edgewire.AdoptedHeader)
	delete(h, edgewire.IdentityHeader)
	if !w.paid {
		delete(h, x402.HeaderRequired)
		delete(h, x402.HeaderReceiptV1)
		delete(h, x402.HeaderReceiptV2)
	}
}

// Write implements http.ResponseWriter.
func (w *edgeWriter) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

// Room implements gate.Room.
func (w *edgeWriter) Room(bytes int) bool { return w.room == nil || w.room.Grow(int64(bytes)) }

// ReadFrom implements io.ReaderFrom.
func (w *edgeWriter) ReadFrom(r io.Reader) (int64, error) {
	w.begin(http.StatusOK)
	return w.ResponseWriterWrapper.ReadFrom(r)
}

// FlushError flushes for http.ResponseController. A flush sends the header.
func (w *edgeWriter) FlushError() error {
	w.begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush() //nolint:wrapcheck // the caller expects the errors of the inner writer
}

// Flush implements http.Flusher.
func (w *edgeWriter) Flush() { _ = w.FlushError() }

// Interface guards
var (
	_ http.Flusher  = (*edgeWriter)(nil)
	_ io.ReaderFrom = (*edgeWriter)(nil)
	_ http.Pusher   = (*edgeWriter)(nil)
	_ gate.Room     = (*edgeWriter)(nil)
)
