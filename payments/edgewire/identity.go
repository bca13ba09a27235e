package edgewire

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Headers between edge and upstream. The edge removes these headers from the client's request before it sets its own,
// and from the response to the client.
const (
	// IdentityHeader carries the signed [Identity] to the upstream.
	IdentityHeader = "Turnpike-Identity"
	// CostHeader returns what the request did cost, as a decimal integer in the identity's unit. Absent: the announced
	// maximum. 0: dry runs, and replays of work that another hold or payment was for.
	CostHeader = "Turnpike-Cost"
	// AdoptedHeader is "true" in the response of an upstream that has taken over the request's hold, for work that
	// outlives the request: the edge then neither captures nor voids it.
	AdoptedHeader = "Turnpike-Hold-Adopted"
)

// DefaultAudience is the name of the upstream if there is only one.
const DefaultAudience = "turnpike-upstream"

// Lifetime is how long an identity is valid: long enough for small clock differences and a queue at the upstream, short
// enough that a leaked one is worthless.
const Lifetime = 60 * time.Second

// clockLeeway is how much the two machines' clocks may differ.
const clockLeeway = 5 * time.Second

// Unit is the unit of an identity's amount.
type Unit string

const (
	UnitCredit Unit = "credit" // money.Credits
	UnitUSDC   Unit = "usdc6"  // money.MicroUSDC
)

// PayerKind is the kind of payer of a request.
type PayerKind string

const (
	PayerTeam      PayerKind = "team"      // a team's API key
	PayerWallet    PayerKind = "wallet"    // an x402 payment
	PayerAnonymous PayerKind = "anonymous" // nobody pays: unpaid reads by id
)

// Payer says who pays: a team with its key, a wallet, or nobody.
type Payer struct {
	Kind    PayerKind `json:"kind"`
	TeamID  string    `json:"team,omitempty"`
	KeyID   string    `json:"key,omitempty"`
	Network string    `json:"network,omitempty"` // CAIP-2, for wallets
	Address string    `json:"address,omitempty"` // EIP-55 checksummed, for wallets
}

// Identity is the edge's statement about one request.
type Identity struct {
	// ID is the hold's or claim's id; the upstream does the work of one ID once.
	ID     string `json:"jti"`
	Method string `json:"htm"`
	// URI is the request URI (path and query) as the client sent it.
	URI string `json:"htu"`
	// BodySHA256 is the base64url digest of the body that was priced, empty if the price did not depend on the body.
	BodySHA256 string `json:"bh,omitempty"`
	Payer      Payer  `json:"payer"`
	Unit       Unit   `json:"unit,omitempty"`
	// Max is the most that the request may cost, in Unit.
	Max int64 `json:"max"`
	// Client is the client's IP address as the edge knows it. It is set on paths that need no key and no payment.
	Client string `json:"client,omitempty"`
}

type claims struct {
	Identity

	Audience  string `json:"aud"`
	IssuedAt  int64  `json:"iat"`
	ExpiresAt int64  `json:"exp"`
}

func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) {
	return jwt.NewNumericDate(time.Unix(c.ExpiresAt, 0)), nil
}

func (c *claims) GetIssuedAt() (*jwt.NumericDate, error) {
	return jwt.NewNumericDate(time.Unix(c.IssuedAt, 0)), nil
}
func (c *claims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil } //nolint:nilnil // jwt.Claims: absent
func (c *claims) GetIssuer() (string, error)              { return "", nil }
func (c *claims) GetSubject() (string, error)             { return "", nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)  { return jwt.ClaimStrings{c.Audience}, nil }

// Credits returns the most that the request may cost in credits; 0 if it is not paid in credits.
func (id *Identity) Credits() money.Credits {
	if id.Unit != UnitCredit {
		return 0
	}
	return money.Credits(id.Max)
}

// HashBody returns the digest of body in the form of [Identity].BodySHA256.
func HashBody(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ErrNoIdentity is returned for a request without the header, ErrBadIdentity for one whose identity does not verify or
// was made for another request.
var (
	ErrNoIdentity  = errors.New("request has no identity")
	ErrBadIdentity = errors.New("identity is not valid for this request")
)

// Verifier checks identities at the upstream.
type Verifier struct {
	parser *jwt.Parser
	keys   jwt.VerificationKeySet
}

// NewVerifier returns the counterpart of NewSigner. It also accepts signatures with a secret of previous: while secrets
// are rotated, edges sign with either.
func NewVerifier(secret []byte, audience string, now func() time.Time, previous ...[]byte) (*Verifier, error) {
	var keys jwt.VerificationKeySet
	for _, key := range append([][]byte{secret}, previous...) {
		if len(key) < SecretBytesMin {
			return nil, fmt.Errorf("identity secret: got %d bytes, want at least %d", len(key), SecretBytesMin)
		}
		keys.Keys = append(keys.Keys, key)
	}
	return &Verifier{
		keys: keys,
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
			jwt.WithAudience(audience),
			jwt.WithExpirationRequired(),
			jwt.WithIssuedAt(),
			jwt.WithLeeway(clockLeeway),
			jwt.WithTimeFunc(now),
		),
	}, nil
}

// Verify returns the identity of r. It requires exactly one header and a valid signature, for this method and for one
// of the URIs under which r may have reached the edge (an edge may strip a prefix, such as /x402). It does not check
// the body: see [Identity.CheckBody].
func (v *Verifier) Verify(r *http.Request, uris ...string) (*Identity, error) {
	values := r.Header.Values(IdentityHeader)
	switch len(values) {
	case 0:
		return nil, ErrNoIdentity
	case 1:
	default:
		return nil, fmt.Errorf("%w: %d identity headers", ErrBadIdentity, len(values))
	}
	var c claims
	_, err := v.parser.ParseWithClaims(values[0], &c, func(*jwt.Token) (any, error) { return v.keys, nil })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadIdentity, err)
	}
	if c.Method != r.Method {
		return nil, fmt.Errorf("%w: issued for method %s", ErrBadIdentity, c.Method)
	}
	if !slices.Contains(uris, c.URI) {
		return nil, fmt.Errorf("%w: issued for another URI", ErrBadIdentity)
	}
	return &c.Identity, nil
}

// CheckBody returns ErrBadIdentity if the identity was made for another body.
func (id *Identity) CheckBody(body []byte) error {
	if id.BodySHA256 != "" && id.BodySHA256 != HashBody(body) {
		return fmt.Errorf("%w: issued for another body", ErrBadIdentity)
	}
	return nil
}
