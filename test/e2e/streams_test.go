package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// eventsMade is how many events a complete stream has.
const eventsMade = 5

// stream is controlled by the test: its upstream makes each event when the test asks for it.
type stream struct {
	make  chan struct{} // one for each event after the first
	made  atomic.Int64
	runs  atomic.Int64
	ended chan error // nil, or why the upstream had to stop
	// bytes is the size of each event.
	bytes int
	// breakAfter is after how many events the upstream disconnects; 0: never.
	breakAfter int64
}

// streams is an upstream of server-sent events. The path of each stream ends with its name.
type streams struct {
	mu   sync.Mutex
	of   map[string]*stream
	next int
}

// add creates a stream and returns its name.
func (u *streams) add(s *stream) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	s.make, s.ended = make(chan struct{}, eventsMade), make(chan error, 1)
	u.next++
	name := strconv.Itoa(u.next)
	if u.of == nil {
		u.of = make(map[string]*stream)
	}
	u.of[name] = s
	return name
}

func (u *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	s := u.of[path.Base(r.URL.Path)]
	u.mu.Unlock()
	if s == nil {
		http.NotFound(w, r)
		return
	}
	s.runs.Add(1)
	// An upstream may allow shared caches. The paid response must not.
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "public, no-cache")
	for n := int64(1); n <= eventsMade; n++ {
		if n > 1 {
			select {
			case <-s.make:
			case <-r.Context().Done():
				s.end(context.Cause(r.Context()))
				return
			}
		}
		s.made.Add(1)
		fmt.Fprint(w, s.event(n))
		_ = http.NewResponseController(w).Flush()
		if n == s.breakAfter {
			s.end(http.ErrAbortHandler)
			panic(http.ErrAbortHandler)
		}
	}
	s.end(nil)
}

// end reports how the first run has ended.
func (s *stream) end(err error) {
	select {
	case s.ended <- err:
	default: // net/http repeats an unanswered GET, and a released payment may be used again
	}
}

func (s *stream) event(n int64) string {
	return fmt.Sprintf("id: %d\ndata: %s\n\n", n, strings.Repeat("x", s.bytes))
}

// whole returns all events, as a client reads them.
func (s *stream) whole() string {
	var text strings.Builder
	for n := range int64(eventsMade) {
		text.WriteString(s.event(n + 1))
	}
	return text.String()
}

// readEvent reads event n, and checks that the upstream has not made a later one yet.
func (s *stream) readEvent(t *testing.T, body *bufio.Reader, n int64) {
	t.Helper()
	want := s.event(n)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(body, got); err != nil || string(got) != want {
		t.Fatalf("event %d: got %.40q, error %v, want %.40q", n, got, err, want)
	}
	if made := s.made.Load(); made != n {
		t.Errorf("when event %d was read, %d were made", n, made)
	}
}

// readFrom reads the remaining events, each made after the one before was read, and then the end.
func (s *stream) readFrom(t *testing.T, body *bufio.Reader, first int64) {
	t.Helper()
	for n := first; n <= eventsMade; n++ {
		if n > 1 {
			s.make <- struct{}{}
		}
		s.readEvent(t, body, n)
	}
	if rest, err := io.ReadAll(body); err != nil || len(rest) != 0 {
		t.Errorf("after the last event: got %q, error %v, want the end", rest, err)
	}
}

// ways are combinations that cover both versions of payment and of HTTP, each with both transports.
var ways = []way{{1, false, "direct"}, {1, true, "caddy"}, {2, false, "caddy"}, {2, true, "direct"}}

type way struct {
	version   int
	http2     bool
	transport string
}

func (w way) String() string {
	return fmt.Sprintf("v%d over HTTP/%d by transport %s", w.version, httpMajor(w.http2), w.transport)
}

// TestStreams charges for server-sent events.
func TestStreams(t *testing.T) {
	t.Parallel()
	up := new(streams)
	s := newStreamEdge(t, up)
	for name, run := range map[string]func(t *testing.T, s *streamEdge, up *streams, w way){
		"settled before":           streamSettledBefore,
		"left, and going on":       streamLeftGoingOn,
		"left, and come to an end": streamLeftEnded,
		"broken off":               streamBrokenOff,
		"reloaded":                 streamReloaded,
		"held back to its end":     streamHeldBack,
		"settled at the cap":       streamSettledAtCap,
		"left after the cap":       streamLeftAfterCap,
		"broken off at the cap":    streamBrokenAfterCap,
		"broken off before":        streamBrokenBeforeCap,
	} {
		for _, w := range ways {
			t.Run(name+", "+w.String(), func(t *testing.T) {
				t.Parallel()
				run(t, s, up, w)
			})
		}
	}
}

// order requests the price of a stream on a route of testdata/streams.Caddyfile, and signs a payment.
func (w way) order(t *testing.T, s *streamEdge, up *streams, route string, events *stream) *streamOrder {
	t.Helper()
	return s.order(t, w.version, w.http2, "/"+w.transport+"/"+route+"/"+up.add(events))
}

// With settle before, each event reaches the client before the next is made, and the receipt comes with the first. The
// same payment gets the whole stream again, from the edge.
func streamSettledBefore(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: 20}
	o := w.order(t, s, up, "before", events)
	resp := o.send(t.Context(), t)
	defer resp.Body.Close()
	receipt := o.wantPaid(t, resp)
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Errorf("got %s of %q, want 200 of text/event-stream", resp.Status, got)
	}
	events.readFrom(t, bufio.NewReader(resp.Body), 1)
	if err := <-events.ended; err != nil {
		t.Errorf("the upstream was told to stop: %v", err)
	}
	o.wantClaim(t, "settled", true)
	o.wantAgain(t, events, receipt)
}

// wantAgain sends the payment again, and checks that it gets the whole stream without another run of the upstream.
func (o *streamOrder) wantAgain(t *testing.T, events *stream, receipt *x402.Receipt) {
	t.Helper()
	again := o.send(t.Context(), t)
	defer again.Body.Close()
	body, err := io.ReadAll(again.Body)
	if err != nil || string(body) != events.whole() {
		t.Errorf("again: got %.80q, error %v, want the stream from its begin", body, err)
	}
	if got := o.wantPaid(t, again); got != nil && receipt != nil && *got != *receipt {
		t.Errorf("receipt of the copy: got %+v, want %+v", got, receipt)
	}
	if got := events.runs.Load(); got != 1 {
		t.Errorf("the upstream was run %d times, want once", got)
	}
}

// leaveAfterTwo reads two events and disconnects.
func (o *streamOrder) leaveAfterTwo(t *testing.T, events *stream) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := o.send(ctx, t)
	defer resp.Body.Close()
	body := bufio.NewReader(resp.Body)
	events.readEvent(t, body, 1)
	events.make <- struct{}{}
	events.readEvent(t, body, 2)
	cancel()
	if _, err := body.ReadByte(); !errors.Is(err, context.Canceled) {
		t.Fatalf("after leaving: got %v, want %v", err, context.Canceled)
	}
}

// With settle before, a client that disconnects has paid. An upstream that goes on is stopped at the route's timeout.
func streamLeftGoingOn(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: 20}
	o := w.order(t, s, up, "hurried", events)
	o.leaveAfterTwo(t, events)
	if err := <-events.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the upstream ended with %v, want to have been told to stop", err)
	}
	o.wantClaim(t, "settled", true)
	o.wantNotKept(t, "its response is not stored")
}

// If the upstream ends before the timeout, its response is stored, and the same payment gets all of it.
func streamLeftEnded(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: 20}
	o := w.order(t, s, up, "before", events)
	o.leaveAfterTwo(t, events)
	for range eventsMade - 2 {
		events.make <- struct{}{}
	}
	if err := <-events.ended; err != nil {
		t.Errorf("the upstream was told to stop: %v", err)
	}
	o.wantClaim(t, "settled", true)
	o.wantAgain(t, events, nil)
}

// A reload does not affect a running stream, while the next configuration serves new requests.
func streamReloaded(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	s.reloads.Lock() // a reload ends when the streams of the old configuration have ended
	defer s.reloads.Unlock()
	s.generations++
	generation := s.generations
	events, next := &stream{bytes: 20}, &stream{bytes: 20}
	o := w.order(t, s, up, "before", events)
	resp := o.send(t.Context(), t)
	defer resp.Body.Close()
	body := bufio.NewReader(resp.Body)
	events.readEvent(t, body, 1)
	reloaded := make(chan error, 1)
	go func() { reloaded <- s.reload(t.Context(), generation) }()
	s.awaitGeneration(t, generation)

	after := w.order(t, s, up, "before", next)
	also := after.send(t.Context(), t)
	defer also.Body.Close()
	if got := also.Header.Get("Generation"); got != strconv.Itoa(generation) {
		t.Errorf("generation %q serves, want %d", got, generation)
	}
	next.readFrom(t, bufio.NewReader(also.Body), 1)
	events.readFrom(t, body, 2)
	if err := <-reloaded; err != nil {
		t.Error(err)
	}
	for _, ended := range []*streamOrder{o, after} {
		ended.wantClaim(t, "settled", true)
	}
	o.wantAgain(t, events, nil)
}

// wantNotKept sends the payment again, and expects 409 with the receipt, because the payment is used up.
func (o *streamOrder) wantNotKept(t *testing.T, says string) {
	t.Helper()
	resp := o.send(t.Context(), t)
	defer resp.Body.Close()
	receipt, err := x402.ReadReceipt(resp.Header)
	if err != nil || receipt == nil || !receipt.Success {
		t.Errorf("receipt: got %+v, error %v, want one of success", receipt, err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusConflict || !strings.Contains(string(body), "response_not_kept") || !strings.Contains(string(body), says) {
		t.Errorf("again: got %s %s, error %v, want 409 response_not_kept: %s", resp.Status, body, err, says)
	}
}

// With settle before, if the upstream disconnects midway, the client sees an incomplete response, and a refund is due.
func streamBrokenOff(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: 20, breakAfter: 2}
	o := w.order(t, s, up, "before", events)
	resp := o.send(t.Context(), t)
	defer resp.Body.Close()
	o.wantPaid(t, resp)
	body := bufio.NewReader(resp.Body)
	events.readEvent(t, body, 1)
	events.make <- struct{}{}
	if got, err := io.ReadAll(body); err == nil {
		t.Errorf("half a stream ended as if it were whole, with %q", got)
	}
	o.wantClaim(t, "refund_due", true)
	o.wantNotKept(t, "a refund is recorded")
}

// With settle after, a stream that ends before the cap is held back until its end, and nothing is settled before.
func streamHeldBack(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: 20}
	o := w.order(t, s, up, "after", events)
	type arrival struct {
		resp *http.Response
		err  error
	}
	arrived := make(chan arrival, 1)
	go func() {
		resp, err := o.try(t.Context()) //nolint:bodyclose // closed by the receiver
		arrived <- arrival{resp, err}
	}()
	for range eventsMade - 2 {
		events.make <- struct{}{}
	}
	eventually(t, "all events but the last", func() error {
		if made := events.made.Load(); made != eventsMade-1 {
			return fmt.Errorf("%d are made", made)
		}
		return nil
	})
	o.wantClaim(t, "claimed*", false)
	select {
	case got := <-arrived:
		t.Fatalf("got %+v before the stream's end", got)
	default:
	}
	events.make <- struct{}{}
	got := <-arrived
	if got.err != nil {
		t.Fatal(got.err)
	}
	defer got.resp.Body.Close()
	receipt := o.wantPaid(t, got.resp)
	if body, err := io.ReadAll(got.resp.Body); err != nil || string(body) != events.whole() {
		t.Errorf("got %.80q, error %v, want the stream from its begin", body, err)
	}
	o.wantClaim(t, "settled", true)
	o.wantAgain(t, events, receipt)
}

// capBytes is the size of events of which two are held back, and the third exceeds the cap.
const capBytes = 400 << 10

// openAtCap asks for three events, and reads them.
func (o *streamOrder) openAtCap(ctx context.Context, t *testing.T, events *stream) *bufio.Reader {
	t.Helper()
	events.make <- struct{}{}
	events.make <- struct{}{}
	resp := o.send(ctx, t) //nolint:bodyclose // send closes it when the test ends
	o.wantPaid(t, resp)
	o.wantClaim(t, "settled*", true)
	want := events.event(1) + events.event(2) + events.event(3)
	got, body := make([]byte, len(want)), bufio.NewReader(resp.Body)
	if _, err := io.ReadFull(body, got); err != nil || string(got) != want {
		t.Fatalf("what was held back: got %.20q, error %v", got, err)
	}
	return body
}

// A longer stream is settled at the cap. From there on each event reaches the client before the next is made.
func streamSettledAtCap(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: capBytes}
	o := w.order(t, s, up, "after", events)
	body := o.openAtCap(t.Context(), t, events)
	events.readFrom(t, body, 4)
	o.wantClaim(t, "settled", true)
	o.wantNotKept(t, "its response is not stored")
}

// After the cap, the rest is not stored. If the client disconnects, the upstream is stopped at once.
func streamLeftAfterCap(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: capBytes}
	o := w.order(t, s, up, "after", events)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	o.openAtCap(ctx, t, events)
	leave()
	if err := <-events.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the upstream ended with %v, want to have been told to stop", err)
	}
	o.wantClaim(t, "settled", true)
	o.wantNotKept(t, "its response is not stored")
}

// If the upstream disconnects after the settlement at the cap, a refund is due.
func streamBrokenAfterCap(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: capBytes, breakAfter: 4}
	o := w.order(t, s, up, "after", events)
	body := o.openAtCap(t.Context(), t, events)
	events.make <- struct{}{}
	if got, err := io.ReadAll(body); err == nil {
		t.Errorf("half a stream ended as if it were whole, with %.40q", got)
	}
	o.wantClaim(t, "refund_due", true)
	o.wantNotKept(t, "a refund is recorded")
}

// If it disconnects before the cap, nothing is charged.
func streamBrokenBeforeCap(t *testing.T, s *streamEdge, up *streams, w way) {
	t.Helper()
	events := &stream{bytes: 20, breakAfter: 1}
	o := w.order(t, s, up, "after", events)
	resp, err := o.try(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), `"upstream_failed"`) {
		t.Errorf("half a stream: got %s, %q, %v, want 502 upstream_failed", resp.Status, body, err)
	}
	o.wantClaim(t, "released", false)
}
