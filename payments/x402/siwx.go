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

// The extension sign-in-with-x: a wallet shows who it is by signing a message of
// EIP-4361 (CAIP-122), and gets again what it has paid for.

const (
	extensionSignIn = "sign-in-with-x"

	// signInLife is how old a message may be, and how long a challenge says it is good.
	signInLife = 5 * time.Minute
	// signInSkew is how far ahead of ours the clock of the edge may be that has made
	// the challenge.
	signInSkew = 10 * time.Second
	// signInKept is for how much longer than it is good a used message is remembered:
	// the clocks of edges differ.
	signInKept = 10 * time.Minute

	// signInsPerSuspect is how many sign-ins of an ordinary wallet are looked up where
	// one payment that needs a look-up is. They cost a signature's recovery and a look
	// into an index, and stock clients sign in before each purchase.
	signInsPerSuspect = 10
)

// signInSchema names what the header must have. All members are strings.
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
	signInStatement = "Read again what this wallet has paid for."
	// signInTime is RFC 3339 as JavaScript writes it.
	signInTime = "2006-01-02T15:04:05.000Z"
)

// offerSignIn is what the challenge says of signing in.
func (v *visit) offerSignIn() (json.RawMessage, error) {
	resource, err := url.Parse(v.offer.Resource)
	if err != nil {
		return nil, err
	}
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, fmt.Errorf("drawing a nonce: %w", err)
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

// signInURIMax keeps an address from being in a challenge twice that is long: what is
// signed is held against its origin only.
const signInURIMax = 256

func signInURI(scheme, host string, resource *url.URL) string {
	if uri := scheme + "://" + host + resource.RequestURI(); len(uri) <= signInURIMax {
		return uri
	}
	return scheme + "://" + host + "/"
}

// origin returns scheme and host of an address as browsers write them: in small
// letters and without the scheme's own port (RFC 6454, section 6.2).
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

	// What is read of them.
	account common.Address
	network Network
	expires time.Time // from when on it is too old
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

// readSignIn reads the header, which must be there once.
func readSignIn(values []string) (*signIn, *Refusal) {
	if len(values) != 1 {
		return nil, refuse(CodeSignInPayload, "SIGN-IN-WITH-X is there %d times: want it once", len(values))
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

// checkForm checks what needs no knowledge of the request. A line break in a field could
// make it look like another to whoever reads the signed text.
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
	const nonceMin, nonceMax = 8, 128 // EIP-4361, and a bound
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

// check holds the message against the request, without asking anybody.
func (s *signIn) check(v *visit, now time.Time) *Refusal {
	resource, err := url.Parse(v.offer.Resource)
	if err != nil {
		return refuse(CodeSignInURI, "the address of what is sold is not one")
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
		return refuse(CodeSignInTooOld, "issuedAt is %s: want a message of the last %d minutes, signed for the challenge of this answer",
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

// serveSignedIn answers a request that carries no payment, but a sign-in: with the
// answer that the wallet has paid for, or with the challenge.
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
			return v.refuseSignIn(refuse(CodeSignInVerifier, "too many sign-ins have come from this address: what was paid for is given again later").again(wait))
		}
	} else {
		// It may be a contract's, and that of one network only.
		if refusal := g.askWallet(v, s, digest, now); refusal != nil {
			return v.refuseSignIn(refusal)
		}
		asked.Network = s.network.ID()
	}
	return g.answerSignedIn(v, s, asked, now)
}

// askWallet asks the wallet's contract whether it stands by the signature.
func (g *Gate) askWallet(v *visit, s *signIn, digest common.Hash, now time.Time) *Refusal {
	notary, ok := g.cfg.Facilitator.(Notary)
	if !ok {
		return refuse(CodeSignInSignature, "the signature is not by the wallet's key, and contracts are not asked here")
	}
	if wait := g.suspects.wait(g.cfg.ClientAddress(v.r), now); wait > 0 {
		return refuse(CodeSignInVerifier, "the signature is not by the wallet's key, and whether the wallet is a contract that stands by it "+
			"was not looked up: too many have come from this address, try again later").again(wait)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), g.cfg.VerifyTimeout)
	defer cancel()
	stands, err := notary.StandsBy(ctx, s.network, s.account, digest, s.sig)
	switch {
	case errors.Is(err, errNoNode):
		return refuse(CodeSignInSignature, "the signature is not by the wallet's key, and contracts are not asked here")
	case err != nil:
		g.cfg.Logger.Warn("x402 sign-in not judged", "network", s.network.ID(), "error", err)
		return refuse(CodeSignInVerifier, "the signature is not by the wallet's key, and its contract could not be asked: try again later").again(retryAfterSeconds * time.Second)
	case !stands:
		return refuse(CodeSignInSignature, "the wallet has not signed this message: want the text of EIP-4361 with the fields of this header, signed by EIP-191")
	}
	return nil
}

// answerSignedIn answers a wallet that is who it says. Its sign-in is used up by an
// answer only, so that nobody can fill the store with sign-ins of wallets that have
// bought nothing.
func (g *Gate) answerSignedIn(v *visit, s *signIn, asked Purchaser, now time.Time) error {
	looking, cancel := g.decision(v.r.Context())
	rec, err := g.cfg.Store.FindAnswer(looking, asked, now)
	cancel()
	switch {
	case errors.Is(err, ErrNoClaim):
		return v.refuseSignIn(refuse(CodeSignInNothing,
			"this wallet has no answer to this very request here that it has paid for and that is still kept: it costs %s USDC", v.offer.Amount))
	case err != nil:
		return unavailable("looking for what the wallet has paid for", err)
	case !rec.ResponseKept || !rec.State.paid():
		// It must not pay a second time for what it waits for.
		return v.conflict(CodeInProgress, "this wallet's payment for this request is still being worked on: repeat it later; it is not charged twice")
	}
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	defer cancel()
	err = g.cfg.Store.UseSignIn(ctx, asked.Payer, s.nonce, s.expires.Add(signInKept))
	if errors.Is(err, ErrSignInUsed) {
		return v.refuseSignIn(refuse(CodeSignInNonce, "this sign-in was used before: sign the challenge of this answer"))
	}
	if err != nil {
		return unavailable("using the sign-in", err)
	}
	return g.replayPaid(v, rec)
}

// refuseSignIn asks for a payment, and says why signing in has opened nothing.
func (v *visit) refuseSignIn(why *Refusal) error {
	v.gate.cfg.Observer.Challenged()
	return v.writeChallenge(why, nil)
}
