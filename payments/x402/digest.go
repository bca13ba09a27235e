package x402

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Type hashes of EIP-712 and EIP-3009.
var (
	domainTypeHash   = crypto.Keccak256Hash([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferTypeHash = crypto.Keccak256Hash([]byte(
		"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// DomainSeparator returns the EIP-712 domain separator of the network's token.
func (n Network) DomainSeparator() common.Hash { return n.facts().separator }

func (n Network) domainSeparator() common.Hash {
	var packed [5 * 32]byte
	copy(packed[0:32], domainTypeHash[:])
	copy(packed[32:64], crypto.Keccak256([]byte(n.TokenName)))
	copy(packed[64:96], crypto.Keccak256([]byte(n.TokenVersion)))
	binary.BigEndian.PutUint64(packed[120:128], n.ChainID)
	copy(packed[140:160], n.Asset[:])
	return crypto.Keccak256Hash(packed[:])
}

// Digest returns what the payer signs: the EIP-712 digest of the authorisation for the network's token. It takes about 1.5 µs.
func (a *Authorization) Digest(n Network) common.Hash {
	separator := n.DomainSeparator()
	var packed [7 * 32]byte
	copy(packed[0:32], transferTypeHash[:])
	copy(packed[44:64], a.From[:])
	copy(packed[76:96], a.To[:])
	binary.BigEndian.PutUint64(packed[120:128], uint64(a.Value)) //nolint:gosec // never negative: see read
	a.ValidAfter.FillBytes(packed[128:160])
	a.ValidBefore.FillBytes(packed[160:192])
	copy(packed[192:224], a.Nonce[:])
	var message [2 + 64]byte
	message[0], message[1] = 0x19, 0x01
	copy(message[2:34], separator[:])
	fields := crypto.Keccak256Hash(packed[:])
	copy(message[34:66], fields[:])
	return crypto.Keccak256Hash(message[:])
}
