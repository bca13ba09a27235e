package x402

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

// NextFunc is what a paid request runs: the upstream.
type NextFunc = func(http.ResponseWriter, *http.Request, Claim) error

// Gate takes payment for requests. It is safe for concurrent use, and several
// gates at several edges may share one store.
type Gate struct {
	cfg      Config
	process  *Process
	suspects *limiter
	signIns  *limiter
	checks   checks
	closed   chan struct{}  // closed by Close
	writing  sync.WaitGroup // of endings
}

// NewGate returns a gate, or all faults of its configuration.
func NewGate(cfg Config) (*Gate, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("x402 gate: %w", err)
	}
	cfg = cfg.withDefaults()
	return &Gate{
		cfg:      cfg,
		process:  cfg.Process,
		suspects: newLimiter(cfg.SuspectsPerMinute),
		signIns:  newLimiter(signInsPerSuspect * cfg.SuspectsPerMinute),
		closed:   make(chan struct{}),
	}, nil
}

// Open tells other processes what this gate settles. Before that is known it takes no
// payments. After an error it is told later.
func (g *Gate) Open(ctx context.Context) error { return g.process.join(ctx, g.settles(), 1) }

// Close writes down what is still to be, and tells other processes that this gate
// settles no more. No request may be under way. Close it once.
func (g *Gate) Close(ctx context.Context) error {
	close(g.closed)
	g.writing.Wait()
	_, err := g.writeEndings(ctx)
	return errors.Join(err, g.process.join(ctx, g.settles(), -1))
}

// settles is what this gate settles, each "network/asset".
func (g *Gate) settles() []string {
	names := make([]string, len(g.cfg.Accepts))
	for i, a := range g.cfg.Accepts {
		names[i] = settledAs(a.Network.ID(), a.Network.Asset.Hex())
	}
	return names
}

// InFlight returns how many payments this process is at work on.
func (g *Gate) InFlight() int { return len(g.process.active.list()) }

// Counts says what all edges have still to bring to its end, and what is owed to
// payers, as the store has it.
func (g *Gate) Counts(ctx context.Context) (Counts, error) { return g.cfg.Store.Counts(ctx) }

// Stranded says how many claims are not at their end that no process settles.
func (g *Gate) Stranded(ctx context.Context) (int, error) { return g.cfg.Store.Stranded(ctx) }

// visit is one request on its way through the gate.
type visit struct {
	gate    *Gate
	started time.Time

	w     http.ResponseWriter
	r     *http.Request
	offer Offer
	reqs  []Requirements
	next  NextFunc

	payment     *Payment
	req         *Requirements
	key         Key
	payloadHash [32]byte
	requestHash [32]byte
	identifier  string // of the purchase, or empty
	// approved: the facilitator has found the payment good, so the payer stands by it.
	approved bool
}

// Serve answers r: with a challenge if it is not paid for, with a refusal and a
// fresh challenge if it is paid wrongly, and with next's response and a receipt
// otherwise. body is the request's body where it was read (next still reads it
// from r); a payment is bound to it. An OPTIONS request must not be brought here.
//
// next runs at most once per call, and once over all copies of a payment. Its
// error is returned and its panic raised again, after the claim has been
// released (nothing is charged) or, under settle-before, a refund recorded.
// Serve's own errors wrap [ErrUnavailable]; nothing has been written to w then.
func (g *Gate) Serve(w http.ResponseWriter, r *http.Request, offer Offer, body []byte, next NextFunc) error {
	if err := offer.validate(); err != nil {
		return fmt.Errorf("x402: %w", err)
	}
	if err := g.process.Live(); err != nil {
		return unavailable("taking payment", err)
	}
	v := &visit{gate: g, started: g.cfg.Now(), w: w, r: r, offer: offer, reqs: g.requirements(&offer), next: next}
	payment, refusal := readPayment(r.Header)
	if refusal != nil {
		return v.refuse(refusal)
	}
	if signIn := r.Header.Values(HeaderSignIn); payment == nil && len(signIn) > 0 && !g.cfg.NoSignIns {
		v.requestHash = hashRequest(r, offer.Resource, body)
		return g.serveSignedIn(v, signIn)
	}
	if payment == nil {
		return v.refuse(refuse(CodePaymentRequired, "this costs %s USDC: repeat the request with a payment for one of the offers", offer.Amount))
	}
	v.payment = payment
	if refusal := v.identify(); refusal != nil {
		return v.refuse(refusal)
	}
	if v.req, refusal = matchRequirements(payment, v.reqs); refusal != nil {
		network, ok := payment.sentOn()
		if !ok {
			return v.refuse(refusal)
		}
		v.req = &Requirements{Network: network}
	}
	v.key = Key{
		Network: v.req.Network.ID(),
		Asset:   v.req.Network.Asset.Hex(),
		Payer:   payment.Authorization.From.Hex(),
		Nonce:   payment.Authorization.Nonce,
	}
	v.payloadHash = payment.hash()
	v.requestHash = hashRequest(r, offer.Resource, body)
	if refusal != nil { // an edge that settles on that network may have taken it
		return g.refuseUnlessCopy(v, refusal, g.cfg.Now())
	}
	return g.admit(v)
}

func (g *Gate) requirements(o *Offer) []Requirements {
	// Whole seconds, rounded up: the protocol has no fractions.
	timeout := (o.UpstreamTimeout + offerSlack + time.Second - 1).Truncate(time.Second)
	reqs := make([]Requirements, len(g.cfg.Accepts))
	for i, a := range g.cfg.Accepts {
		reqs[i] = Requirements{
			Network: a.Network, PayTo: a.PayTo, Amount: o.Amount, MaxTimeout: timeout,
			Resource: o.Resource, Description: o.Description, MimeType: o.MimeType,
		}
	}
	return reqs
}

// hashRequest identifies what a payment is spent on. Lengths go in front, so
// that no two requests run into one another.
func hashRequest(r *http.Request, resource string, body []byte) [32]byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.Method), []byte(resource), []byte(r.URL.RequestURI()), body} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	return [32]byte(h.Sum(nil))
}

func (v *visit) refuse(why *Refusal) error {
	v.judged(why.Code)
	return v.writeChallenge(why, nil)
}

// admit judges a payment whose shape is good, and runs the request under it or
// answers it as the copy of an earlier one.
func (g *Gate) admit(v *visit) error {
	now := g.cfg.Now()
	terms := Terms{Offers: v.reqs, Settle: v.offer.Settle, UpstreamTimeout: v.offer.UpstreamTimeout}
	if refusal := terms.check(v.payment, v.req, now); refusal != nil {
		return g.refuseUnlessCopy(v, refusal, now)
	}
	if !v.payment.SignedByPayer(v.req.Network) {
		// It may be a contract's, which only the chain can tell.
		if wait := g.suspects.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
			return v.refuse(refuse(CodeSignature, "the signature is not one by the payer's key, and whether the payer is a contract "+
				"that stands by it was not looked up: too many such payments have come from this address, try again later").again(wait))
		}
	}
	for {
		rec, err := g.find(v.r.Context(), v.key)
		switch {
		case errors.Is(err, ErrNoClaim):
		case err != nil:
			return unavailable("looking for an earlier claim", err)
		case rec.State == StateReleased && rec.PayloadHash == v.payloadHash:
		default:
			if again, err := g.answerCopy(v, rec); !again {
				return err
			}
			continue // released in the meantime
		}
		if answered, err := g.answerIdentified(v); answered {
			return err
		}
		taken, err := g.take(v)
		if taken || err != nil {
			return err
		}
	}
}

// refuseUnlessCopy refuses a payment that is not good now. It may have been good
// when it was taken: a copy of a payment is answered for some time after it has
// lapsed, and also if the price has changed in between. Whether it is one is only
// looked up for what the payer's key has signed: anybody can make up the rest.
func (g *Gate) refuseUnlessCopy(v *visit, refusal *Refusal, now time.Time) error {
	if now.After(v.payment.lapsesAt().Add(keepAfterLapse)) || !v.payment.SignedByPayer(v.req.Network) {
		return v.refuse(refusal)
	}
	if wait := g.suspects.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
		refusal.Message += " (too many such payments have come from this address: an answer that was paid for earlier is given again later)"
		return v.refuse(refusal.again(wait))
	}
	rec, err := g.find(v.r.Context(), v.key)
	switch {
	case errors.Is(err, ErrNoClaim):
		return v.refuse(refusal)
	case err != nil:
		return unavailable("looking for an earlier claim", err)
	case rec.PayloadHash != v.payloadHash, rec.RequestHash != v.requestHash:
		return v.refuse(refusal)
	}
	again, err := g.answerCopy(v, rec)
	if again { // released, and not good enough to be claimed again
		return v.refuse(refusal)
	}
	return err
}

// take checks the payment on chain, claims it and runs the request. It reports
// false if another copy, or another payment for the purchase, was faster.
func (g *Gate) take(v *visit) (bool, error) {
	seen, err := g.check(v)
	if err != nil {
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok {
			v.judged(CodeUnexpectedVerify)
			return true, err
		}
		if refusal.Code == CodeSignature || refusal.Code == CodeUndeployed {
			return true, v.refuse(refusal) // which is so whatever became of copies
		}
		if g.overtaken(v) {
			return false, nil
		}
		return true, v.refuse(refusal)
	}
	v.approved = true
	rec := g.newRecord(v)
	g.process.active.add(rec.ID)
	defer g.process.active.remove(rec.ID)
	stored, won, err := g.claim(v, rec, seen)
	if short, ok := errors.AsType[*InFlightError](err); ok {
		if g.overtaken(v) {
			return false, nil
		}
		return true, v.refuse(short.refusal(seen, rec.Amount))
	}
	if errors.Is(err, ErrUnpaidTries) {
		return true, v.refuse(refuseTries())
	}
	if errors.Is(err, ErrGasBudget) {
		v.judged(CodeUnexpectedVerify)
		g.cfg.Observer.GasRefused(GasBudget)
		return true, unavailable("claiming the payment", err)
	}
	v.judged("")
	if err != nil {
		return true, unavailable("claiming the payment", err)
	}
	if !won {
		return false, nil
	}
	return true, g.run(v, stored)
}

// overtaken reports whether the payment may have been refused because another has
// just been settled: one on its nonce, such as a copy, or one for the same purchase,
// which has taken the payer's last money.
func (g *Gate) overtaken(v *visit) bool {
	if rec, err := g.find(v.r.Context(), v.key); err == nil && rec.State != StateReleased {
		return true
	}
	if v.identifier == "" || !v.payment.SignedByPayer(v.req.Network) {
		return false
	}
	rec, err := g.findIdentified(v.r.Context(), v.identity())
	return err == nil && rec.Key != v.key
}

// check asks the facilitator, once for all copies that come at the same time.
// The work does not end with the client that happened to ask first.
func (g *Gate) check(v *visit) (Checked, error) {
	seen, err := g.checks.do(v, g.cfg.VerifyTimeout, func(ctx context.Context) (Checked, error) {
		return g.cfg.Facilitator.Verify(ctx, v.payment, v.req)
	})
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return seen, refusal
	}
	if err != nil {
		return seen, unavailable("checking the payment", err)
	}
	return seen, nil
}

// keepAfterLapse is how long after a payment has lapsed its copies are answered.
const keepAfterLapse = 10 * time.Minute

// keepMost bounds how long an answer is kept whatever the payment says.
const keepMost = 24 * time.Hour

func (g *Gate) newRecord(v *visit) *Record {
	now := g.cfg.Now()
	lapses := v.payment.lapsesAt()
	keep := lapses
	if latest := now.Add(keepMost); keep.After(latest) {
		keep = latest
	}
	return &Record{
		ID: uuid.Must(uuid.NewV7()), Key: v.key, Version: v.payment.Version,
		PayTo: v.req.PayTo.Hex(), Amount: v.req.Amount, Payment: []byte(v.payment.raw),
		PayloadHash: v.payloadHash, RequestHash: v.requestHash,
		Method: v.r.Method, URI: v.offer.Resource, Operation: v.offer.Operation, Settle: v.offer.Settle,
		LapsesAt: lapses, KeepUntil: keep.Add(keepAfterLapse), Identifier: v.identifier, EdgeID: g.process.ID(), CreatedAt: now,
	}
}

// storeContext is for what must be written down although the client leaves.
func (g *Gate) storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), g.cfg.StoreTimeout)
}

func unavailable(doing string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnavailable, doing, err)
}
