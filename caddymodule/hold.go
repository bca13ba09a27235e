package caddymodule

import (
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// heldRun is one request on its way through the upstream under a hold.
type heldRun struct {
	meter     *Meter
	hold      credits.Hold
	available money.Credits // after the hold

	// What the upstream's answer said, known when its header is written.
	cost    money.Credits
	adopted bool

	// What one request needs is made in one piece: a few small allocations
	// for each are a tenth of what the toll takes.
	writer edgeWriter
	told   [2]string // the values of the headers below
}

// serve runs the upstream and ends the hold by what became of it. The end sits
// in a defer because reverse_proxy panics with http.ErrAbortHandler when an
// upstream dies in the middle of its answer; panics are not stopped here.
func (h *heldRun) serve(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) (err error) {
	writer := &h.writer
	writer.init(w, r, h)
	returned := false
	holdsInFlight.Add(1)
	defer func() {
		h.end(writer, r, returned && err == nil)
		holdsInFlight.Add(-1)
	}()
	err = next.ServeHTTP(writer, r)
	returned = true
	if err == nil && writer.status == 0 {
		writer.begin(http.StatusOK) // what net/http sends for a handler that wrote nothing
	}
	if err == nil && writer.Header().Get("Content-Length") != "" {
		// The answer is whole: it is given before it is charged for, so that an edge
		// that is killed in between gives it away. The flush costs nothing, since
		// net/http would only do the same a moment later.
		_ = writer.FlushError()
	}
	return err
}

// end captures or voids. whole says that the upstream's answer was passed on
// without error or panic. An answer that broke off because the client left was
// given: who hangs up at the last byte has had it.
func (h *heldRun) end(w *edgeWriter, r *http.Request, whole bool) {
	switch {
	case h.adopted:
		ends.adopted.Inc()
	case w.status == 0 || !whole && r.Context().Err() == nil || !h.charges(w.status):
		h.void()
	default:
		ends.captured.Inc()
		h.meter.meter.Capture(h.hold, h.cost)
	}
}

func (h *heldRun) void() {
	ends.voided.Inc()
	h.meter.meter.Void(h.hold)
}

func (h *heldRun) charges(status int) bool {
	return status < http.StatusBadRequest || h.meter.ChargeClientErrors && status < http.StatusInternalServerError
}

// answered reads what the upstream says to the edge from its answer's header,
// and tells the client what it has paid.
func (h *heldRun) answered(status int, header http.Header) {
	h.adopted = header.Get(edgewire.AdoptedHeader) == "true"
	if h.charges(status) {
		h.cost = h.statedCost(header.Get(edgewire.CostHeader))
	}
	remaining := h.available
	if !h.adopted {
		remaining += h.hold.Amount() - h.cost
	}
	h.told = [2]string{strconv.FormatInt(int64(h.cost), 10), strconv.FormatInt(int64(remaining), 10)}
	header["X-Credits-Used"] = h.told[0:1:1]
	header["X-Credits-Remaining"] = h.told[1:2:2]
}

// statedCost is the upstream's own statement where it makes one. It cannot ask
// for more than was announced and held; what cannot be read is no statement.
func (h *heldRun) statedCost(value string) money.Credits {
	if value == "" {
		return h.hold.Amount()
	}
	cost, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil || cost < 0:
		h.meter.logger.Error("upstream states a cost that is no number; taking what was held",
			zap.String("cost", value), zap.Stringer("hold", h.hold.ID()))
		return h.hold.Amount()
	case money.Credits(cost) > h.hold.Amount():
		h.meter.logger.Error("upstream states a cost above what was held; taking what was held",
			zap.Int64("cost", cost), zap.Int64("held", int64(h.hold.Amount())), zap.Stringer("hold", h.hold.ID()))
		return h.hold.Amount()
	}
	return money.Credits(cost)
}
