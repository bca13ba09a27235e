package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
)

// double is a facilitator that verifies well and settles badly until it is healed.
type double struct {
	town   *town
	fault  func(d *double, w http.ResponseWriter, r *http.Request)
	healed atomic.Bool
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/settle" || d.healed.Load() {
		d.town.server.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	d.fault(d, w, r)
}

// charge settles the payment and returns the transaction.
func (d *double) charge(r *http.Request) string {
	got := httptest.NewRecorder()
	d.town.server.ServeHTTP(got, r)
	var answer x402.SettleResponse
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || !answer.Success {
		d.town.Errorf("the double could not charge: %d %s", got.Code, got.Body)
	}
	return answer.Transaction
}

// remote returns a client of the double, with or without a node.
func (d *double) remote(timeout time.Duration, node x402.Confirmer) *remote.Facilitator {
	return newRemote(d.town, d, func(c *remote.Config) { c.Timeout, c.Chain = timeout, node })
}

// hasty settles with a shorter timeout than it verifies.
type hasty struct {
	*remote.Facilitator

	settler *remote.Facilitator
}

func (h *hasty) Settle(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	return h.settler.Settle(ctx, p, req)
}

// The client's first result, while the fault lasts.
const (
	firstPaid    = "paid"
	firstPending = "pending"
	firstRefused = "refused"
	firstEither  = "paid or pending" // depends on timing
)

type settleFault struct {
	first string
	// short: the fault ends only with the timeout.
	short bool
	do    func(d *double, w http.ResponseWriter, r *http.Request)
}

func settleFaults(c *town) map[string]settleFault {
	other, err := c.facilitator.Settle(c.Context(), c.Payment(2, nil), c.Req)
	if err != nil {
		c.Fatal(err)
	}
	reverted := c.Reverted()
	says := func(status int, text string) func(*double, http.ResponseWriter, *http.Request) {
		return func(_ *double, w http.ResponseWriter, r *http.Request) { x402test.Saying(status, text)(w, r) }
	}
	refusal := func(reason string) string {
		return `{"success":false,"errorReason":"` + reason + `","transaction":"","network":"base-sepolia"}`
	}
	success := func(hash string) string {
		return `{"success":true,"transaction":"` + hash + `","network":"base-sepolia"}`
	}
	charged := func(do func(*double, http.ResponseWriter, *http.Request)) func(*double, http.ResponseWriter, *http.Request) {
		return func(d *double, w http.ResponseWriter, r *http.Request) {
			d.charge(r)
			do(d, w, r)
		}
	}
	drop := func(*double, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	hang := func(_ *double, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	truncated := success(x402test.SampleHash)[:60]
	huge := `{"x":"` + strings.Repeat("x", 2*1<<20) + `"}`
	return map[string]settleFault{
		"drop":                         {firstPending, false, drop},
		"drop after broadcast":         {firstPaid, false, charged(drop)},
		"hang":                         {firstPending, true, hang},
		"hang after broadcast":         {firstEither, true, charged(hang)},
		"500":                          {firstPending, false, says(500, "oops")},
		"500 after broadcast":          {firstPaid, false, charged(says(500, "oops"))},
		"503 after broadcast":          {firstPaid, false, charged(says(503, "later"))},
		"refuse":                       {firstRefused, false, says(200, refusal("insufficient_funds"))},
		"refuse after broadcast":       {firstPaid, false, charged(says(200, refusal("insufficient_funds")))},
		"refuse with 400, charged":     {firstPaid, false, charged(says(400, refusal("invalid_exact_evm_signature")))},
		"fail":                         {firstPending, false, says(200, refusal("invalid_exact_evm_transaction_failed"))},
		"fail after broadcast":         {firstPaid, false, charged(says(200, refusal("invalid_exact_evm_transaction_failed")))},
		"front-run":                    {firstPaid, false, charged(says(200, refusal("invalid_exact_evm_nonce_already_used")))},
		"front-run, and in other word": {firstPaid, false, charged(says(200, refusal("not_on_tuesdays")))},
		"lie: no such transaction":     {firstPending, true, says(200, success(x402test.SampleHash))},
		"lie: another's transaction":   {firstPending, false, says(200, success(other.Transaction))},
		"lie: a failed transaction":    {firstPending, false, says(200, success(reverted))},
		"lie: no hash":                 {firstPending, false, says(200, success(""))},
		"wrong hash after broadcast":   {firstPaid, false, charged(says(200, success(other.Transaction)))},
		"truncated":                    {firstPending, false, says(200, truncated)},
		"truncated after broadcast":    {firstPaid, false, charged(says(200, truncated))},
		"huge":                         {firstPending, false, says(200, huge)},
		"huge after broadcast":         {firstPaid, false, charged(says(200, huge))},
		"redirect": {firstPending, false, func(_ *double, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/else", http.StatusTemporaryRedirect)
		}},
		"pending": {firstPaid, false, func(d *double, w http.ResponseWriter, r *http.Request) {
			x402test.Saying(200, `{"success":false,"errorReason":"settlement_pending","transaction":"`+d.charge(r)+`"}`)(w, r)
		}},
	}
}

// TestSettlementFaults has a gate settle through a facilitator that fails in every way. Every payer who is charged is
// served or owed a refund, nothing is delivered unpaid, and once the facilitator works again, the same payment is served once.
func TestSettlementFaults(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	var done sync.WaitGroup
	for name, fault := range settleFaults(c) {
		for i, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
			// In parallel, since most of the time is waiting for blocks.
			run := newFaultRun(c, fmt.Sprintf("%s, settle %s", name, settle), fault, settle, 1+i)
			done.Go(run.play)
		}
	}
	done.Wait()
}

// faultRun plays one fault through.
type faultRun struct {
	*booth

	name   string
	town   *town
	double *double
	fault  settleFault
	payTo  common.Address
	well   *Gate // whose facilitator is healed
	header [2]string
}

func newFaultRun(c *town, name string, fault settleFault, settle price.Settle, version int) *faultRun {
	c.Helper()
	r := &faultRun{name: name, town: c, fault: fault, double: &double{town: c, fault: fault.do}, payTo: crypto.PubkeyToAddress(x402test.NewKey(c).PublicKey)}
	patient := r.double.remote(time.Minute, c.watcher)
	var f x402.Facilitator = patient
	if fault.short {
		f = &hasty{patient, r.double.remote(2*time.Second, c.watcher)}
	}
	with := func(f x402.Facilitator) func(*Config) {
		return func(cfg *Config) {
			cfg.Facilitator, cfg.Now, cfg.VerifyTimeout = f, time.Now, time.Minute
			cfg.Accepts = []Acceptance{{Network: x402.BaseSepolia(), PayTo: r.payTo}}
		}
	}
	r.booth = newBooth(c.t, with(f))
	r.well = r.newGate(with(patient))
	r.offer.Settle, r.offer.UpstreamTimeout = settle, 5*time.Minute
	buyer, err := client.New(client.Config{Client: &http.Client{Timeout: 10 * time.Second}, Key: c.Chain.Wallet(), Version: version})
	if err != nil {
		c.Fatal(err)
	}
	signed, err := buyer.Sign(r.serve(r.request()).Result())
	if err != nil {
		c.Fatal(err)
	}
	r.header = [2]string{signed.HeaderName, signed.HeaderValue}
	return r
}

func (r *faultRun) play() {
	first := r.serve(r.request(r.header[:]...))
	got := r.check("first", first)
	if got != r.fault.first && (r.fault.first != firstEither || got == firstRefused) {
		r.Errorf("%s: first got %s, want %s: %d %s", r.name, got, r.fault.first, first.Code, first.Body)
	}
	r.double.healed.Store(true)
	if r.offer.Settle == price.SettleAfter { // the edge looks by itself, otherwise the client has to ask
		if err := r.gate.Recover(r.Context()); err != nil {
			r.Logf("%s: recover: %v", r.name, err)
		}
	}
	again := r.serveAt(r.well, r.request(r.header[:]...), "body")
	want := firstPaid
	if got == firstRefused {
		want = firstRefused
	}
	if got := r.check("again", again); got != want {
		r.Errorf("%s: again got %s, want %s: %d %s", r.name, got, want, again.Code, again.Body)
	}
	if ran := r.ran(); ran > 1 || want == firstPaid && ran != 1 {
		r.Errorf("%s: the upstream ran %d times", r.name, ran)
	}
}

// Check compares a response with the chain and the claim.
func (r *faultRun) check(when string, a *answer) string {
	if a.err != nil {
		return a.err.Error()
	}
	balance := r.town.Balance(r.payTo)
	charged, state := balance > 0, r.claim().State
	if balance > uint64(r.offer.Amount) {
		r.Errorf("%s: %s: charged %d, want %s once", r.name, when, balance, r.offer.Amount.Units())
	}
	switch {
	case a.Code == http.StatusOK && a.Body.String() == "report":
		if receipt := a.receipt(r.T); !charged || state != claims.StateSettled || receipt == nil || !receipt.Success {
			r.Errorf("%s: %s: delivered with charged %v, state %s, receipt %+v", r.name, when, charged, state, receipt)
		}
		return firstPaid
	case a.Code == http.StatusServiceUnavailable && a.code() == x402.CodeSettlementPending:
		if state != claims.StateUnknown {
			r.Errorf("%s: %s: told to wait in state %s", r.name, when, state)
		}
		return firstPending
	case a.Code == http.StatusPaymentRequired:
		if charged || state != claims.StateFailed {
			r.Errorf("%s: %s: challenged again with charged %v, state %s", r.name, when, charged, state)
		}
		return firstRefused
	default:
		return fmt.Sprintf("%d %s", a.Code, a.code())
	}
}

// TestChargedWhileNobodySaw: without a node the outcome stays unknown, and a gate with a node finds it out. A payer who
// does not come back is owed a refund under settle-before; under settle-after the response is kept.
func TestChargedWhileNobodySaw(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		drop := settleFault{do: func(d *double, _ http.ResponseWriter, r *http.Request) {
			d.charge(r)
			panic(http.ErrAbortHandler)
		}}
		r := newFaultRun(c, string(settle), drop, settle, 2)
		var later atomic.Int64 // seconds
		gate := func(node x402.Confirmer) *Gate {
			return r.newGate(func(cfg *Config) {
				cfg.Facilitator, cfg.Process, cfg.Store = r.double.remote(30*time.Second, node), r.gate.process, r.store
				cfg.Accepts = []Acceptance{{Network: x402.BaseSepolia(), PayTo: r.payTo}}
				cfg.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load()) * time.Second) }
			})
		}
		blind, seeing := gate(nil), gate(c.watcher)
		a := r.serveAt(blind, r.request(r.header[:]...), "body")
		if got := r.check("blind", a); got != firstPending {
			t.Fatalf("got %s, want pending: without a node nobody knows", got)
		}
		// The facilitator now refuses the payment, only because it has settled it already.
		r.double.fault = func(_ *double, w http.ResponseWriter, r *http.Request) {
			x402test.Saying(200, `{"success":false,"errorReason":"insufficient_funds"}`)(w, r)
		}
		if got := r.check("blind again", r.serveAt(blind, r.request(r.header[:]...), "body")); got != firstPending {
			t.Errorf("got %s, want pending: a later refusal may be the consequence of the charge", got)
		}
		if err := seeing.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.wantState(claims.StateSettled)
		if settle == price.SettleAfter {
			r.wantPaid(r.serveAt(seeing, r.request(r.header[:]...), "body"))
			continue
		}
		later.Store(int64(time.Hour / time.Second))
		if err := seeing.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.wantState(claims.StateRefundDue)
	}
}

// TestVerifyFaults shows that a facilitator that cannot verify charges nobody.
func TestVerifyFaults(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"drop": x402test.Dropping, "500": x402test.Saying(500, "oops"), "redirect": http.RedirectHandler("/else", http.StatusTemporaryRedirect).ServeHTTP,
		"truncated": x402test.Saying(200, `{"isVal`), "huge": x402test.Saying(200, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`),
		"not found out": x402test.Saying(200, `{"isValid":false,"invalidReason":"unexpected_verify_error"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRemote(t, handler, nil)
			b := newBooth(t, func(cfg *Config) { cfg.Facilitator, cfg.Logger = f, slog.New(slog.DiscardHandler) })
			a := b.serve(b.request(b.pay(2)...))
			if a.err == nil || b.ran() != 0 {
				t.Errorf("got %d, %v after %d runs, want an error and none", a.Code, a.err, b.ran())
			}
			if m, ok := b.store.(*claims.Memory); !ok || len(m.Records()) != 0 {
				t.Error("something was written down")
			}
		})
	}
}
