package e2e

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// wallet is a payer for one test case.
type wallet struct {
	s      *stack
	key    *ecdsa.PrivateKey
	funded uint64
	to     *common.Address // the recipient; nil: payTo
}

// wallet returns a wallet with 1 USDC that nothing else uses.
func (s *stack) wallet(t *testing.T) *wallet {
	t.Helper()
	select {
	case key := <-s.wallets:
		return &wallet{s: s, key: key, funded: walletUnits}
	default:
		t.Fatalf("all %d wallets are used: make more of them", walletCount)
		return nil
	}
}

func (s *stack) emptyWallet(t *testing.T) *wallet {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return &wallet{s: s, key: key}
}

func (w *wallet) address() common.Address { return chain.AddressOf(w.key) }

// payment is a payment before it is signed. Tests change its content, its message or its signature.
type payment struct {
	version int
	auth    x402.Authorization
	network x402.Network
	signer  *ecdsa.PrivateKey
	payTo   common.Address // as offered
	// tamper changes the message after it was signed.
	tamper func(m map[string]any)
	// resign changes the signature.
	resign func(sig []byte) []byte
}

func (w *wallet) payment(t *testing.T, version int) *payment {
	t.Helper()
	now, to := time.Now().Unix(), payTo
	if w.to != nil {
		to = *w.to
	}
	p := &payment{version: version, network: x402.BaseSepolia(), signer: w.key, payTo: to, auth: x402.Authorization{
		From: w.address(), To: to, Value: money.MicroUSDC(scrapeUnits),
		ValidAfter: big.NewInt(now - 600), ValidBefore: big.NewInt(now + 190),
	}}
	if _, err := rand.Read(p.auth.Nonce[:]); err != nil {
		t.Fatal(err)
	}
	return p
}

// good returns the headers of a valid payment.
func (w *wallet) good(t *testing.T, version int) []string {
	t.Helper()
	return w.payment(t, version).headers(t)
}

// headers signs the payment and returns its header.
func (p *payment) headers(t *testing.T) []string {
	t.Helper()
	digest := p.auth.Digest(p.network)
	sig, err := crypto.Sign(digest[:], p.signer)
	if err != nil {
		t.Fatal(err)
	}
	sig[crypto.RecoveryIDOffset] += 27 // the form that contracts expect
	if p.resign != nil {
		sig = p.resign(sig)
	}
	a := &p.auth
	m := map[string]any{
		"x402Version": p.version,
		"payload": map[string]any{
			"signature": "0x" + hex.EncodeToString(sig),
			"authorization": map[string]any{
				"from": a.From.Hex(), "to": a.To.Hex(), "value": a.Value.Units(),
				"validAfter": a.ValidAfter.String(), "validBefore": a.ValidBefore.String(), "nonce": "0x" + hex.EncodeToString(a.Nonce[:]),
			},
		},
	}
	if p.version == 1 {
		m["scheme"], m["network"] = "exact", "base-sepolia"
	} else {
		m["accepted"] = map[string]any{
			"scheme": "exact", "network": "eip155:84532", "amount": strconv.FormatUint(scrapeUnits, 10), "asset": x402.BaseSepolia().Asset.Hex(),
			"payTo": p.payTo.Hex(), "maxTimeoutSeconds": 190, "extra": map[string]any{"name": "USDC", "version": "2"},
		}
	}
	if p.tamper != nil {
		p.tamper(m)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return []string{headerOf(p.version), base64.StdEncoding.EncodeToString(text)}
}

func headerOf(version int) string {
	if version == 1 {
		return "X-PAYMENT"
	}
	return "PAYMENT-SIGNATURE"
}

// tampered, altered, authorized and accepted change a payment in table tests.

func (p *payment) tampered(f func(m map[string]any)) *payment {
	p.tamper = f
	return p
}

func (p *payment) altered(f func(a *x402.Authorization)) *payment {
	f(&p.auth)
	return p
}

func (p *payment) authorized(member string, value any) *payment {
	return p.tampered(func(m map[string]any) {
		m["payload"].(map[string]any)["authorization"].(map[string]any)[member] = value
	})
}

func (p *payment) accepted(member string, value any) *payment {
	return p.tampered(func(m map[string]any) { m["accepted"].(map[string]any)[member] = value })
}

// highS returns the other signature that recovers to the same payer. Tokens refuse it.
func highS(sig []byte) []byte {
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(sig[32:64]))
	s.FillBytes(sig[32:64])
	sig[64] ^= 27 ^ 28
	return sig
}

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

var otherAddress = "0x" + strings.Repeat("1", 40)
