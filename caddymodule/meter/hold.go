package meter

import (
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/mcp"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// heldRun is one request at the upstream under a hold.
type heldRun struct {
	meter     *Handler
	hold      credits.Hold
	available money.Credits // after the hold

	// From the upstream's response, known when its header is written.
	cost    money.Credits
	adopted bool
	watcher *mcp.Watcher // of the response to an MCP server's call, else nil

	// Part of heldRun to save allocations: a few small ones per request would take a tenth of the gate's time.
	writer response.Writer
	told   [2]string // the values of the headers below
}

// serveCall is serve for a call of an MCP server's tool.
func (h *heldRun) serveCall(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, call *mcp.Message) error {
	room := h.meter.shares.Room(r.Context())
	defer room.Release()
	r.Header.Set("Accept-Encoding", "identity") // so that the response can be read
	return h.serve(w, r, caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		h.watcher = mcp.NewWatcher(w, call, room)
		if err := next.ServeHTTP(h.watcher, r); err != nil {
			return err //nolint:wrapcheck // the caller expects the errors of the next handler
		}
		return h.watcher.Finish()
	}))
}

// serve calls the upstream and then ends the hold. It ends it in a defer, because reverse_proxy panics with
// http.ErrAbortHandler when an upstream breaks off its response. It does not recover panics.
func (h *heldRun) serve(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) (err error) {
	writer := &h.writer
	writer.Init(w, r, h)
	returned := false
	metrics.HoldsInFlight.Add(1)
	defer func() {
		h.end(writer, r, returned && err == nil)
		metrics.HoldsInFlight.Add(-1)
	}()
	err = next.ServeHTTP(writer, r)
	returned = true
	if err == nil && writer.Status == 0 {
		writer.Begin(http.StatusOK) // net/http sends it for a handler that writes nothing
	}
	if err == nil && writer.Header().Get("Content-Length") != "" {
		// The response is complete. Send it before the charge: if the edge is killed in between, the response is free
		// rather than charged but never sent. The flush costs nothing, because net/http would do it a moment later.
		_ = writer.FlushError()
	}
	return err
}

// end captures or voids the hold. whole means that the response was passed on without error or panic. A response that
// broke off because the client left is charged; otherwise a client could hang up at the last byte to avoid the charge.
func (h *heldRun) end(w *response.Writer, r *http.Request, whole bool) {
	switch {
	case h.adopted:
		metrics.Ends.Adopted.Inc()
	case h.watcher.Failed(), w.Status == 0 || !whole && r.Context().Err() == nil || !h.charges(w.Status):
		h.void()
	default:
		metrics.Ends.Captured.Inc()
		h.meter.meter.Capture(h.hold, h.cost)
	}
}

func (h *heldRun) void() {
	metrics.Ends.Voided.Inc()
	h.meter.meter.Void(h.hold)
}

func (h *heldRun) charges(status int) bool {
	return status < http.StatusBadRequest || h.meter.ChargeClientErrors && status < http.StatusInternalServerError
}

// ModifyResponse implements response.Modifier: it reads the upstream's headers for the edge, and sets the headers that report the cost to the client.
func (h *heldRun) ModifyResponse(status int, header http.Header) {
	h.adopted = header.Get(edgewire.AdoptedHeader) == "true"
	if h.charges(status) {
		h.cost = h.statedCost(header.Get(edgewire.CostHeader))
	}
	if h.watcher.Open() { // the header is sent before the cost is known
		return
	}
	remaining := h.available
	if !h.adopted {
		remaining += h.hold.Amount() - h.cost
	}
	h.told = [2]string{strconv.FormatInt(int64(h.cost), 10), strconv.FormatInt(int64(remaining), 10)}
	header["X-Credits-Used"] = h.told[0:1:1]
	header["X-Credits-Remaining"] = h.told[1:2:2]
}

// statedCost returns the cost that the upstream states, at most the amount held. Without a valid statement, it is the
// amount held.
func (h *heldRun) statedCost(value string) money.Credits {
	if value == "" {
		return h.hold.Amount()
	}
	cost, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil || cost < 0:
		h.meter.logger.Error("upstream reports a cost that is not a number; charging the full hold",
			zap.String("cost", value), zap.Stringer("hold", h.hold.ID()))
		return h.hold.Amount()
	case money.Credits(cost) > h.hold.Amount():
		h.meter.logger.Error("upstream reports a cost above the hold; charging the full hold",
			zap.Int64("cost", cost), zap.Int64("held", int64(h.hold.Amount())), zap.Stringer("hold", h.hold.ID()))
		return h.hold.Amount()
	}
	return money.Credits(cost)
}
