package mcp

import (
	"mime"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Room limits how much of a response is held in memory.
type Room interface {
	// Grow makes room for that many bytes in total, and reports whether there is enough.
	Grow(bytes int64) (ok bool)
}

// HeldMax is how many bytes of a response are held at most: room for a few screenshots.
const HeldMax = 16 << 20

// roomFrom is how many bytes are held without asking for room.
const roomFrom = 16 << 10

// form is the form of a server's response.
type form int

const (
	formUnknown form = iota
	formOther        // not a response to a message
	formJSON
	formEvents
)

func formOf(status int, h http.Header) form {
	if status != http.StatusOK || h.Get("Content-Encoding") != "" {
		return formOther
	}
	switch media, _, _ := mime.ParseMediaType(h.Get("Content-Type")); media {
	case "application/json":
		return formJSON
	case "text/event-stream":
		return formEvents
	default:
		return formOther
	}
}

// Watcher passes the response to a message on to a client that pays by key. It holds it until it knows whether the call
// has failed, so that the header says what it costs: JSON as a whole, an event stream up to its first event. Call Finish
// at the end.
type Watcher struct {
	http.ResponseWriter

	message *Message
	room    Room
	status  int
	form    form
	held    events // JSON is held like an event that has not ended
	passing bool   // the header is sent
	learned bool   // the response was read
	failed  bool
}

// NewWatcher returns a writer for the response to m. What it holds is within room.
func NewWatcher(w http.ResponseWriter, m *Message, room Room) *Watcher {
	return &Watcher{ResponseWriter: w, message: m, room: room}
}

// Failed reports whether the response says that the call has failed, so that it costs nothing.
func (w *Watcher) Failed() bool { return w != nil && w.failed }

// Open reports whether the outcome is still to come, in an event stream that has begun.
func (w *Watcher) Open() bool { return w != nil && w.form == formEvents && !w.learned }

// Unwrap is for http.ResponseController.
func (w *Watcher) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *Watcher) WriteHeader(status int) {
	if status < http.StatusOK && status != http.StatusSwitchingProtocols {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	if w.status != 0 {
		return
	}
	w.status = status
	if w.form = formOf(status, w.Header()); w.form == formOther {
		w.pass()
	}
}

// pass sends the header.
func (w *Watcher) pass() {
	if w.passing {
		return
	}
	w.passing = true
	if w.failed {
		w.Header().Set(edgewire.CostHeader, "0")
	}
	w.ResponseWriter.WriteHeader(w.status)
}

// Write implements http.ResponseWriter.
func (w *Watcher) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.form == formOther {
		return w.ResponseWriter.Write(p) //nolint:wrapcheck // the caller expects the errors of the inner writer
	}
	if w.held.add(p); w.form == formEvents {
		for event, ok := w.held.next(); ok; event, ok = w.held.next() {
			if text := data(event); text != nil {
				w.learn(text)
			}
			if err := w.send(event); err != nil {
				return 0, err
			}
		}
	}
	if size := len(w.held.text); size > HeldMax || size > roomFrom && !w.room.Grow(int64(size)) {
		w.form = formOther // the rest passes unread
		return len(p), w.send(w.held.rest())
	}
	return len(p), nil
}

func (w *Watcher) learn(text []byte) {
	if is, failed := w.message.classify(text); is == kindResponse {
		w.learned, w.failed = true, failed
	}
}

func (w *Watcher) send(text []byte) error {
	w.pass()
	_, err := w.ResponseWriter.Write(text)
	return err //nolint:wrapcheck // the caller expects the errors of the inner writer
}

// Flush implements http.Flusher.
func (w *Watcher) Flush() { _ = w.FlushError() }

// FlushError implements the method that http.ResponseController looks for. What is held cannot be flushed.
func (w *Watcher) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.passing {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush() //nolint:wrapcheck // the caller expects the errors of the inner writer
}

// Finish sends what is still held, if the handler has ended without an error.
func (w *Watcher) Finish() error {
	if w.status == 0 || w.form == formOther {
		return nil
	}
	rest := w.held.rest()
	if w.form == formJSON {
		w.learn(rest)
	} else if text := data(rest); text != nil { // a stream that ends in the middle of an event
		w.learn(text)
	}
	return w.send(rest)
}
