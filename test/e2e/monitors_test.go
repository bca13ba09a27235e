package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// streamTries is how many streams are timed until their first event: the machine is also busy with other tests.
const streamTries = 5

// monitorObject holds the fields of a monitor that tests check.
type monitorObject struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Total   *int   `json:"total_count"`
	LastRun *struct {
		Status string `json:"status"`
	} `json:"last_run"`
}

// monitorStream is the open stream of a monitor that is being planned.
type monitorStream struct {
	close func()
	lines *bufio.Scanner
	// first is the time from the request to the first event.
	first time.Duration
	// kinds lists the kinds of the events so far, ":" for a comment; data belongs to the last event.
	kinds []string
	data  string
}

// stream requests a monitor as a stream, through the edge.
func (c *crew) stream(t *testing.T, p *purse, method, path, body string, headers ...string) *monitorStream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, c.edge.URL(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i, all := 0, append(p.bearer(), headers...); i+1 < len(all); i += 2 {
		r.Header.Set(all[i], all[i+1])
	}
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	response, err := (&http.Client{Transport: client.Transport}).Do(r) //nolint:bodyclose // closed with the stream
	if err != nil {
		t.Fatal(err)
	}
	s := &monitorStream{close: func() { cancel(); _ = response.Body.Close() }, lines: bufio.NewScanner(response.Body)}
	t.Cleanup(s.close)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %v, want a stream", response.StatusCode, response.Header)
	}
	s.until(t, func() bool { return len(s.kinds) > 0 })
	s.first = time.Since(began)
	return s
}

// until reads on until done reports true; it is called after each event.
func (s *monitorStream) until(t *testing.T, done func() bool) {
	t.Helper()
	kind := ""
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ":")
		switch value = strings.TrimPrefix(value, " "); {
		case name == "event":
			kind = value
		case name == "data":
			s.data = value
		case s.lines.Text() == "":
			continue
		case name == "": // a comment
			kind = ":"
		}
		if name != "data" && kind != ":" {
			continue
		}
		s.kinds = append(s.kinds, kind)
		if kind = ""; done() {
			return
		}
	}
	t.Fatalf("the stream ended after %v: %v", s.kinds, s.lines.Err())
}

func (s *monitorStream) has(kind string, times int) bool {
	n := 0
	for _, k := range s.kinds {
		if k == kind {
			n++
		}
	}
	return n >= times
}

// monitor decodes the monitor that ends the stream.
func (s *monitorStream) monitor(t *testing.T) (m monitorObject) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.data), &m); err != nil {
		t.Fatalf("got %s: %v", s.data, err)
	}
	return m
}

// TestMonitorStream shows that the edge does not buffer a monitor's stream: the first event arrives at once, and comments
// arrive while there is no event. A disconnect stops nothing, and a client that reconnects gets all events.
func TestMonitorStream(t *testing.T) {
	t.Parallel()
	shelf := newShelf(t, nil)
	c := newCrew(t, setup(t).withDatabase(t), shelf, 0, "TURNPIKE_STREAM_HEARTBEAT=100ms")
	p := c.purse(t, 100)
	body := func(n int) string {
		return fmt.Sprintf(`{"query": "the price on %s", "frequency": "every day at 9am"}`, shelf.pages("watched", n)[n-1])
	}
	var took []time.Duration
	var left string
	for n := 1; n <= streamTries; n++ {
		s := c.stream(t, p, http.MethodPost, "/v1/monitors?stream=1", body(n), "Idempotency-Key", fmt.Sprintf("stream-%d", n))
		took = append(took, s.first)
		s.until(t, func() bool { return s.has(":", 3) }) // no worker runs, so there is no other event
		if left = fmt.Sprintf("stream-%d", n); !s.has("phase", 1) || s.has("complete", 1) {
			t.Errorf("got %v, want the first phase and comments", s.kinds)
		}
		s.close()
	}
	slices.Sort(took)
	t.Logf("first events after %v", took)
	if took[len(took)/2] > 200*time.Millisecond {
		t.Errorf("got the first event after %v, want 200 ms", took)
	}
	c.workers = append(c.workers, c.start(t.Context(), t, "worker"))
	var list struct {
		Monitors []monitorObject `json:"monitors"`
		Count    int             `json:"count"`
	}
	awaits(t, time.Minute, func(ctx context.Context) (int, error) {
		if err := c.read(ctx, p, "/v1/monitors?status=active", &list); err != nil {
			return 0, err
		}
		return list.Count, nil
	}, func(n int) bool { return n == streamTries })

	again := c.stream(t, p, http.MethodPost, "/v1/monitors?stream=1", body(streamTries), "Idempotency-Key", left)
	again.until(t, func() bool { return again.has("complete", 1) })
	m := again.monitor(t)
	if m.Status != "active" || m.ID != list.Monitors[0].ID || !again.has("phase", 5) {
		t.Errorf("got %+v after %v, want the last that was made, and all its phases", m, again.kinds)
	}
	// Each monitor makes its baseline run, which its team pays for.
	for _, m := range list.Monitors {
		awaits(t, time.Minute, func(ctx context.Context) (got monitorObject, err error) {
			return got, c.read(ctx, p, "/v1/monitors/"+m.ID, &got)
		}, func(m monitorObject) bool {
			return m.LastRun != nil && m.LastRun.Status == "completed" && *m.Total == 1
		})
	}
	p.wantSpent(t, streamTries)
}
