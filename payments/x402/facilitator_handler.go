package x402

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/singleflight"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// facilitatorBodyMax limits the body that a resource server may post, in bytes.
const facilitatorBodyMax = 64 << 10

// FacilitatorServerConfig is the configuration of a [FacilitatorServer].
type FacilitatorServerConfig struct {
	// Facilitator verifies and settles payments. Required.
	Facilitator Facilitator
	// Networks are those on which payments are settled, in their tokens. Required.
	Networks []Network
	// PayTo lists the recipients whose payments are settled. Empty means any: the clients must then be authenticated by
	// other means, because each settlement costs gas.
	PayTo []common.Address
	// SettleTimeout limits a settlement, which continues when the client leaves. Default: what the facilitator says, or 30 s.
	SettleTimeout time.Duration
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Logger receives what operators must know. Default: nothing is logged.
	Logger *slog.Logger
}

// FacilitatorServer serves a [Facilitator] over the facilitator's HTTP API: POST /verify, POST /settle, GET /supported.
// A payment that is sent to /settle again gets the same response and costs no gas: its first transfer is found on the
// chain, no matter which process sent it.
type FacilitatorServer struct {
	cfg     FacilitatorServerConfig
	routes  map[string]facilitatorRoute
	settles singleflight.Group // by payment and network
}

type facilitatorRoute struct {
	method string
	serve  func(http.ResponseWriter, *http.Request)
}

// NewFacilitatorServer returns a server, or all errors in its configuration.
func NewFacilitatorServer(cfg FacilitatorServerConfig) (*FacilitatorServer, error) {
	var errs []error
	if cfg.Facilitator == nil {
		errs = append(errs, errors.New("facilitator: a facilitator is required"))
	}
	if len(cfg.Networks) == 0 {
		errs = append(errs, errors.New("networks: at least one is required"))
	}
	for _, n := range cfg.Networks {
		errs = append(errs, n.Validate())
	}
	if cfg.SettleTimeout < 0 {
		errs = append(errs, errors.New("settle timeout: want a positive value, or 0 for the default"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("facilitator server: %w", err)
	}
	if patient, ok := cfg.Facilitator.(interface{ SettleTimeout() time.Duration }); ok {
		setDefault(&cfg.SettleTimeout, patient.SettleTimeout())
	}
	setDefault(&cfg.SettleTimeout, settleTimeoutDefault)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &FacilitatorServer{cfg: cfg}
	s.routes = map[string]facilitatorRoute{
		"/verify":    {http.MethodPost, s.verify},
		"/settle":    {http.MethodPost, s.settle},
		"/supported": {http.MethodGet, s.supported},
	}
	return s, nil
}

// ServeHTTP responds with 404 to any other path, and with 405 to another method.
func (s *FacilitatorServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, found := s.routes[r.URL.Path]
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	switch {
	case !found:
		s.answer(w, http.StatusNotFound, notice{X402Version: version2, Error: codeNotFound, Message: "want /verify, /settle or /supported"})
	case method != route.method:
		w.Header().Set("Allow", route.method)
		s.answer(w, http.StatusMethodNotAllowed, notice{X402Version: version2, Error: codeMethod, Message: "want " + route.method})
	default:
		route.serve(w, r)
	}
}

// Codes of requests that are not part of the facilitator's API.
const (
	codeNotFound Code = "not_found"
	codeMethod   Code = "method_not_allowed"
)

func (s *FacilitatorServer) supported(w http.ResponseWriter, r *http.Request) {
	answer, err := s.cfg.Facilitator.Supported(r.Context())
	if err != nil {
		s.fail(w, CodeUnexpectedVerify, err)
		return
	}
	s.answer(w, http.StatusOK, answer)
}

func (s *FacilitatorServer) verify(w http.ResponseWriter, r *http.Request) {
	p, req, status, refusal := s.read(w, r)
	if refusal == nil {
		_, err := s.cfg.Facilitator.Verify(r.Context(), p, req)
		if err == nil {
			s.answer(w, http.StatusOK, verifyResponse{IsValid: true, Payer: p.Authorization.From.Hex()})
			return
		}
		if !errors.As(err, &refusal) {
			s.fail(w, CodeUnexpectedVerify, err)
			return
		}
	}
	answer := verifyResponse{InvalidReason: refusal.Code, InvalidMessage: refusal.Message}
	if p != nil {
		answer.Payer = p.Authorization.From.Hex()
	}
	s.answer(w, status, answer)
}

func (s *FacilitatorServer) settle(w http.ResponseWriter, r *http.Request) {
	p, req, status, refusal := s.read(w, r)
	var answer settleResponse
	if p != nil {
		answer.Network, answer.Payer = p.Network, p.Authorization.From.Hex()
	}
	if refusal != nil {
		answer.ErrorReason, answer.ErrorMessage = refusal.Code, refusal.Message
		s.answer(w, status, answer)
		return
	}
	if p.Version == version2 {
		answer.Amount = req.Amount.Units()
	}
	done, err := s.settleOnce(r.Context(), p, req)
	unknown, isUnknown := errors.AsType[*SettlementUnknownError](err)
	switch {
	case err == nil:
		answer.Success, answer.Transaction = true, done.Transaction
	case errors.As(err, &refusal):
		answer.ErrorReason, answer.ErrorMessage = refusal.Code, refusal.Message
	case isUnknown:
		s.cfg.Logger.Warn("x402 facilitator: settlement with unknown outcome", "transaction", unknown.Transaction, "error", err)
		answer.ErrorReason, answer.Transaction = CodeSettlementPending, unknown.Transaction
	default:
		s.fail(w, CodeUnexpectedSettle, err)
		return
	}
	s.answer(w, http.StatusOK, answer)
}

// settledSince is how long before a payment lapses, or before now, the search for its transfer begins when it is sent again.
const settledSince = time.Hour

// settleOnce settles a payment once for all requests that send it at the same time. A payment that cannot be settled may already
// have been settled: by an earlier request, by another process, or by somebody else who saw it. It then counts as paid.
func (s *FacilitatorServer) settleOnce(ctx context.Context, p *Payment, req *Requirements) (Settlement, error) {
	hash := p.hash()
	done, err, _ := s.settles.Do(string(hash[:])+req.Network.ID(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.SettleTimeout)
		defer cancel()
		done, err := s.cfg.Facilitator.Settle(ctx, p, req)
		watcher, watches := s.cfg.Facilitator.(Watcher)
		if err == nil || !watches {
			return done, err
		}
		since := s.cfg.Now()
		if lapses := p.lapsesAt(); lapses.Before(since) {
			since = lapses
		}
		lookCtx, cancelLook := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancelLook()
		if seen, lookErr := watcher.Lookup(lookCtx, p, req, since.Add(-settledSince)); lookErr == nil && seen.Outcome == OutcomePaid {
			return seen.settlement(), nil
		}
		return done, err
	})
	settlement, _ := done.(Settlement)
	return settlement, err
}

// lookTimeout limits a look-up on the chain.
const lookTimeout = 10 * time.Second

func (s *FacilitatorServer) fail(w http.ResponseWriter, code Code, err error) {
	s.cfg.Logger.Error("x402 facilitator", "code", string(code), "error", err)
	w.Header().Set(headerRetryAfter, strconv.Itoa(retryAfterSeconds))
	s.answer(w, http.StatusServiceUnavailable, notice{X402Version: version2, Error: code, Message: "try again later"})
}

func (s *FacilitatorServer) answer(w http.ResponseWriter, status int, v any) {
	if err := writeJSON(w, status, v, nil); err != nil {
		s.cfg.Logger.Error("x402 facilitator: encoding a response failed", "error", err)
	}
}

// read reads the body of /verify and /settle. The status is for a refusal: 200 for a decision, 400 for what cannot be
// read as one of the protocol's messages.
func (s *FacilitatorServer) read(w http.ResponseWriter, r *http.Request) (*Payment, *Requirements, int, *Refusal) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, facilitatorBodyMax))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nil, http.StatusRequestEntityTooLarge, refuse(CodePayload, "the body is longer than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, nil, http.StatusBadRequest, refuse(CodePayload, "the body ended early")
	}
	var wire facilitatorRequest
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, nil, http.StatusBadRequest, refuse(CodePayload, "body: %s", describeBody(err))
	}
	p, refusal := parsePayload(wire.X402Version, string(wire.PaymentPayload))
	if refusal != nil {
		refusal.Message = "paymentPayload: " + refusal.Message
		status := http.StatusOK
		if refusal.Code == CodePayload || refusal.Code == CodeVersion {
			status = http.StatusBadRequest
		}
		return nil, nil, status, refusal
	}
	req, refusal := s.requirements(wire.X402Version, wire.PaymentRequirements)
	if refusal == nil {
		refusal = s.checkAsked(p, req)
	}
	return p, req, http.StatusOK, refusal
}

// checkAsked compares the payment with what the resource server asks for, and that with what is settled here.
func (s *FacilitatorServer) checkAsked(p *Payment, req *Requirements) *Refusal {
	if len(s.cfg.PayTo) > 0 && !slices.Contains(s.cfg.PayTo, req.PayTo) {
		return refuse(CodeRequirements, "paymentRequirements payTo is %s: payments to this address are not settled here", req.PayTo.Hex())
	}
	if _, refusal := matchRequirements(p, []Requirements{*req}); refusal != nil {
		return refusal
	}
	return checkMatch(p, req)
}

// describeBody is describeJSON for a body that is not in base64.
func describeBody(err error) string {
	return strings.Replace(describeJSON(err).Error(), "want base64 of a JSON object", "want a JSON object", 1)
}

// requirements reads what the resource server asks for. Only configured networks and their tokens are settled: an asset
// of the client's choice could burn gas.
func (s *FacilitatorServer) requirements(version int, raw json.RawMessage) (*Requirements, *Refusal) {
	var wire struct {
		requirementsV2

		MaxAmountRequired string `json:"maxAmountRequired"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, refuse(CodeRequirements, "paymentRequirements: %s", describeBody(err))
	}
	if wire.Scheme != schemeExact {
		return nil, refuse(CodeUnsupportedScheme, "scheme %q is not supported: want exact", clip(wire.Scheme))
	}
	amount := wire.Amount
	if version == version1 {
		amount = wire.MaxAmountRequired
	}
	units, err := money.ParseUnits(amount)
	if err != nil {
		return nil, refuse(CodeRequirements, "paymentRequirements amount: %s", err)
	}
	if units <= 0 {
		return nil, refuse(CodeRequirements, "paymentRequirements amount is %s: want more than 0", units.Units())
	}
	payTo, payToOK := parseAddress(wire.PayTo)
	asset, assetOK := parseAddress(wire.Asset)
	if !payToOK || !assetOK || payTo == (common.Address{}) {
		return nil, refuse(CodeRequirements, "paymentRequirements payTo and asset: want 0x and 40 hexadecimal digits")
	}
	for _, n := range s.cfg.Networks {
		if name := n.versionName(version); name == "" || name != wire.Network {
			continue
		}
		if n.Asset != asset || !extraHolds(wire.Extra, n) {
			return nil, refuse(CodeRequirements, "paymentRequirements asset and extra: want %s, name %q, version %q", n.Asset.Hex(), n.TokenName, n.TokenVersion)
		}
		return &Requirements{
			Network: n, PayTo: payTo, Amount: units, MaxTimeout: secondsDuration(wire.MaxTimeoutSeconds),
		}, nil
	}
	return nil, refuse(CodeNetwork, "network %q is not supported", clip(wire.Network))
}
