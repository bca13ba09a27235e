package x402

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// Authorization is an EIP-3009 transfer authorisation.
type Authorization struct {
	From  common.Address
	To    common.Address
	Value money.MicroUSDC
	// ValidAfter and ValidBefore are Unix seconds as uint256. The transfer is valid strictly between them.
	ValidAfter  *big.Int
	ValidBefore *big.Int
	Nonce       [32]byte
}

// validBeforeUnix returns ValidBefore, limited to the largest int64.
func (a *Authorization) validBeforeUnix() int64 { return clampUnix(a.ValidBefore) }
func (a *Authorization) validAfterUnix() int64  { return clampUnix(a.ValidAfter) }

func clampUnix(n *big.Int) int64 {
	if n.IsInt64() {
		return n.Int64()
	}
	return math.MaxInt64
}

// Payment is a decoded payment header.
type Payment struct {
	// Version is the protocol version of the header.
	Version int
	Scheme  string
	// Network is as the client wrote it: a version 1 name or a CAIP-2 identifier.
	Network       string
	Authorization Authorization
	Signature     []byte

	// Wallet is the deployment data in the signature of a payer that may not be deployed yet, or nil.
	Wallet *Undeployed
	// Accepted is the offer that a version 2 client accepts.
	Accepted *RequirementsV2
	// extensions are the protocol extensions of a version 2 client, by name.
	extensions map[string]json.RawMessage
	// Raw is the header's JSON, for facilitators and for recovery after a crash.
	Raw string

	// recovered caches, for the network recoveredFor, whether the payer has signed. Recovering the signer takes most of
	// the time of a check.
	recovered    bool
	recoveredFor Network

	// Space for the values of Authorization and Signature if they are small: it saves two allocations.
	times     [2]smallInt
	signature [SignatureBytes]byte
}

// Extension returns a version 2 protocol extension of the client, or nil.
func (p *Payment) Extension(name string) json.RawMessage { return p.extensions[name] }

// Hash identifies the payment by the signed data and the signature, independent of protocol version and spelling.
// Stored claims contain it, so it must not change.
func (p *Payment) Hash() [32]byte {
	const usual = 2*common.AddressLength + 4*calldata.WordBytes + SignatureBytes
	var space [usual]byte
	packed := space[:0]
	a := &p.Authorization
	packed = append(packed, a.From[:]...)
	packed = append(packed, a.To[:]...)
	var words [3 * calldata.WordBytes]byte
	binary.BigEndian.PutUint64(words[calldata.WordBytes-8:], uint64(a.Value)) //nolint:gosec // never negative: see readAuthorization
	a.ValidAfter.FillBytes(words[calldata.WordBytes : 2*calldata.WordBytes])
	a.ValidBefore.FillBytes(words[2*calldata.WordBytes:])
	packed = append(packed, words[:]...)
	packed = append(packed, a.Nonce[:]...)
	packed = append(packed, p.Signature...)
	if n := len(packed); len(p.Signature) == SignatureBytes {
		packed[n-1] = normalV(packed[n-1])
	}
	return sha256.Sum256(packed)
}

// LapsesAt returns the time from which the payment is worthless. It is at most the end of the year 9999, the latest
// time that the database and JSON can hold.
func (p *Payment) LapsesAt() time.Time {
	const end = 253402300799
	return time.Unix(min(p.Authorization.validBeforeUnix(), end), 0).UTC()
}

// ReadPayment returns the payment of a request, or nil if there is none. A request with both versions, or with one
// header twice, is refused: other readers might pick another one.
func ReadPayment(h http.Header) (*Payment, *Refusal) {
	v1, v2 := h.Values(HeaderPaymentV1), h.Values(HeaderPaymentV2)
	switch len(v1) + len(v2) {
	case 0:
		return nil, nil //nolint:nilnil // absent is no error
	case 1:
	default:
		return nil, Refuse(CodePayload, "the request has %d payment headers: send exactly one of X-PAYMENT and PAYMENT-SIGNATURE", len(v1)+len(v2))
	}
	if len(v1) == 1 {
		return ParsePaymentV1(v1[0])
	}
	return ParsePaymentV2(v2[0])
}

// CheckHeaderSize refuses a header that is longer than [HeaderBytesMax].
func CheckHeaderSize(name, value string) *Refusal {
	if len(value) > HeaderBytesMax {
		refusal := Refuse(CodePayload, "%s is %d bytes long: the maximum is %d", name, len(value), HeaderBytesMax)
		refusal.oversized = true
		return refusal
	}
	return nil
}

// ParsePaymentV1 reads the value of an X-PAYMENT header.
func ParsePaymentV1(value string) (*Payment, *Refusal) {
	if refusal := CheckHeaderSize("X-PAYMENT", value); refusal != nil {
		return nil, refusal
	}
	raw, err := DecodeBase64(value)
	if err != nil {
		return nil, Refuse(CodePayload, "X-PAYMENT: want base64")
	}
	p, refusal := parsePayloadV1(raw)
	if refusal != nil {
		refusal.Message = "X-PAYMENT: " + refusal.Message
	}
	return p, refusal
}

// ParsePaymentV2 reads the value of a PAYMENT-SIGNATURE header.
func ParsePaymentV2(value string) (*Payment, *Refusal) {
	if refusal := CheckHeaderSize("PAYMENT-SIGNATURE", value); refusal != nil {
		return nil, refusal
	}
	raw, err := DecodeBase64(value)
	if err != nil {
		return nil, Refuse(CodePayload, "PAYMENT-SIGNATURE: want base64")
	}
	p, refusal := parsePayloadV2(raw)
	if refusal != nil {
		refusal.Message = "PAYMENT-SIGNATURE: " + refusal.Message
	}
	return p, refusal
}

// ParsePayload reads a payment's JSON in either version, as facilitators receive it.
func ParsePayload(version int, raw string) (*Payment, *Refusal) {
	switch version {
	case Version1:
		return parsePayloadV1(raw)
	case Version2:
		return parsePayloadV2(raw)
	default:
		return nil, Refuse(CodeVersion, "x402Version %d: want 1 or 2", version)
	}
}

func parsePayloadV1(raw string) (*Payment, *Refusal) {
	var wire PaymentV1
	if fault := readJSON(raw, &wire); fault != nil {
		return nil, Refuse(CodePayload, "%s", fault)
	}
	if wire.X402Version != Version1 {
		return nil, Refuse(CodeVersion, "x402Version %d: want 1", wire.X402Version)
	}
	p := &Payment{Version: Version1, Scheme: wire.Scheme, Network: wire.Network, Raw: raw}
	return p, p.readPayload(wire.Payload)
}

func parsePayloadV2(raw string) (*Payment, *Refusal) {
	var wire PaymentV2
	if fault := readJSON(raw, &wire); fault != nil {
		return nil, Refuse(CodePayload, "%s", fault)
	}
	if wire.X402Version != Version2 {
		return nil, Refuse(CodeVersion, "x402Version %d: want 2", wire.X402Version)
	}
	if wire.Accepted == nil {
		return nil, Refuse(CodePayload, "member accepted is missing: want the offer that is paid")
	}
	p := &Payment{
		Version: Version2, Scheme: wire.Accepted.Scheme, Network: wire.Accepted.Network,
		Accepted: wire.Accepted, extensions: wire.Extensions, Raw: raw,
	}
	return p, p.readPayload(wire.Payload)
}

// readPayload checks the shape. Other schemes than exact may have a different payload, so they are refused here, with
// their own code.
func (p *Payment) readPayload(wire *Payload) *Refusal {
	switch {
	case p.Scheme == "":
		return Refuse(CodeScheme, "scheme is missing: want exact")
	case p.Scheme != SchemeExact:
		return Refuse(CodeUnsupportedScheme, "scheme %q is not offered: want exact", Clip(p.Scheme))
	case wire == nil:
		return Refuse(CodePayload, "member payload is missing")
	case wire.Authorization == nil:
		return Refuse(CodePayload, "member payload.authorization is missing: want an EIP-3009 authorization")
	}
	sig := p.signature[:]
	if n := hexBytes(wire.Signature); n != len(sig) {
		sig = make([]byte, n)
	}
	ok := decodeHex(sig, wire.Signature)
	if !ok || len(sig) == 0 {
		return Refuse(CodePayload, "payload.signature: want 0x and hexadecimal digits")
	}
	if p.Wallet, ok = ReadUndeployed(sig); !ok {
		return Refuse(CodePayload, "payload.signature: it has the suffix of ERC-6492: before it, want (address factory, bytes call, bytes signature) in ABI encoding")
	}
	p.Signature = sig
	return p.readAuthorization(wire.Authorization)
}

func (p *Payment) readAuthorization(wire *WireAuthorization) *Refusal {
	a := &p.Authorization
	var ok bool
	if a.From, ok = ParseAddress(wire.From); !ok {
		return Refuse(CodePayload, "authorization.from: want 0x and 40 hexadecimal digits")
	}
	if a.To, ok = ParseAddress(wire.To); !ok {
		return Refuse(CodePayload, "authorization.to: want 0x and 40 hexadecimal digits")
	}
	if a.ValidAfter, ok = p.times[0].parse(wire.ValidAfter); !ok {
		return Refuse(CodePayload, "authorization.validAfter: want Unix seconds as a decimal string")
	}
	if a.ValidBefore, ok = p.times[1].parse(wire.ValidBefore); !ok {
		return Refuse(CodePayload, "authorization.validBefore: want Unix seconds as a decimal string")
	}
	if !decodeHex(a.Nonce[:], wire.Nonce) {
		return Refuse(CodePayload, "authorization.nonce: want 0x and 64 hexadecimal digits")
	}
	value, err := money.ParseUnits(wire.Value)
	if err == nil {
		a.Value = value
		return nil
	}
	if _, ok := new(smallInt).parse(wire.Value); !ok {
		return Refuse(CodePayload, "authorization.value: want an amount in the token's smallest unit as a decimal string")
	}
	// A valid uint256, but more than we could ever ask.
	return Refuse(valueCode(p.Version), "authorization.value %s is not the requested amount", Clip(wire.Value))
}

func valueCode(version int) Code {
	if version == Version1 {
		return CodeValue
	}
	return CodeValueMismatch
}

// uint256DigitsMax is the number of decimal digits of 2²⁵⁶−1.
const uint256DigitsMax = 78

// uint64Digits is a number of digits that always fits into a uint64: 2⁶⁴ has one more.
const uint64Digits = 19

// smallInt is a big.Int with space for a small value, which saves most of its cost.
type smallInt struct {
	n    big.Int
	room [1]big.Word
}

// parse reads a uint256 in decimal digits.
func (i *smallInt) parse(s string) (*big.Int, bool) {
	if s == "" || len(s) > uint256DigitsMax {
		return nil, false
	}
	var small uint64
	for at := range len(s) {
		digit := s[at] - '0'
		if digit > 9 {
			return nil, false
		}
		small = small*10 + uint64(digit)
	}
	if len(s) > uint64Digits {
		n, ok := i.n.SetString(s, 10)
		return n, ok && n.BitLen() <= 256
	}
	if i.room[0] = big.Word(small); uint64(i.room[0]) == small { // else a word has 32 bits
		return i.n.SetBits(i.room[:]), true
	}
	return i.n.SetUint64(small), true
}

// Clip shortens client input for error messages.
func Clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// SentOn returns the network and token of a payment, as its client states them.
func (p *Payment) SentOn() (Network, bool) {
	known, ok := KnownNetwork(p.Network)
	if p.Accepted == nil {
		return known, ok
	}
	asset, ok := ParseAddress(p.Accepted.Asset)
	if !ok {
		return Network{}, false
	}
	network, err := StoredNetwork(p.Network, asset.Hex(), []byte(p.Raw))
	return network, err == nil
}
