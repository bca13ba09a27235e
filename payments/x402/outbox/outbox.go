// Package outbox stores the transactions that a facilitator sends, from before they are broadcast until they are mined.
package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Store stores the transactions that facilitators send from their accounts, from before they are broadcast until they
// are mined. Facilitators that share an account share its outbox. It assigns the nonces and knows which transactions
// are still open. So nothing is sent again that may still be mined, and a facilitator can finish what another left
// behind.
//
// A transaction has an owner, who alone may replace it. An owner counts as gone if it has not renewed its lease in time
// or if its instance has ended.
type Store interface {
	// Next returns the nonce after the account's highest one that was taken.
	Next(ctx context.Context, chain ChainKey, signer common.Address) (uint64, error)
	// Take stores a signed transaction under its nonce. Nonces below the chain's count may be skipped and taken later.
	// It returns ErrNumberTaken if the nonce is taken or would leave a gap above the chain's count, ErrCarried if
	// another open transaction contains one of the payments, or one that did was mined since the caller looked, and
	// ErrNotOwner if the caller's instance has ended. After any other error, the transaction may have been stored.
	Take(ctx context.Context, chain ChainKey, tx *Tx, claim Claiming) error
	// Replace adds a version to an open transaction. The caller must know its newest version. It returns ErrNotOwner if
	// the caller does not, or if the transaction has another owner.
	Replace(ctx context.Context, chain ChainKey, tx *Tx, version Version, owner uuid.UUID) error
	// Finish closes a transaction, either with the version that was mined, whose cost counts against the day's budget,
	// or with none if another transaction has its nonce. Closing it again does nothing.
	Finish(ctx context.Context, chain ChainKey, signer common.Address, nonce uint64, mined *common.Hash, cost x402.Gwei) error
	// Reopen reopens, for the owner, a finished transaction that is no longer on the chain. It returns ErrNotFinished
	// if there is none with this nonce.
	Reopen(ctx context.Context, chain ChainKey, signer common.Address, nonce uint64, owner uuid.UUID, lease time.Duration) (Tx, error)
	// Tend renews the owner's leases, takes over open transactions on the accounts from owners that are gone, and
	// returns all transactions of the owner.
	Tend(ctx context.Context, chain ChainKey, signers []common.Address, owner uuid.UUID, lease time.Duration) ([]Tx, error)
	// Carrying returns the open transactions that contain any of the payments, and when it looked, by the outbox's
	// clock.
	Carrying(ctx context.Context, chain ChainKey, payments [][32]byte) (open []Tx, lookedAt time.Time, err error)
	// Release ends the owner's leases.
	Release(ctx context.Context, owner uuid.UUID) error
	// Forget deletes transactions that were finished longer ago than keep. The nonces stay taken.
	Forget(ctx context.Context, keep time.Duration) error
}

// Claiming says who takes a nonce, and what it knew at that time.
type Claiming struct {
	Owner uuid.UUID
	Lease time.Duration
	// Counted is the account's transaction count on the chain.
	Counted uint64
	// LookedAt is when Carrying was called for the payments. Payments that were mined since then are not sent again.
	LookedAt time.Time
}

var (
	// ErrNumberTaken says that another transaction has the nonce.
	ErrNumberTaken = errors.New("the account's nonce is taken")
	// ErrCarried says that a payment is in another open transaction.
	ErrCarried = errors.New("a payment is being settled by another transaction")
	// ErrNotFinished says that no finished transaction has the nonce.
	ErrNotFinished = errors.New("no finished transaction has this nonce")
	// ErrNotOwner says that another owner has taken over or changed the transaction, or may do so.
	ErrNotOwner = errors.New("the transaction now belongs to another owner")
)

// ChainKey distinguishes chains, even with the same id: a restarted development chain has none of the earlier
// transactions.
type ChainKey struct {
	ID      uint64
	Genesis common.Hash
}

// Tx is an open transaction: it may still be mined.
type Tx struct {
	Signer common.Address
	Nonce  uint64
	// Raw is the newest version, as broadcast.
	Raw hexutil.Bytes
	// Hashes are those of all versions, the newest last.
	Hashes []common.Hash
	// Payments are the ids of the payments that it settles.
	Payments [][32]byte
	// LapsesAt is when the last of these payments expires.
	LapsesAt time.Time
}

// Version is one signed form of a transaction.
type Version struct {
	Raw  hexutil.Bytes
	Hash common.Hash
}

// Newest returns the newest version of the transaction.
func (tx *Tx) Newest() common.Hash { return tx.Hashes[len(tx.Hashes)-1] }
