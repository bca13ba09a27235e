// Package remote verifies and settles payments with a facilitator that somebody else runs, over HTTP.
package remote

import (
	"bytes"
	"cmp"
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

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Config configures an [Facilitator].
type Config struct {
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
	Chain x402.Confirmer
}

// Authorize adds credentials to the header of a request that is otherwise ready. If it returns an error, the request is
// not sent.
type Authorize func(r *http.Request) error

// Facilitator uses a remote facilitator to verify and settle.
type Facilitator struct {
	cfg    Config
	base   *url.URL
	client *http.Client
}

var (
	_ x402.Facilitator       = (*Facilitator)(nil)
	_ x402.Watcher           = (*Facilitator)(nil)
	_ x402.SignatureVerifier = (*Facilitator)(nil)
)

// New returns a facilitator, or an error with all faults of its configuration.
func New(cfg Config) (*Facilitator, error) {
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
	cfg.Timeout = cmp.Or(cfg.Timeout, 30*time.Second)
	client := *cfg.Client
	// Payments go only where the operator sends them.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Facilitator{cfg: cfg, base: base, client: &client}, nil
}

// SettleTimeout is how long a settlement may take in total.
func (f *Facilitator) SettleTimeout() time.Duration {
	if f.cfg.Chain == nil {
		return f.cfg.Timeout
	}
	return f.cfg.Timeout + f.confirmTimeout()
}

// confirmTimeout is how long our own node is asked about a settlement.
func (f *Facilitator) confirmTimeout() time.Duration {
	if patient, ok := f.cfg.Chain.(interface{ ConfirmationTime() time.Duration }); ok {
		return f.cfg.Timeout + patient.ConfirmationTime()
	}
	return f.cfg.Timeout
}

// Supported implements [x402.Facilitator].
func (f *Facilitator) Supported(ctx context.Context) (x402.Supported, error) {
	var s x402.Supported
	if _, err := f.exchange(ctx, http.MethodGet, "supported", nil, &s); err != nil {
		return x402.Supported{}, fmt.Errorf("asking the facilitator what it supports: %w", err)
	}
	return s, nil
}

// Check asks whether the facilitator settles on the network, in each protocol version in which the network has a name.
func (f *Facilitator) Check(ctx context.Context, network x402.Network) error {
	s, err := f.Supported(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for version := x402.Version1; version <= x402.Version2; version++ {
		name := network.VersionName(version)
		listed := slices.ContainsFunc(s.Kinds, func(k x402.Kind) bool {
			return k.X402Version == version && k.Scheme == x402.SchemeExact && k.Network == name
		})
		if name != "" && !listed {
			errs = append(errs, fmt.Errorf("the facilitator does not list scheme exact on network %s in x402 version %d: "+
				"it may refuse every payment of that version", name, version))
		}
	}
	return errors.Join(errs...)
}

// Verify implements [x402.Facilitator].
func (f *Facilitator) Verify(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Checked, error) {
	var answer x402.VerifyResponse
	_, err := f.post(ctx, "verify", p, req, &answer)
	if isPassing(err) && ctx.Err() == nil {
		answer = x402.VerifyResponse{}
		_, err = f.post(ctx, "verify", p, req, &answer) // it changes nothing, so a retry does no harm
	}
	if err != nil {
		return x402.Checked{}, fmt.Errorf("asking the facilitator to verify: %w", err)
	}
	if answer.IsValid {
		return f.balance(ctx, p), nil
	}
	why := readReason(answer.InvalidReason)
	if why.unjudged {
		return x402.Checked{}, fmt.Errorf("asking the facilitator to verify: its only reason is %q", answer.InvalidReason)
	}
	return x402.Checked{}, x402.Refuse(why.code, "the facilitator refused the payment: %s", x402.Clip(string(answer.InvalidReason)))
}

// balance reads the payer's balance if there is a node and it answers. Otherwise only the settlement shows whether the
// payer can pay.
func (f *Facilitator) balance(ctx context.Context, p *x402.Payment) x402.Checked {
	if f.cfg.Chain == nil {
		return x402.Checked{}
	}
	seen, _ := f.cfg.Chain.Balance(ctx, p) // after an error, the balance is not known
	return seen
}

// Settle implements [x402.Facilitator]. After the request was sent, every error leaves the outcome unknown, because the
// facilitator may have broadcast. If we have a node, a success counts only once the node has seen it.
func (f *Facilitator) Settle(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	answer, err := f.askToSettle(ctx, p, req)
	if err != nil {
		return x402.Settlement{}, err
	}
	hash, hashed := x402.ParseTransaction(answer.Transaction)
	if answer.Pending() && !(hashed && f.cfg.Chain != nil) {
		// Facilitators with this answer reconcile when they are asked once more, and do not broadcast again (reference
		// implementations since 2.27).
		again, err := f.askToSettle(ctx, p, req)
		if err != nil {
			return x402.Settlement{}, &x402.SettlementUnknownError{Transaction: hexOf(hash, hashed), Err: err}
		}
		answer = again
		hash, hashed = x402.ParseTransaction(answer.Transaction)
	}
	switch {
	case hashed && f.cfg.Chain != nil && (answer.Success || answer.Pending()):
		return f.confirm(ctx, p, req, hash)
	case hashed && answer.Success:
		return x402.Settlement{Transaction: hash.Hex()}, nil
	case answer.Success:
		return x402.Settlement{}, &x402.SettlementUnknownError{Err: fmt.Errorf("the facilitator reports success with transaction %q", x402.Clip(answer.Transaction))}
	}
	why := readReason(answer.ErrorReason)
	if why.open {
		return x402.Settlement{}, &x402.SettlementUnknownError{
			Transaction: hexOf(hash, hashed), Err: fmt.Errorf("the facilitator reports %q", x402.Clip(string(answer.ErrorReason))),
		}
	}
	return x402.Settlement{}, x402.Refuse(why.code, "the facilitator could not settle: %s", x402.Clip(string(answer.ErrorReason)))
}

// confirm asks our own node whether a transaction has paid us.
func (f *Facilitator) confirm(ctx context.Context, p *x402.Payment, req *x402.Requirements, hash common.Hash) (x402.Settlement, error) {
	ctx, cancel := context.WithTimeout(ctx, f.confirmTimeout())
	defer cancel()
	paid, block, err := f.cfg.Chain.Confirm(ctx, p, req, hash.Hex())
	switch {
	case err != nil:
		return x402.Settlement{}, &x402.SettlementUnknownError{Transaction: hash.Hex(), Err: fmt.Errorf("the facilitator names a transaction that is not confirmed: %w", err)}
	case !paid:
		return x402.Settlement{}, &x402.SettlementUnknownError{Err: fmt.Errorf("the facilitator names transaction %s, which does not pay us by this authorisation", hash.Hex())}
	}
	return x402.Settlement{Transaction: hash.Hex(), Block: block}, nil
}

func (f *Facilitator) askToSettle(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.SettleResponse, error) {
	var answer x402.SettleResponse
	sent, err := f.post(ctx, "settle", p, req, &answer)
	if err == nil {
		return answer, nil
	}
	err = fmt.Errorf("asking the facilitator to settle: %w", err)
	if !sent {
		return x402.SettleResponse{}, fmt.Errorf("%w: %w", x402.ErrUnavailable, err)
	}
	return x402.SettleResponse{}, &x402.SettlementUnknownError{Err: err}
}

// Lookup implements [x402.Watcher]. Without a node, the result says that there was no lookup.
func (f *Facilitator) Lookup(ctx context.Context, p *x402.Payment, req *x402.Requirements, since time.Time) (x402.SettlementStatus, error) {
	if f.cfg.Chain == nil {
		return x402.SettlementStatus{}, nil
	}
	return f.cfg.Chain.Lookup(ctx, p, req, since)
}

// Sees reports whether there is a node.
func (f *Facilitator) Sees(x402.Network) bool { return f.cfg.Chain != nil }

// VerifySignature implements [x402.SignatureVerifier].
func (f *Facilitator) VerifySignature(ctx context.Context, n x402.Network, account common.Address, digest common.Hash, sig []byte) (bool, error) {
	sigVerifier, ok := f.cfg.Chain.(x402.SignatureVerifier)
	if !ok {
		return false, fmt.Errorf("%w for network %s", x402.ErrNoVerifier, n.ID())
	}
	return sigVerifier.VerifySignature(ctx, n, account, digest, sig)
}

func hexOf(hash common.Hash, ok bool) string {
	if !ok {
		return ""
	}
	return hash.Hex()
}

func (f *Facilitator) post(ctx context.Context, path string, p *x402.Payment, req *x402.Requirements, answer any) (sent bool, err error) {
	requirements, err := json.Marshal(req.Wire(p.Version))
	if err != nil {
		return false, err
	}
	body, err := json.Marshal(x402.FacilitatorRequest{X402Version: p.Version, PaymentPayload: json.RawMessage(p.Raw), PaymentRequirements: requirements})
	if err != nil {
		return false, err
	}
	return f.exchange(ctx, http.MethodPost, path, body, answer)
}

// facilitatorAnswerMax is far more than any answer needs.
const facilitatorAnswerMax = 1 << 20

// exchange sends a request. sent reports whether it may have reached the facilitator.
func (f *Facilitator) exchange(ctx context.Context, method, path string, body []byte, answer any) (sent bool, err error) {
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
		err := fmt.Errorf("status %d: %s", resp.StatusCode, x402.Clip(string(raw)))
		switch resp.StatusCode {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return &passingError{err}
		case http.StatusUnauthorized, http.StatusForbidden:
			return fmt.Errorf("the facilitator rejected the credentials: check them, and this machine's clock: %w", err)
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			return fmt.Errorf("status %d: payments are not redirected to %q: configure the final URL",
				resp.StatusCode, x402.Clip(resp.Header.Get("Location")))
		}
		return err
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("status %d: %w", resp.StatusCode, x402.DescribeJSON(err))
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
