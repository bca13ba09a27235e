// Package server serves a facilitator over HTTP, so that others can verify and settle payments with it.
package server

import (
	"cmp"
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
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// facilitatorBodyMax limits the body that a resource server may post, in bytes.
const facilitatorBodyMax = 64 << 10

// Config is the configuration of a [Server].
type Config struct {
	// Facilitator verifies and settles payments. Required.
	Facilitator x402.Facilitator
	// Networks are those on which payments are settled, in their tokens. Required.
	Networks []x402.Network
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

// Server serves a [x402.Facilitator] over the facilitator's HTTP API: POST /verify, POST /settle, GET /supported.
// A payment that is sent to /settle again gets the same response and costs no gas: its first transfer is found on the
// chain, no matter which process sent it.
type Server struct {
	cfg     Config
	routes  map[string]facilitatorRoute
	settles singleflight.Group // by payment and network
}

type facilitatorRoute struct {
	method string
	serve  func(http.ResponseWriter, *http.Request)
}

// New returns a server, or all errors in its configuration.
func New(cfg Config) (*Server, error) {
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
		cfg.SettleTimeout = cmp.Or(cfg.SettleTimeout, patient.SettleTimeout())
	}
	cfg.SettleTimeout = cmp.Or(cfg.SettleTimeout, 30*time.Second) // for one confirmation
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg}
	s.routes = map[string]facilitatorRoute{
		"/verify":    {http.MethodPost, s.verify},
		"/settle":    {http.MethodPost, s.settle},
		"/supported": {http.MethodGet, s.supported},
	}
	return s, nil
}

// ServeHTTP responds with 404 to any other path, and with 405 to another method.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, found := s.routes[r.URL.Path]
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	switch {
	case !found:
		s.answer(w, http.StatusNotFound, x402.Notice{X402Version: x402.Version2, Error: codeNotFound, Message: "want /verify, /settle or /supported"})
	case method != route.method:
		w.Header().Set("Allow", route.method)
		s.answer(w, http.StatusMethodNotAllowed, x402.Notice{X402Version: x402.Version2, Error: codeMethod, Message: "want " + route.method})
	default:
		route.serve(w, r)
	}
}

// Codes of requests that are not part of the facilitator's API.
const (
	codeNotFound x402.Code = "not_found"
	codeMethod   x402.Code = "method_not_allowed"
)

func (s *Server) supported(w http.ResponseWriter, r *http.Request) {
	answer, err := s.cfg.Facilitator.Supported(r.Context())
	if err != nil {
		s.fail(w, x402.CodeUnexpectedVerify, err)
		return
	}
	s.answer(w, http.StatusOK, answer)
}

func (s *Server) verify(w http.ResponseWriter, r *http.Request) {
	p, req, status, refusal := s.read(w, r)
	if refusal == nil {
		_, err := s.cfg.Facilitator.Verify(r.Context(), p, req)
		if err == nil {
			s.answer(w, http.StatusOK, x402.VerifyResponse{IsValid: true, Payer: p.Authorization.From.Hex()})
			return
		}
		if !errors.As(err, &refusal) {
			s.fail(w, x402.CodeUnexpectedVerify, err)
			return
		}
	}
	answer := x402.VerifyResponse{InvalidReason: refusal.Code, InvalidMessage: refusal.Message}
	if p != nil {
		answer.Payer = p.Authorization.From.Hex()
	}
	s.answer(w, status, answer)
}

func (s *Server) settle(w http.ResponseWriter, r *http.Request) {
	p, req, status, refusal := s.read(w, r)
	var answer x402.SettleResponse
	if p != nil {
		answer.Network, answer.Payer = p.Network, p.Authorization.From.Hex()
	}
	if refusal != nil {
		answer.ErrorReason, answer.ErrorMessage = refusal.Code, refusal.Message
		s.answer(w, status, answer)
		return
	}
	if p.Version == x402.Version2 {
		answer.Amount = req.Amount.Units()
	}
	done, err := s.settleOnce(r.Context(), p, req)
	unknown, isUnknown := errors.AsType[*x402.SettlementUnknownError](err)
	switch {
	case err == nil:
		answer.Success, answer.Transaction = true, done.Transaction
	case errors.As(err, &refusal):
		answer.ErrorReason, answer.ErrorMessage = refusal.Code, refusal.Message
	case isUnknown:
		s.cfg.Logger.Warn("x402 facilitator: settlement with unknown outcome", "transaction", unknown.Transaction, "error", err)
		answer.ErrorReason, answer.Transaction = x402.CodeSettlementPending, unknown.Transaction
	default:
		s.fail(w, x402.CodeUnexpectedSettle, err)
		return
	}
	s.answer(w, http.StatusOK, answer)
}

// settledSince is how long before a payment lapses, or before now, the search for its transfer begins when it is sent again.
const settledSince = time.Hour

// settleOnce settles a payment once for all requests that send it at the same time. A payment that cannot be settled may already
// have been settled: by an earlier request, by another process, or by somebody else who saw it. It then counts as paid.
func (s *Server) settleOnce(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	hash := p.Hash()
	done, err, _ := s.settles.Do(string(hash[:])+req.Network.ID(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.SettleTimeout)
		defer cancel()
		done, err := s.cfg.Facilitator.Settle(ctx, p, req)
		watcher, watches := s.cfg.Facilitator.(x402.Watcher)
		if err == nil || !watches {
			return done, err
		}
		since := s.cfg.Now()
		if lapses := p.LapsesAt(); lapses.Before(since) {
			since = lapses
		}
		lookCtx, cancelLook := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancelLook()
		if seen, lookErr := watcher.Lookup(lookCtx, p, req, since.Add(-settledSince)); lookErr == nil && seen.Outcome == x402.OutcomePaid {
			return seen.Settlement(), nil
		}
		return done, err
	})
	settlement, _ := done.(x402.Settlement)
	return settlement, err
}

// lookTimeout limits a look-up on the chain.
const lookTimeout = 10 * time.Second

func (s *Server) fail(w http.ResponseWriter, code x402.Code, err error) {
	s.cfg.Logger.Error("x402 facilitator", "code", string(code), "error", err)
	w.Header().Set(x402.HeaderRetryAfter, strconv.Itoa(x402.RetryAfterSeconds))
	s.answer(w, http.StatusServiceUnavailable, x402.Notice{X402Version: x402.Version2, Error: code, Message: "try again later"})
}

func (s *Server) answer(w http.ResponseWriter, status int, v any) {
	if err := x402.WriteJSON(w, status, v, nil); err != nil {
		s.cfg.Logger.Error("x402 facilitator: encoding a response failed", "error", err)
	}
}

// read reads the body of /verify and /settle. The status is for a refusal: 200 for a decision, 400 for what cannot be
// read as one of the protocol's messages.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (*x402.Payment, *x402.Requirements, int, *x402.Refusal) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, facilitatorBodyMax))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nil, http.StatusRequestEntityTooLarge, x402.Refuse(x402.CodePayload, "the body is longer than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, nil, http.StatusBadRequest, x402.Refuse(x402.CodePayload, "the body ended early")
	}
	var wire x402.FacilitatorRequest
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, nil, http.StatusBadRequest, x402.Refuse(x402.CodePayload, "body: %s", describeBody(err))
	}
	p, refusal := x402.ParsePayload(wire.X402Version, string(wire.PaymentPayload))
	if refusal != nil {
		refusal.Message = "paymentPayload: " + refusal.Message
		status := http.StatusOK
		if refusal.Code == x402.CodePayload || refusal.Code == x402.CodeVersion {
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
func (s *Server) checkAsked(p *x402.Payment, req *x402.Requirements) *x402.Refusal {
	if len(s.cfg.PayTo) > 0 && !slices.Contains(s.cfg.PayTo, req.PayTo) {
		return x402.Refuse(x402.CodeRequirements, "paymentRequirements payTo is %s: payments to this address are not settled here", req.PayTo.Hex())
	}
	if _, refusal := x402.MatchRequirements(p, []x402.Requirements{*req}); refusal != nil {
		return refusal
	}
	return x402.CheckMatch(p, req)
}

// describeBody is DescribeJSON for a body that is not in base64.
func describeBody(err error) string {
	return strings.Replace(x402.DescribeJSON(err).Error(), "want base64 of a JSON object", "want a JSON object", 1)
}

// requirements reads what the resource server asks for. Only configured networks and their tokens are settled: an asset
// of the client's choice could burn gas.
func (s *Server) requirements(version int, raw json.RawMessage) (*x402.Requirements, *x402.Refusal) {
	var wire struct {
		x402.RequirementsV2

		MaxAmountRequired string `json:"maxAmountRequired"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, x402.Refuse(x402.CodeRequirements, "paymentRequirements: %s", describeBody(err))
	}
	if wire.Scheme != x402.SchemeExact {
		return nil, x402.Refuse(x402.CodeUnsupportedScheme, "scheme %q is not supported: want exact", x402.Clip(wire.Scheme))
	}
	amount := wire.Amount
	if version == x402.Version1 {
		amount = wire.MaxAmountRequired
	}
	units, err := money.ParseUnits(amount)
	if err != nil {
		return nil, x402.Refuse(x402.CodeRequirements, "paymentRequirements amount: %s", err)
	}
	if units <= 0 {
		return nil, x402.Refuse(x402.CodeRequirements, "paymentRequirements amount is %s: want more than 0", units.Units())
	}
	payTo, payToOK := x402.ParseAddress(wire.PayTo)
	asset, assetOK := x402.ParseAddress(wire.Asset)
	if !payToOK || !assetOK || payTo == (common.Address{}) {
		return nil, x402.Refuse(x402.CodeRequirements, "paymentRequirements payTo and asset: want 0x and 40 hexadecimal digits")
	}
	for _, n := range s.cfg.Networks {
		if name := n.VersionName(version); name == "" || name != wire.Network {
			continue
		}
		if n.Asset != asset || !x402.ExtraHolds(wire.Extra, n) {
			return nil, x402.Refuse(x402.CodeRequirements, "paymentRequirements asset and extra: want %s, name %q, version %q", n.Asset.Hex(), n.TokenName, n.TokenVersion)
		}
		return &x402.Requirements{
			Network: n, PayTo: payTo, Amount: units, MaxTimeout: x402.SecondsDuration(wire.MaxTimeoutSeconds),
		}, nil
	}
	return nil, x402.Refuse(x402.CodeNetwork, "network %q is not supported", x402.Clip(wire.Network))
}
