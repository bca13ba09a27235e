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
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// JSON of the facilitator's HTTP API, used by client and server.
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

// HTTPConfig configures an [HTTPFacilitator].
type HTTPConfig struct {
	// URL is the facilitator's base address, https://… Required.
	URL string
	// Client sends the requests. Required: the caller decides on proxies and TLS.
	Client *http.Client
	// Header is added to each request, for facilitators that require a key.
	Header http.Header
	// Authorize is called with each request before it is sent, for facilitators that require separate credentials for
	// each. Default: nil, and only Header is sent.
	Authorize Authorize
	// Timeout limits a request, which during a settlement waits for the chain, and then the wait until our own node has
	// seen the settlement. Default: 30 s.
	Timeout time.Duration
	// Chain confirms every settlement, so that the facilitator need not be trusted. It is nil without a node: then the
	// facilitator's word counts, and an unknown settlement stays unknown until the facilitator says otherwise.
	Chain Confirmer
}

// Authorize adds credentials to the header of a request that is otherwise ready. If it returns an error, the request is
// not sent.
type Authorize func(r *http.Request) error

// HTTPFacilitator uses a remote facilitator to verify and settle.
type HTTPFacilitator struct {
	cfg    HTTPConfig
	base   *url.URL
	client *http.Client
}

var (
	_ Facilitator       = (*HTTPFacilitator)(nil)
	_ Watcher           = (*HTTPFacilitator)(nil)
	_ SignatureVerifier = (*HTTPFacilitator)(nil)
)

// NewHTTPFacilitator returns a facilitator, or an error with all faults of its configuration.
func NewHTTPFacilitator(cfg HTTPConfig) (*HTTPFacilitator, error) {
	var errs []error
	base, err := url.Parse(strings.TrimSuffix(cfg.URL, "/"))
	if err != nil || (base.Scheme != "https" && base.Scheme != "http") || base.Host == "" {
		errs = append(errs, fmt.Errorf("url %q: want https:// and a host", cfg.URL))
	}
	if cfg.Client == nil {
		errs = append(errs, errors.New("client: an HTTP client is required"))
	}
	if cfg.Timeout < 0 {
		errs = append(errs, errors.New("timeout: want a positive value, or 0 for the default"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("remote facilitator: %w", err)
	}
	setDefault(&cfg.Timeout, 30*time.Second)
	client := *cfg.Client
	// Payments go only where the operator sends them.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &HTTPFacilitator{cfg: cfg, base: base, client: &client}, nil
}

// SettleTimeout is how long a settlement may take in total.
func (f *HTTPFacilitator) SettleTimeout() time.Duration {
	if f.cfg.Chain == nil {
		return f.cfg.Timeout
	}
	return f.cfg.Timeout + f.confirmTimeout()
}

// confirmTimeout is how long our own node is asked about a settlement.
func (f *HTTPFacilitator) confirmTimeout() time.Duration {
	if patient, ok := f.cfg.Chain.(interface{ ConfirmationTime() time.Duration }); ok {
		return f.cfg.Timeout + patient.ConfirmationTime()
	}
	return f.cfg.Timeout
}

// Supported implements [Facilitator].
func (f *HTTPFacilitator) Supported(ctx context.Context) (Supported, error) {
	var s Supported
	if _, err := f.exchange(ctx, http.MethodGet, "supported", nil, &s); err != nil {
		return Supported{}, fmt.Errorf("asking the facilitator what it supports: %w", err)
	}
	return s, nil
}

// Check asks whether the facilitator settles on the network, in each protocol version in which the network has a name.
func (f *HTTPFacilitator) Check(ctx context.Context, network Network) error {
	s, err := f.Supported(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for version := version1; version <= version2; version++ {
		name := network.versionName(version)
		listed := slices.ContainsFunc(s.Kinds, func(k Kind) bool {
			return k.X402Version == version && k.Scheme == schemeExact && k.Network == name
		})
		if name != "" && !listed {
			errs = append(errs, fmt.Errorf("the facilitator does not list scheme exact on network %s in x402 version %d: "+
				"it may refuse every payment of that version", name, version))
		}
	}
	return errors.Join(errs...)
}

// Verify implements [Facilitator].
func (f *HTTPFacilitator) Verify(ctx context.Context, p *Payment, req *Requirements) (Checked, error) {
	var answer verifyResponse
	_, err := f.post(ctx, "verify", p, req, &answer)
	if isPassing(err) && ctx.Err() == nil {
		answer = verifyResponse{}
		_, err = f.post(ctx, "verify", p, req, &answer) // it changes nothing, so a retry does no harm
	}
	if err != nil {
		return Checked{}, fmt.Errorf("asking the facilitator to verify: %w", err)
	}
	if answer.IsValid {
		return f.balance(ctx, p), nil
	}
	why := readReason(answer.InvalidReason)
	if why.unjudged {
		return Checked{}, fmt.Errorf("asking the facilitator to verify: its only reason is %q", answer.InvalidReason)
	}
	return Checked{}, refuse(why.code, "the facilitator refused the payment: %s", clip(string(answer.InvalidReason)))
}

// balance reads the payer's balance if there is a node and it answers. Otherwise only the settlement shows whether the
// payer can pay.
func (f *HTTPFacilitator) balance(ctx context.Context, p *Payment) Checked {
	if f.cfg.Chain == nil {
		return Checked{}
	}
	seen, _ := f.cfg.Chain.Balance(ctx, p) // after an error, the balance is not known
	return seen
}

// Settle implements [Facilitator]. After the request was sent, every error leaves the outcome unknown, because the
// facilitator may have broadcast. If we have a node, a success counts only once the node has seen it.
func (f *HTTPFacilitator) Settle(ctx context.Context, p *Payment, req *Requirements) (Settlement, error) {
	answer, err := f.askToSettle(ctx, p, req)
	if err != nil {
		return Settlement{}, err
	}
	hash, hashed := parseTransaction(answer.Transaction)
	if answer.pending() && !(hashed && f.cfg.Chain != nil) {
		// Facilitators with this answer reconcile when they are asked once more, and do not broadcast again (reference
		// implementations since 2.27).
		again, err := f.askToSettle(ctx, p, req)
		if err != nil {
			return Settlement{}, &SettlementUnknownError{Transaction: hexOf(hash, hashed), Err: err}
		}
		answer = again
		hash, hashed = parseTransaction(answer.Transaction)
	}
	switch {
	case hashed && f.cfg.Chain != nil && (answer.Success || answer.pending()):
		return f.confirm(ctx, p, req, hash)
	case hashed && answer.Success:
		return Settlement{Transaction: hash.Hex()}, nil
	case answer.Success:
		return Settlement{}, &SettlementUnknownError{Err: fmt.Errorf("the facilitator reports success with transaction %q", clip(answer.Transaction))}
	}
	why := readReason(answer.ErrorReason)
	if why.open {
		return Settlement{}, &SettlementUnknownError{
			Transaction: hexOf(hash, hashed), Err: fmt.Errorf("the facilitator reports %q", clip(string(answer.ErrorReason))),
		}
	}
	return Settlement{}, refuse(why.code, "the facilitator could not settle: %s", clip(string(answer.ErrorReason)))
}

// confirm asks our own node whether a transaction has paid us.
func (f *HTTPFacilitator) confirm(ctx context.Context, p *Payment, req *Requirements, hash common.Hash) (Settlement, error) {
	ctx, cancel := context.WithTimeout(ctx, f.confirmTimeout())
	defer cancel()
	paid, block, err := f.cfg.Chain.Confirm(ctx, p, req, hash.Hex())
	switch {
	case err != nil:
		return Settlement{}, &SettlementUnknownError{Transaction: hash.Hex(), Err: fmt.Errorf("the facilitator names a transaction that is not confirmed: %w", err)}
	case !paid:
		return Settlement{}, &SettlementUnknownError{Err: fmt.Errorf("the facilitator names transaction %s, which does not pay us by this authorisation", hash.Hex())}
	}
	return Settlement{Transaction: hash.Hex(), Block: block}, nil
}

func (f *HTTPFacilitator) askToSettle(ctx context.Context, p *Payment, req *Requirements) (settleResponse, error) {
	var answer settleResponse
	sent, err := f.post(ctx, "settle", p, req, &answer)
	if err == nil {
		return answer, nil
	}
	err = fmt.Errorf("asking the facilitator to settle: %w", err)
	if !sent {
		return settleResponse{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return settleResponse{}, &SettlementUnknownError{Err: err}
}

func (r *settleResponse) pending() bool { return !r.Success && r.ErrorReason == CodeSettlementPending }

// Lookup implements [Watcher]. Without a node, the result says that there was no lookup.
func (f *HTTPFacilitator) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (SettlementStatus, error) {
	if f.cfg.Chain == nil {
		return SettlementStatus{}, nil
	}
	return f.cfg.Chain.Lookup(ctx, p, req, since)
}

// Sees reports whether there is a node.
func (f *HTTPFacilitator) Sees(Network) bool { return f.cfg.Chain != nil }

// VerifySignature implements [SignatureVerifier].
func (f *HTTPFacilitator) VerifySignature(ctx context.Context, n Network, account common.Address, digest common.Hash, sig []byte) (bool, error) {
	sigVerifier, ok := f.cfg.Chain.(SignatureVerifier)
	if !ok {
		return false, fmt.Errorf("%w for network %s", errNoNode, n.ID())
	}
	return sigVerifier.VerifySignature(ctx, n, account, digest, sig)
}

// parseTransaction parses a transaction hash. It returns false for the zero hash.
func parseTransaction(s string) (common.Hash, bool) {
	raw, ok := parseHex(s)
	if !ok || len(raw) != common.HashLength {
		return common.Hash{}, false
	}
	hash := common.BytesToHash(raw)
	return hash, hash != common.Hash{}
}

func hexOf(hash common.Hash, ok bool) string {
	if !ok {
		return ""
	}
	return hash.Hex()
}

func (f *HTTPFacilitator) post(ctx context.Context, path string, p *Payment, req *Requirements, answer any) (sent bool, err error) {
	requirements, err := json.Marshal(req.wire(p.Version))
	if err != nil {
		return false, err
	}
	body, err := json.Marshal(facilitatorRequest{X402Version: p.Version, PaymentPayload: json.RawMessage(p.raw), PaymentRequirements: requirements})
	if err != nil {
		return false, err
	}
	return f.exchange(ctx, http.MethodPost, path, body, answer)
}

// facilitatorAnswerMax is far more than any answer needs.
const facilitatorAnswerMax = 1 << 20

// exchange sends a request. sent reports whether it may have reached the facilitator.
func (f *HTTPFacilitator) exchange(ctx context.Context, method, path string, body []byte, answer any) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	var wrote atomic.Bool // the transport may set it from another goroutine
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
		// This keeps the transport from sending it again by itself.
		r.GetBody = nil
	}
	if f.cfg.Authorize != nil {
		if err := f.cfg.Authorize(r); err != nil {
			return false, err
		}
	}
	resp, err := f.client.Do(r)
	if err != nil {
		return wrote.Load(), &passingError{err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, facilitatorAnswerMax+1))
	switch {
	case err != nil:
		return true, &passingError{fmt.Errorf("reading the response: %w", err)}
	case len(raw) > facilitatorAnswerMax:
		return true, fmt.Errorf("status %d: the response is longer than %d bytes", resp.StatusCode, facilitatorAnswerMax)
	}
	return true, readAnswer(resp, raw, answer)
}

// readAnswer decodes a facilitator's decision, whatever the status code.
func readAnswer(resp *http.Response, raw []byte, answer any) error {
	if resp.StatusCode != http.StatusOK && !decides(raw) {
		err := fmt.Errorf("status %d: %s", resp.StatusCode, clip(string(raw)))
		switch resp.StatusCode {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return &passingError{err}
		case http.StatusUnauthorized, http.StatusForbidden:
			return fmt.Errorf("the facilitator rejected the credentials: check them, and this machine's clock: %w", err)
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			return fmt.Errorf("status %d: payments are not redirected to %q: configure the final URL",
				resp.StatusCode, clip(resp.Header.Get("Location")))
		}
		return err
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("status %d: %w", resp.StatusCode, describeJSON(err))
	}
	return nil
}

// passingError is an error that a retry may resolve.
type passingError struct{ err error }

func (e *passingError) Error() string { return e.err.Error() }
func (e *passingError) Unwrap() error { return e.err }

func isPassing(err error) bool {
	_, ok := errors.AsType[*passingError](err)
	return ok
}

// decides reports whether an error response contains a decision: some facilitators send one with 4xx.
func decides(raw []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return false
	}
	return keys["isValid"] != nil || keys["success"] != nil
}
