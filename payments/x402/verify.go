package x402

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// MatchRequirements returns the offer on the payment's network. A payment on a network that is not offered is refused.
func MatchRequirements(p *Payment, offers []Requirements) (*Requirements, *Refusal) {
	var names []string
	for i := range offers {
		name := offers[i].Network.VersionName(p.Version)
		switch name {
		case "": // the network has no name in this version
		case p.Network:
			return &offers[i], nil
		default:
			names = append(names, name)
		}
	}
	return nil, Refuse(CodeNetwork, "network %q is not offered: want %s", Clip(p.Network), strings.Join(names, " or "))
}

// CheckMatch compares the payment with our own quote. A version 2 client must accept exactly that quote; its resource
// is unsigned and ignored.
func CheckMatch(p *Payment, req *Requirements) *Refusal {
	if p.Accepted != nil {
		if refusal := checkAccepted(p.Accepted, req); refusal != nil {
			return refusal
		}
	}
	a := &p.Authorization
	switch {
	case a.To != req.PayTo:
		return Refuse(CodeRecipient, "authorization.to is %s: want %s", a.To.Hex(), req.PayTo.Hex())
	case a.From == (common.Address{}):
		return Refuse(CodePayload, "authorization.from is the zero address")
	case a.From == a.To:
		return Refuse(CodePayload, "authorization.from is the recipient itself")
	case a.Value != req.Amount:
		return Refuse(valueCode(p.Version), "authorization.value is %s: want exactly %s", a.Value.Units(), req.Amount.Units())
	}
	return nil
}

func checkAccepted(accepted *RequirementsV2, req *Requirements) *Refusal {
	payTo, payToOK := ParseAddress(accepted.PayTo)
	asset, assetOK := ParseAddress(accepted.Asset)
	switch {
	case !payToOK || payTo != req.PayTo:
		return Refuse(CodeRecipient, "accepted.payTo is %q: want %s", Clip(accepted.PayTo), req.PayTo.Hex())
	case !assetOK || asset != req.Network.Asset:
		return Refuse(CodeRequirements, "accepted.asset is %q: want %s", Clip(accepted.Asset), req.Network.Asset.Hex())
	case accepted.Amount != req.Amount.Units():
		return Refuse(CodeValueMismatch, "accepted.amount is %q: want exactly %s", Clip(accepted.Amount), req.Amount.Units())
	case accepted.MaxTimeoutSeconds != req.timeoutSeconds():
		return Refuse(CodeRequirements, "accepted.maxTimeoutSeconds is %d: want %d", accepted.MaxTimeoutSeconds, req.timeoutSeconds())
	case !ExtraHolds(accepted.Extra, req.Network):
		return Refuse(CodeRequirements, "accepted.extra: want name %q and version %q", req.Network.TokenName, req.Network.TokenVersion)
	}
	return nil
}

// ExtraHolds reports whether extra has our members; a client may add its own.
func ExtraHolds(extra json.RawMessage, n Network) bool {
	if bytes.Equal(extra, n.extra()) {
		return true // the usual case: clients echo it
	}
	var got tokenDomain
	fault := readJSON(string(extra), &got)
	return fault == nil && got == tokenDomain{Name: n.TokenName, Version: n.TokenVersion}
}

// CheckTimes refuses a payment that the token would refuse, or that lapses before it can be settled. The token's
// comparisons are strict (FiatToken: now > validAfter, now < validBefore).
func CheckTimes(p *Payment, now time.Time, settle price.Settle, upstreamTimeout time.Duration) *Refusal {
	unix := now.Unix()
	a := &p.Authorization
	if a.validAfterUnix() >= unix {
		return Refuse(CodeValidAfter, "authorization.validAfter is %s: want a time before now, %d", a.ValidAfter, unix)
	}
	margin := LapseMargin
	if settle == price.SettleAfter {
		margin = upstreamTimeout + settleSlack
	}
	least := now.Add(margin).Unix()
	if a.validBeforeUnix() <= least {
		return Refuse(CodeValidBefore, "authorization.validBefore is %s: want a time after %d, since this request may take that long to be settled", a.ValidBefore, least)
	}
	return nil
}

// secp256k1HalfN is half the order of the curve's group. EIP-2 and the token's ECRecover refuse a larger s.
var secp256k1HalfN = [calldata.WordBytes]byte(new(big.Int).Rsh(crypto.S256().Params().N, 1).Bytes())

// SignatureBytes is the length of an ECDSA signature r ‖ s ‖ v.
const SignatureBytes = 65

// normalV returns v as 27 or 28, which the token requires, if a wallet has written 0 or 1.
func normalV(v byte) byte {
	if v <= 1 {
		return v + 27
	}
	return v
}

// NormalizeV returns the signature with a normalized v. Signatures that are not ECDSA stay as they are.
func NormalizeV(sig []byte) []byte {
	if len(sig) != SignatureBytes || sig[64] == normalV(sig[64]) {
		return sig
	}
	out := bytes.Clone(sig)
	out[64] = normalV(out[64])
	return out
}

// SignedByPayer reports whether the payment has an ECDSA signature by its payer. False is not yet a refusal: the payer
// may be a contract (ERC-1271). True is not yet proof for a payer with code (EIP-7702).
//
// The result is cached without a lock, so goroutines must not call it on one payment at the same time.
func (p *Payment) SignedByPayer(n Network) bool {
	if p.recoveredFor != n {
		p.recovered, p.recoveredFor = p.recoverSigner(n), n
	}
	return p.recovered
}

func (p *Payment) recoverSigner(n Network) bool {
	if len(p.Signature) != SignatureBytes {
		return false
	}
	return SignedBy(p.Authorization.From, p.Authorization.Digest(n), p.Signature)
}

// SignedBy reports whether an account's own key has signed a digest.
func SignedBy(account common.Address, digest common.Hash, sig []byte) bool {
	if len(sig) != SignatureBytes {
		return false
	}
	rsv := [SignatureBytes]byte(sig)
	if rsv[64] = normalV(rsv[64]) - 27; rsv[64] > 1 {
		return false
	}
	if bytes.Compare(rsv[32:64], secp256k1HalfN[:]) > 0 {
		return false
	}
	pub, err := crypto.Ecrecover(digest[:], rsv[:])
	if err != nil {
		return false
	}
	// The address is the hash of the uncompressed point without its 0x04 prefix.
	signer := crypto.Keccak256Hash(pub[1:])
	return common.Address(signer[12:]) == account
}

// WalletSignature is the signature that the payer's wallet is asked about: without the deployment data of ERC-6492.
func (p *Payment) WalletSignature() []byte {
	if p.Wallet != nil {
		return NormalizeV(p.Wallet.Inner)
	}
	return NormalizeV(p.Signature)
}
