package evm

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// Calls and events of the token (EIP-20, EIP-3009) and of wallets (ERC-1271).
var (
	selTransferRSV        = calldata.Selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)")
	selTransferBytes      = calldata.Selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)")
	selTransfer           = calldata.Selector("transfer(address,uint256)")
	selBalanceOf          = calldata.Selector("balanceOf(address)")
	selAuthorizationState = calldata.Selector("authorizationState(address,bytes32)")
	selDomainSeparator    = calldata.Selector("DOMAIN_SEPARATOR()")
	selIsValidSignature   = calldata.Selector("isValidSignature(bytes32,bytes)")

	topicAuthorizationUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
	topicAuthorizationCanceled = crypto.Keccak256Hash([]byte("AuthorizationCanceled(address,bytes32)"))
	topicTransfer              = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
)

// transferCall returns the call that makes the token move a payment. An ECDSA signature is sent as v, r, s, which every
// EIP-3009 token supports; other signatures need the form with bytes.
func transferCall(p *x402.Payment) []byte {
	a := &p.Authorization
	words := [][]byte{
		calldata.Address(a.From), calldata.Address(a.To), calldata.Word(big.NewInt(int64(a.Value))),
		calldata.Word(a.ValidAfter), calldata.Word(a.ValidBefore), a.Nonce[:],
	}
	sig := p.WalletSignature()
	if len(sig) == x402.SignatureBytes {
		words = append(words, calldata.Word(big.NewInt(int64(sig[64]))), sig[:32], sig[32:64])
		return calldata.Pack(selTransferRSV, words...)
	}
	offset := int64((len(words) + 1) * calldata.WordBytes)
	words = append(words, calldata.Word(big.NewInt(offset)), calldata.Bytes(sig))
	return calldata.Pack(selTransferBytes, words...)
}

func validSignatureCall(digest common.Hash, sig []byte) []byte {
	return calldata.Pack(selIsValidSignature, digest[:], calldata.Word(big.NewInt(2*calldata.WordBytes)), calldata.Bytes(sig))
}

// isValidSignature reports whether an answer to validSignatureCall means yes.
func isValidSignature(answer []byte) bool {
	return len(answer) >= calldata.WordBytes && string(answer[:len(selIsValidSignature)]) == string(selIsValidSignature)
}
