package x402

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// facilitatorBodyMax bounds what a resource server may post.
const facilitatorBodyMax = 64 << 10

// FacilitatorHandler serves a facilitator over the facilitator's HTTP API:
// POST /verify, POST /settle, GET /supported.
func FacilitatorHandler(f Facilitator, networks []Network, logger *slog.Logger) http.Handler {
	s := &facilitatorServer{f: f, networks: networks, logger: logger}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /verify", s.verify)
	mux.HandleFunc("POST /settle", s.settle)
	mux.HandleFunc("GET /supported", s.supported)
	return mux
}

type facilitatorServer struct {
	f        Facilitator
	networks []Network
	logger   *slog.Logger
}

func (s *facilitatorServer) supported(w http.ResponseWriter, r *http.Request) {
	answer, err := s.f.Supported(r.Context())
	if err != nil {
		s.fail(w, "supported", err)
		return
	}
	_ = writeJSON(w, http.StatusOK, answer, nil)
}

func (s *facilitatorServer) verify(w http.ResponseWriter, r *http.Request) {
	p, req, refusal := s.read(w, r)
	if refusal == nil {
		err := s.f.Verify(r.Context(), p, req)
		if err == nil {
			_ = writeJSON(w, http.StatusOK, verifyResponse{IsValid: true, Payer: p.Authorization.From.Hex()}, nil)
			return
		}
		if !errors.As(err, &refusal) {
			s.fail(w, "verify", err)
			return
		}
	}
	answer := verifyResponse{InvalidReason: refusal.Code, InvalidMessage: refusal.Message}
	if p != nil {
		answer.Payer = p.Authorization.From.Hex()
	}
	_ = writeJSON(w, decisionStatus(refusal), answer, nil)
}

func (s *facilitatorServer) settle(w http.ResponseWriter, r *http.Request) {
	p, req, refusal := s.read(w, r)
	if refusal != nil {
		_ = writeJSON(w, decisionStatus(refusal), settleResponse{ErrorReason: refusal.Code, ErrorMessage: refusal.Message}, nil)
		return
	}
	answer := settleResponse{Network: p.Network, Payer: p.Authorization.From.Hex()}
	if p.Version == version2 {
		answer.Amount = req.Amount.Units()
	}
	done, err := s.f.Settle(r.Context(), p, req)
	unknown, isUnknown := errors.AsType[*SettlementUnknownError](err)
	switch {
	case err == nil:
		answer.Success, answer.Transaction = true, done.Transaction
	case errors.As(err, &refusal):
		answer.ErrorReason, answer.ErrorMessage = refusal.Code, refusal.Message
	case isUnknown:
		s.logger.Warn("x402 facilitator: settlement of unknown outcome", "transaction", unknown.Transaction, "error", err)
		answer.ErrorReason, answer.Transaction = CodeSettlementPending, unknown.Transaction
	default:
		s.fail(w, "settle", err)
		return
	}
	_ = writeJSON(w, http.StatusOK, answer, nil)
}

// decisionStatus: a decision is 200, what cannot be read is 400.
func decisionStatus(refusal *Refusal) int {
	if status := refusal.Status(); status != http.StatusPaymentRequired {
		return status
	}
	return http.StatusOK
}

func (s *facilitatorServer) fail(w http.ResponseWriter, doing string, err error) {
	s.logger.Error("x402 facilitator", "doing", doing, "error", err)
	code := CodeUnexpectedVerify
	if doing == "settle" {
		code = CodeUnexpectedSettle
	}
	_ = writeJSON(w, http.StatusServiceUnavailable, notice{X402Version: version2, Error: code, Message: "try again later"}, nil)
}

func (s *facilitatorServer) read(w http.ResponseWriter, r *http.Request) (*Payment, *Requirements, *Refusal) {
	var wire facilitatorRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, facilitatorBodyMax)).Decode(&wire); err != nil {
		return nil, nil, refuse(CodePayload, "request body: %s", describeJSON(err))
	}
	p, refusal := parsePayload(wire.X402Version, wire.PaymentPayload)
	if refusal != nil {
		return nil, nil, refusal
	}
	req, refusal := s.requirements(wire.X402Version, wire.PaymentRequirements)
	return p, req, refusal
}

// requirements reads what the resource server asks for. Only configured networks
// and their tokens are settled: an asset of the caller's choice could burn gas.
func (s *facilitatorServer) requirements(version int, raw json.RawMessage) (*Requirements, *Refusal) {
	var wire struct {
		requirementsV2

		MaxAmountRequired string `json:"maxAmountRequired"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, refuse(CodeRequirements, "paymentRequirements: %s", describeJSON(err))
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
	payTo, payToOK := parseAddress(wire.PayTo)
	asset, assetOK := parseAddress(wire.Asset)
	if !payToOK || !assetOK || payTo == (common.Address{}) {
		return nil, refuse(CodeRequirements, "paymentRequirements payTo and asset: want 0x and 40 hexadecimal digits")
	}
	for _, n := range s.networks {
		if name := n.versionName(version); name == "" || name != wire.Network {
			continue
		}
		if n.Asset != asset || !extraHolds(wire.Extra, n) {
			return nil, refuse(CodeRequirements, "paymentRequirements asset and extra: want %s, name %q, version %q", n.Asset.Hex(), n.TokenName, n.TokenVersion)
		}
		return &Requirements{
			Network: n, PayTo: payTo, Amount: units, MaxTimeout: time.Duration(min(max(wire.MaxTimeoutSeconds, 0), 86400)) * time.Second,
		}, nil
	}
	return nil, refuse(CodeNetwork, "network %q is not supported", clip(wire.Network))
}
