package x402

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// town is a dev chain with facilitators on it.
type town struct {
	*testing.T
	chain  *chain.Chain
	local  *LocalFacilitator
	remote *HTTPFacilitator
	req    *Requirements
}

func newTown(t *testing.T) *town {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c, err := chain.Start(ctx, chain.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	node, err := rpc.DialContext(ctx, c.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	local, err := NewLocalFacilitator(LocalConfig{RPC: node, Network: BaseSepolia(), Signers: []*ecdsa.PrivateKey{c.Settler()}, PollInterval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close(context.Background()) })
	if err := local.Check(ctx); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(FacilitatorHandler(local, []Network{BaseSepolia()}, slog.New(slog.DiscardHandler)))
	t.Cleanup(server.Close)
	remote, err := NewHTTPFacilitator(HTTPConfig{URL: server.URL, Client: server.Client(), Watcher: local})
	if err != nil {
		t.Fatal(err)
	}
	return &town{T: t, chain: c, local: local, remote: remote, req: &Requirements{
		Network: BaseSepolia(), PayTo: crypto.PubkeyToAddress(newKey(t).PublicKey), Amount: 10_000, MaxTimeout: time.Minute,
		Resource: "https://api.example.com/r", MimeType: "text/plain",
	}}
}

// payment is a good payment of the demo wallet; change may spoil it before it is signed.
func (c *town) payment(version int, change func(a *Authorization)) *Payment {
	c.Helper()
	now := time.Now()
	a := Authorization{
		From: crypto.PubkeyToAddress(c.chain.Wallet().PublicKey), To: c.req.PayTo, Value: c.req.Amount,
		ValidAfter: big.NewInt(now.Add(-time.Second).Unix()), ValidBefore: big.NewInt(now.Add(time.Minute).Unix()),
		Nonce: [32]byte(crypto.Keccak256([]byte(now.String()))),
	}
	key := c.chain.Wallet()
	if change != nil {
		change(&a)
	}
	return c.encode(version, &a, sign(c.T, key, &a, BaseSepolia()))
}

func (c *town) encode(version int, a *Authorization, sig []byte) *Payment {
	c.Helper()
	payload := wirePayload{Signature: "0x" + common.Bytes2Hex(sig), Authorization: a.wire()}
	var message any = paymentV1{X402Version: version1, Scheme: schemeExact, Network: "base-sepolia", Payload: &payload}
	if version == version2 {
		accepted := c.req.v2()
		message = paymentV2{X402Version: version2, Accepted: &accepted, Payload: &payload}
	}
	raw, err := json.Marshal(message)
	if err != nil {
		c.Fatal(err)
	}
	p, refusal := parsePayload(version, raw)
	if refusal != nil {
		c.Fatal(refusal)
	}
	return p
}

func (c *town) balance(a common.Address) uint64 {
	c.Helper()
	n, err := c.chain.Balance(c.Context(), a)
	if err != nil {
		c.Fatal(err)
	}
	return n
}

func wantRefusal(t *testing.T, err error, want Code) {
	t.Helper()
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Code != want {
		t.Errorf("got %v, want a refusal with %s", err, want)
	}
}

// TestFacilitators holds every facilitator against the same rules.
func TestFacilitators(t *testing.T) {
	t.Parallel()
	for name, pick := range map[string]func(*town) Facilitator{
		"local": func(c *town) Facilitator { return c.local },
		"http":  func(c *town) Facilitator { return c.remote },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTown(t)
			f := pick(c)
			t.Run("supported", func(t *testing.T) { testSupported(t, f) })
			t.Run("settles", func(t *testing.T) { testSettles(t, c, f) })
			t.Run("refuses", func(t *testing.T) { testRefuses(t, c, f) })
			t.Run("concurrently", func(t *testing.T) { testConcurrently(t, c, f) })
			t.Run("paid by another", func(t *testing.T) { testPaidByAnother(t, c, f) })
			t.Run("deny list and pause", func(t *testing.T) { testDenied(t, c, f) })
		})
	}
}

func testSupported(t *testing.T, f Facilitator) {
	s, err := f.Supported(t.Context())
	if err != nil || len(s.Kinds) != 2 || s.Kinds[0].Network != "eip155:84532" || s.Kinds[1].Network != "base-sepolia" || len(s.Signers["eip155:*"]) != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func testSettles(t *testing.T, c *town, f Facilitator) {
	for version := version1; version <= version2; version++ {
		p := c.payment(version, nil)
		before := c.balance(c.req.PayTo)
		if err := f.Verify(t.Context(), p, c.req); err != nil {
			t.Fatalf("verify v%d: %v", version, err)
		}
		done, err := f.Settle(t.Context(), p, c.req)
		if err != nil {
			t.Fatalf("settle v%d: %v", version, err)
		}
		if got := c.balance(c.req.PayTo) - before; got != 10_000 {
			t.Errorf("moved: got %d, want 10000", got)
		}
		wantRefusal(t, f.Verify(t.Context(), p, c.req), CodeTransactionState)
		again, err := f.Settle(t.Context(), p, c.req)
		if err != nil || again != done {
			t.Errorf("settling again: got %+v, %v, want %+v", again, err, done)
		}
		sighting, err := c.local.Lookup(t.Context(), p, c.req, time.Now())
		if err != nil || sighting.Fate != FatePaid || sighting.Transaction != done.Transaction {
			t.Errorf("lookup: got %+v, %v, want %s", sighting, err, done.Transaction)
		}
	}
}

func testRefuses(t *testing.T, c *town, f Facilitator) {
	poor := newKey(t)
	for name, tt := range map[string]struct {
		p    *Payment
		want Code
	}{
		"amount":    {c.payment(2, func(a *Authorization) { a.Value++ }), CodeValueMismatch},
		"recipient": {c.payment(1, func(a *Authorization) { a.To[0]++ }), CodeRecipient},
		"expired":   {c.payment(1, func(a *Authorization) { a.ValidBefore = big.NewInt(time.Now().Unix()) }), CodeValidBefore},
		"signature": {c.payment(2, func(a *Authorization) { a.From[0]++ }), CodeSignature},
	} {
		wantRefusal(t, f.Verify(t.Context(), tt.p, c.req), tt.want)
		if _, err := f.Settle(t.Context(), tt.p, c.req); err == nil {
			t.Errorf("%s: settled", name)
		}
	}
	a := c.payment(2, nil).Authorization
	a.From = crypto.PubkeyToAddress(poor.PublicKey)
	p := c.encode(2, &a, sign(t, poor, &a, BaseSepolia()))
	wantRefusal(t, f.Verify(t.Context(), p, c.req), CodeInsufficientFunds)
	_, err := f.Settle(t.Context(), p, c.req)
	wantRefusal(t, err, CodeInsufficientFunds)
	sighting, err := c.local.Lookup(t.Context(), p, c.req, time.Now())
	if err != nil || sighting.Fate != FateUnused || time.Since(sighting.ChainTime) > time.Minute {
		t.Errorf("lookup: got %+v, %v, want unused at about now", sighting, err)
	}
}

// testConcurrently: 60 of 60 with one signer.
func testConcurrently(t *testing.T, c *town, f Facilitator) {
	const payments, atOnce = 60, 16
	before := c.balance(c.req.PayTo)
	work := make(chan *Payment, payments)
	for range payments {
		work <- c.payment(2, nil)
	}
	close(work)
	var done sync.WaitGroup
	for range atOnce {
		done.Go(func() {
			for p := range work {
				if _, err := f.Settle(t.Context(), p, c.req); err != nil {
					t.Errorf("settle: %v", err)
				}
			}
		})
	}
	done.Wait()
	if got := c.balance(c.req.PayTo) - before; got != payments*10_000 {
		t.Errorf("moved: got %d, want %d", got, payments*10_000)
	}
}

// testPaidByAnother: somebody who saw the authorisation was faster. We are paid.
func testPaidByAnother(t *testing.T, c *town, f Facilitator) {
	p := c.payment(2, nil)
	if _, err := c.local.Settle(t.Context(), p, c.req); err != nil {
		t.Fatal(err)
	}
	before := c.balance(c.req.PayTo)
	if _, err := f.Settle(t.Context(), p, c.req); err != nil {
		t.Errorf("settle: %v", err)
	}
	if got := c.balance(c.req.PayTo); got != before {
		t.Errorf("moved again: got %d, want %d", got, before)
	}
}

func testDenied(t *testing.T, c *town, f Facilitator) {
	wallet := crypto.PubkeyToAddress(c.chain.Wallet().PublicKey)
	if err := c.chain.Deny(t.Context(), wallet); err != nil {
		t.Fatal(err)
	}
	p := c.payment(2, nil)
	wantRefusal(t, f.Verify(t.Context(), p, c.req), CodeTransactionState)
	if err := c.chain.Undeny(t.Context(), wallet); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(t.Context(), p, c.req); err != nil {
		t.Errorf("allowed again: %v", err)
	}
	if err := c.chain.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, f.Verify(t.Context(), p, c.req), CodeTransactionState)
	if err := c.chain.Unpause(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestSettlementThatIsNotMinedIsUnknown(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	node := &mute{RPC: c.local.cfg.RPC}
	cfg := c.local.cfg
	cfg.RPC = node
	f, err := NewLocalFacilitator(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	p := c.payment(2, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = f.Settle(ctx, p, c.req)
	unknown, ok := errors.AsType[*SettlementUnknownError](err)
	if !ok || unknown.Transaction == "" {
		t.Fatalf("settle: got %v, want an unknown outcome with a hash", err)
	}
	node.heard.Store(true)
	done, err := f.Settle(t.Context(), p, c.req)
	if err != nil || done.Transaction != unknown.Transaction {
		t.Errorf("settling again: got %+v, %v, want the first transaction %s", done, err, unknown.Transaction)
	}
}

func TestHTTPFacilitatorFaults(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	p, refusal := ParsePaymentV2(b.pay(2)[1])
	if refusal != nil {
		t.Fatal(refusal)
	}
	body := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		unknown bool
		code    Code
	}{
		"drops the connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, ""},
		"500":                  {body(500, "oops"), true, ""},
		"not JSON":             {body(200, "<html>"), true, ""},
		"empty object":         {body(200, "{}"), true, ""},
		"success without hash": {body(200, `{"success":true,"transaction":"","network":"x"}`), true, ""},
		"pending":              {body(200, `{"success":false,"errorReason":"settlement_pending","transaction":"0x12","network":"x"}`), true, ""},
		"nonce used":           {body(200, `{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","transaction":"","network":"x"}`), true, ""},
		"poor, by the spec":    {body(200, `{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"x"}`), false, CodeInsufficientFunds},
		"poor, by the code":    {body(200, `{"success":false,"errorReason":"invalid_exact_evm_insufficient_balance","transaction":"","network":"x"}`), false, CodeInsufficientFunds},
		"a word of its own":    {body(200, `{"success":false,"errorReason":"not_on_tuesdays","transaction":"","network":"x"}`), false, "not_on_tuesdays"},
		"refusal with 400":     {body(400, `{"success":false,"errorReason":"invalid_exact_evm_signature","transaction":"","network":"x"}`), false, CodeSignature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(tt.handler)
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			server.Start()
			t.Cleanup(server.Close)
			f, err := NewHTTPFacilitator(HTTPConfig{URL: server.URL, Client: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Settle(t.Context(), p, b.requirement())
			if _, unknown := errors.AsType[*SettlementUnknownError](err); unknown != tt.unknown {
				t.Fatalf("got %v, want unknown %v", err, tt.unknown)
			}
			if !tt.unknown {
				wantRefusal(t, err, tt.code)
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		t.Parallel()
		f, err := NewHTTPFacilitator(HTTPConfig{URL: "http://127.0.0.1:1", Client: &http.Client{Timeout: 10 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Settle(t.Context(), p, b.requirement()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable: nothing was sent", err)
		}
	})
}

// TestBuyerPaysGate goes the whole way: buyer, gate, chain.
func TestBuyerPaysGate(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	for _, version := range []int{0, 1, 2} {
		b := newBooth(t, func(cfg *Config) {
			cfg.Facilitator, cfg.Now = c.local, time.Now
			cfg.Accepts = []Acceptance{{Network: BaseSepolia(), PayTo: c.req.PayTo}}
		})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if err := b.gate.Serve(w, r, b.offer, body, b.next); err != nil {
				t.Errorf("serve: %v", err)
			}
		}))
		t.Cleanup(server.Close)
		buyer, err := NewBuyer(BuyerConfig{Client: server.Client(), Key: c.chain.Wallet(), Version: version})
		if err != nil {
			t.Fatal(err)
		}
		before := c.balance(c.req.PayTo)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/reports", io.NopCloser(bytes.NewBufferString("body")))
		if err != nil {
			t.Fatal(err)
		}
		got, err := buyer.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(got.Response.Body)
		got.Response.Body.Close()
		wantVersion := max(version, 1)
		if version == 0 {
			wantVersion = 2
		}
		if got.Response.StatusCode != http.StatusOK || string(text) != "report" || got.Receipt == nil || !got.Receipt.Success ||
			got.Amount != 10_000 || got.Version != wantVersion || got.Network != "eip155:84532" {
			t.Errorf("version %d: got %+v, %d, %s", version, got, got.Response.StatusCode, text)
		}
		if moved := c.balance(c.req.PayTo) - before; moved != 10_000 {
			t.Errorf("moved: got %d, want 10000", moved)
		}
	}
}

func TestBuyerRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*BuyerConfig)
		amount money.MicroUSDC
		ok     bool
	}{
		"v1 within its limit":  {func(c *BuyerConfig) { c.Version = 1 }, SpendMaxV1, true},
		"v1 over its limit":    {func(c *BuyerConfig) { c.Version = 1 }, SpendMaxV1 + 1, false},
		"v2 within its limit":  {func(c *BuyerConfig) { c.Version = 2 }, SpendMaxV2, true},
		"v2 over its limit":    {func(c *BuyerConfig) { c.Version = 2 }, SpendMaxV2 + 1, false},
		"over a limit given":   {func(c *BuyerConfig) { c.SpendMax = 5 }, 6, false},
		"no network in common": {func(c *BuyerConfig) { c.Networks = []Network{} }, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Amount = tt.amount
			cfg := BuyerConfig{Client: &http.Client{Timeout: 10 * time.Second}, Key: b.key, Now: b.clock.Now}
			tt.change(&cfg)
			buyer, err := NewBuyer(cfg)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := buyer.Sign(b.serve(b.request()).Result())
			if (err == nil) != tt.ok || (err != nil && !errors.Is(err, ErrNoOffer)) {
				t.Fatalf("got %v, want ok %v", err, tt.ok)
			}
			if tt.ok {
				b.wantPaid(b.serve(b.request(signed.HeaderName, signed.HeaderValue)))
			}
		})
	}
	if _, err := NewBuyer(BuyerConfig{Version: 3}); err == nil {
		t.Error("empty configuration: got no error")
	}
}
