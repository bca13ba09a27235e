package siwx

import (
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Text is what a wallet shows and signs: the EIP-4361 message with the sign-in's fields as received. No field has a line
// break (see [Message.checkForm]), so no two sign-ins have the same text.
func (s *Message) Text() string {
	var b strings.Builder
	b.WriteString(s.domain + " wants you to sign in with your Ethereum account:\n")
	b.WriteString(s.address + "\n\n")
	if s.statement != "" {
		b.WriteString(s.statement + "\n")
	}
	b.WriteString("\nURI: " + s.uri)
	b.WriteString("\nVersion: " + s.version)
	b.WriteString("\nChain ID: " + strings.TrimPrefix(s.chainID, "eip155:"))
	b.WriteString("\nNonce: " + s.Nonce)
	b.WriteString("\nIssued At: " + s.issuedAt)
	for _, line := range []struct{ name, value string }{
		{"Expiration Time", s.expirationTime}, {"Not Before", s.notBefore}, {"Request ID", s.requestID},
	} {
		if line.value != "" {
			b.WriteString("\n" + line.name + ": " + line.value)
		}
	}
	if len(s.resources) > 0 {
		b.WriteString("\nResources:")
		for _, resource := range s.resources {
			b.WriteString("\n- " + resource)
		}
	}
	return b.String()
}

// Digest is the digest that is signed for a text (EIP-191, version 0x45).
func Digest(text string) common.Hash {
	return crypto.Keccak256Hash([]byte("\x19Ethereum Signed Message:\n" + strconv.Itoa(len(text)) + text))
}
