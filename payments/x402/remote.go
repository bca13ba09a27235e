package x402

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Wire shapes of the facilitator's HTTP API, which both sides of it use.
type facilitatorRequest struct {
	X402Version         int             `json:"x402Version"`
	PaymentPayload      json.RawMessage `json:"paymentPayload"`
	PaymentRequirements json.RawMessage `json:"paymentRequirements"`
}

type verifyResponse struct {
	IsValid        bool   `json:"isValid"`
	InvalidReason  Code   `json:"invalidReason,omitempty"`
	InvalidMessage string `json:"invalidMessage,omitempty"`
	Payer          string `json:"payer,omitempty"`
}

type settleResponse struct {
	Success      bool   `json:"success"`
	ErrorReason  Code   `json:"errorReason,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
	Payer        string `json:"payer,omitempty"`
	Transaction  string `json:"transaction"`
	Network      string `json:"network"`
	Amount       string `json:"amount,omitempty"`
}

// HTTPConfig is what an [HTTPFacilitator] is made of.
type HTTPConfig struct {
	// URL is the facilitator's base address, https://… Required.
	URL string
	// Client sends the requests. Required: the caller decides on proxies and TLS.
	Client *http.Client
	// Header is added to each request, for facilitators that want a key.
	Header http.Header
	// Timeout bounds a request; a settlement waits for the chain. Default: 60 s.
	Timeout time.Duration
	// Watcher looks up settlements of unknown outcome. Without a node nil; such a
	// settlement is then asked for again until the facilitator has an answer.
	Watcher Watcher
}

// HTTPFacilitator has a remote facilitator check and settle.
type HTTPFacilitator struct {
	cfg  HTTPConfig
	base *url.URL
}

var _ Facilitator = (*HTTPFacilitator)(nil)

// NewHTTPFacilitator returns a facilitator, or all faults of its configuration.
func NewHTTPFacilitator(cfg HTTPConfig) (*HTTPFacilitator, error) {
	var errs []error
	base, err := url.Parse(strings.TrimSuffix(cfg.URL, "/"))
	if err != nil || (base.Scheme != "https" && base.Scheme != "http") || base.Host == "" {
		errs = append(errs, fmt.Errorf("url %q: want https:// and a host", cfg.URL))
	}
	if cfg.Client == nil {
		errs = append(errs, errors.New("client: want an HTTP client"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("remote facilitator: %w", err)
	}
	setDefault(&cfg.Timeout, 60*time.Second)
	return &HTTPFacilitator{cfg: cfg, base: base}, nil
}

// Supported implements [Facilitator].
func (f *HTTPFacilitator) Supported(ctx context.Context) (Supported, error) {
	var s Supported
	if _, err := f.exchange(ctx, http.MethodGet, "supported", nil, &s); err != nil {
		return Supported{}, fmt.Errorf("asking the facilitator what it supports: %w", err)
	}
	return s, nil
}

// Verify implements [Facilitator].
func (f *HTTPFacilitator) Verify(ctx context.Context, p *Payment, req *Requirements) error {
	var answer verifyResponse
	if _, err := f.post(ctx, "verify", p, req, &answer); err != nil {
		return fmt.Errorf("asking the facilitator to verify: %w", err)
	}
	if answer.IsValid {
		return nil
	}
	if answer.InvalidReason == "" {
		return errors.New("asking the facilitator to verify: it gave neither consent nor a reason")
	}
	return refuse(specCode(answer.InvalidReason), "the facilitator refuses the payment: %s", clip(string(answer.InvalidReason)))
}

// Settle implements [Facilitator]. Whatever goes wrong after the request was
// sent leaves the outcome unknown: the facilitator may have broadcast.
func (f *HTTPFacilitator) Settle(ctx context.Context, p *Payment, req *Requirements) (Settlement, error) {
	var answer settleResponse
	sent, err := f.post(ctx, "settle", p, req, &answer)
	if err != nil {
		err = fmt.Errorf("asking the facilitator to settle: %w", err)
		if !sent {
			return Settlement{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return Settlement{}, &SettlementUnknownError{Err: err}
	}
	hash, isHash := parseHex(answer.Transaction)
	isHash = isHash && len(hash) == common.HashLength
	switch {
	case answer.Success && isHash:
		return Settlement{Transaction: answer.Transaction}, nil
	case answer.Success:
		return Settlement{}, &SettlementUnknownError{Err: fmt.Errorf("the facilitator reports success with transaction %q", clip(answer.Transaction))}
	}
	unknown := &SettlementUnknownError{Err: fmt.Errorf("the facilitator says %q", clip(string(answer.ErrorReason)))}
	if isHash {
		unknown.Transaction = answer.Transaction
	}
	if undecided(answer.ErrorReason) {
		return Settlement{}, unknown
	}
	return Settlement{}, refuse(specCode(answer.ErrorReason), "the facilitator could not settle: %s", clip(string(answer.ErrorReason)))
}

// Lookup implements [Watcher] where a node is configured.
func (f *HTTPFacilitator) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (Sighting, error) {
	if f.cfg.Watcher == nil {
		// Without a node the facilitator's own answer, from asking it again, decides.
		return Sighting{Fate: FateUnused}, nil
	}
	return f.cfg.Watcher.Lookup(ctx, p, req, since)
}

// undecided reports whether a facilitator's reason leaves open whether the money
// has moved: in flight, used (perhaps by an earlier try of ours), or not told.
func undecided(reason Code) bool {
	switch reason {
	case "", CodeSettlementPending, CodeDuplicateSettlement, CodeTransactionState, CodeUnexpectedSettle:
		return true
	}
	text := string(reason)
	for _, part := range []string{"nonce_already_used", "get_receipt", "transfer_event", "timeout"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// specCode returns the specification's code for one of the reference
// facilitators' own. A code that is not known is handed on as it is.
func specCode(reason Code) Code {
	switch reason {
	case "invalid_exact_evm_scheme":
		return CodeUnsupportedScheme
	case "invalid_exact_evm_network_mismatch":
		return CodeNetwork
	case "invalid_exact_evm_recipient_mismatch":
		return CodeRecipient
	case "invalid_exact_evm_signature", "invalid_exact_evm_signature_format":
		return CodeSignature
	case "invalid_exact_evm_insufficient_balance":
		return CodeInsufficientFunds
	case "invalid_exact_evm_nonce_already_used", "invalid_exact_evm_transaction_simulation_failed",
		"invalid_exact_evm_failed_to_execute_transfer", "invalid_exact_evm_transaction_failed":
		return CodeTransactionState
	case "invalid_exact_evm_missing_eip712_domain", "invalid_exact_evm_token_name_mismatch",
		"invalid_exact_evm_token_version_mismatch", "invalid_exact_evm_eip3009_not_supported":
		return CodeRequirements
	}
	return Code(clip(string(reason)))
}

func (f *HTTPFacilitator) post(ctx context.Context, path string, p *Payment, req *Requirements, answer any) (sent bool, err error) {
	requirements, err := json.Marshal(req.wire(p.Version))
	if err != nil {
		return false, err
	}
	body, err := json.Marshal(facilitatorRequest{X402Version: p.Version, PaymentPayload: p.raw, PaymentRequirements: requirements})
	if err != nil {
		return false, err
	}
	return f.exchange(ctx, http.MethodPost, path, body, answer)
}

// facilitatorAnswerMax is far more than any answer needs.
const facilitatorAnswerMax = 1 << 20

// exchange reports whether the request may have reached the facilitator.
func (f *HTTPFacilitator) exchange(ctx context.Context, method, path string, body []byte, answer any) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	var wrote atomic.Bool // the transport may tell from another goroutine
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	r, err := http.NewRequestWithContext(ctx, method, f.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header = f.cfg.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		// So that the transport does not send it again by itself.
		r.GetBody = nil
	}
	resp, err := f.cfg.Client.Do(r)
	if err != nil {
		return wrote.Load(), err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, facilitatorAnswerMax))
	if err != nil {
		return true, fmt.Errorf("reading the answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK && !decides(raw) {
		return true, fmt.Errorf("status %d: %s", resp.StatusCode, clip(string(raw)))
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return true, fmt.Errorf("status %d: %w", resp.StatusCode, describeJSON(err))
	}
	return true, nil
}

// decides reports whether the body of an error status is still a facilitator's
// decision: some send one with 4xx.
func decides(raw []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return false
	}
	return keys["isValid"] != nil || keys["success"] != nil
}
