package x402

import (
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Type hashes of EIP-712 and EIP-3009.
var (
	domainTypeHash   = crypto.Keccak256Hash([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferTypeHash = crypto.Keccak256Hash([]byte(
		"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// separators caches domain separators by network: there are as many as networks
// in the configuration.
var separators sync.Map // Network → common.Hash

// DomainSeparator returns the EIP-712 domain separator of the network's token.
func (n Network) DomainSeparator() common.Hash {
	if cached, ok := separators.Load(n); ok {
		if hash, ok := cached.(common.Hash); ok {
			return hash
		}
	}
	var packed [5 * 32]byte
	copy(packed[0:32], domainTypeHash[:])
	copy(packed[32:64], crypto.Keccak256([]byte(n.TokenName)))
	copy(packed[64:96], crypto.Keccak256([]byte(n.TokenVersion)))
	new(big.Int).SetUint64(n.ChainID).FillBytes(packed[96:128])
	copy(packed[140:160], n.Asset[:])
	hash := crypto.Keccak256Hash(packed[:])
	separators.Store(n, hash)
	return hash
}

// Digest returns what the payer signs: the EIP-712 digest of the authorisation
// for the network's token. About 2 µs.
func (a *Authorization) Digest(n Network) common.Hash {
	separator := n.DomainSeparator()
	var packed [7 * 32]byte
	copy(packed[0:32], transferTypeHash[:])
	copy(packed[44:64], a.From[:])
	copy(packed[76:96], a.To[:])
	new(big.Int).SetInt64(int64(a.Value)).FillBytes(packed[96:128])
	a.ValidAfter.FillBytes(packed[128:160])
	a.ValidBefore.FillBytes(packed[160:192])
	copy(packed[192:224], a.Nonce[:])
	var message [2 + 64]byte
	message[0], message[1] = 0x19, 0x01
	copy(message[2:34], separator[:])
	copy(message[34:66], crypto.Keccak256(packed[:]))
	return crypto.Keccak256Hash(message[:])
}
