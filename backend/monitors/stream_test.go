package monitors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/monitors"
)

// told is an event of a stream.
type told struct{ id, kind, data string }

// parseStream parses server-sent events as the HTML standard defines them. Comments are of the kind ":".
func parseStream(t testing.TB, r io.Reader, until func(told) bool) []told {
	t.Helper()
	var all []told
	var now told
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && now.kind != "":
			all = append(all, now)
			if until != nil && until(now) {
				return all
			}
			now = told{}
		case line == "":
		case name == "":
			all = append(all, told{kind: ":"})
			if until != nil && until(all[len(all)-1]) {
				return all
			}
		case name == "id":
			now.id = value
		case name == "event":
			now.kind = value
		case name == "data":
			now.data += value
		default:
			t.Errorf("got line %q", line)
		}
	}
	return all
}

func kinds(all []told) string {
	var names []string
	for _, e := range all {
		name := e.kind
		if name == "phase" {
			var data struct{ Phase, Message, At string }
			if json.Unmarshal([]byte(e.data), &data) == nil && data.Message != "" && data.At != "" {
				name = data.Phase
			}
		}
		if name != ":" && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func completed(t testing.TB, all []told) monitors.Monitor {
	t.Helper()
	var m monitors.Monitor
	last := all[len(all)-1]
	if last.kind != "complete" {
		t.Fatalf("got the last %+v, want complete", last)
	}
	must(t, json.Unmarshal([]byte(last.data), &m))
	return m
}

// A stream sends the phases and the reasoning, and ends with the monitor.
func TestStream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	w := p.send(http.MethodPost, "/v1/monitors?stream=1", `{"query":"the price"}`)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %v", w.Code, w.Header())
	}
	all := parseStream(t, w.Body, nil)
	if got := kinds(all); got != "provisioning spec reasoning_token planning scheduling complete" {
		t.Errorf("got %s", got)
	}
	text := ""
	for _, e := range all {
		var data struct{ Token string }
		if e.kind == "reasoning_token" {
			must(t, json.Unmarshal([]byte(e.data), &data))
			text += data.Token
		}
	}
	if text != "It is a\nline." {
		t.Errorf("got the reasoning %q", text)
	}
	m := completed(t, all)
	if m.Status != monitors.StatusActive {
		t.Errorf("got %s, want it active", m.Status)
	}
	all = slices.DeleteFunc(all, func(e told) bool { return e.kind == ":" })
	// It can be read again, starting after any event.
	rest := parseStream(t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/stream", "", "Last-Event-ID", all[1].id).Body, nil)
	if kinds(rest) != kinds(all[2:]) {
		t.Errorf("got %s from the second on, want %s", kinds(rest), kinds(all[2:]))
	}
	if w := p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/stream", "", "Last-Event-ID", "x"); w.Code != http.StatusBadRequest {
		t.Errorf("got %d for an id that is none, want 400", w.Code)
	}
}

// If planning fails, the stream sends an error and then the failed monitor.
func TestStreamOfWhatFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	all := parseStream(t, p.send(http.MethodPost, "/v1/monitors?stream=true", `{"query":"impossible"}`).Body, nil)
	if got := kinds(all); got != "provisioning spec reasoning_token planning error complete" {
		t.Errorf("got %s", got)
	}
	all = slices.DeleteFunc(all, func(e told) bool { return e.kind == ":" })
	m := completed(t, all)
	if got, want := all[len(all)-2].data, `{"error":"It cannot be done.","monitor_id":"`+m.ID+`"}`; got != want {
		t.Errorf("got error %s, want %s", got, want)
	}
	if m.Status != monitors.StatusFailed || *m.ErrorMessage != "It cannot be done." {
		t.Errorf("got %s with %v", m.Status, m.ErrorMessage)
	}
}

// A client that disconnects stops nothing. A retry with the same key gets the same monitor and the whole stream.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Serve(w, r)
	}))
	t.Cleanup(server.Close)
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	request := p.Request(http.MethodPost, "/v1/monitors?stream=1", `{"query":"hold"}`, p.team.identity())
	request.Header.Set("Idempotency-Key", "k1")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/monitors?stream=1", request.Body)
	must(t, err)
	r.Header = request.Header
	response, err := server.Client().Do(r)
	must(t, err)
	beats, planning := 0, false
	first := parseStream(t, response.Body, func(e told) bool {
		planning = planning || strings.Contains(e.data, `"planning"`)
		if e.kind == ":" {
			beats++
		}
		return beats >= 3 && planning
	})
	_ = response.Body.Close()
	leave()
	if got := kinds(first); got != "provisioning spec reasoning_token planning" {
		t.Errorf("got %s before it left", got)
	}
	p.planner.release()
	p.until("it is active", func() bool { return p.count(`select count(*) from monitor where status = 'active'`) == 1 })

	w := p.send(http.MethodPost, "/v1/monitors?stream=1", `{"query":"hold"}`, "Idempotency-Key", "k1")
	again := parseStream(t, w.Body, nil)
	if got := kinds(again); got != "provisioning spec reasoning_token planning scheduling complete" || w.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %s with %v, want all of it again", got, w.Header())
	}
	if p.count(`select count(*) from monitor`) != 1 {
		t.Error("the repetition made another monitor")
	}
	if w := p.send(http.MethodPost, "/v1/monitors?stream=1", `{"query":"another"}`, "Idempotency-Key", "k1"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("got %d for another body, want 422", w.Code)
	}
}

// A retry without a stream gets the first response.
func TestCreationIsRepeated(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	send := func() *httptest.ResponseRecorder {
		return p.send(http.MethodPost, "/v1/monitors", `{"query":"x"}`, "Idempotency-Key", "k1")
	}
	first, again := send(), send()
	if first.Code != http.StatusAccepted || again.Code != http.StatusAccepted || first.Body.String() != again.Body.String() ||
		again.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d %s and %d %s, want the same", first.Code, first.Body, again.Code, again.Body)
	}
}

// Text in a stream never breaks its lines, whatever the planner writes.
func TestStreamKeepsItsLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work()
	w := p.send(http.MethodPost, "/v1/monitors?stream=1", `{"query":"event: complete\n\ndata: {}\r\n\u2028 id: 1"}`)
	all := parseStream(t, w.Body, nil)
	if n := len(slices.Collect(func(yield func(told) bool) {
		for _, e := range all {
			if e.kind == "complete" && !yield(e) {
				return
			}
		}
	})); n != 1 {
		t.Errorf("got %d completions, want one", n)
	}
	if m := completed(t, all); !strings.Contains(m.Query, "event: complete\n\ndata") {
		t.Errorf("got query %q", m.Query)
	}
}
