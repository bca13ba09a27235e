package x402

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// erc6492Suffix ends the signature of a wallet that may not be deployed yet.
var erc6492Suffix = bytes.Repeat([]byte{0x64, 0x92}, calldata.WordBytes/2)

// Undeployed is the content of such a signature (ERC-6492): how to deploy the wallet, and the signature that it accepts
// once it is deployed.
type Undeployed struct {
	Factory common.Address
	Deploy  []byte // call data for the factory
	Inner   []byte // the signature
}

// ReadUndeployed parses a signature. It returns nil for one without the suffix, and false for one that has the suffix
// but not the required form.
func ReadUndeployed(sig []byte) (*Undeployed, bool) {
	body, ok := bytes.CutSuffix(sig, erc6492Suffix)
	if !ok {
		return nil, true
	}
	const head = 3 * calldata.WordBytes
	if len(body) < head || !calldata.IsZero(body[:calldata.WordBytes-common.AddressLength]) {
		return nil, false
	}
	u := &Undeployed{Factory: common.Address(body[calldata.WordBytes-common.AddressLength : calldata.WordBytes])}
	if u.Deploy, ok = calldata.ReadBytes(body, body[calldata.WordBytes:2*calldata.WordBytes]); !ok {
		return nil, false
	}
	if u.Inner, ok = calldata.ReadBytes(body, body[2*calldata.WordBytes:head]); !ok || len(u.Inner) == 0 {
		return nil, false
	}
	return u, true
}
