//go:build linux

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// The loops of a round of verification.
const (
	loopBare = iota // digest, recovery of the signer, its address
	loopV1          // all local checks of an X-PAYMENT header
	loopV2          // all local checks of a PAYMENT-SIGNATURE header
	loopsCount
)

// verifyRound is the number of payments of each loop, per second of CPU time. Wall time would not do: other load on the
// machine slows down one loop and not another.
type verifyRound [loopsCount]float64

// verifyResult is the result of one build of this program.
type verifyResult struct {
	CGO    bool          `json:"cgo"`
	Rounds []verifyRound `json:"rounds"`
}

// share is a loop's rate relative to the bare loop's in the same round.
func (r *verifyResult) share(loop int) figures.Spread {
	return figures.SpreadOf(r.Rounds, func(r verifyRound) float64 { return r[loop] / r[loopBare] })
}

func (r *verifyResult) rate(loop int) figures.Spread {
	return figures.SpreadOf(r.Rounds, func(r verifyRound) float64 { return r[loop] })
}

func (r *verifyResult) name() string {
	if r.CGO {
		return "with cgo"
	}
	return "without cgo"
}

// verifyPlan says how long to measure.
type verifyPlan struct {
	Rounds int           `json:"rounds"`
	Turn   time.Duration `json:"turn"` // of each loop in a round
}

// verifyPart makes a loop's turn this many times shorter than others: only the loops take part, and they alternate many
// times within it.
const verifyPart = 4

// measureVerification has both builds of this program, with and without cgo, verify payments on the edge's core.
func measureVerification(ctx context.Context, o options, core int) ([]verifyResult, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	plan, err := json.Marshal(verifyPlan{Rounds: o.rounds, Turn: o.turn / verifyPart})
	if err != nil {
		return nil, err
	}
	results := make([]verifyResult, 2)
	for i, binary := range []string{self, o.nocgo} {
		if results[i], err = runVerification(ctx, core, binary, string(plan)); err != nil {
			return nil, fmt.Errorf("verifying payments: %w", err)
		}
		if wantCGO := i == 0; results[i].CGO != wantCGO {
			return nil, fmt.Errorf("verifying payments: %s is built with cgo %t, want %t (make bench builds both)", binary, results[i].CGO, wantCGO)
		}
		fmt.Fprintf(os.Stderr, "bench: payments verified %s: version 1 at %s, version 2 at %s of the bare loop\n",
			results[i].name(), results[i].share(loopV1).Ratio(), results[i].share(loopV2).Ratio())
	}
	return results, nil
}

func runVerification(ctx context.Context, core int, binary, plan string) (result verifyResult, err error) {
	p, err := spawn(ctx, core, binary, []string{"verify", plan}, nil)
	if err != nil {
		return result, err
	}
	defer p.stop()
	line, err := p.line()
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal([]byte(line), &result); err != nil {
		return result, fmt.Errorf("got %q: %w", line, err)
	}
	return result, p.wait()
}

// verifyMain measures, and prints a verifyResult: bench verify <plan>.
func verifyMain(args []string) error {
	if len(args) != 1 {
		return errors.New("verify: want one argument, the plan")
	}
	var plan verifyPlan
	if err := json.Unmarshal([]byte(args[0]), &plan); err != nil {
		return fmt.Errorf("verify: reading the plan: %w", err)
	}
	v, err := newVerification()
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	result := verifyResult{CGO: builtWithCGO}
	if _, err := v.round(plan.Turn / 2); err != nil { // fills caches and does not count
		return fmt.Errorf("verify: %w", err)
	}
	for range plan.Rounds {
		r, err := v.round(plan.Turn)
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
		result.Rounds = append(result.Rounds, r)
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// signedPayment is one payment in the form of each loop.
type signedPayment struct {
	authorization x402.Authorization
	signature     []byte // v is 0 or 1
	headers       [loopsCount]http.Header
}

type verification struct {
	payments []signedPayment
	terms    x402.Terms
	now      time.Time
}

// verifyPayers is how many wallets pay in turn, so that no loop gets the same payment twice in a row.
const verifyPayers = 64

func newVerification() (*verification, error) {
	v := &verification{
		now: time.Unix(1_790_000_000, 0),
		terms: x402.Terms{
			Offers: []x402.Requirements{{
				Network: x402.Base(), PayTo: common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C"),
				Amount: 10_000, MaxTimeout: 90 * time.Second, Resource: "https://api.example.com/reports/today",
				Description: "a report", MimeType: "application/json",
			}},
			Settle: price.SettleAfter, UpstreamTimeout: 30 * time.Second,
		},
	}
	for range verifyPayers {
		p, err := v.pay()
		if err != nil {
			return nil, err
		}
		v.payments = append(v.payments, p)
	}
	return v, nil
}

// pay signs a payment as the stock clients write it.
func (v *verification) pay() (p signedPayment, err error) {
	key, err := crypto.GenerateKey()
	if err != nil {
		return p, err
	}
	offer := &v.terms.Offers[0]
	p.authorization = x402.Authorization{
		From: crypto.PubkeyToAddress(key.PublicKey), To: offer.PayTo, Value: offer.Amount,
		ValidAfter: big.NewInt(v.now.Unix() - 600), ValidBefore: big.NewInt(v.now.Add(offer.MaxTimeout).Unix()),
		Nonce: crypto.Keccak256Hash(crypto.FromECDSA(key)),
	}
	digest := p.authorization.Digest(offer.Network)
	if p.signature, err = crypto.Sign(digest[:], key); err != nil {
		return p, err
	}
	p.headers[loopV1], p.headers[loopV2] = writeHeaders(offer, &p.authorization, p.signature)
	return p, nil
}

// writeHeaders writes a payment in both versions, with members in the order of the stock clients.
func writeHeaders(o *x402.Requirements, a *x402.Authorization, sig []byte) (v1, v2 http.Header) {
	payload := fmt.Sprintf(`{"authorization":{"from":"%s","to":"%s","value":"%s","validAfter":"%s","validBefore":"%s","nonce":"0x%x"},"signature":"0x%x%02x"}`,
		a.From.Hex(), a.To.Hex(), a.Value.Units(), a.ValidAfter, a.ValidBefore, a.Nonce, sig[:64], sig[64]+27)
	extra := fmt.Sprintf(`{"name":"%s","version":"%s"}`, o.Network.TokenName, o.Network.TokenVersion)
	accepted := fmt.Sprintf(`{"scheme":"exact","network":"%s","amount":"%s","asset":"%s","payTo":"%s","maxTimeoutSeconds":%d,"extra":%s}`,
		o.Network.ID(), o.Amount.Units(), o.Network.Asset.Hex(), o.PayTo.Hex(), int(o.MaxTimeout.Seconds()), extra)
	resource := fmt.Sprintf(`{"url":"%s","description":"%s","mimeType":"%s"}`, o.Resource, o.Description, o.MimeType)
	encode := base64.StdEncoding.EncodeToString
	return http.Header{x402.HeaderPaymentV1: {encode(fmt.Appendf(nil, `{"x402Version":1,"scheme":"exact","network":"%s","payload":%s}`, o.Network.Name, payload))}},
		http.Header{x402.HeaderPaymentV2: {encode(fmt.Appendf(nil, `{"x402Version":2,"payload":%s,"resource":%s,"accepted":%s}`, payload, resource, accepted))}}
}

// sliceLength is how many payments a loop verifies before the next loop's turn.
const sliceLength = 4 * verifyPayers

// round lets the loops take turns until each has had its time. The loop that starts rotates.
func (v *verification) round(turn time.Duration) (r verifyRound, err error) {
	loops := [loopsCount]func(*signedPayment) error{loopBare: v.bare, loopV1: v.whole(loopV1), loopV2: v.whole(loopV2)}
	var took [loopsCount]time.Duration
	slices := 0
	for ; took[loopBare] < turn; slices++ {
		for k := range loops {
			at := (slices + k) % loopsCount
			began, err := ownCPU()
			if err != nil {
				return r, err
			}
			for i := range sliceLength {
				if err := loops[at](&v.payments[i%len(v.payments)]); err != nil {
					return r, err
				}
			}
			ended, err := ownCPU()
			if err != nil {
				return r, err
			}
			took[at] += ended - began
		}
	}
	for at := range r {
		r[at] = float64(slices*sliceLength) / took[at].Seconds()
	}
	return r, nil
}

// ownCPU is the CPU time of this process, including its garbage collector.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("reading CPU time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

var errNotSigned = errors.New("a good payment is not signed by its payer")

func (v *verification) bare(p *signedPayment) error {
	digest := p.authorization.Digest(v.terms.Offers[0].Network)
	public, err := crypto.Ecrecover(digest[:], p.signature)
	if err != nil {
		return err
	}
	signer := crypto.Keccak256Hash(public[1:])
	if common.Address(signer[12:]) != p.authorization.From {
		return errNotSigned
	}
	return nil
}

func (v *verification) whole(loop int) func(*signedPayment) error {
	return func(p *signedPayment) error {
		payment, _, refusal := x402.VerifyLocally(p.headers[loop], &v.terms, v.now)
		if refusal != nil {
			return refusal
		}
		if payment.Authorization.From != p.authorization.From {
			return errNotSigned
		}
		return nil
	}
}

func verifyTable(results []verifyResult) string {
	head := []string{"payments verified"}
	rows := [][]string{
		{"**version 1, to the bare loop's**"},
		{"**version 2, to the bare loop's**"},
		{"bare loop, per second of CPU"},
		{"version 1, per second of CPU"},
		{"version 2, per second of CPU"},
	}
	for i := range results {
		r := &results[i]
		head = append(head, r.name())
		for at, cell := range []string{
			r.share(loopV1).Ratio(), r.share(loopV2).Ratio(), r.rate(loopBare).Number(), r.rate(loopV1).Number(), r.rate(loopV2).Number(),
		} {
			rows[at] = append(rows[at], cell)
		}
	}
	return figures.Table(head, rows)
}

// checkVerification returns an error for each share below least.
func checkVerification(results []verifyResult, least float64) error {
	var faults []error
	for i := range results {
		for version, loop := range map[int]int{1: loopV1, 2: loopV2} {
			if got := results[i].share(loop).Median; got < least {
				faults = append(faults, fmt.Errorf("payments of version %d verified %s: %.2f of the bare loop, want at least %.2f",
					version, results[i].name(), got, least))
			}
		}
	}
	return errors.Join(faults...)
}
