package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

// paidPost is a POST that wallets can pay for.
type paidPost struct {
	row    postRow
	settle price.Settle
	units  uint64
}

// paidPosts returns the POSTs of the route table that wallets can pay for, by route.
func (s *stack) paidPosts(t *testing.T) map[string]paidPost {
	t.Helper()
	book, err := pricebook.New()
	if err != nil {
		t.Fatal(err)
	}
	paid := map[string]paidPost{}
	for _, r := range s.operations(t) {
		if r.Method != http.MethodPost {
			continue
		}
		quote, err := book.Quote(t.Context(), &price.Request{Method: r.Method, URL: &url.URL{Path: "/x402" + r.Path}, Body: edgewire.NewBody([]byte("{}"))}, edgewire.UnitUSDC)
		if quote.Settle == "" {
			if err == nil {
				t.Errorf("%s: got the quote %+v, want to know when it is settled", r.Path, quote)
			}
			continue
		}
		route := r.Method + " " + r.Path
		row, ok := postRows[route]
		if !ok {
			t.Errorf("%s has no row in postRows", route)
		}
		units := uint64(max(quote.Amount, int64(scrapeUnits))) // a quoted route has this price for one page
		paid[route] = paidPost{row: row, settle: quote.Settle, units: units}
	}
	if len(paid) < 7 {
		t.Errorf("got %d POSTs that wallets pay for, want 7 or more", len(paid))
	}
	return paid
}

// pays returns the header of a payment of that many units.
func (w *wallet) pays(t *testing.T, units uint64) []string {
	t.Helper()
	return w.payment(t, 1).altered(func(a *x402.Authorization) { a.Value = money.MicroUSDC(units) }).headers(t)
}

// fund adds units to the wallet.
func (w *wallet) fund(t *testing.T, units uint64) {
	t.Helper()
	if err := w.s.chain.Mint(t.Context(), w.address(), units); err != nil {
		t.Fatal(err)
	}
	w.funded += units
}

// TestWalletPaysForEachAnswer sends twelve requests with twelve keys from a wallet with money for one: it gets one
// response. The work of the others is done by then, and each is delivered once its own payment arrives.
func TestWalletPaysForEachAnswer(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for route, post := range s.paidPosts(t) {
		if post.settle != price.SettleAfter {
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			const keys = 12
			w := s.emptyWallet(t)
			path, body := post.row.make(t, s, nil)
			waiting := make([]int, keys)
			for i := range waiting {
				waiting[i] = i
			}
			answered := 0
			ask := func() { // sends all unanswered requests at once
				answers, errs := make([]answer, keys), make([]error, keys)
				var all sync.WaitGroup
				for _, i := range waiting {
					c := call{url: s.edge + "/x402" + path, body: body}.with(append(w.pays(t, post.units), "Idempotency-Key", fmt.Sprintf("key-%d", i))...)
					all.Go(func() { answers[i], errs[i] = c.try(t.Context()) })
				}
				all.Wait()
				waiting = slices.DeleteFunc(waiting, func(i int) bool {
					if errs[i] != nil {
						t.Error(errs[i])
					}
					if answers[i].status == http.StatusOK {
						answered++
						return true
					}
					switch answers[i].status {
					case http.StatusPaymentRequired, http.StatusConflict, http.StatusServiceUnavailable: // 503: the number of concurrent maps is limited
					default:
						t.Errorf("key %d: got %d %s, want 200, 402, 409 or 503", i, answers[i].status, answers[i].body)
					}
					return false
				})
			}
			for range 3 {
				w.fund(t, post.units)
				ask()
				left, err := s.chain.Balance(t.Context(), w.address())
				if err != nil {
					t.Fatal(err)
				}
				if paid := (w.funded - left) / post.units; uint64(answered) > paid {
					t.Fatalf("%d answers were given for %d payments, and the wallet still has %d units", answered, paid, left)
				}
			}
			w.fund(t, keys*post.units)
			for range 10 {
				if len(waiting) > 0 {
					ask()
				}
			}
			if answered != keys {
				t.Errorf("got %d answers of %d", answered, keys)
			}
			w.wantSpent(t, keys*post.units)
		})
	}
}

// TestClientsThatLeavePayOnce lets clients disconnect at any moment and retry until they have the response. Whatever
// became of the first request, the key is charged once.
func TestClientsThatLeavePayOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const rounds, atOnce = 200, 4
	p := s.purse(t, rounds+200)
	send := func(ctx context.Context, key, page string) (answer, error) {
		return s.scrape(page).with(append(p.bearer(), "Idempotency-Key", key)...).try(ctx)
	}
	// The usual duration on this machine at this load is measured as the test runs.
	var usual atomic.Int64
	usual.Store(int64(40 * time.Millisecond))
	var first, left, free atomic.Int64
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for n := range rounds {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			key, page := fmt.Sprintf("left-%d", n), s.pages.fresh()
			begun := time.Now()
			ctx, leave := context.WithTimeout(t.Context(), time.Duration(float64(usual.Load())*(0.5+rand.Float64())))
			got, err := send(ctx, key, page)
			leave()
			if err == nil && got.status == http.StatusOK {
				usual.Store((3*usual.Load() + int64(time.Since(begun))) / 4)
				first.Add(1)
			} else {
				usual.Store(usual.Load() + usual.Load()/16)
				left.Add(1)
			}
			again := until(t, func() (answer, error) { return send(t.Context(), key, page) })
			if again.header.Get("X-Credits-Used") == "0" {
				free.Add(1)
			}
		})
	}
	all.Wait()
	t.Logf("%d first answers, %d had left; %d repetitions were free", first.Load(), left.Load(), free.Load())
	p.wantSpent(t, rounds)
}

// until sends a request until it gets 200. It accepts 409 in between.
func until(t *testing.T, send func() (answer, error)) answer {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := send()
		switch {
		case err == nil && got.status == http.StatusOK:
			return got
		case err != nil || got.status != http.StatusConflict:
			t.Errorf("got %d %s (%v), want 200 or 409", got.status, got.body, err)
			return got
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return got
		}
	}
}

// onTheWay starts a proxy to a backend that applies befalls to each response, and returns its address.
func (s *stack) onTheWay(t *testing.T, backend string, befalls func(r *http.Response) error) string {
	t.Helper()
	to, err := url.Parse(backend)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = befalls
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.serve(l, proxy)
	return l.Addr().String()
}

// lossHeader marks requests whose responses are lost.
const lossHeader = "X-Lose-The-Answer"

// lossyEdge starts an edge that loses responses: the backend has done its work, and the edge charges nothing.
func (s *stack) lossyEdge(t *testing.T) string {
	t.Helper()
	way := s.onTheWay(t, s.backend, func(r *http.Response) error {
		if r.Request.Header.Get(lossHeader) != "" {
			panic(http.ErrAbortHandler)
		}
		return nil
	})
	edge, err := s.startEdge(t.Context(), "http://"+way)
	if err != nil {
		t.Fatal(err)
	}
	return edge
}

// TestLostAnswersArePaidByRepetitions shows that a response lost between backend and edge is not charged. It is stored,
// and several retries at the same time are charged once.
func TestLostAnswersArePaidByRepetitions(t *testing.T) {
	t.Parallel()
	s := setup(t)
	edge := s.lossyEdge(t)
	const crowd = 4
	for route, row := range postRows {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			p := s.purse(t, 500)
			path, body := row.make(t, s, p)
			c := call{url: edge + path, body: body}.with(append(p.bearer(), "Idempotency-Key", "lost")...)
			c.with(lossHeader, "yes").do(t).wantStatus(t, http.StatusServiceUnavailable)
			var all sync.WaitGroup
			var paid atomic.Int64
			for range crowd {
				all.Go(func() {
					got := until(t, func() (answer, error) { return c.try(t.Context()) })
					if used := got.header.Get("X-Credits-Used"); used != "" && used != "0" {
						paid.Add(1)
					}
					if got.header.Get(replayHeader) != "true" {
						t.Errorf("got %v, want %s", got.header, replayHeader)
					}
				})
			}
			all.Wait()
			if n := paid.Load(); n > 1 {
				t.Errorf("%d repetitions were charged, want 1 at most", n)
			}
			until(t, func() (answer, error) { return c.try(t.Context()) }).wantReplayed(t)
			var works int
			if err := s.pool.QueryRow(t.Context(), row.works, p.team).Scan(&works); err != nil || works != 1 {
				t.Errorf("got %d works, %v, want 1", works, err)
			}
			p.wantSpent(t, money.Credits(row.cost))
		})
	}
	for route, post := range s.paidPosts(t) {
		t.Run("x402 "+route, func(t *testing.T) {
			t.Parallel()
			w := s.emptyWallet(t)
			w.fund(t, 10*post.units)
			path, body := post.row.make(t, s, nil)
			c := call{url: edge + "/x402" + path, body: body}.with("Idempotency-Key", "lost")
			if got := c.with(append(w.pays(t, post.units), lossHeader, "yes")...).do(t); got.status < http.StatusInternalServerError {
				t.Fatalf("got %d %s, want that the answer was lost", got.status, got.body)
			}
			if post.settle == price.SettleBefore { // paid, and to be refunded, so the work starts again
				again := c.with(w.pays(t, post.units)...).do(t)
				again.wantStatus(t, http.StatusOK)
				w.wantStates(t, "refund_due", "settled")
				until(t, func() (answer, error) { return c.with(w.pays(t, post.units)...).try(t.Context()) }).wantReplayed(t)
				w.wantStates(t, "refund_due", "refund_due", "settled")
				return
			}
			var all sync.WaitGroup
			for range crowd {
				pays := c.with(w.pays(t, post.units)...)
				all.Go(func() { until(t, func() (answer, error) { return pays.try(t.Context()) }) })
			}
			all.Wait()
			w.wantSpent(t, post.units)
			w.wantStates(t, append(slices.Repeat([]string{"released"}, crowd), "settled")...)
		})
	}
}

// TestRefundedAnswerIsPaidAgain shows that a refunded payment counts as unpaid: a retry pays again.
func TestRefundedAnswerIsPaidAgain(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, page := s.wallet(t), s.pages.fresh()
	send := func() answer {
		return s.paidScrape(page).with(append(w.good(t, 2), "Idempotency-Key", "refunded")...).do(t)
	}
	send().wantStatus(t, http.StatusOK)
	send().wantReplayed(t)
	w.wantSpent(t, scrapeUnits)
	var claim uuid.UUID
	err := s.pool.QueryRow(t.Context(), `select id from x402_claim where payer = $1 and state = 'settled'`, w.address().Hex()).Scan(&claim)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := refunds.New(s.pool, evm.NewChains(nil), time.Now).Owe(t.Context(), claim, "an empty report"); err != nil {
		t.Fatal(err)
	}
	again := send()
	again.wantStatus(t, http.StatusOK)
	if again.header.Get(replayHeader) != "true" || again.header.Get("Payment-Response") == "" {
		t.Errorf("got %v, want a replay with a receipt", again.header)
	}
	w.wantSpent(t, 2*scrapeUnits)
	w.wantStates(t, "refund_due", "released", "settled")
	send().wantReplayed(t)
	w.wantSpent(t, 2*scrapeUnits)
	s.pages.wantFetched(t, page, 1)
}

// lateHeader marks a request whose hold stays locked after its response, so that the edge cannot charge for it.
const lateHeader = "X-Lock-The-Hold"

// TestRepetitionWaitsForTheCharge kills an edge, or blocks its database, between a response and its charge. While the
// charge is undecided, a retry at another edge gets 409. Then the retry is charged only if the first request was not.
func TestRepetitionWaitsForTheCharge(t *testing.T) {
	t.Parallel()
	shared := setup(t)
	config, err := os.ReadFile("../../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	config = bytes.Replace(config, []byte("\t\t\tdecision_timeout"), []byte("\t\t\theartbeat 300ms\n\t\t\tlost_after 3s\n\t\t\tsweep_every 300ms\n\t\t\tdecision_timeout"), 1)
	for _, isKilled := range []bool{false, true} {
		t.Run(fmt.Sprintf("edge killed %t", isKilled), func(t *testing.T) {
			t.Parallel()
			s := shared.withDatabase(t)
			backend, err := rig.StartBackend(t.Context(), rig.BackendConfig{
				Binary: s.binary, Dir: t.TempDir(), DatabaseURL: s.databaseURL, IdentitySecret: identitySecret, Port: s.pages.port,
				Env: []string{"TURNPIKE_BROWSER=off", "TURNPIKE_DOCS_URL=" + docsURL},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = backend.Kill() })
			lock, err := s.pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = lock.Rollback(context.Background()) })
			way := s.onTheWay(t, "http://"+backend.Address, func(r *http.Response) error {
				if r.Request.Header.Get(lateHeader) == "" {
					return nil
				}
				_, err := lock.Exec(r.Request.Context(), `select from meter_batch where not done for update`)
				return err
			})
			var edges [2]*rig.Edge
			for i := range edges {
				edges[i], err = rig.StartEdge(t.Context(), rig.EdgeConfig{
					Binary: s.binary, Dir: t.TempDir(), Caddyfile: config, Upstream: way, DatabaseURL: s.databaseURL, RPCURL: s.chain.RPCURL(),
					Settler: s.chain.Settler(), PayTo: payTo, IdentitySecret: identitySecret, DecisionTimeout: decisionTimeout,
				})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = edges[i].Kill() })
			}
			p := s.purse(t, 100)
			c := call{url: edges[0].URL("/v1/scrapes"), body: fmt.Sprintf(scrapeOutput, s.pages.fresh())}.with(append(p.bearer(), "Idempotency-Key", "late")...)
			c.with(lateHeader, "yes").do(t).wantUsed(t, http.StatusOK, "1", "99")
			again := c
			again.url = edges[1].URL("/v1/scrapes")
			tell := func() {
				t.Helper()
				got := again.do(t)
				got.refused(t, http.StatusConflict, "idempotency_key_in_progress", "Nothing was done or charged")
				if got.header.Get("Retry-After") == "" {
					t.Errorf("got no Retry-After with %s", got.body)
				}
			}
			tell()
			if isKilled {
				if err := edges[0].Kill(); err != nil {
					t.Fatal(err)
				}
				tell()
			}
			if err := lock.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := map[bool]string{false: "0", true: "1"}[isKilled]
			if got := until(t, func() (answer, error) { return again.try(t.Context()) }); got.header.Get("X-Credits-Used") != want {
				t.Errorf("got %s credits used, want %s", got.header.Get("X-Credits-Used"), want)
			}
			again.do(t).wantReplayed(t)
			p.wantSpent(t, 1)
		})
	}
}
