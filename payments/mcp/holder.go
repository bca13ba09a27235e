package mcp

import (
	"net/http"
	"strconv"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Live sends messages to the client of a call before there is a response.
type Live interface {
	// Send sends an event at once. header is the server's.
	Send(event []byte, header http.Header) error
	// Queue keeps an event until the response is sent.
	Queue(event []byte)
}

// Holder gathers the response to a call from the server's JSON or event stream, and writes it as one JSON object to a
// writer that holds it until it is paid for. The server's own requests and its progress go to the client at once: without
// them there may be no response. Its other notifications are queued. They may be what the client pays for. No event
// keeps its id, so that a client cannot read the rest of the stream elsewhere. Call Finish at the end.
type Holder struct {
	w       http.ResponseWriter
	message *Message
	room    Room
	live    Live
	status  int
	form    form
	held    events // JSON is held like an event that has not ended
	queued  int    // bytes
	done    bool   // the response is written
}

// NewHolder returns a writer for the response to m, which it writes to w. What it holds is within room.
func NewHolder(w http.ResponseWriter, m *Message, room Room, live Live) *Holder {
	return &Holder{w: w, message: m, room: room, live: live}
}

// Header implements http.ResponseWriter.
func (h *Holder) Header() http.Header { return h.w.Header() }

// WriteHeader implements http.ResponseWriter.
func (h *Holder) WriteHeader(status int) {
	if h.status != 0 || status < http.StatusOK { // what comes before a response cannot be held back
		return
	}
	h.status = status
	if h.form = formOf(status, h.Header()); h.form == formOther && status >= http.StatusBadRequest {
		h.w.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (h *Holder) Write(p []byte) (int, error) {
	if h.status == 0 {
		h.WriteHeader(http.StatusOK)
	}
	switch {
	case h.done:
		return len(p), nil // nothing follows a response
	case h.form == formOther && h.status >= http.StatusBadRequest:
		return h.w.Write(p) //nolint:wrapcheck // the caller expects the errors of the inner writer
	case h.form == formOther:
		return len(p), h.fail("The server's response is not one to a message: want JSON or an event stream that is not compressed.")
	}
	if h.held.add(p); h.form == formEvents {
		for event, ok := h.held.next(); ok && !h.done; event, ok = h.held.next() {
			if err := h.take(data(event)); err != nil {
				return 0, err
			}
		}
	}
	if size := len(h.held.text) + h.queued; size > HeldMax || size > roomFrom && !h.room.Grow(2*int64(size)) { // the writer below holds it too
		return len(p), h.fail("The server's response is too large to hold until it is paid for: want at most " + strconv.Itoa(HeldMax) + " bytes.")
	}
	return len(p), nil
}

// take handles one message of the server.
func (h *Holder) take(text []byte) error {
	if text == nil {
		return nil
	}
	switch is, failed := h.message.classify(text); is {
	case kindResponse:
		return h.answer(text, failed)
	case kindRequest, kindProgress:
		return h.live.Send(Event(text), h.Header())
	case kindOther:
		h.queued += len(text)
		h.live.Queue(Event(text))
	}
	return nil
}

// answer writes the response. A failed one costs nothing.
func (h *Holder) answer(text []byte, failed bool) error {
	h.done = true
	h.held.rest()
	header := h.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(text)))
	if failed {
		header.Set(edgewire.CostHeader, "0")
	}
	h.w.WriteHeader(http.StatusOK)
	_, err := h.w.Write(text)
	return err //nolint:wrapcheck // the caller expects the errors of the inner writer
}

func (h *Holder) fail(why string) error {
	if h.done {
		return nil
	}
	h.Header().Del("Content-Encoding")
	return h.answer(h.message.Refuse(why+" Nothing was charged.", nil), true)
}

// Flush implements http.Flusher: what is held cannot be flushed.
func (*Holder) Flush() {}

// FlushError implements the method that http.ResponseController looks for.
func (*Holder) FlushError() error { return nil }

// Finish writes the response, if the handler has ended without an error.
func (h *Holder) Finish() error {
	switch {
	case h.done, h.form == formOther && h.status >= http.StatusBadRequest:
		return nil
	case h.form == formJSON:
		rest := h.held.rest()
		if is, failed := h.message.classify(rest); is == kindResponse {
			return h.answer(rest, failed)
		}
	case h.form == formEvents:
		if err := h.take(data(h.held.rest())); err != nil || h.done {
			return err
		}
	}
	return h.fail("The server has ended its response without a result.")
}
