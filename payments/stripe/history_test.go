package stripe

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var (
	histories   = flag.Int("histories", 500, "how many histories TestHistories plays")
	historySeed = flag.Uint64("history-seed", 0, "their seed; 0 takes a new one")
	onlyHistory = flag.Int("history", -1, "play only the history of this number, and tell it")
)

// TestHistories plays seeded histories of purchases, crashes, lost answers, late and duplicate events, refunds and
// disputes, and compares what was credited with what was really charged. A failed history can be replayed alone by its
// seed and number.
func TestHistories(t *testing.T) {
	t.Parallel()
	seed, count := *historySeed, *histories
	if seed == 0 {
		seed = rand.Uint64()
	}
	first, last := 0, count
	if *onlyHistory >= 0 {
		first, last = *onlyHistory, *onlyHistory+1
	}
	began := time.Now()
	run := playAll(t, seed, first, last, nil)
	for _, f := range run.failures {
		t.Errorf("%s\nplay it again: go test ./payments/stripe -run TestHistories -history-seed %d -history %d -v", f.text, seed, f.n)
	}
	t.Logf("seed %d: %d histories in %s; %d purchases tried, %d payments charged, %d cents charged, %d cents kept, %d credits kept",
		seed, last-first, time.Since(began).Round(time.Millisecond), run.total.tried, run.total.payments, run.total.charged, run.total.net, run.total.credits)
	if *onlyHistory < 0 && count >= 10_000 {
		run.checkCoverage(t)
	}
}

// Shows that the histories find a typical mistake: with a new idempotency key for each request to Stripe, a lost answer
// leads to a second charge.
func TestHistoriesFindKeysThatAreMintedAnew(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	run := playAll(t, 7, 0, 60, func(r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents" {
			r.Header.Set("Idempotency-Key", fmt.Sprintf("anew-%d", n.Add(1)))
		}
	})
	for _, f := range run.failures {
		if strings.Contains(f.text, "charged twice") {
			return
		}
	}
	t.Errorf("histories with keys minted anew: got %d failures, none of them a second charge", len(run.failures))
}

type failure struct {
	n    int
	text string
}

type totals struct{ tried, payments, charged, net, credits int64 }

type playing struct {
	mu       sync.Mutex
	failures []failure
	coverage map[string]int
	total    totals
}

func playAll(t *testing.T, seed uint64, first, last int, meddle func(*http.Request)) *playing {
	t.Helper()
	run := &playing{coverage: map[string]int{}}
	var next atomic.Int64
	next.Store(int64(first))
	var workers sync.WaitGroup
	for range min(2*runtime.GOMAXPROCS(0), 1+(last-first)/100) {
		pool := openPool(t)
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < last; n = int(next.Add(1)) - 1 {
				h := newHistory(t, pool, seed, n, meddle)
				text := h.play()
				run.add(h, n, text)
				if text != "" { // what it left open would disturb the next one
					return
				}
			}
		})
	}
	workers.Wait()
	return run
}

func (run *playing) add(h *history, n int, text string) {
	run.mu.Lock()
	defer run.mu.Unlock()
	if text != "" {
		run.failures = append(run.failures, failure{n, text})
	}
	for what, times := range h.coverage {
		run.coverage[what] += times
	}
	run.total.tried += h.total.tried
	run.total.payments += h.total.payments
	run.total.charged += h.total.charged
	run.total.net += h.total.net
	run.total.credits += h.total.credits
}

// checkCoverage makes sure that the histories contained every kind of trouble.
func (run *playing) checkCoverage(t *testing.T) {
	t.Helper()
	for _, want := range []string{
		"killed before OpenTopup", "killed after OpenTopup", "killed after POST payment_intents", "killed before POST payment_intents",
		"killed before CreditTopup", "killed after CreditTopup", "killed before commit", "killed after commit",
		"database away before CreditTopup", "database away after CreditTopup", "answer lost after OpenTopup", "answer lost after POST payment_intents",
		"webhooks before CreditTopup", "sweep before CreditTopup", "sweep after POST payment_intents", "webhooks after POST payment_intents",
		"refund before CreditTopup", "dispute before CreditTopup", "another purchase after OpenTopup",
		"event delivered again", "event forged", "event late", "refund in part", "refund whole", "refund failed",
		"dispute opened", "dispute won", "dispute lost", "page paid", "key used again", "looked up after 23 hours",
	} {
		if run.coverage[want] == 0 {
			t.Errorf("coverage: %q never happened", want)
		}
	}
	for _, b := range stripetest.Behaviours() {
		if run.coverage["card "+string(b)] == 0 {
			t.Errorf("coverage: no card was %q", b)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(run.coverage)) {
		t.Logf("%7d × %s", run.coverage[what], what)
	}
}

// history is one team's top-ups.
type history struct {
	ctx      context.Context
	rng      *rand.Rand
	pool     *pgxpool.Pool
	q        *db.Queries
	clock    *clocktest.Clock
	stripe   *stripetest.Double
	meddle   func(*http.Request)
	tell     func(string, ...any)
	began    time.Time
	team     string
	account  int64
	card     string
	spent    int64
	depth    int // of nested processes
	keys     []string
	pages    []string
	waiting  []stripetest.Event // not delivered yet
	old      []stripetest.Event // delivered, and may be delivered again
	refunds  []string
	disputes []string
	credited map[string]string // reported as credited: top-up by its payment
	coverage map[string]int
	total    totals
	err      error
}

// longestDays is more than a history takes, so that no two share a time.
const longestDays = 40

func newHistory(t *testing.T, pool *pgxpool.Pool, seed uint64, n int, meddle func(*http.Request)) *history {
	c := clocktest.New()
	c.Advance(time.Duration(n) * longestDays * day)
	h := &history{
		ctx: t.Context(), rng: rand.New(rand.NewPCG(seed, uint64(n))), pool: pool, q: db.New(pool), clock: c, began: c.Now(), meddle: meddle,
		team: token.New("team"), coverage: map[string]int{}, credited: map[string]string{},
		tell: func(string, ...any) {},
	}
	if *onlyHistory >= 0 {
		h.tell = t.Logf
	}
	h.stripe = stripetest.New(stripetest.Config{Now: c.Now, Tag: strings.TrimPrefix(h.team, "team_")})
	return h
}

func (h *history) saw(what string) { h.coverage[what]++ }

// play returns what went wrong, or "".
func (h *history) play() string {
	var err error
	if h.account, err = h.q.CreateTeam(h.ctx, db.CreateTeamParams{ID: h.team, Name: "history"}); err != nil {
		return fmt.Sprintf("making a team: %v", err)
	}
	h.saveCard()
	for range 4 + h.rng.IntN(9) {
		h.step()
	}
	h.comeToRest()
	if h.err != nil {
		return h.err.Error()
	}
	return strings.Join(h.check(), "\n")
}

// process starts a service to which the planned acts happen.
func (h *history) process(plan acts) (*Service, *border) {
	b := &border{db: h.pool, acts: plan}
	b.seen = func(operation, what string) {
		h.tell("    %s%s", what, operation)
		h.saw(what + operation)
	}
	b.http = roundTrip(func(r *http.Request) (*http.Response, error) {
		if h.meddle != nil {
			h.meddle(r)
		}
		return h.stripe.Client().Transport.RoundTrip(r)
	})
	cfg := configFor(b, h.stripe, &http.Client{Transport: b}, h.clock)
	cfg.AttemptsPerDay, cfg.CentsPerDay = 1000, 1_000_000_00
	svc, err := New(cfg)
	if err != nil {
		h.faultf("making a service: %v", err)
	}
	return svc, b
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (h *history) faultf(format string, args ...any) {
	if h.err == nil {
		h.err = fmt.Errorf(format, args...)
	}
}

func (h *history) step() {
	switch h.rng.IntN(12) {
	case 0, 1, 2, 3:
		h.purchase(h.trouble())
	case 4, 5:
		h.deliverSome(1 + h.rng.IntN(4))
	case 6:
		h.sweep(h.trouble())
	case 7:
		h.pass()
	case 8:
		h.refund()
	case 9:
		h.dispute()
	case 10:
		h.payPage()
		h.finish()
	case 11:
		h.spend()
	}
}

// pass advances the clock: moments, or past every limit.
func (h *history) pass() {
	waits := []time.Duration{time.Second, 61 * time.Second, 5 * time.Minute, 50 * time.Minute, 3 * time.Hour, 23*time.Hour + time.Minute, 25 * time.Hour}
	d := waits[h.rng.IntN(len(waits))]
	h.tell("%s go by", d)
	h.clock.Advance(d)
}

func (h *history) saveCard() {
	svc, _ := h.process(acts{})
	page, err := svc.SetupPage(h.ctx, SetupRequest{TeamID: h.team})
	if err != nil {
		h.faultf("setup page: %v", err)
		return
	}
	if h.card, err = h.stripe.Complete(page, stripetest.OK); err != nil {
		h.faultf("saving a card: %v", err)
	}
}

func (h *history) purchase(plan acts) {
	behaviours := stripetest.Behaviours()
	behaviour := stripetest.OK
	if h.rng.IntN(3) > 0 {
		behaviour = behaviours[h.rng.IntN(len(behaviours))]
	}
	h.stripe.SetBehaviour(h.card, behaviour)
	h.saw("card " + string(behaviour))
	packs := price.DefaultPacks()
	credits := packs[h.rng.IntN(len(packs))].Credits
	key := ""
	switch h.rng.IntN(4) {
	case 0: // none
	case 1:
		if len(h.keys) > 0 {
			h.saw("key used again")
			key = h.keys[h.rng.IntN(len(h.keys))]
			break
		}
		fallthrough
	default:
		key = fmt.Sprintf("key-%d", len(h.keys))
		h.keys = append(h.keys, key)
	}
	if h.depth == 0 && h.rng.IntN(5) > 0 { // long enough after the last one
		h.clock.Advance(61 * time.Second)
	}
	h.total.tried++
	svc, b := h.process(plan)
	h.tell("purchase of %d with key %q, the card is %s", credits, key, behaviour)
	// The hash depends only on the key, so that one key may be used with several amounts.
	result, err := svc.Purchase(h.ctx, PurchaseRequest{
		TeamID: h.team, Credits: credits, IdempotencyKey: key, RequestHash: sha256.Sum256([]byte(key)),
	})
	h.tell("  %+v, %v", result, err)
	if b.dead { // the result reached nobody
		return
	}
	if asks, ok := errors.AsType[*AuthenticationError](err); ok && asks.ActionURL != "" {
		h.pages = append(h.pages, asks.ActionURL)
	}
	if err == nil && result.Status == Succeeded {
		h.credited[result.PaymentIntentID] = result.TopupID
	}
}

func (h *history) sweep(plan acts) {
	svc, _ := h.process(plan)
	h.tell("sweep")
	if err := svc.Sweep(h.ctx); err != nil {
		h.tell("  %v", err)
	}
}

// deliverSome delivers some of the events in any order, some of them twice, and some forged ones.
func (h *history) deliverSome(n int) {
	h.waiting = append(h.waiting, h.stripe.Events()...)
	for range n {
		if len(h.waiting) > 0 {
			at := h.rng.IntN(len(h.waiting))
			if at > 0 {
				h.saw("event late")
			}
			ev := h.waiting[at]
			h.waiting = slices.Delete(h.waiting, at, at+1)
			h.old = append(h.old, ev)
			if !h.deliver(ev) {
				h.waiting = append(h.waiting, ev)
			}
		}
		if len(h.old) > 0 && h.rng.IntN(2) == 0 {
			h.saw("event delivered again")
			h.deliver(h.old[h.rng.IntN(len(h.old))])
		}
		if len(h.old) > 0 && h.rng.IntN(8) == 0 {
			h.forge(h.old[h.rng.IntN(len(h.old))])
		}
	}
}

// deliver reports whether the event was accepted; otherwise Stripe sends it again.
func (h *history) deliver(ev stripetest.Event) bool {
	svc, _ := h.process(h.trouble())
	h.tell("event %s", ev.Type)
	err := svc.Webhook(h.ctx, ev.Payload, h.stripe.Sign(ev.Payload))
	if err != nil {
		h.tell("  %v", err)
	}
	if errors.Is(err, ErrSignature) || errors.Is(err, ErrPayloadTooLarge) {
		h.faultf("a good event was refused: %v", err)
	}
	return err == nil
}

func (h *history) forge(ev stripetest.Event) {
	h.saw("event forged")
	svc, _ := h.process(acts{})
	payload := []byte(strings.Replace(string(ev.Payload), `"evt_`, `"evt_0`, 1))
	for _, header := range []string{h.stripe.SignWith(payload, "whsec_other"), h.stripe.Sign(ev.Payload), "", "t=1,v1=00"} {
		if err := svc.Webhook(h.ctx, payload, header); !errors.Is(err, ErrSignature) {
			h.faultf("a forged event: got %v, want it refused", err)
		}
	}
}

// charged picks a payment that was charged, or none.
func (h *history) charged() (stripetest.Payment, bool) {
	payments := slices.DeleteFunc(h.stripe.Oracle().Payments, func(p stripetest.Payment) bool { return p.Charged == 0 })
	if len(payments) == 0 {
		return stripetest.Payment{}, false
	}
	return payments[h.rng.IntN(len(payments))], true
}

func (h *history) refund() {
	if len(h.refunds) > 0 && h.rng.IntN(4) == 0 {
		if h.stripe.FailRefund(h.refunds[h.rng.IntN(len(h.refunds))]) == nil {
			h.saw("refund failed")
		}
		return
	}
	p, ok := h.charged()
	if !ok || p.Charged == p.Refunded {
		return
	}
	cents, what := p.Charged-p.Refunded, "refund whole"
	if h.rng.IntN(2) == 0 {
		cents, what = 1+h.rng.Int64N(cents), "refund in part"
	}
	if id, err := h.stripe.Refund(p.ID, cents); err == nil {
		h.tell("refund of %d cents of %s", cents, p.ID)
		h.refunds = append(h.refunds, id)
		h.saw(what)
	}
}

func (h *history) dispute() {
	if len(h.disputes) > 0 && h.rng.IntN(2) == 0 {
		won := h.rng.IntN(2) == 0
		if h.stripe.CloseDispute(h.disputes[h.rng.IntN(len(h.disputes))], won) == nil {
			h.tell("a dispute is won: %t", won)
			h.saw(map[bool]string{true: "dispute won", false: "dispute lost"}[won])
		}
		return
	}
	if p, ok := h.charged(); ok {
		if id, err := h.stripe.Dispute(p.ID); err == nil {
			h.tell("dispute of %s", p.ID)
			h.disputes = append(h.disputes, id)
			h.saw("dispute opened")
		}
	}
}

// payPage pays a page as the owner does, with one card or another.
func (h *history) payPage() {
	if len(h.pages) == 0 {
		return
	}
	cards := []stripetest.Behaviour{stripetest.OK, stripetest.AuthenticationRequired, stripetest.InsufficientFunds, stripetest.ProcessingSucceeds}
	card := cards[h.rng.IntN(len(cards))]
	if _, err := h.stripe.Complete(h.pages[h.rng.IntN(len(h.pages))], card); err == nil {
		h.tell("a page is paid with a card that is %s", card)
		h.saw("page paid")
	}
}

func (h *history) finish() {
	for _, p := range h.stripe.Oracle().Payments {
		h.stripe.Finish(p.ID)
	}
}

func (h *history) spend() {
	a, err := h.q.CreditBalance(h.ctx, h.team)
	if err != nil {
		h.faultf("reading the account: %v", err)
		return
	}
	if a.Balance > 0 {
		credits := 1 + h.rng.Int64N(a.Balance)
		if err := spend(h.ctx, h.pool, h.account, credits); err != nil {
			h.faultf("spending: %v", err)
		}
		h.spent += credits
	}
}
