package gate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
)

// tollTown is a gate on a chain that counts every look-up.
type tollTown struct {
	*booth
	town  *town
	node  *x402test.CountingNode
	found *countingStore
}

func newTollTown(t *testing.T, change func(*Config)) *tollTown {
	t.Helper()
	c := newTown(t)
	node := &x402test.CountingNode{Node: c.Node}
	f := c.local(func(cfg *local.Config) {
		cfg.RPC, cfg.Factories = node, []common.Address{chain.WalletFactory}
		cfg.PollInterval = 200 * time.Millisecond // so that what watches mined transactions seldom asks the node meanwhile
	})
	tt := &tollTown{town: c, node: node}
	tt.booth = newBooth(t, func(cfg *Config) {
		tt.found = &countingStore{Store: cfg.Store}
		cfg.Store, cfg.Facilitator = tt.found, f
		if change != nil {
			change(cfg)
		}
	})
	tt.clock.Advance(time.Since(tt.clock.Now()))
	return tt
}

// charge returns the headers of a payment by the payer; sign signs it.
func (tt *tollTown) charge(version int, p *x402test.Payer, sign func(*x402.Authorization) []byte) []string {
	a := tt.authorization()
	a.From = p.Address
	return tt.header(version, a, sign(a), nil)
}

// spent returns how many transactions the facilitator's signer has sent and how much it has left.
func (tt *tollTown) spent() string {
	tt.Helper()
	client, signer := tt.town.Chain.Client(), crypto.PubkeyToAddress(tt.town.Chain.Settler().PublicKey)
	nonce, err := client.PendingNonceAt(tt.Context(), signer)
	if err != nil {
		tt.Fatal(err)
	}
	wei, err := client.BalanceAt(tt.Context(), signer, nil)
	if err != nil {
		tt.Fatal(err)
	}
	return fmt.Sprintf("%d transactions, %s wei left", nonce, wei)
}

// The look-ups that a payment may cost before it is refused.
var (
	asksNothing = map[string]int{}
	asksForCode = map[string]int{"eth_getCode": 1}
	asksBatch   = map[string]int{"batch": 1}
	asksBoth    = map[string]int{"eth_getCode": 1, "batch": 1}
	asks1271    = map[string]int{"eth_getCode": 1, "batch": 1, "eth_call": 1}
	asks7702    = map[string]int{"batch": 1, "eth_call": 1}
)

// TestWhatRefusalsCost sends payments with every fault that only the chain can show, and some that need no look-up.
// Each is refused with its code and with no more look-ups than needed, without an upstream run and without gas.
func TestWhatRefusalsCost(t *testing.T) {
	t.Parallel()
	tt := newTollTown(t, nil)
	c := tt.town
	rich, poor := c.Account(x402test.PayerUnits), c.Account(9_999)
	wallet := c.ContractWallet()
	obeys, minds := c.DelegatedAccount(chain.WalletCode), c.DelegatedAccount(chain.Multicall)
	absent := c.UndeployedWallet(x402test.PayerUnits)
	denied := c.Account(x402test.PayerUnits)
	if err := c.Chain.Deny(t.Context(), denied.Address); err != nil {
		t.Fatal(err)
	}
	by := func(p *x402test.Payer) func() []string {
		return func() []string { return tt.charge(2, p, p.Sign) }
	}
	forgedBy := func(p *x402test.Payer) func() []string {
		return func() []string { return tt.charge(1, p, rich.Sign) }
	}
	altered := func(p *x402test.Payer, change func(a *x402.Authorization)) func() []string {
		return func() []string {
			return tt.charge(2, p, func(a *x402.Authorization) []byte { change(a); return p.Sign(a) })
		}
	}
	wrapped := func(factory common.Address, signer *x402test.Payer) func() []string {
		return func() []string {
			return tt.charge(2, absent, func(a *x402.Authorization) []byte { return absent.Wrapped(factory, signer.Sign(a)) })
		}
	}
	spent := tt.spent()
	for name, row := range map[string]struct {
		pay   func() []string
		code  x402.Code
		asks  map[string]int
		finds int
	}{
		"unreadable":          {func() []string { return []string{x402.HeaderPaymentV1, "?"} }, x402.CodePayload, asksNothing, 0},
		"other network":       {func() []string { return sent(1, func(m map[string]any) { m["network"] = "base-sepolia2" })(tt.booth) }, x402.CodeNetwork, asksNothing, 0},
		"forged, other price": {func() []string { return authorized(2, "value", "1")(tt.booth) }, x402.CodeValueMismatch, asksNothing, 0},
		"forged, lapsed": {func() []string {
			return authorized(2, "validBefore", strconv.FormatInt(tt.clock.Now().Unix(), 10))(tt.booth)
		}, x402.CodeValidBefore, asksNothing, 0},
		"other price":     {altered(rich, func(a *x402.Authorization) { a.Value = 1 }), x402.CodeValueMismatch, asksNothing, 1},
		"forged":          {forgedBy(poor), x402.CodeSignature, asksForCode, 1},
		"poor by a unit":  {by(poor), x402.CodeInsufficientFunds, asksBatch, 2},
		"on a deny list":  {by(denied), x402.CodeTransactionState, asksBatch, 2},
		"contract minds":  {forgedBy(wallet), x402.CodeSignature, asks1271, 1},
		"delegate minds":  {by(minds), x402.CodeSignature, asks7702, 1},
		"delegate forged": {forgedBy(obeys), x402.CodeSignature, asks1271, 1},
		"not deployed":    {by(absent), x402.CodeSignature, asksForCode, 1},
		"foreign factory": {wrapped(chain.Multicall, absent), x402.CodeUndeployed, asksForCode, 1},
		"deployed owner is another": {
			wrapped(chain.WalletFactory, rich), x402.CodeSignature, asks1271, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			headers := row.pay()
			tt.node.Take()
			tt.found.take()
			a := tt.serve(tt.request(headers...))
			if a.err != nil || a.Code < 400 || a.code() != row.code {
				t.Fatalf("got %v, %d %s, want %s", a.err, a.Code, a.Body, row.code)
			}
			if got := tt.node.Take(); !maps.Equal(got, row.asks) {
				t.Errorf("asked the node: got %v, want %v", got, row.asks)
			}
			if finds, claims := tt.found.take(); finds != row.finds || claims != 0 {
				t.Errorf("looks for claims and claims: got %d and %d, want %d and 0", finds, claims, row.finds)
			}
		})
	}
	if err := c.Chain.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	tt.wantAnswer(tt.serve(tt.request(by(rich)()...)), http.StatusPaymentRequired, x402.CodeTransactionState)
	if err := c.Chain.Unpause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := tt.ran(); got != 0 {
		t.Errorf("runs of the upstream: got %d, want none", got)
	}
	if got := tt.spent(); got != spent {
		t.Errorf("the signer: got %s, want %s", got, spent)
	}
	for name, row := range map[string]struct {
		pay  func() []string
		asks map[string]int
	}{
		"account":           {by(rich), asksBatch},
		"contract wallet":   {by(wallet), asksBoth},
		"delegated account": {by(obeys), asksBatch},
		"deployed along":    {wrapped(chain.WalletFactory, absent), asksBoth},
	} {
		t.Run(name, func(t *testing.T) {
			headers := row.pay()
			before := tt.ran()
			tt.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
				if got := tt.node.Take(); !maps.Equal(got, row.asks) {
					t.Errorf("asked the node before the run: got %v, want %v", got, row.asks)
				}
				_, err := io.WriteString(w, "report")
				return err
			}
			tt.node.Take()
			tt.wantPaid(tt.serve(tt.request(headers...)))
			if got := tt.ran() - before; got != 1 {
				t.Errorf("runs: got %d, want 1", got)
			}
		})
	}
	if got := c.Balance(x402test.PayTo); got != 40_000 {
		t.Errorf("moved: got %d, want 40000", got)
	}
}

// TestLapsedCopiesAreLookedUpIfSigned shows that a lapsed payment is looked up only if its payer signed it: it may be a
// copy of one that was paid. Forged ones, which anybody can send, cost no look-up.
func TestLapsedCopiesAreLookedUpIfSigned(t *testing.T) {
	t.Parallel()
	var store *countingStore
	b := newBooth(t, func(c *Config) {
		store = &countingStore{Store: c.Store}
		c.Store, c.UnverifiedPerMinute = store, 2
	})
	good := b.pay(2)
	b.wantPaid(b.serve(b.request(good...)))
	b.clock.Advance(2 * time.Minute)
	store.take()
	b.wantPaid(b.serve(b.request(good...)))
	if finds, _ := store.take(); finds == 0 {
		t.Error("the copy was not looked for")
	}
	forged := func() []string {
		a := b.authorization()
		a.ValidBefore.SetInt64(b.clock.Now().Unix())
		return b.header(2, a, x402test.Sign(t, x402test.NewKey(t), a, x402.BaseSepolia()), nil)
	}
	for range 5 {
		b.wantAnswer(b.serve(b.request(forged()...)), http.StatusPaymentRequired, x402.CodeValidBefore)
	}
	if finds, claims := store.take(); finds != 0 || claims != 0 {
		t.Errorf("forged: got %d looks and %d claims, want none", finds, claims)
	}
	b.wantPaid(b.serve(b.request(good...)))
	limited := b.serve(b.request(good...))
	b.wantAnswer(limited, http.StatusPaymentRequired, x402.CodeValidBefore)
	if got, err := strconv.Atoi(limited.Header().Get("Retry-After")); err != nil || got < 1 || got > 60 {
		t.Errorf("Retry-After: got %d, %v, want the seconds left of the minute", got, err)
	}
}

// slowCheck is a facilitator that reports each check and, if the payer signed the payment, waits for release.
type slowCheck struct {
	*chainFake

	started chan *x402.Payment
	release chan struct{}
}

func (s *slowCheck) Verify(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Checked, error) {
	s.started <- p
	if p.SignedByPayer(x402.BaseSepolia()) {
		<-s.release
	}
	return s.chainFake.Verify(ctx, p, req)
}

// TestChecksOfOneNonce shows that copies of a payment share one check. Other payments on the nonce wait for it and get
// their own result. A payment that the payer did not sign does not make it wait.
func TestChecksOfOneNonce(t *testing.T) {
	t.Parallel()
	slow := &slowCheck{started: make(chan *x402.Payment, 10), release: make(chan struct{})}
	b := newBooth(t, func(c *Config) {
		fake, ok := c.Facilitator.(*chainFake)
		if !ok {
			t.Fatalf("facilitator: got %T", c.Facilitator)
		}
		slow.chainFake = fake
		c.Facilitator = slow
	})
	a := b.authorization()
	first := b.header(2, a, x402test.Sign(t, b.key, a, x402.BaseSepolia()), nil)
	forged := b.header(2, a, x402test.Sign(t, x402test.NewKey(t), a, x402.BaseSepolia()), nil)
	a.ValidBefore.Add(a.ValidBefore, common.Big1)
	second := b.header(2, a, x402test.Sign(t, b.key, a, x402.BaseSepolia()), nil)

	var done sync.WaitGroup
	codes := make(chan int, 10)
	send := func(headers []string) {
		done.Go(func() { codes <- b.serve(b.request(headers...)).Code })
	}
	for range 5 {
		send(first)
	}
	one := <-slow.started
	send(forged) // does not wait
	if p := <-slow.started; p.SignedByPayer(x402.BaseSepolia()) {
		t.Error("want the forged payment to be checked beside the good one")
	}
	send(second)
	b.waitForTurns(turnKey{nonce: b.claimKey(one), signed: true}, 2)
	select {
	case p := <-slow.started:
		t.Errorf("checked at the same time: %+v", p.Authorization)
	default:
	}
	// Wait for the first response before the second check continues: nothing else orders two claims of good payments.
	slow.release <- struct{}{}
	got := map[int]int{}
	for n := 0; n < 6 && got[http.StatusOK] == 0; n++ {
		got[<-codes]++
	}
	close(slow.release)
	done.Wait()
	close(codes)
	for code := range codes {
		got[code]++
	}
	// Five copies are served, the forged payment gets 402, and the second payment finds its nonce used (409).
	if want := map[int]int{http.StatusOK: 5, http.StatusPaymentRequired: 1, http.StatusConflict: 1}; !maps.Equal(got, want) {
		t.Errorf("answers: got %v, want %v", got, want)
	}
	b.wantCounts(1, 1, 1)
	if left := len(b.gate.checks.turns.taken); left != 0 {
		t.Errorf("turns left: got %d, want none", left)
	}
}

func (b *booth) claimKey(p *x402.Payment) claims.Key {
	return claims.Key{
		Network: x402.BaseSepolia().ID(), Asset: x402.BaseSepolia().Asset.Hex(),
		Payer: p.Authorization.From.Hex(), Nonce: p.Authorization.Nonce,
	}
}

// waitForTurns waits until that many users hold the turn or wait for it.
func (b *booth) waitForTurns(key turnKey, users int) {
	b.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		t := &b.gate.checks.turns
		t.mu.Lock()
		taken := t.taken[key]
		reached := taken != nil && taken.users >= users
		t.mu.Unlock()
		if reached {
			return
		}
		select {
		case <-b.Context().Done():
			b.Fatal("nobody waits for the turn")
		case <-ticker.C:
		}
	}
}

// TestTurnIsNotWaitedForForEver shows that a request stops waiting when its context ends.
func TestTurnIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	var held turns
	leave, err := held.enter(t.Context(), turnKey{})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := held.enter(over, turnKey{}); err == nil {
		t.Error("want an error for who does not get its turn")
	}
	leave()
	if leave, err = held.enter(t.Context(), turnKey{}); err != nil {
		t.Fatal(err)
	}
	leave()
	if len(held.taken) != 0 {
		t.Errorf("left: got %d, want none", len(held.taken))
	}
}

func TestUnverifiedPaymentsAreLimited(t *testing.T) {
	t.Parallel()
	b := newBooth(t, func(c *Config) { c.UnverifiedPerMinute = 3 })
	forged := func(from string) *answer {
		a := b.authorization()
		r := b.request(b.header(1, a, x402test.Sign(t, x402test.NewKey(t), a, x402.BaseSepolia()), nil)...)
		r.RemoteAddr = from
		answer := b.serve(r)
		b.wantAnswer(answer, http.StatusPaymentRequired, x402.CodeSignature)
		return answer
	}
	looks := func(want int) {
		t.Helper()
		b.chain.set(func(c *chainFake) {
			if c.verified != want {
				t.Errorf("looks on chain: got %d, want %d", c.verified, want)
			}
		})
	}
	b.clock.Advance(time.Minute - time.Duration(b.clock.Now().Unix()%60)*time.Second + 20*time.Second)
	for i := range 5 {
		got := forged("[2001:db8::" + strconv.Itoa(i) + "]:4711").Header().Get("Retry-After")
		if want := map[bool]string{true: "40"}[i >= 3]; got != want {
			t.Errorf("Retry-After of payment %d: got %q, want %q", i, got, want)
		}
	}
	looks(3)
	forged("[2001:db8:0:1::]:4711")
	looks(4)
	b.wantPaid(b.serve(b.request(b.pay(1)...))) // a payer's own signature is never held back
	b.clock.Advance(40 * time.Second)
	forged("[2001:db8::ffff]:4711")
	looks(6)
}

func TestSubscriber(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1":                 "192.0.2.1",
		"192.0.2.1:80":              "192.0.2.1",
		"::ffff:192.0.2.1":          "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":      "2001:db8:1:2::",
		"[2001:db8:1:2:ffff::1]:80": "2001:db8:1:2::",
		"fe80::1%eth0":              "fe80::",
		"unix":                      "invalid IP",
		"":                          "invalid IP",
	} {
		if got := subscriber(address).String(); got != want {
			t.Errorf("%q: got %s, want %s", address, got, want)
		}
	}
}
