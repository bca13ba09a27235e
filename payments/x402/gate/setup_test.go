package gate

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// chainFake is a facilitator and watcher with its own chain in memory. It moves the money of an authorisation once, and
// fails as the test wants.
type chainFake struct {
	clock *clocktest.Clock

	mu       sync.Mutex
	verified int
	settles  int // calls of Settle
	moved    map[[32]byte]string
	// Refuse, if set, is Verify's result; has is what Verify reads about the payer.
	refuse *x402.Refusal
	has    x402.Checked
	// before runs at the start of Settle, after once the money has moved. Settle returns their errors.
	before func() error
	after  func() error
	// lookErr is Lookup's error.
	lookErr error
	// seen, if set, is Lookup's result.
	seen *x402.SettlementStatus
}

func (c *chainFake) Verify(_ context.Context, p *x402.Payment, req *x402.Requirements) (x402.Checked, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verified++
	if c.refuse != nil {
		return x402.Checked{}, c.refuse
	}
	if !p.SignedByPayer(req.Network) {
		return x402.Checked{}, x402.Refuse(x402.CodeSignature, "not the payer's")
	}
	if c.moved[p.Authorization.Nonce] != "" {
		return x402.Checked{}, x402.Refuse(x402.CodeTransactionState, "used")
	}
	return c.has, nil
}

func (c *chainFake) Settle(_ context.Context, p *x402.Payment, _ *x402.Requirements) (x402.Settlement, error) {
	c.mu.Lock()
	before, after := c.before, c.after
	c.settles++
	c.mu.Unlock()
	if before != nil {
		if err := before(); err != nil {
			return x402.Settlement{}, err
		}
	}
	c.mu.Lock()
	if c.moved[p.Authorization.Nonce] == "" {
		c.moved[p.Authorization.Nonce] = hexutil.Encode(crypto.Keccak256(p.Authorization.Nonce[:]))
	}
	tx := c.moved[p.Authorization.Nonce]
	c.mu.Unlock()
	if after != nil {
		if err := after(); err != nil {
			return x402.Settlement{}, err
		}
	}
	return x402.Settlement{Transaction: tx}, nil
}

func (c *chainFake) Supported(context.Context) (x402.Supported, error) { return x402.Supported{}, nil }

func (c *chainFake) Lookup(_ context.Context, p *x402.Payment, _ *x402.Requirements, _ time.Time) (x402.SettlementStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lookErr != nil {
		return x402.SettlementStatus{}, c.lookErr
	}
	if c.seen != nil {
		return *c.seen, nil
	}
	s := x402.SettlementStatus{ChainTime: c.clock.Now()}
	if tx := c.moved[p.Authorization.Nonce]; tx != "" {
		s.Outcome, s.Transaction = x402.OutcomePaid, tx
	}
	return s, nil
}

func (c *chainFake) set(change func(*chainFake)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

func (c *chainFake) counts() (settles, moved int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settles, len(c.moved)
}

// booth is a gate and everything that a test controls around it.
type booth struct {
	*testing.T
	gate    *Gate
	clock   *clocktest.Clock
	chain   *chainFake
	archive claimstest.Archive
	store   claims.Store // the gate's store
	key     *ecdsa.PrivateKey
	offer   x402.Offer
	// next is the upstream; runs counts its calls.
	next NextFunc
	mu   sync.Mutex
	runs int
	ids  []uuid.UUID
}

func newBooth(t *testing.T, change func(*Config)) *booth {
	t.Helper()
	return newBoothOn(t, nil, change)
}

// newBoothOn is newBooth with the claims in another store.
func newBoothOn(t *testing.T, on *claimstest.Archive, change func(*Config)) *booth {
	t.Helper()
	clk := clocktest.New()
	if on == nil {
		memory := claimstest.Memory(clk.Now)
		on = &memory
	}
	b := &booth{
		T: t, clock: clk, key: x402test.NewKey(t), archive: *on,
		chain: &chainFake{clock: clk, moved: map[[32]byte]string{}},
		offer: testOffer(),
		next: func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("X-From", "upstream")
			_, err := io.WriteString(w, "report")
			return err
		},
	}
	b.gate = b.newGate(func(c *Config) {
		b.store = c.Store
		if change != nil {
			change(c)
		}
	})
	return b
}

// newGate is the gate of another process.
func (b *booth) newGate(change func(*Config)) *Gate {
	b.Helper()
	process := NewProcess(Alone())
	cfg := Config{
		Store: b.archive.As(process.ID()), Process: process, Facilitator: b.chain, Now: b.clock.Now,
		Accepts:      []Acceptance{{Network: x402.BaseSepolia(), PayTo: x402test.PayTo}, {Network: x402.Base(), PayTo: x402test.PayTo}},
		PollInterval: 5 * time.Millisecond, DecisionTimeout: time.Minute,
	}
	if change != nil {
		change(&cfg)
	}
	gate, err := NewGate(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return gate
}

func testOffer() x402.Offer {
	return x402.Offer{
		Amount: 10_000, Resource: "https://api.example.com/reports?day=1", Description: "a report", MimeType: "text/plain",
		Operation: "report", Settle: price.SettleAfter, UpstreamTimeout: 10 * time.Second,
	}
}

// answer is a client's response.
type answer struct {
	*httptest.ResponseRecorder
	err      error
	panicked any
}

func (a *answer) code() x402.Code {
	var body struct {
		Error x402.Code `json:"error"`
	}
	_ = json.Unmarshal(a.Body.Bytes(), &body)
	return body.Error
}

func (a *answer) receipt(t testing.TB) *x402.Receipt {
	t.Helper()
	r, err := x402.ReadReceipt(a.Result().Header)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// request returns a request with a body, and with the payment headers given as pairs.
func (b *booth) request(headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/reports?day=1", strings.NewReader("body"))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func (b *booth) serve(r *http.Request) *answer { return b.serveAt(b.gate, r, "body") }

func (b *booth) serveAt(gate *Gate, r *http.Request, body string) (a *answer) {
	a = &answer{ResponseRecorder: httptest.NewRecorder()}
	defer func() { a.panicked = recover() }()
	a.Header().Set("X-Request-Id", uuid.NewString())
	a.err = gate.Serve(a, r, b.offer, []byte(body), func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		b.mu.Lock()
		b.runs++
		b.ids = append(b.ids, c.ID)
		b.mu.Unlock()
		return b.next(w, r, c)
	})
	return a
}

func (b *booth) ran() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runs
}

// pay returns the header pair of a good payment of the version.
func (b *booth) pay(version int) []string {
	b.Helper()
	req := b.requirement()
	a := b.authorization()
	return b.header(version, a, x402test.Sign(b.T, b.key, a, req.Network), nil)
}

func (b *booth) requirement() *x402.Requirements { return &b.gate.requirements(&b.offer)[0] }

func (b *booth) authorization() *x402.Authorization {
	b.Helper()
	now := b.clock.Now()
	a := &x402.Authorization{
		From: crypto.PubkeyToAddress(b.key.PublicKey), To: x402test.PayTo, Value: b.offer.Amount,
		ValidAfter:  big.NewInt(now.Add(-10 * time.Minute).Unix()),
		ValidBefore: big.NewInt(now.Add(b.offer.UpstreamTimeout + x402.OfferSlack).Unix()),
	}
	if _, err := rand.Read(a.Nonce[:]); err != nil {
		b.Fatal(err)
	}
	return a
}

// Header encodes a payment; edit may change the message before that.
func (b *booth) header(version int, a *x402.Authorization, sig []byte, edit func(map[string]any)) []string {
	b.Helper()
	payload := x402.Payload{Signature: hexutil.Encode(sig), Authorization: a.Wire()}
	var message any = x402.PaymentV1{X402Version: x402.Version1, Scheme: x402.SchemeExact, Network: "base-sepolia", Payload: &payload}
	name := x402.HeaderPaymentV1
	if version == x402.Version2 {
		accepted := b.requirement().V2()
		message, name = x402.PaymentV2{X402Version: x402.Version2, Accepted: &accepted, Payload: &payload}, x402.HeaderPaymentV2
	}
	raw, err := json.Marshal(message)
	if err != nil {
		b.Fatal(err)
	}
	if edit != nil {
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			b.Fatal(err)
		}
		edit(m)
		if raw, err = json.Marshal(m); err != nil {
			b.Fatal(err)
		}
	}
	return []string{name, base64.StdEncoding.EncodeToString(raw)}
}

// claim returns the only record of a memory store.
func (b *booth) claim() claims.Record {
	b.Helper()
	m, ok := b.archive.As(uuid.New()).(*claims.Memory)
	if !ok {
		b.Fatal("want a memory store")
	}
	all := m.Records()
	if len(all) != 1 {
		b.Fatalf("claims: got %d, want 1", len(all))
	}
	return all[0]
}

func (b *booth) wantState(want claims.State) {
	b.Helper()
	if got := b.claim().State; got != want {
		b.Errorf("state: got %s, want %s", got, want)
	}
}

func (b *booth) wantAnswer(a *answer, status int, code x402.Code) {
	b.Helper()
	if a.err != nil {
		b.Fatalf("error: got %v, want none", a.err)
	}
	if a.Code != status || a.code() != code {
		b.Fatalf("answer: got %d %q, want %d %q\n%s", a.Code, a.code(), status, code, a.Body)
	}
}

func (b *booth) wantPaid(a *answer) {
	b.Helper()
	b.wantAnswer(a, http.StatusOK, "")
	if receipt := a.receipt(b.T); receipt == nil || !receipt.Success || receipt.Transaction == "" {
		b.Fatalf("receipt: got %+v, want success", receipt)
	}
	if got := a.Body.String(); got != "report" {
		b.Fatalf("body: got %q, want report", got)
	}
}

func (b *booth) wantCounts(runs, settles, moved int) {
	b.Helper()
	s, m := b.chain.counts()
	if got := b.ran(); got != runs || s != settles || m != moved {
		b.Errorf("runs, settles, transfers: got %d, %d, %d, want %d, %d, %d", got, s, m, runs, settles, moved)
	}
}

var errTest = errors.New("test fault")
