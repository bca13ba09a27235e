package webhooks_test

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/token"
)

type answer = func(w http.ResponseWriter, r *http.Request, n int)

func status(code int, header ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// hang sends no response until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }

// raw takes over the connection and writes what no handler would.
func raw(write func(net.Conn, <-chan struct{})) answer {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		write(conn, r.Context().Done())
	}
}

func reset(conn net.Conn, _ <-chan struct{}) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// drip slowly writes single bytes while someone reads.
func drip(text string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, _ <-chan struct{}) {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for _, c := range []byte(text + strings.Repeat("x", 1000)) {
			<-tick.C
			if _, err := conn.Write([]byte{c}); err != nil {
				return
			}
		}
	}
}

// first answers n times like a, then with 200.
func first(n int, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request, came int) {
		if came < n {
			a(w, r, came)
		}
	}
}

// For each behaviour of a receiver: the number of tries, the status or error of each, and the final state.
func TestReceivers(t *testing.T) {
	t.Parallel()
	const tryTimeout = 2 * time.Second
	for _, tt := range []struct {
		name       string
		answer     answer
		wantStatus string
		want       []string // of each try: the status, or the error
	}{
		{"takes it", status(204), "delivered", []string{"204"}},
		{"answers at length", func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write(make([]byte, 1<<20)) }, "delivered", []string{"200"}},
		{"fails always", status(500), "failed", slices.Repeat([]string{"500"}, 8)},
		{"fails at first", first(2, status(503)), "delivered", []string{"503", "503", "200"}},
		{"fails until the last try", first(7, status(400)), "delivered", append(slices.Repeat([]string{"400"}, 7), "200")},
		{"does not know it", status(404), "failed", slices.Repeat([]string{"404"}, 8)},
		{"is gone", status(410), "failed", []string{"410"}},
		{"is gone later", func(w http.ResponseWriter, _ *http.Request, n int) { w.WriteHeader(500 - 90*min(n, 1)) }, "failed", []string{"500", "410"}},
		{"redirects", first(1, status(307, "Location", "/elsewhere")), "delivered", []string{"307", "200"}},
		{"redirects for good", first(1, status(301, "Location", "/elsewhere")), "delivered", []string{"301", "200"}},
		{"hangs", first(1, hang), "delivered", []string{"timeout", "200"}},
		{"resets", first(2, raw(reset)), "delivered", []string{"reset", "reset", "200"}},
		{"closes", first(1, raw(func(net.Conn, <-chan struct{}) {})), "delivered", []string{"reset", "200"}},
		{"talks no HTTP", first(1, raw(func(c net.Conn, _ <-chan struct{}) { _, _ = c.Write([]byte("220 mail\r\n\r\n")) })), "delivered", []string{"bad_response", "200"}},
		{"drips its header", first(1, raw(drip("HTTP/1.1 200 OK\r\nX-A: "))), "delivered", []string{"timeout", "200"}},
		{"drips its body", first(1, raw(drip("HTTP/1.1 200 OK\r\n\r\n"))), "delivered", []string{"timeout", "200"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := setup(t, options{config: func(c *webhooks.Config) { c.TryTimeout = tryTimeout }})
			r := newReceiver(t, tt.answer)
			p.tell(team, r.URL, 7)
			p.ended()
			d := p.only(team)
			if got := outcomes(d); d.Status != tt.wantStatus || !slices.Equal(got, tt.want) {
				t.Errorf("got %s by %v, want %s by %v", d.Status, got, tt.wantStatus, tt.want)
			}
			p.coherent(d, r.got())
		})
	}
}

// A receiver that is missing or cannot be trusted gets nothing.
func TestReceiversThatAreNotReached(t *testing.T) {
	t.Parallel()
	untrusted := newUnstarted(t, status(200))
	untrusted.StartTLS()
	closed := newReceiver(t, status(200))
	closed.Close()
	for _, tt := range []struct {
		name, url string
		want      string
	}{
		{"bad TLS", untrusted.URL, "tls"},
		{"nobody listens", closed.URL, "connect"},
		{"an unknown name", "http://nowhere.invalid/", "dns"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := setup(t, options{})
			p.tell(team, tt.url, 1)
			p.ended()
			if got := outcomes(p.only(team)); !slices.Equal(got, slices.Repeat([]string{tt.want}, 8)) {
				t.Errorf("got %v, want eight of %s", got, tt.want)
			}
		})
	}
	if got := len(untrusted.got()); got != 0 {
		t.Errorf("got %d posts without a certificate to trust, want none", got)
	}
}

// A name may lead elsewhere at the time of delivery. It is checked then.
func TestGuardAtDelivery(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(200))
	_, port, _ := net.SplitHostPort(r.Listener.Addr().String())
	url := "http://hooks.example.com:" + port + "/"
	p := setup(t, options{fetch: func(c *fetch.Config) { c.AllowPrivate, c.Resolver = nil, resolverTo(t, "127.0.0.1") }})
	if err := p.service.Check(url); err != nil {
		t.Fatalf("at creation: got %v, want nothing that can be said", err)
	}
	p.tell(team, url, 1)
	p.ended()
	d := p.only(team)
	if got := outcomes(d); d.Status != "failed" || !slices.Equal(got, slices.Repeat([]string{"blocked_address"}, 8)) {
		t.Errorf("got %s by %v, want failed by eight refusals", d.Status, got)
	}
	if got := len(r.got()); got != 0 {
		t.Errorf("got %d posts at a private address, want none", got)
	}
}

// A longer Retry-After extends the schedule's wait.
func TestRetryAfterIsHeard(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	r := newReceiver(t, first(2, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 0 {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	p.tell(team, r.URL, 1)
	p.ended()
	posts := r.got()
	if len(posts) != 3 {
		t.Fatalf("got %d posts, want 3", len(posts))
	}
	// A date has whole seconds, so it may mean up to a second less.
	for i, least := range []time.Duration{2 * time.Second, time.Second} {
		if got := posts[i+1].at.Sub(posts[i].at); got < least {
			t.Errorf("try %d came %s after the one before, want %s at least", i+2, got, least)
		}
	}
	p.coherent(p.only(team), posts)
}

// only is a team's only delivery.
func (p *place) only(teamID string) *webhooks.Delivery {
	p.T.Helper()
	all := p.list(teamID)
	if len(all) != 1 {
		p.T.Fatalf("got %d deliveries of %s, want 1", len(all), teamID)
	}
	return all[0]
}

func (p *place) list(teamID string) []*webhooks.Delivery {
	p.T.Helper()
	var answer struct {
		Data []*webhooks.Delivery `json:"data"`
	}
	p.get(teamID, "/v1/webhooks/deliveries?limit=100", http.StatusOK, &answer)
	return answer.Data
}

func subscriber(teamID string) *principal.Caller {
	return &principal.Caller{Kind: edgewire.PayerTeam, TeamID: teamID}
}

// outcomes are the statuses or errors of a delivery's tries.
func outcomes(d *webhooks.Delivery) []string {
	out := make([]string, len(d.Tries))
	for i, try := range d.Tries {
		if try.Error != nil {
			out[i] = *try.Error
		} else {
			out[i] = strconv.Itoa(int(*try.StatusCode))
		}
	}
	return out
}

// coherent checks that the receiver's posts match the log: one id, signed, counted, timed.
func (p *place) coherent(d *webhooks.Delivery, posts []post) {
	p.T.Helper()
	p.verify(p.secret(team), posts...)
	if len(posts) != len(d.Tries) {
		p.T.Fatalf("got %d posts and %d tries in the log, want as many", len(posts), len(d.Tries))
	}
	if !token.Is(d.ID, "delivery") || !token.Is(d.EventID, "event") || d.Event != "event.batch.completed" || d.TriesMax != 8 {
		p.T.Errorf("got %+v, want ids, the event's name and 8 tries", d)
	}
	for i, post := range posts {
		want := strconv.Itoa(i+1) + "/8"
		if post.ID != d.EventID || post.header.Get("Webhook-Id") != d.EventID || post.Object != d.Event || post.Attempt != want {
			p.T.Errorf("post %d: got %s %s %s, want %s %s %s", i+1, post.ID, post.Object, post.Attempt, d.EventID, d.Event, want)
		}
		if try := d.Tries[i]; try.Attempt != want || try.Timestamp != post.Timestamp {
			p.T.Errorf("try %d of the log: got %s at %d, want %s at %d", i+1, try.Attempt, try.Timestamp, want, post.Timestamp)
		}
		if seconds := strconv.FormatInt(post.Timestamp/1000, 10); post.header.Get("Webhook-Timestamp") != seconds {
			p.T.Errorf("post %d: got webhook-timestamp %s, want %s", i+1, post.header.Get("Webhook-Timestamp"), seconds)
		}
		if got := string(post.Data); !strings.HasPrefix(got, `{"number":`) || !strings.HasSuffix(got, `"text":"<b>é & \u2028</b>"}`) {
			p.T.Errorf("post %d: got data %s, want it as the event has it", i+1, got)
		}
	}
}
