// Package signer signs transactions, and authorisations to move tokens, for one account.
package signer

import (
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Signer signs for one account. Its results are compared with what was requested before they are used.
type Signer interface {
	// Address returns the account's address.
	Address() common.Address
	// SignTransaction returns the signed transaction.
	SignTransaction(ctx context.Context, tx *types.DynamicFeeTx) (*types.Transaction, error)
	// SignAuthorization returns the 65-byte signature of an authorisation to move the account's tokens.
	SignAuthorization(ctx context.Context, a *x402.Authorization, n x402.Network) ([]byte, error)
	// Check returns an error if the signer cannot sign.
	Check(ctx context.Context) error
}

// Key signs with a private key.
type Key struct{ key *ecdsa.PrivateKey }

var _ Signer = Key{}

// NewKey returns a signer for a key.
func NewKey(key *ecdsa.PrivateKey) Key { return Key{key} }

// Keys returns signers for keys.
func Keys(keys ...*ecdsa.PrivateKey) []Signer {
	signers := make([]Signer, len(keys))
	for i, key := range keys {
		signers[i] = NewKey(key)
	}
	return signers
}

// Address implements [Signer].
func (s Key) Address() common.Address { return crypto.PubkeyToAddress(s.key.PublicKey) }

// Check implements [Signer].
func (Key) Check(context.Context) error { return nil }

// SignTransaction implements [Signer].
func (s Key) SignTransaction(_ context.Context, tx *types.DynamicFeeTx) (*types.Transaction, error) {
	return types.SignNewTx(s.key, types.LatestSignerForChainID(tx.ChainID), tx)
}

// SignAuthorization implements [Signer]. Signatures are deterministic (RFC 6979).
func (s Key) SignAuthorization(_ context.Context, a *x402.Authorization, n x402.Network) ([]byte, error) {
	digest := a.Digest(n)
	sig, err := crypto.Sign(digest[:], s.key)
	if err != nil {
		return nil, err
	}
	return x402.NormalizeV(sig), nil
}

// Sign returns the signed authorisation.
func Sign(ctx context.Context, signer Signer, a *x402.Authorization, n x402.Network) (*x402.Payload, error) {
	sig, err := signer.SignAuthorization(ctx, a, n)
	if err != nil {
		return nil, fmt.Errorf("signing the payment: %w", err)
	}
	return &x402.Payload{Signature: "0x" + hex.EncodeToString(sig), Authorization: a.Wire()}, nil
}
