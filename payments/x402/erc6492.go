package x402

import (
	"bytes"
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
)

// erc6492Suffix ends the signature of a wallet that may not be deployed yet.
var erc6492Suffix = bytes.Repeat([]byte{0x64, 0x92}, wordBytes/2)

// undeployed is the content of such a signature (ERC-6492): how to deploy the wallet, and the signature that it accepts
// once it is deployed.
type undeployed struct {
	factory common.Address
	deploy  []byte // call data for the factory
	inner   []byte // the signature
}

// readUndeployed parses a signature. It returns nil for one without the suffix, and false for one that has the suffix
// but not the required form.
func readUndeployed(sig []byte) (*undeployed, bool) {
	body, ok := bytes.CutSuffix(sig, erc6492Suffix)
	if !ok {
		return nil, true
	}
	const head = 3 * wordBytes
	if len(body) < head || !isZero(body[:wordBytes-common.AddressLength]) {
		return nil, false
	}
	u := &undeployed{factory: common.Address(body[wordBytes-common.AddressLength : wordBytes])}
	if u.deploy, ok = abiBytes(body, body[wordBytes:2*wordBytes]); !ok {
		return nil, false
	}
	if u.inner, ok = abiBytes(body, body[2*wordBytes:head]); !ok || len(u.inner) == 0 {
		return nil, false
	}
	return u, true
}

// abiBytes returns the bytes argument that an ABI offset points to.
func abiBytes(body, offsetWord []byte) ([]byte, bool) {
	offset, ok := abiLength(offsetWord, len(body))
	if !ok || len(body)-offset < wordBytes {
		return nil, false
	}
	data := body[offset+wordBytes:]
	length, ok := abiLength(body[offset:offset+wordBytes], len(data))
	if !ok {
		return nil, false
	}
	return data[:length], true
}

// abiLength reads a word that counts bytes. The count must not exceed most.
func abiLength(word []byte, most int) (int, bool) {
	const high = wordBytes - 8
	n := binary.BigEndian.Uint64(word[high:])
	if !isZero(word[:high]) || n > uint64(most) { //nolint:gosec // a length is never negative
		return 0, false
	}
	return int(n), true //nolint:gosec // no more than most
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// deployment is the call to the factory. It may fail: the call after it shows whether the wallet is deployed.
func (u *undeployed) deployment() call3 {
	return call3{target: u.factory, mayFail: true, data: u.deploy}
}
