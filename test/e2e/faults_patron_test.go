package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
)

// patron is one payer with one payment for one request, in every fault test.
type patron struct {
	site   *faultSite
	settle string // after or before
	id     string
	wallet *wallet
	call   call // with the payment, without the edge's address
	client *http.Client
	runs   atomic.Int64
	// arrived is given when the upstream starts to work on the request.
	arrived *signal
	// answered is given when the client has the first response or an error.
	answered *signal
	// serve is the upstream's handler. Default: 200 and the id.
	serve func(w http.ResponseWriter, r *http.Request, run int64)

	first, later reply
	// whole is the upstream's complete response. Default: the id.
	whole string
	// delivered is set once the client has received the complete response.
	delivered bool
}

// reply is a response, or the error of a request without one.
type reply struct {
	answer

	err error
}

// faultUpstream is the API behind all edges.
type faultUpstream struct {
	mu      sync.Mutex
	patrons map[string]*patron
}

func (u *faultUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	u.mu.Lock()
	p := u.patrons[id]
	u.mu.Unlock()
	if p == nil {
		http.NotFound(w, r)
		return
	}
	run := p.runs.Add(1)
	p.arrived.give()
	if p.serve != nil {
		p.serve(w, r, run)
		return
	}
	_, _ = io.WriteString(w, p.id)
}

// patron creates a payer who has signed a payment and not sent it yet.
func (s *faultSite) patron(t *testing.T, settle string) *patron {
	t.Helper()
	id := uuid.NewString()
	p := &patron{site: s, settle: settle, id: id, whole: id, client: client, wallet: s.wallet(t), arrived: newSignal(), answered: newSignal()}
	p.wallet.to = &s.payTo
	s.upstream.mu.Lock()
	s.upstream.patrons[p.id] = p
	s.upstream.mu.Unlock()
	p.signs(t)
	return p
}

// signs makes the signed payment: protocol version 1 for settle after, version 2 for settle before.
func (p *patron) signs(t *testing.T) {
	t.Helper()
	p.call = call{method: http.MethodGet, url: "/" + p.settle + "/" + p.id}.with(p.wallet.good(t, p.version())...)
}

func (p *patron) version() int {
	if p.settle == "before" {
		return 2
	}
	return 1
}

func (p *patron) payer() string { return p.wallet.address().Hex() }

// pays sends the payment to an edge.
func (p *patron) pays(edge string) reply {
	c := p.call
	c.url = edge + c.url
	got, err := c.tryBy(context.Background(), p.client)
	if err == nil && got.status == http.StatusOK && string(got.body) == p.whole {
		p.delivered = true
	}
	return reply{got, err}
}

// reads sends the payment over its own connection, and reads only the beginning of the response until the edge is gone.
func (p *patron) reads(edge string, begun *signal) reply {
	c := p.call
	c.url = edge + c.url
	own := &http.Transport{DisableCompression: true, ReadBufferSize: 4 << 10, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(64 << 10)
		}
		return conn, err
	}}
	defer own.CloseIdleConnections()
	req, err := c.request(context.Background())
	if err != nil {
		return reply{err: err}
	}
	resp, err := own.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	if _, err = io.ReadFull(resp.Body, make([]byte, 1<<10)); err == nil {
		begun.give()
		<-p.site.gone
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return reply{answer{url: c.url, status: resp.StatusCode, header: resp.Header}, err}
}

// paysAgain sends the same payment again until the response no longer asks the client to wait.
func (p *patron) paysAgain(t *testing.T, edge string) {
	t.Helper()
	eventually(t, "an answer to the payment of "+p.settle+"/"+p.id, func() error {
		p.later = p.pays(edge)
		if p.later.err != nil {
			return p.later.err
		}
		if s := p.later.String(); p.later.status == http.StatusServiceUnavailable || s == "409 payment_in_progress" {
			return fmt.Errorf("still %s", s)
		}
		return nil
	})
}

// String returns what the client gets, in the words of the table in the docs.
func (r reply) String() string {
	if r.err != nil {
		return "cut off"
	}
	var problem struct{ Error, Code string }
	_ = json.Unmarshal(r.body, &problem)
	return strings.TrimSpace(fmt.Sprintf("%d %s%s", r.status, problem.Error, problem.Code))
}

// claim reads the state of the payment's claim, "" if there is none.
func (p *patron) claim(t *testing.T) string {
	t.Helper()
	for _, state := range p.wallet.claims(t) {
		return state
	}
	return ""
}

// outcome describes how the payment ended, in the words of the table in the docs. It fails on what must never happen: a
// payer who was charged and neither served nor owed a refund, and with settle after a response that was not paid.
func (p *patron) outcome(t *testing.T, believed bool) string {
	t.Helper()
	left, err := p.site.chain.Balance(t.Context(), p.wallet.address())
	if err != nil {
		t.Fatal(err)
	}
	spent, state := p.wallet.funded-left, p.claim(t)
	money := "not charged"
	switch {
	case spent == scrapeUnits && state == "refund_due":
		money = "refund due"
	case spent == scrapeUnits:
		money = "charged"
	case spent != 0:
		t.Errorf("settle %s: %d units were charged, want %d or none", p.settle, spent, scrapeUnits)
	}
	if money == "charged" && !p.delivered && !believed {
		t.Errorf("settle %s: charged, and neither served nor owed a refund: claim %s, got %s, then %s", p.settle, state, p.first, p.later)
	}
	if p.delivered && spent == 0 && !believed {
		t.Errorf("settle %s: delivered unpaid: claim %s, got %s, then %s", p.settle, state, p.first, p.later)
	}
	gets := p.first.String()
	if then := p.later.String(); then != gets {
		gets += ", then " + then
	}
	runs := "not run"
	switch n := p.runs.Load(); n {
	case 0:
	case 1:
		runs = "1 run"
	default:
		runs = fmt.Sprintf("%d runs", n)
	}
	return gets + "; " + money + "; " + runs
}
