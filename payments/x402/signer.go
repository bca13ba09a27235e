package x402

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
)

// signer sends transactions from one account. It numbers them itself, one at a
// time: left to the node, concurrent settlements get the same number and all but
// one are lost.
type signer struct {
	rpc     RPC
	key     *ecdsa.PrivateKey
	address common.Address
	types   types.Signer
	chainID *big.Int

	mu     sync.Mutex
	synced bool // next is what the node says
	next   uint64
}

func newSigner(node RPC, key *ecdsa.PrivateKey, chainID uint64) *signer {
	id := new(big.Int).SetUint64(chainID)
	return &signer{
		rpc: node, key: key, address: crypto.PubkeyToAddress(key.PublicKey),
		types: types.LatestSignerForChainID(id), chainID: id,
	}
}

// outgoing is a transaction to be numbered and sent.
type outgoing struct {
	to     common.Address
	data   []byte
	gas    uint64
	tip    *big.Int
	feeCap *big.Int
}

// sendTries is how often a transaction is numbered anew when the node says that
// its number is taken: somebody else uses the account, or the node was behind.
const sendTries = 4

// send signs and sends. An error that is a *SettlementUnknownError means that it
// may have been sent; any other, that it was not.
func (s *signer) send(ctx context.Context, out *outgoing) (common.Hash, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last error
	for range sendTries {
		if err := s.sync(ctx); err != nil {
			return common.Hash{}, err
		}
		tx, err := types.SignNewTx(s.key, s.types, &types.DynamicFeeTx{
			ChainID: s.chainID, Nonce: s.next, GasTipCap: out.tip, GasFeeCap: out.feeCap,
			Gas: out.gas, To: &out.to, Data: out.data,
		})
		if err != nil {
			return common.Hash{}, fmt.Errorf("signing the settlement: %w", err)
		}
		err = s.broadcast(ctx, tx)
		if err == nil {
			s.next++
			return tx.Hash(), nil
		}
		s.synced = false
		var refused rpc.Error
		if !errors.As(err, &refused) {
			return tx.Hash(), &SettlementUnknownError{Transaction: tx.Hash().Hex(), Err: err}
		}
		last = err
		if !numberTaken(refused) {
			break
		}
	}
	return common.Hash{}, fmt.Errorf("sending the settlement: %w", last)
}

func (s *signer) broadcast(ctx context.Context, tx *types.Transaction) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	var hash common.Hash
	err = s.rpc.CallContext(ctx, &hash, "eth_sendRawTransaction", hexutil.Encode(raw))
	if err != nil && strings.Contains(err.Error(), "already known") {
		return nil // this very transaction: an earlier try arrived
	}
	return err
}

func (s *signer) sync(ctx context.Context) error {
	if s.synced {
		return nil
	}
	var n hexutil.Uint64
	if err := s.rpc.CallContext(ctx, &n, "eth_getTransactionCount", s.address, blockPending); err != nil {
		return fmt.Errorf("reading the settler's nonce: %w", err)
	}
	s.next, s.synced = uint64(n), true
	return nil
}

// numberTaken reads the texts by which nodes say so; JSON-RPC has no code for it.
func numberTaken(err error) bool {
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "nonce too low") || strings.Contains(text, "replacement") || strings.Contains(text, "nonce is too low")
}
