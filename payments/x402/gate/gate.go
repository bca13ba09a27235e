package gate

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

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// NextFunc runs a paid request: it calls the upstream.
type NextFunc = func(http.ResponseWriter, *http.Request, x402.Claim) error

// Gate takes payment for requests. It is safe for concurrent use, and several gates on several edges may share one
// store.
type Gate struct {
	cfg        Config
	process    *Process
	unverified *limiter
	signIns    *limiter
	checks     checks
	closed     chan struct{}  // closed by Close
	writing    sync.WaitGroup // of outcomes that were not stored
}

// NewGate returns a gate, or an error with all faults of its configuration.
func NewGate(cfg Config) (*Gate, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("x402 gate: %w", err)
	}
	cfg = cfg.withDefaults()
	return &Gate{
		cfg:        cfg,
		process:    cfg.Process,
		unverified: newLimiter(cfg.UnverifiedPerMinute),
		signIns:    newLimiter(signInsPerUnverified * cfg.UnverifiedPerMinute),
		closed:     make(chan struct{}),
	}, nil
}

// Open announces to other processes what this gate settles. Until then, the gate takes no payments. After an error, it
// is announced later.
func (g *Gate) Open(ctx context.Context) error { return g.process.join(ctx, g.settles(), 1) }

// Close writes outcomes that are not stored yet, and announces to other processes that this gate settles no more. No
// request may be in progress. Call it once.
func (g *Gate) Close(ctx context.Context) error {
	close(g.closed)
	g.writing.Wait()
	_, err := g.writeEndings(ctx)
	return errors.Join(err, g.process.join(ctx, g.settles(), -1))
}

// settles lists what this gate settles, each as "network/asset".
func (g *Gate) settles() []string {
	names := make([]string, len(g.cfg.Accepts))
	for i, a := range g.cfg.Accepts {
		names[i] = claims.SettledAs(a.Network.ID(), a.Network.Asset.Hex())
	}
	return names
}

// InFlight returns how many payments this process works on.
func (g *Gate) InFlight() int { return len(g.process.active.list()) }

// Counts returns the open claims of all edges and the refunds that are due, as the store has them.
func (g *Gate) Counts(ctx context.Context) (claims.Counts, error) { return g.cfg.Store.Counts(ctx) }

// Stranded returns the number of open claims that no process settles.
func (g *Gate) Stranded(ctx context.Context) (int, error) { return g.cfg.Store.Stranded(ctx) }

// visit is one request on its way through the gate.
type visit struct {
	gate    *Gate
	started time.Time

	w     http.ResponseWriter
	r     *http.Request
	offer x402.Offer
	reqs  []x402.Requirements
	next  NextFunc

	payment     *x402.Payment
	req         *x402.Requirements
	key         claims.Key
	payloadHash [32]byte
	requestHash [32]byte
	identifier  string // of the purchase; may be empty
	// approved says that the facilitator has accepted the payment, so its signature is verified.
	approved bool
}

// Serve handles r: an unpaid request gets a challenge, a wrongly paid one a refusal with a fresh challenge, and a paid
// one the response of next with a receipt. body is the request's body if it was read (next still reads it from r); the
// payment is bound to it. Do not pass OPTIONS requests.
//
// next runs at most once per call, and once for all requests that carry the same payment. Its error is returned and its
// panic raised again, after the claim was released (nothing is charged) or, under settle-before, a refund was recorded.
// Serve's own errors wrap [x402.ErrUnavailable]; nothing has been written to w then.
func (g *Gate) Serve(w http.ResponseWriter, r *http.Request, offer x402.Offer, body []byte, next NextFunc) error {
	if err := offer.Validate(); err != nil {
		return fmt.Errorf("x402: %w", err)
	}
	if err := g.process.Live(); err != nil {
		return unavailable("taking payment", err)
	}
	v := &visit{gate: g, started: g.cfg.Now(), w: w, r: r, offer: offer, reqs: g.requirements(&offer), next: next}
	payment, refusal := x402.ReadPayment(r.Header)
	if refusal != nil {
		return v.refuse(refusal)
	}
	if signIn := r.Header.Values(x402.HeaderSignIn); payment == nil && len(signIn) > 0 && !g.cfg.NoSignIns {
		v.requestHash = hashRequest(r, offer.Resource, body)
		return g.serveSignedIn(v, signIn)
	}
	if payment == nil {
		return v.refuse(x402.Refuse(x402.CodePaymentRequired, "this costs %s USDC: repeat the request with a payment for one of the offers", offer.Amount))
	}
	v.payment = payment
	if refusal := v.identify(); refusal != nil {
		return v.refuse(refusal)
	}
	if v.req, refusal = x402.MatchRequirements(payment, v.reqs); refusal != nil {
		network, ok := payment.SentOn()
		if !ok {
			return v.refuse(refusal)
		}
		v.req = &x402.Requirements{Network: network}
	}
	v.key = claims.Key{
		Network: v.req.Network.ID(),
		Asset:   v.req.Network.Asset.Hex(),
		Payer:   payment.Authorization.From.Hex(),
		Nonce:   payment.Authorization.Nonce,
	}
	v.payloadHash = payment.Hash()
	v.requestHash = hashRequest(r, offer.Resource, body)
	if refusal != nil { // an edge that settles on that network may have claimed it
		return g.refuseUnlessCopy(v, refusal, g.cfg.Now())
	}
	return g.admit(v)
}

func (g *Gate) requirements(o *x402.Offer) []x402.Requirements {
	// Whole seconds, rounded up: the protocol has no fractions.
	timeout := (o.UpstreamTimeout + x402.OfferSlack + time.Second - 1).Truncate(time.Second)
	reqs := make([]x402.Requirements, len(g.cfg.Accepts))
	for i, a := range g.cfg.Accepts {
		reqs[i] = x402.Requirements{
			Network: a.Network, PayTo: a.PayTo, Amount: o.Amount, MaxTimeout: timeout,
			Resource: o.Resource, Description: o.Description, MimeType: o.MimeType,
		}
	}
	return reqs
}

// hashRequest identifies what a payment is spent on. Each part is preceded by its length, so that two different
// requests never hash the same bytes.
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

func (v *visit) refuse(why *x402.Refusal) error {
	v.judged(why.Code)
	return v.writeChallenge(why, nil)
}

// admit judges a well-formed payment. It runs the request under it, or answers from the claim that the payment already
// has.
func (g *Gate) admit(v *visit) error {
	now := g.cfg.Now()
	terms := x402.Terms{Offers: v.reqs, Settle: v.offer.Settle, UpstreamTimeout: v.offer.UpstreamTimeout}
	if refusal := terms.Check(v.payment, v.req, now); refusal != nil {
		return g.refuseUnlessCopy(v, refusal, now)
	}
	if !v.payment.SignedByPayer(v.req.Network) {
		// The payer may be a contract, which only the chain can verify.
		if wait := g.unverified.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
			return v.refuse(x402.Refuse(x402.CodeSignature, "the signature is not by the payer's key, and it was not checked whether the payer is a contract "+
				"that accepts it: too many such payments have come from this address, try again later").Again(wait))
		}
	}
	for {
		rec, err := g.find(v.r.Context(), v.key)
		switch {
		case errors.Is(err, claims.ErrNotFound):
		case err != nil:
			return unavailable("looking for an earlier claim", err)
		case rec.State == claims.StateReleased && rec.PayloadHash == v.payloadHash:
		default:
			if again, err := g.answerCopy(v, rec); !again {
				return err
			}
			continue // the claim was released in the meantime
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

// refuseUnlessCopy refuses a payment that is not valid now, unless it was valid when it was claimed: a retry is
// answered for some time after the payment has lapsed, and also if the price has changed since. The claim is looked up
// only if the payer's key has signed the payment, since anybody can make up the rest.
func (g *Gate) refuseUnlessCopy(v *visit, refusal *x402.Refusal, now time.Time) error {
	if now.After(v.payment.LapsesAt().Add(keepAfterLapse)) || !v.payment.SignedByPayer(v.req.Network) {
		return v.refuse(refusal)
	}
	if wait := g.unverified.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
		refusal.Message += " (too many such payments have come from this address: try again later to get a response that was already paid for)"
		return v.refuse(refusal.Again(wait))
	}
	rec, err := g.find(v.r.Context(), v.key)
	switch {
	case errors.Is(err, claims.ErrNotFound):
		return v.refuse(refusal)
	case err != nil:
		return unavailable("looking for an earlier claim", err)
	case rec.PayloadHash != v.payloadHash, rec.RequestHash != v.requestHash:
		return v.refuse(refusal)
	}
	again, err := g.answerCopy(v, rec)
	if again { // released, and not valid enough to be claimed again
		return v.refuse(refusal)
	}
	return err
}

// take checks the payment on chain, claims it and runs the request. It returns false if another request with this
// payment, or another payment for the same purchase, was faster.
func (g *Gate) take(v *visit) (bool, error) {
	seen, err := g.check(v)
	if err != nil {
		refusal, ok := errors.AsType[*x402.Refusal](err)
		if !ok {
			v.judged(x402.CodeUnexpectedVerify)
			return true, err
		}
		if refusal.Code == x402.CodeSignature || refusal.Code == x402.CodeUndeployed {
			return true, v.refuse(refusal) // true for every request with this payment
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
	if short, ok := errors.AsType[*claims.InFlightError](err); ok {
		if g.overtaken(v) {
			return false, nil
		}
		return true, v.refuse(refuseShort(short, seen, rec.Amount))
	}
	if errors.Is(err, claims.ErrUnpaidTries) {
		return true, v.refuse(refuseTries())
	}
	if errors.Is(err, claims.ErrGasBudget) {
		v.judged(x402.CodeUnexpectedVerify)
		g.cfg.Observer.GasRefused(x402.GasBudget)
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

// overtaken reports whether the payment may have been refused because another was just settled: one with its nonce,
// such as the same payment in another request, or one for the same purchase, which took the payer's last money.
func (g *Gate) overtaken(v *visit) bool {
	if rec, err := g.find(v.r.Context(), v.key); err == nil && rec.State != claims.StateReleased {
		return true
	}
	if v.identifier == "" || !v.payment.SignedByPayer(v.req.Network) {
		return false
	}
	rec, err := g.findIdentified(v.r.Context(), v.identity())
	return err == nil && rec.Key != v.key
}

// Check asks the facilitator once for all simultaneous requests with the same payment. The check goes on if the client
// that started it leaves.
func (g *Gate) check(v *visit) (x402.Checked, error) {
	seen, err := g.checks.do(v, g.cfg.VerifyTimeout, func(ctx context.Context) (x402.Checked, error) {
		return g.cfg.Facilitator.Verify(ctx, v.payment, v.req)
	})
	if refusal, ok := errors.AsType[*x402.Refusal](err); ok {
		return seen, refusal
	}
	if err != nil {
		return seen, unavailable("checking the payment", err)
	}
	return seen, nil
}

// keepAfterLapse is how long after a payment has lapsed its retries are answered.
const keepAfterLapse = 10 * time.Minute

// keepMost limits how long a response is kept, whatever the payment says.
const keepMost = 24 * time.Hour

func (g *Gate) newRecord(v *visit) *claims.Record {
	now := g.cfg.Now()
	lapses := v.payment.LapsesAt()
	keep := lapses
	if latest := now.Add(keepMost); keep.After(latest) {
		keep = latest
	}
	return &claims.Record{
		ID: uuid.Must(uuid.NewV7()), Key: v.key, Version: v.payment.Version,
		PayTo: v.req.PayTo.Hex(), Amount: v.req.Amount, Payment: []byte(v.payment.Raw),
		PayloadHash: v.payloadHash, RequestHash: v.requestHash,
		Method: v.r.Method, URI: v.offer.Resource, Operation: v.offer.Operation, Settle: v.offer.Settle,
		LapsesAt: lapses, KeepUntil: keep.Add(keepAfterLapse), Identifier: v.identifier, EdgeID: g.process.ID(), CreatedAt: now,
	}
}

// storeContext is for writes that must happen even if the client has left.
func (g *Gate) storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), g.cfg.StoreTimeout)
}

func unavailable(doing string, err error) error {
	return fmt.Errorf("%w: %s: %w", x402.ErrUnavailable, doing, err)
}
