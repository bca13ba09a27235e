package x402

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/google/uuid"
)

// Outbox keeps the transactions that facilitators send from their accounts, from
// before they are broadcast until they are mined. Facilitators that share an
// account share its outbox: it numbers their transactions, and says which are
// still open, so that none is sent anew while it may yet be mined, and what one
// facilitator left behind is finished by another.
//
// A transaction has an owner: the one that may replace it. An owner that has not
// tended its transactions for the length of its lease is taken for gone, and so is one
// whose instance has ended.
type Outbox interface {
	// Next returns the number after the highest that was taken of an account.
	Next(ctx context.Context, chain ChainKey, signer common.Address) (uint64, error)
	// Take writes a signed transaction down under its number. Numbers below what the
	// chain has counted may be left out, and taken later. The error is ErrNumberTaken if the number is taken or
	// would leave a gap above what the chain has counted, ErrCarried if another open
	// transaction carries one of the payments, or one that did was mined since the
	// caller looked, ErrNotOwner if the caller's instance has ended. After any other error,
	// the transaction may have been written down.
	Take(ctx context.Context, chain ChainKey, tx *OutboxTx, claim Claiming) error
	// Replace adds a version to an open transaction, whose newest must be known.
	// The error is ErrNotOwner if it is not, or the transaction is another's by now.
	Replace(ctx context.Context, chain ChainKey, tx *OutboxTx, version Version, owner uuid.UUID) error
	// Finish closes a transaction: by the version that was mined, whose cost is spent of
	// the day's budget, or by none if something else has its number. Closing it again
	// does nothing.
	Finish(ctx context.Context, chain ChainKey, signer common.Address, nonce uint64, mined *common.Hash, cost Gwei) error
	// Reopen opens a finished transaction again, for the owner, which the chain has no
	// more. The error is ErrNotFinished if there is none under that number.
	Reopen(ctx context.Context, chain ChainKey, signer common.Address, nonce uint64, owner uuid.UUID, lease time.Duration) (OutboxTx, error)
	// Tend prolongs the owner's leases, takes over what owners that are gone have
	// left open on the accounts, and returns all that is the owner's.
	Tend(ctx context.Context, chain ChainKey, signers []common.Address, owner uuid.UUID, lease time.Duration) ([]OutboxTx, error)
	// Carrying returns the open transactions with any of the payments, and when it looked, by the outbox's clock.
	Carrying(ctx context.Context, chain ChainKey, payments [][32]byte) (open []OutboxTx, lookedAt time.Time, err error)
	// Release ends the owner's leases.
	Release(ctx context.Context, owner uuid.UUID) error
	// Forget drops what was finished longer ago than keep; the numbering stays.
	Forget(ctx context.Context, keep time.Duration) error
}

// Claiming is by whom, and on what knowledge, a number is taken.
type Claiming struct {
	Owner uuid.UUID
	Lease time.Duration
	// Counted is how many transactions of the account the chain knows.
	Counted uint64
	// LookedAt is when Carrying looked for the payments: what was mined since then is not sent again.
	LookedAt time.Time
}

var (
	// ErrNumberTaken says that a transaction's number is another's.
	ErrNumberTaken = errors.New("the account's nonce is taken")
	// ErrCarried says that a payment is in another open transaction.
	ErrCarried = errors.New("a payment is being settled by another transaction")
	// ErrNotFinished says that no finished transaction is known under a number.
	ErrNotFinished = errors.New("no finished transaction has this nonce")
	// ErrNotOwner says that another has taken a transaction over or changed it, or may.
	ErrNotOwner = errors.New("the transaction is another's by now")
)

// ChainKey tells chains apart, also those with one id: a development chain that
// starts anew knows none of the transactions of the one before.
type ChainKey struct {
	ID      uint64
	Genesis common.Hash
}

// OutboxTx is a transaction of an account that is open: it may be mined yet.
type OutboxTx struct {
	Signer common.Address
	Nonce  uint64
	// Raw is the newest version, as it is broadcast.
	Raw hexutil.Bytes
	// Hashes are those of all versions, the newest last.
	Hashes []common.Hash
	// Payments are the ids of what it settles.
	Payments [][32]byte
	// LapsesAt is when the last of them is worth nothing any more.
	LapsesAt time.Time
}

// Version is a signed form of a transaction.
type Version struct {
	Raw  hexutil.Bytes
	Hash common.Hash
}

func (tx *OutboxTx) newest() common.Hash { return tx.Hashes[len(tx.Hashes)-1] }
