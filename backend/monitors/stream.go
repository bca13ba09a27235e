package monitors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/db"
)

// progressPage is how many progress rows are read at once.
const progressPage = 500

// streamEvent documents an event of a stream.
type streamEvent struct {
	ID    string `json:"id,omitempty" doc:"The id of the event, to continue after it. Absent if the stream cannot continue after it." example:"7"`
	Event string `json:"event" enum:"phase,reasoning_token,complete,error" doc:"The kind of the event."`
	Data  string `json:"data" doc:"JSON. phase: {phase, message, at}; reasoning_token: {token}; complete: the monitor; error: {error, monitor_id}." example:"{\"phase\":\"planning\",\"message\":\"Planning by rules.\",\"at\":\"2026-01-01T00:00:00Z\"}"`
}

// stream writes server-sent events as specified in the WHATWG HTML standard, section 9.2.
type stream struct {
	w     io.Writer
	flush func() error
}

func newStream(w io.Writer) *stream {
	s := &stream{w: w, flush: func() error { return nil }}
	if rw, ok := w.(http.ResponseWriter); ok {
		s.flush = http.NewResponseController(rw).Flush
	}
	return s
}

// send writes an event. The id lets a client resume after it; it is "" for an event that cannot be resumed from.
func (s *stream) send(id, kind string, data []byte) error {
	var b bytes.Buffer
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	// Compact JSON has no unescaped line breaks, which would split the data field.
	fmt.Fprintf(&b, "event: %s\ndata: ", kind)
	if err := json.Compact(&b, data); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	b.WriteString("\n\n")
	if _, err := s.w.Write(b.Bytes()); err != nil {
		return err
	}
	return s.flush()
}

// beat writes a comment, so that no proxy closes the connection as idle.
func (s *stream) beat() error {
	if _, err := io.WriteString(s.w, ": keep-alive\n\n"); err != nil {
		return err
	}
	return s.flush()
}

// follow streams the progress of a monitor's provisioning after event number after, until provisioning ends or the client
// disconnects. It reads only what the worker writes, so any process may do the work, with or without listeners.
func (s *Service) follow(ctx context.Context, c *principal.Caller, out *stream, id string, after int64) error {
	beat := time.NewTicker(s.config.Heartbeat)
	defer beat.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		news := s.news.wait()
		// The state is read before the progress, so that all progress from before the state changed is still sent.
		row, err := s.row(ctx, c, id)
		if err != nil {
			return err
		}
		if after, err = s.sendProgress(ctx, out, id, after); err != nil {
			return err
		}
		if Status(row.Status) != StatusProvisioning {
			return s.complete(ctx, out, row)
		}
		for waiting := true; waiting; {
			select {
			case <-news:
				waiting = false
			case <-poll.C:
				waiting = false
			case <-beat.C:
				if err := out.beat(); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// sendProgress sends the progress events after a number, and returns the number of the last one.
func (s *Service) sendProgress(ctx context.Context, out *stream, id string, after int64) (int64, error) {
	for {
		rows, err := s.queries.ListMonitorProgress(ctx, db.ListMonitorProgressParams{MonitorID: id, AfterN: after, RowsMax: progressPage})
		if err != nil {
			return after, fmt.Errorf("reading the progress of %s: %w", id, err)
		}
		for _, row := range rows {
			if err := out.send(strconv.FormatInt(row.N, 10), row.Kind, row.Data); err != nil {
				return after, err
			}
			after = row.N
		}
		if len(rows) < progressPage {
			return after, nil
		}
	}
}

// complete sends the monitor as the last event of the stream.
func (s *Service) complete(ctx context.Context, out *stream, row *db.Monitor) error {
	m, err := s.whole(ctx, row)
	if err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing monitor %s: %w", row.ID, err)
	}
	return out.send("", kindComplete, data)
}
