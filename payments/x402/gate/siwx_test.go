package gate

import (
	"context"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator"
	"github.com/turnpike-edge/turnpike/payments/x402/siwx"
)

// signInFields are the members of the header, as a client derives them from a challenge.
type signInFields map[string]any

// offeredSignIn is a challenge's sign-in extension.
type offeredSignIn struct {
	Info            signInFields `json:"info"`
	SupportedChains []siwx.Chain `json:"supportedChains"`
}

// signInFields returns what a client derives from the booth's challenge.
func (b *booth) signInFields(address common.Address) signInFields {
	b.Helper()
	var offer offeredSignIn
	if err := json.Unmarshal(b.serve(b.request()).challenge(b.T).Extensions[siwx.Extension], &offer); err != nil {
		b.Fatal(err)
	}
	fields := offer.Info
	fields["address"], fields["chainId"], fields["type"] = address.Hex(), offer.SupportedChains[0].ChainID, offer.SupportedChains[0].Type
	return fields
}

// message is the text of EIP-4361, written independently of the code under test.
func (f signInFields) message() string {
	text := f["domain"].(string) + " wants you to sign in with your Ethereum account:\n" + f["address"].(string) + "\n\n"
	if statement, ok := f["statement"].(string); ok {
		text += statement + "\n"
	}
	text += "\nURI: " + f["uri"].(string) + "\nVersion: " + f["version"].(string) +
		"\nChain ID: " + strings.TrimPrefix(f["chainId"].(string), "eip155:") + "\nNonce: " + f["nonce"].(string) + "\nIssued At: " + f["issuedAt"].(string)
	lines := []string{text}
	for _, line := range [][2]string{{"expirationTime", "Expiration Time"}, {"notBefore", "Not Before"}, {"requestId", "Request ID"}} {
		if value, ok := f[line[0]].(string); ok {
			lines = append(lines, line[1]+": "+value)
		}
	}
	if resources, ok := f["resources"].([]string); ok {
		lines = append(lines, "Resources:\n- "+strings.Join(resources, "\n- "))
	}
	return strings.Join(lines, "\n")
}

func signPersonally(t testing.TB, key *ecdsa.PrivateKey, text string) []byte {
	t.Helper()
	digest := crypto.Keccak256([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(text))), []byte(text))
	sig, err := crypto.Sign(digest, key)
	if err != nil {
		t.Fatal(err)
	}
	sig[64] += 27
	return sig
}

// sign adds the signature.
func (f signInFields) sign(t testing.TB, key *ecdsa.PrivateKey) signInFields {
	t.Helper()
	f["signature"] = hexutil.Encode(signPersonally(t, key, f.message()))
	return f
}

func (f signInFields) header(t testing.TB) string {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// signedIn returns a sign-in request of the booth's wallet; change may alter the message before it is signed.
func (b *booth) signedIn(change func(signInFields)) *http.Request {
	b.Helper()
	fields := b.signInFields(crypto.PubkeyToAddress(b.key.PublicKey))
	if change != nil {
		change(fields)
	}
	return b.request(x402.HeaderSignIn, fields.sign(b.T, b.key).header(b.T))
}

func (b *booth) wantChallenge(a *answer, code x402.Code) {
	b.Helper()
	b.wantAnswer(a, http.StatusPaymentRequired, code)
	if a.Header().Get(x402.HeaderRequired) == "" || a.receipt(b.T) != nil {
		b.Errorf("got headers %v, want a challenge and no receipt", a.Header())
	}
}

func TestSignInReadsWhatWasPaidFor(t *testing.T) {
	t.Parallel()
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		for _, version := range []int{1, 2} {
			t.Run(string(settle)+", version "+strconv.Itoa(version), func(t *testing.T) {
				t.Parallel()
				b := newBooth(t, nil)
				b.offer.Settle = settle
				b.wantChallenge(b.serve(b.signedIn(nil)), x402.CodeSignInNothing)
				paid := b.serve(b.request(b.pay(version)...))
				b.wantPaid(paid)

				request := b.signedIn(nil)
				read := b.serve(request)
				b.wantPaid(read)
				want, got := paid.receipt(t), read.receipt(t)
				if got.Transaction != want.Transaction || got.Network != "eip155:84532" || got.Payer != want.Payer || got.Amount != "10000" {
					t.Errorf("receipt: got %+v, want that of %+v", got, want)
				}
				if got := read.Header().Get("Cache-Control"); got != "private" {
					t.Errorf("Cache-Control: got %q, want private", got)
				}
				b.wantChallenge(b.serve(request), x402.CodeSignInNonce)
				b.wantPaid(b.serve(b.signedIn(nil)))
				b.wantChallenge(b.serveAt(b.gate, b.signedIn(nil), "another body"), x402.CodeSignInNothing)
				put := b.signedIn(nil)
				put.Method = http.MethodPut
				b.wantChallenge(b.serve(put), x402.CodeSignInNothing)

				owner := b.key
				b.key = x402test.NewKey(t)
				b.wantChallenge(b.serve(b.signedIn(nil)), x402.CodeSignInNothing)
				b.key = owner
				b.offer.Amount++ // a later price does not matter
				b.wantPaid(b.serve(b.signedIn(nil)))
				b.clock.Advance(b.offer.UpstreamTimeout + x402.OfferSlack + keepAfterLapse + time.Second)
				b.wantChallenge(b.serve(b.signedIn(nil)), x402.CodeSignInNothing)
				b.wantCounts(1, 1, 1)
			})
		}
	}
}

// TestSignInIsUsedOnce shows that a sign-in at two edges at once gets one response.
func TestSignInIsUsedOnce(t *testing.T) {
	t.Parallel()
	on := claimstest.Postgres(t, claimstest.NewPool(t))
	b := newBoothOn(t, &on, nil)
	gates := []*Gate{b.gate, b.newGate(nil)}
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	header := b.signedIn(nil).Header.Get(x402.HeaderSignIn)
	answers := make([]*answer, 10)
	var done sync.WaitGroup
	for i := range answers {
		done.Go(func() { answers[i] = b.serveAt(gates[i%2], b.request(x402.HeaderSignIn, header), "body") })
	}
	done.Wait()
	served := 0
	for _, a := range answers {
		if a.Code == http.StatusOK {
			served++
			continue
		}
		b.wantChallenge(a, x402.CodeSignInNonce)
	}
	if served != 1 {
		t.Errorf("served: got %d, want 1", served)
	}
	b.wantCounts(1, 1, 1)
}

// While its request runs, a wallet is not asked to pay again.
func TestSignInWhileItRuns(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	asked := b.signedIn(nil)
	var meanwhile *answer
	b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
		meanwhile = b.serve(asked)
		_, err := io.WriteString(w, "report")
		return err
	}
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	b.wantAnswer(meanwhile, http.StatusConflict, x402.CodeInProgress)
	b.wantPaid(b.serve(asked)) // the refusal above did not use up the sign-in
	b.wantCounts(1, 1, 1)
}

func TestSignInIsRefused(t *testing.T) {
	t.Parallel()
	set := func(name string, value any) func(*booth, signInFields) {
		return func(_ *booth, f signInFields) { f[name] = value }
	}
	at := func(name string, after time.Duration) func(*booth, signInFields) {
		return func(b *booth, f signInFields) { f[name] = b.clock.Now().Add(after).Format(time.RFC3339) }
	}
	for name, tt := range map[string]struct {
		change func(*booth, signInFields)
		code   x402.Code // empty: it is good
	}{
		"as offered":                 {func(*booth, signInFields) {}, ""},
		"without what may be absent": {func(_ *booth, f signInFields) { delete(f, "statement"); delete(f, "expirationTime") }, ""},
		"with all there is": {func(b *booth, f signInFields) {
			f["requestId"], f["resources"], f["signatureScheme"] = "1", []string{"https://a.example/1", "ipfs://x"}, "eip191"
			at("notBefore", -time.Second)(b, f)
		}, ""},
		"another network of the offer":  {set("chainId", "eip155:8453"), ""},
		"issued by a clock ahead":       {at("issuedAt", siwx.Skew), ""},
		"issued just now old enough":    {at("issuedAt", -siwx.Life+time.Second), ""},
		"another domain":                {set("domain", "evil.example.com"), x402.CodeSignInDomain},
		"domain with another port":      {set("domain", "api.example.com:8443"), x402.CodeSignInDomain},
		"domain with an end":            {set("domain", "api.example.com.evil.example"), x402.CodeSignInDomain},
		"uri of another origin":         {set("uri", "https://evil.example.com/"), x402.CodeSignInURI},
		"uri of another scheme":         {set("uri", "http://api.example.com/"), x402.CodeSignInURI},
		"uri with a user":               {set("uri", "https://api.example.com@evil.example/"), x402.CodeSignInURI},
		"uri is none":                   {set("uri", "%zz"), x402.CodeSignInURI},
		"version":                       {set("version", "2"), x402.CodeSignInPayload},
		"a chain that is not offered":   {set("chainId", "eip155:1"), x402.CodeSignInChain},
		"no chain of Ethereum's":        {set("chainId", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"), x402.CodeSignInChain},
		"another kind of signature":     {set("type", "ed25519"), x402.CodeSignInChain},
		"short nonce":                   {set("nonce", "1234567"), x402.CodeSignInPayload},
		"odd nonce":                     {set("nonce", "12345678-"), x402.CodeSignInPayload},
		"no nonce":                      {set("nonce", ""), x402.CodeSignInPayload},
		"address is none":               {set("address", "0x1234"), x402.CodeSignInPayload},
		"line break in the statement":   {set("statement", "x\n\nURI: https://api.example.com"), x402.CodeSignInPayload},
		"line break in a resource":      {set("resources", []string{"a\nb"}), x402.CodeSignInPayload},
		"resources are no list":         {set("resources", "a"), x402.CodeSignInPayload},
		"issued at no time":             {set("issuedAt", "yesterday"), x402.CodeSignInPayload},
		"too old":                       {at("issuedAt", -siwx.Life), x402.CodeSignInTooOld},
		"from the future":               {at("issuedAt", siwx.Skew+time.Second), x402.CodeSignInInFuture},
		"expires at no time":            {set("expirationTime", "never"), x402.CodeSignInPayload},
		"expired":                       {at("expirationTime", 0), x402.CodeSignInExpired},
		"not before no time":            {set("notBefore", "later"), x402.CodeSignInPayload},
		"not valid yet":                 {at("notBefore", time.Second), x402.CodeSignInNotYet},
		"a member in another case":      {set("Domain", "x"), x402.CodeSignInPayload},
		"a member that is not a string": {set("requestId", 1), x402.CodeSignInPayload},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.wantPaid(b.serve(b.request(b.pay(2)...)))
			a := b.serve(b.signedIn(func(f signInFields) { tt.change(b, f) }))
			if tt.code == "" {
				b.wantPaid(a)
			} else {
				b.wantChallenge(a, tt.code)
			}
			b.wantCounts(1, 1, 1)
		})
	}
}

func TestSignInHeader(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		headers func(good string) []string
		status  int
		code    x402.Code
	}{
		"no base64":  {func(string) []string { return []string{"%"} }, 402, x402.CodeSignInPayload},
		"no JSON":    {func(string) []string { return []string{"eA=="} }, 402, x402.CodeSignInPayload},
		"null":       {func(string) []string { return []string{"bnVsbA=="} }, 402, x402.CodeSignInPayload},
		"empty":      {func(string) []string { return []string{""} }, 402, x402.CodeSignInPayload},
		"twice":      {func(good string) []string { return []string{good, good} }, 402, x402.CodeSignInPayload},
		"oversized":  {func(string) []string { return []string{strings.Repeat("A", x402.HeaderBytesMax+4)} }, 431, x402.CodeSignInPayload},
		"turned off": {func(good string) []string { return []string{good} }, 402, x402.CodePaymentRequired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.wantPaid(b.serve(b.request(b.pay(2)...)))
			good := b.signedIn(nil).Header.Get(x402.HeaderSignIn)
			b.gate.cfg.NoSignIns = name == "turned off"
			r := b.request()
			for _, value := range tt.headers(good) {
				r.Header.Add(x402.HeaderSignIn, value)
			}
			b.wantAnswer(b.serve(r), tt.status, tt.code)
		})
	}
}

// A message that somebody else has signed, or that was changed later, opens nothing. The number of look-ups at the node
// is limited.
func TestSignInIsForged(t *testing.T) {
	t.Parallel()
	sigVerifier := &verifierFake{}
	b := newBooth(t, func(c *Config) { c.UnverifiedPerMinute = 3 })
	b.gate.cfg.Facilitator = verifierChain{b.chain, sigVerifier}
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	fields := b.signInFields(crypto.PubkeyToAddress(b.key.PublicKey)).sign(t, x402test.NewKey(t))
	for range 3 {
		b.wantChallenge(b.serve(b.request(x402.HeaderSignIn, fields.header(t))), x402.CodeSignInSignature)
	}
	a := b.serve(b.request(x402.HeaderSignIn, fields.header(t)))
	b.wantChallenge(a, x402.CodeSignInVerifier)
	if a.Header().Get("Retry-After") == "" || sigVerifier.asked != 3 {
		t.Errorf("asked %d times, Retry-After %q: want 3, and when to try again", sigVerifier.asked, a.Header().Get("Retry-After"))
	}
	changed := b.signInFields(crypto.PubkeyToAddress(b.key.PublicKey)).sign(t, b.key)
	changed["nonce"] = "0123456789abcdef"
	b.clock.Advance(time.Minute)
	b.wantChallenge(b.serve(b.request(x402.HeaderSignIn, changed.header(t))), x402.CodeSignInSignature)
	sigVerifier.err = errTest
	b.wantChallenge(b.serve(b.request(x402.HeaderSignIn, changed.header(t))), x402.CodeSignInVerifier)
	b.gate.cfg.Facilitator = b.chain // without a node
	b.wantChallenge(b.serve(b.request(x402.HeaderSignIn, changed.header(t))), x402.CodeSignInSignature)
	if err := b.store.UseSignIn(t.Context(), crypto.PubkeyToAddress(b.key.PublicKey).Hex(), changed["nonce"].(string), b.clock.Now()); err != nil {
		t.Errorf("written down: got %v, want nothing", err)
	}
}

// verifierChain is a test chain with a signature verifier for contracts.
type verifierChain struct {
	*chainFake
	*verifierFake
}

type verifierFake struct {
	asked  int
	stands bool
	err    error
}

func (n *verifierFake) VerifySignature(context.Context, x402.Network, common.Address, common.Hash, []byte) (bool, error) {
	n.asked++
	return n.stands, n.err
}

// A contract wallet's signature is verified on one network, and opens only what was paid for there: on another network
// its address may belong to somebody else.
func TestSignInOfAContractIsOfOneNetwork(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.gate.cfg.Facilitator = verifierChain{b.chain, &verifierFake{stands: true}}
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	for chainID, code := range map[string]x402.Code{"eip155:8453": x402.CodeSignInNothing, "eip155:84532": ""} {
		fields := b.signInFields(crypto.PubkeyToAddress(b.key.PublicKey))
		fields["chainId"] = chainID
		a := b.serve(b.request(x402.HeaderSignIn, fields.sign(t, x402test.NewKey(t)).header(t)))
		if code == "" {
			b.wantPaid(a)
			continue
		}
		b.wantChallenge(a, code)
	}
}

func TestSignInsAreLimited(t *testing.T) {
	t.Parallel()
	b := newBooth(t, func(c *Config) { c.UnverifiedPerMinute = 1 })
	header := b.signedIn(nil).Header.Get(x402.HeaderSignIn)
	for range signInsPerUnverified {
		b.wantChallenge(b.serve(b.request(x402.HeaderSignIn, header)), x402.CodeSignInNothing)
	}
	a := b.serve(b.request(x402.HeaderSignIn, header))
	b.wantChallenge(a, x402.CodeSignInVerifier)
	if a.Header().Get("Retry-After") == "" {
		t.Error("want Retry-After")
	}
}

// A payment takes precedence over a sign-in in the same request.
func TestSignInBesideAPayment(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	r := b.signedIn(nil)
	header := b.pay(2)
	r.Header.Set(header[0], header[1])
	b.next = func(w http.ResponseWriter, r *http.Request, _ x402.Claim) error {
		if r.Header.Get(x402.HeaderSignIn) != "" {
			t.Error("the upstream sees the sign-in")
		}
		_, err := io.WriteString(w, "report")
		return err
	}
	b.wantPaid(b.serve(r))
	b.wantCounts(1, 1, 1)
}

// TestContractWalletsSignIn tests contract wallets on a chain.
func TestContractWalletsSignIn(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	wallet := c.ContractWallet()
	digest := siwx.Digest("hello")
	sig := signPersonally(t, wallet.Key, "hello")
	wrapped := wallet.Wrapped(chain.WalletFactory, sig)
	for name, tt := range map[string]struct {
		account common.Address
		sig     []byte
		network x402.Network
		want    bool
		wantErr bool
	}{
		"its owner's":            {wallet.Address, sig, x402.BaseSepolia(), true, false},
		"as before it was there": {wallet.Address, wrapped, x402.BaseSepolia(), true, false},
		"somebody else's":        {wallet.Address, signPersonally(t, x402test.NewKey(t), "hello"), x402.BaseSepolia(), false, false},
		"of another text":        {wallet.Address, signPersonally(t, wallet.Key, "bye"), x402.BaseSepolia(), false, false},
		"no contract":            {crypto.PubkeyToAddress(wallet.Key.PublicKey), sig, x402.BaseSepolia(), false, false},
		"another network":        {wallet.Address, sig, x402.Base(), false, true},
	} {
		for kind, sigVerifier := range map[string]x402.SignatureVerifier{
			"local": c.facilitator, "several": facilitator.ByChain(map[uint64]x402.Facilitator{84532: c.facilitator}).(x402.SignatureVerifier),
		} {
			got, err := sigVerifier.VerifySignature(t.Context(), tt.network, tt.account, digest, tt.sig)
			if got != tt.want || (err != nil) != tt.wantErr {
				t.Errorf("%s, %s: got %v, %v, want %v", name, kind, got, err, tt.want)
			}
		}
	}
}
