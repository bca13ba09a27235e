package x402

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ethereum/go-ethereum/common"
)

// Extension sign-in-with-x: a wallet proves its identity by signing an EIP-4361 (CAIP-122) message, and gets again what
// it has paid for.

const (
	extensionSignIn = "sign-in-with-x"

	// signInLife is the maximum age of a message, and the validity that a challenge announces.
	signInLife = 5 * time.Minute
	// signInSkew is how far the clock of the edge that made the challenge may be ahead of ours.
	signInSkew = 10 * time.Second
	// signInKept is how long a used message is remembered after it expires, because the clocks of edges differ.
	signInKept = 10 * time.Minute

	// signInsPerUnverified is how many sign-ins of ordinary wallets are allowed for each unverified payment that is
	// allowed. A sign-in costs a signature recovery and an index lookup, and stock clients sign in before each
	// purchase.
	signInsPerUnverified = 10
)

// signInSchema lists the required members of the header. All members are strings.
const signInSchema = `{"type":"object","required":["domain","address","uri","version","chainId","type","nonce","issuedAt","signature"]}`

type signInInfo struct {
	Domain         string `json:"domain"`
	URI            string `json:"uri"`
	Version        string `json:"version"`
	Nonce          string `json:"nonce"`
	IssuedAt       string `json:"issuedAt"`
	ExpirationTime string `json:"expirationTime"`
	Statement      string `json:"statement"`
}

type signInChain struct {
	ChainID string `json:"chainId"`
	Type    string `json:"type"`
}

const (
	signInVersion   = "1"
	signInType      = "eip191"
	signInStatement = "Sign in to get responses again that this wallet has paid for."
	// signInTime is RFC 3339 in JavaScript's format.
	signInTime = "2006-01-02T15:04:05.000Z"
)

// offerSignIn returns the challenge's sign-in extension.
func (v *visit) offerSignIn() (json.RawMessage, error) {
	resource, err := url.Parse(v.offer.Resource)
	if err != nil {
		return nil, err
	}
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, fmt.Errorf("generating a nonce: %w", err)
	}
	now := v.gate.cfg.Now().UTC()
	chains := make([]signInChain, len(v.reqs))
	for i := range v.reqs {
		chains[i] = signInChain{ChainID: v.reqs[i].Network.ID(), Type: signInType}
	}
	scheme, host := origin(resource)
	return json.Marshal(struct {
		Info            signInInfo      `json:"info"`
		SupportedChains []signInChain   `json:"supportedChains"`
		Schema          json.RawMessage `json:"schema"`
	}{
		Info: signInInfo{
			Domain: host, URI: signInURI(scheme, host, resource), Version: signInVersion, Nonce: hex.EncodeToString(nonce[:]),
			IssuedAt: now.Format(signInTime), ExpirationTime: now.Add(signInLife).Format(signInTime), Statement: signInStatement,
		},
		SupportedChains: chains,
		Schema:          json.RawMessage(signInSchema),
	})
}

// signInURIMax keeps a long URL from being in the challenge twice. Only the origin of the signed URI is compared.
const signInURIMax = 256

func signInURI(scheme, host string, resource *url.URL) string {
	if uri := scheme + "://" + host + resource.RequestURI(); len(uri) <= signInURIMax {
		return uri
	}
	return scheme + "://" + host + "/"
}

// origin returns scheme and host of a URL as browsers write them: in lower case and without the scheme's default port
// (RFC 6454, section 6.2).
func origin(u *url.URL) (scheme, host string) {
	scheme, host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme, host
}

// signIn is the content of a SIGN-IN-WITH-X header.
type signIn struct {
	domain, address, statement, uri, version, chainID, kind, nonce string
	issuedAt, expirationTime, notBefore, requestID                 string
	resources                                                      []string
	signatureScheme, signature                                     string

	// Parsed values.
	account common.Address
	network Network
	expires time.Time // when it becomes too old
	sig     []byte
}

var signInNames = []string{
	"domain", "address", "statement", "uri", "version", "chainId", "type", "nonce", "issuedAt", "expirationTime",
	"notBefore", "requestId", "resources", "signatureScheme", "signature",
}

func (*signIn) names() []string { return signInNames }

func (s *signIn) member(name string) any {
	targets := [...]any{
		&s.domain, &s.address, &s.statement, &s.uri, &s.version, &s.chainID, &s.kind, &s.nonce, &s.issuedAt, &s.expirationTime,
		&s.notBefore, &s.requestID, &s.resources, &s.signatureScheme, &s.signature,
	}
	if i := slices.Index(signInNames, name); i >= 0 {
		return targets[i]
	}
	return nil
}

// readSignIn reads the header, which must occur exactly once.
func readSignIn(values []string) (*signIn, *Refusal) {
	if len(values) != 1 {
		return nil, refuse(CodeSignInPayload, "SIGN-IN-WITH-X appears %d times: want it once", len(values))
	}
	if refusal := checkHeaderSize("SIGN-IN-WITH-X", values[0]); refusal != nil {
		refusal.Code = CodeSignInPayload
		return nil, refusal
	}
	raw, err := decodeBase64(values[0])
	if err != nil {
		return nil, refuse(CodeSignInPayload, "SIGN-IN-WITH-X: want base64")
	}
	s := new(signIn)
	if fault := readJSON(raw, s); fault != nil {
		return nil, refuse(CodeSignInPayload, "SIGN-IN-WITH-X: %s", fault)
	}
	if refusal := s.checkForm(); refusal != nil {
		refusal.Message = "SIGN-IN-WITH-X: " + refusal.Message
		return nil, refusal
	}
	return s, nil
}

// checkForm checks what does not depend on the request. A line break in a field could make the signed text look like a
// different message to its reader.
func (s *signIn) checkForm() *Refusal {
	for _, name := range signInNames {
		var texts []string
		switch field := s.member(name).(type) {
		case *string:
			texts = []string{*field}
		case *[]string:
			texts = *field
		}
		if slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }) {
			return refuse(CodeSignInPayload, "%s has a line break or another control character", name)
		}
	}
	var ok bool
	if s.account, ok = parseAddress(s.address); !ok {
		return refuse(CodeSignInPayload, "address: want 0x and 40 hexadecimal digits")
	}
	if s.sig, ok = parseHex(s.signature); !ok || len(s.sig) == 0 {
		return refuse(CodeSignInPayload, "signature: want 0x and hexadecimal digits")
	}
	const nonceMin, nonceMax = 8, 128 // the minimum of EIP-4361, and our limit
	if len(s.nonce) < nonceMin || len(s.nonce) > nonceMax || strings.ContainsFunc(s.nonce, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	}) {
		return refuse(CodeSignInPayload, "nonce: want %d to %d letters and digits", nonceMin, nonceMax)
	}
	if s.version != signInVersion {
		return refuse(CodeSignInPayload, "version is %q: want %q", clip(s.version), signInVersion)
	}
	if s.kind != signInType {
		return refuse(CodeSignInChain, "type is %q: want %q", clip(s.kind), signInType)
	}
	return nil
}

// check compares the message with the request. It makes no lookups.
func (s *signIn) check(v *visit, now time.Time) *Refusal {
	resource, err := url.Parse(v.offer.Resource)
	if err != nil {
		return refuse(CodeSignInURI, "the URL of the resource is not valid")
	}
	scheme, host := origin(resource)
	if s.domain != host {
		return refuse(CodeSignInDomain, "domain is %q: want %q", clip(s.domain), host)
	}
	uri, err := url.Parse(s.uri)
	if err != nil {
		return refuse(CodeSignInURI, "uri is %q: want an address at %s://%s", clip(s.uri), scheme, host)
	}
	if uriScheme, uriHost := origin(uri); uriScheme != scheme || uriHost != host {
		return refuse(CodeSignInURI, "uri is %q: want an address at %s://%s", clip(s.uri), scheme, host)
	}
	i := slices.IndexFunc(v.reqs, func(req Requirements) bool { return req.Network.ID() == s.chainID })
	if i < 0 {
		return refuse(CodeSignInChain, "chainId is %q: want one of supportedChains", clip(s.chainID))
	}
	s.network = v.reqs[i].Network
	return s.checkTimes(now)
}

func (s *signIn) checkTimes(now time.Time) *Refusal {
	issued, err := time.Parse(time.RFC3339, s.issuedAt)
	if err != nil {
		return refuse(CodeSignInPayload, "issuedAt is %q: want a time such as 2026-01-31T12:00:00Z", clip(s.issuedAt))
	}
	s.expires = issued.Add(signInLife)
	switch {
	case issued.After(now.Add(signInSkew)):
		return refuse(CodeSignInInFuture, "issuedAt is %s, which is in the future", clip(s.issuedAt))
	case !s.expires.After(now):
		return refuse(CodeSignInTooOld, "issuedAt is %s: want a message of the last %d minutes, signed for the challenge of this response",
			clip(s.issuedAt), int(signInLife.Minutes()))
	}
	if s.expirationTime != "" {
		switch expires, err := time.Parse(time.RFC3339, s.expirationTime); {
		case err != nil:
			return refuse(CodeSignInPayload, "expirationTime is %q: want a time such as 2026-01-31T12:00:00Z", clip(s.expirationTime))
		case !expires.After(now):
			return refuse(CodeSignInExpired, "the message has expired at %s", clip(s.expirationTime))
		}
	}
	if s.notBefore != "" {
		switch starts, err := time.Parse(time.RFC3339, s.notBefore); {
		case err != nil:
			return refuse(CodeSignInPayload, "notBefore is %q: want a time such as 2026-01-31T12:00:00Z", clip(s.notBefore))
		case starts.After(now):
			return refuse(CodeSignInNotYet, "the message is not valid before %s", clip(s.notBefore))
		}
	}
	return nil
}

// serveSignedIn answers a request that has a sign-in but no payment: with the response that the wallet has paid for, or
// with the challenge.
func (g *Gate) serveSignedIn(v *visit, header []string) error {
	now := g.cfg.Now()
	s, refusal := readSignIn(header)
	if refusal == nil {
		refusal = s.check(v, now)
	}
	if refusal != nil {
		return v.refuseSignIn(refusal)
	}
	asked := Purchaser{Payer: s.account.Hex(), RequestHash: v.requestHash}
	digest := personalDigest(s.text())
	if signedBy(s.account, digest, s.sig) {
		if wait := g.signIns.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
			return v.refuseSignIn(refuse(CodeSignInVerifier, "too many sign-ins have come from this address: try again later").again(wait))
		}
	} else {
		// The wallet may be a contract, and a contract exists on one network only.
		if refusal := g.askWallet(v, s, digest, now); refusal != nil {
			return v.refuseSignIn(refusal)
		}
		asked.Network = s.network.ID()
	}
	return g.answerSignedIn(v, s, asked, now)
}

// askWallet asks the wallet's contract to verify the signature.
func (g *Gate) askWallet(v *visit, s *signIn, digest common.Hash, now time.Time) *Refusal {
	sigVerifier, ok := g.cfg.Facilitator.(SignatureVerifier)
	if !ok {
		return refuse(CodeSignInSignature, "the signature is not by the wallet's key, and contracts cannot be called here")
	}
	if wait := g.unverified.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
		return refuse(CodeSignInVerifier, "the signature is not by the wallet's key, and it was not checked whether the wallet is a contract "+
			"that accepts it: too many such sign-ins have come from this address, try again later").again(wait)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), g.cfg.VerifyTimeout)
	defer cancel()
	stands, err := sigVerifier.VerifySignature(ctx, s.network, s.account, digest, s.sig)
	switch {
	case errors.Is(err, errNoNode):
		return refuse(CodeSignInSignature, "the signature is not by the wallet's key, and contracts cannot be called here")
	case err != nil:
		g.cfg.Logger.Warn("x402 sign-in not verified", "network", s.network.ID(), "error", err)
		return refuse(CodeSignInVerifier, "the signature is not by the wallet's key, and its contract could not be called: try again later").again(retryAfterSeconds * time.Second)
	case !stands:
		return refuse(CodeSignInSignature, "the wallet has not signed this message: want the text of EIP-4361 with the fields of this header, signed by EIP-191")
	}
	return nil
}

// answerSignedIn answers a wallet whose signature is verified. Only a delivered response uses up the sign-in, so that
// nobody can fill the store with sign-ins of wallets that have bought nothing.
func (g *Gate) answerSignedIn(v *visit, s *signIn, asked Purchaser, now time.Time) error {
	looking, cancel := g.decision(v.r.Context())
	rec, err := g.cfg.Store.FindAnswer(looking, asked, now)
	cancel()
	switch {
	case errors.Is(err, ErrNoClaim):
		return v.refuseSignIn(refuse(CodeSignInNothing,
			"no response that this wallet has paid for is stored for this request: it costs %s USDC", v.offer.Amount))
	case err != nil:
		return unavailable("looking for what the wallet has paid for", err)
	case !rec.ResponseKept || !rec.State.paid():
		// It must not pay again for a response that is still in progress.
		return v.conflict(CodeInProgress, "this wallet's payment for this request is still being processed: repeat it later; it is not charged twice")
	}
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	defer cancel()
	err = g.cfg.Store.UseSignIn(ctx, asked.Payer, s.nonce, s.expires.Add(signInKept))
	if errors.Is(err, ErrSignInUsed) {
		return v.refuseSignIn(refuse(CodeSignInNonce, "this sign-in was used before: sign the challenge of this response"))
	}
	if err != nil {
		return unavailable("using the sign-in", err)
	}
	return g.replayPaid(v, rec)
}

// refuseSignIn asks for a payment, and says why the sign-in gave no response.
func (v *visit) refuseSignIn(why *Refusal) error {
	v.gate.cfg.Observer.Challenged()
	return v.writeChallenge(why, nil)
}
