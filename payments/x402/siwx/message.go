// Package siwx reads and checks the messages with which a wallet signs in: extension sign-in-with-x, EIP-4361 (CAIP-122).
package siwx

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	// Extension is the name of the extension.
	Extension = "sign-in-with-x"

	// Life is the maximum age of a message, and the validity that a challenge announces.
	Life = 5 * time.Minute
	// Skew is how far the clock of the edge that made the challenge may be ahead of ours.
	Skew = 10 * time.Second
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

// Chain is a network on which a wallet may sign in.
type Chain struct {
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

// Offer returns the extension in a challenge for a resource, which can be paid for in one of these ways.
func Offer(address string, reqs []x402.Requirements, now time.Time) (json.RawMessage, error) {
	resource, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, fmt.Errorf("generating a nonce: %w", err)
	}
	now = now.UTC()
	chains := make([]Chain, len(reqs))
	for i := range reqs {
		chains[i] = Chain{ChainID: reqs[i].Network.ID(), Type: signInType}
	}
	scheme, host := origin(resource)
	return json.Marshal(struct {
		Info            signInInfo      `json:"info"`
		SupportedChains []Chain         `json:"supportedChains"`
		Schema          json.RawMessage `json:"schema"`
	}{
		Info: signInInfo{
			Domain: host, URI: signInURI(scheme, host, resource), Version: signInVersion, Nonce: hex.EncodeToString(nonce[:]),
			IssuedAt: now.Format(signInTime), ExpirationTime: now.Add(Life).Format(signInTime), Statement: signInStatement,
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

// Message is the content of a SIGN-IN-WITH-X header.
type Message struct {
	domain, address, statement, uri, version, chainID, kind, Nonce string
	issuedAt, expirationTime, notBefore, requestID                 string
	resources                                                      []string
	signatureScheme, signatureHex                                  string

	// Parsed values.
	Account   common.Address
	Network   x402.Network
	Expires   time.Time // when it becomes too old
	Signature []byte
}

var signInNames = []string{
	"domain", "address", "statement", "uri", "version", "chainId", "type", "nonce", "issuedAt", "expirationTime",
	"notBefore", "requestId", "resources", "signatureScheme", "signature",
}

func (*Message) names() []string { return signInNames }

func (s *Message) member(name string) any {
	targets := [...]any{
		&s.domain, &s.address, &s.statement, &s.uri, &s.version, &s.chainID, &s.kind, &s.Nonce, &s.issuedAt, &s.expirationTime,
		&s.notBefore, &s.requestID, &s.resources, &s.signatureScheme, &s.signatureHex,
	}
	if i := slices.Index(signInNames, name); i >= 0 {
		return targets[i]
	}
	return nil
}

// Read reads the header, which must occur exactly once.
func Read(values []string) (*Message, *x402.Refusal) {
	if len(values) != 1 {
		return nil, x402.Refuse(x402.CodeSignInPayload, "SIGN-IN-WITH-X appears %d times: want it once", len(values))
	}
	if refusal := x402.CheckHeaderSize("SIGN-IN-WITH-X", values[0]); refusal != nil {
		refusal.Code = x402.CodeSignInPayload
		return nil, refusal
	}
	raw, err := x402.DecodeBase64(values[0])
	if err != nil {
		return nil, x402.Refuse(x402.CodeSignInPayload, "SIGN-IN-WITH-X: want base64")
	}
	s := new(Message)
	if fault := x402.ReadObject(raw, s.names(), s.member); fault != nil {
		return nil, x402.Refuse(x402.CodeSignInPayload, "SIGN-IN-WITH-X: %s", fault)
	}
	if refusal := s.checkForm(); refusal != nil {
		refusal.Message = "SIGN-IN-WITH-X: " + refusal.Message
		return nil, refusal
	}
	return s, nil
}

// checkForm checks what does not depend on the request. A line break in a field could make the signed text look like a
// different message to its reader.
func (s *Message) checkForm() *x402.Refusal {
	for _, name := range signInNames {
		var texts []string
		switch field := s.member(name).(type) {
		case *string:
			texts = []string{*field}
		case *[]string:
			texts = *field
		}
		if slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }) {
			return x402.Refuse(x402.CodeSignInPayload, "%s has a line break or another control character", name)
		}
	}
	var ok bool
	if s.Account, ok = x402.ParseAddress(s.address); !ok {
		return x402.Refuse(x402.CodeSignInPayload, "address: want 0x and 40 hexadecimal digits")
	}
	if s.Signature, ok = x402.ParseHex(s.signatureHex); !ok || len(s.Signature) == 0 {
		return x402.Refuse(x402.CodeSignInPayload, "signature: want 0x and hexadecimal digits")
	}
	const nonceMin, nonceMax = 8, 128 // the minimum of EIP-4361, and our limit
	if len(s.Nonce) < nonceMin || len(s.Nonce) > nonceMax || strings.ContainsFunc(s.Nonce, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	}) {
		return x402.Refuse(x402.CodeSignInPayload, "nonce: want %d to %d letters and digits", nonceMin, nonceMax)
	}
	if s.version != signInVersion {
		return x402.Refuse(x402.CodeSignInPayload, "version is %q: want %q", x402.Clip(s.version), signInVersion)
	}
	if s.kind != signInType {
		return x402.Refuse(x402.CodeSignInChain, "type is %q: want %q", x402.Clip(s.kind), signInType)
	}
	return nil
}

// Check compares the message with the resource and the ways to pay for it. It makes no lookups.
func (s *Message) Check(address string, reqs []x402.Requirements, now time.Time) *x402.Refusal {
	resource, err := url.Parse(address)
	if err != nil {
		return x402.Refuse(x402.CodeSignInURI, "the URL of the resource is not valid")
	}
	scheme, host := origin(resource)
	if s.domain != host {
		return x402.Refuse(x402.CodeSignInDomain, "domain is %q: want %q", x402.Clip(s.domain), host)
	}
	uri, err := url.Parse(s.uri)
	if err != nil {
		return x402.Refuse(x402.CodeSignInURI, "uri is %q: want an address at %s://%s", x402.Clip(s.uri), scheme, host)
	}
	if uriScheme, uriHost := origin(uri); uriScheme != scheme || uriHost != host {
		return x402.Refuse(x402.CodeSignInURI, "uri is %q: want an address at %s://%s", x402.Clip(s.uri), scheme, host)
	}
	i := slices.IndexFunc(reqs, func(req x402.Requirements) bool { return req.Network.ID() == s.chainID })
	if i < 0 {
		return x402.Refuse(x402.CodeSignInChain, "chainId is %q: want one of supportedChains", x402.Clip(s.chainID))
	}
	s.Network = reqs[i].Network
	return s.checkTimes(now)
}

func (s *Message) checkTimes(now time.Time) *x402.Refusal {
	issued, err := time.Parse(time.RFC3339, s.issuedAt)
	if err != nil {
		return x402.Refuse(x402.CodeSignInPayload, "issuedAt is %q: want a time such as 2026-01-31T12:00:00Z", x402.Clip(s.issuedAt))
	}
	s.Expires = issued.Add(Life)
	switch {
	case issued.After(now.Add(Skew)):
		return x402.Refuse(x402.CodeSignInInFuture, "issuedAt is %s, which is in the future", x402.Clip(s.issuedAt))
	case !s.Expires.After(now):
		return x402.Refuse(x402.CodeSignInTooOld, "issuedAt is %s: want a message of the last %d minutes, signed for the challenge of this response",
			x402.Clip(s.issuedAt), int(Life.Minutes()))
	}
	if s.expirationTime != "" {
		switch expires, err := time.Parse(time.RFC3339, s.expirationTime); {
		case err != nil:
			return x402.Refuse(x402.CodeSignInPayload, "expirationTime is %q: want a time such as 2026-01-31T12:00:00Z", x402.Clip(s.expirationTime))
		case !expires.After(now):
			return x402.Refuse(x402.CodeSignInExpired, "the message has expired at %s", x402.Clip(s.expirationTime))
		}
	}
	if s.notBefore != "" {
		switch starts, err := time.Parse(time.RFC3339, s.notBefore); {
		case err != nil:
			return x402.Refuse(x402.CodeSignInPayload, "notBefore is %q: want a time such as 2026-01-31T12:00:00Z", x402.Clip(s.notBefore))
		case starts.After(now):
			return x402.Refuse(x402.CodeSignInNotYet, "the message is not valid before %s", x402.Clip(s.notBefore))
		}
	}
	return nil
}
