package x402

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Calls and events of the token (EIP-20, EIP-3009) and of wallets (ERC-1271).
var (
	selTransferRSV        = selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)")
	selTransferBytes      = selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)")
	selTransfer           = selector("transfer(address,uint256)")
	selBalanceOf          = selector("balanceOf(address)")
	selAuthorizationState = selector("authorizationState(address,bytes32)")
	selDomainSeparator    = selector("DOMAIN_SEPARATOR()")
	selIsValidSignature   = selector("isValidSignature(bytes32,bytes)")

	topicAuthorizationUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
	topicAuthorizationCanceled = crypto.Keccak256Hash([]byte("AuthorizationCanceled(address,bytes32)"))
	topicTransfer              = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
)

func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

const wordBytes = 32

func word(n *big.Int) []byte { return common.LeftPadBytes(n.Bytes(), wordBytes) }

func addressWord(a common.Address) []byte { return common.LeftPadBytes(a[:], wordBytes) }

// pack concatenates a selector and ABI words.
func pack(sel []byte, words ...[]byte) []byte {
	out := append([]byte{}, sel...)
	for _, w := range words {
		out = append(out, w...)
	}
	return out
}

// packBytes is the ABI encoding of a trailing bytes argument, after its offset.
func packBytes(b []byte) []byte {
	padded := (len(b) + wordBytes - 1) / wordBytes * wordBytes
	return append(word(big.NewInt(int64(len(b)))), common.RightPadBytes(b, padded)...)
}

// transferCall returns the call that makes the token move a payment. An ECDSA signature is sent as v, r, s, which every
// EIP-3009 token supports; other signatures need the form with bytes.
func transferCall(p *Payment) []byte {
	a := &p.Authorization
	words := [][]byte{
		addressWord(a.From), addressWord(a.To), word(big.NewInt(int64(a.Value))),
		word(a.ValidAfter), word(a.ValidBefore), a.Nonce[:],
	}
	sig := p.walletSignature()
	if len(sig) == signatureBytes {
		words = append(words, word(big.NewInt(int64(sig[64]))), sig[:32], sig[32:64])
		return pack(selTransferRSV, words...)
	}
	offset := int64((len(words) + 1) * wordBytes)
	words = append(words, word(big.NewInt(offset)), packBytes(sig))
	return pack(selTransferBytes, words...)
}

// walletSignature is the signature that the payer's wallet is asked about: without the deployment data of ERC-6492.
func (p *Payment) walletSignature() []byte {
	if p.wallet != nil {
		return normalizeV(p.wallet.inner)
	}
	return normalizeV(p.Signature)
}

func validSignatureCall(digest common.Hash, sig []byte) []byte {
	return pack(selIsValidSignature, digest[:], word(big.NewInt(2*wordBytes)), packBytes(sig))
}

// isValidSignature reports whether an answer to validSignatureCall means yes.
func isValidSignature(answer []byte) bool {
	return len(answer) >= wordBytes && string(answer[:len(selIsValidSignature)]) == string(selIsValidSignature)
}
