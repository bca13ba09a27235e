package evm

import (
	"context"
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

const methodSend = "eth_sendRawTransaction"

// Send sends a signed transaction to a node, and classifies its answer.
func Send(ctx context.Context, node RPC, raw hexutil.Bytes) (Reply, error) {
	var hash common.Hash
	err := node.CallContext(ctx, &hash, methodSend, raw)
	return ReadReply(err), err
}

// Reply classifies a node's answer to a transaction.
type Reply int

const (
	ReplySent        Reply = iota
	ReplyUsed              // the nonce is used up, maybe by this very transaction
	ReplyUnderpriced       // too little for the node, or to replace what it has under this nonce
	ReplyFailed            // anything else: the transaction may have been sent
)

// ReadReply classifies a node's error by its text, because JSON-RPC has no codes for these cases.
func ReadReply(err error) Reply {
	if err == nil {
		return ReplySent
	}
	var refused rpc.Error
	if !errors.As(err, &refused) {
		return ReplyFailed
	}
	text := strings.ToLower(refused.Error())
	says := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(text, part) {
				return true
			}
		}
		return false
	}
	switch {
	case says("already known", "known transaction", "already imported", "already in mempool", "already exists"):
		return ReplySent // an earlier attempt has arrived
	case says("nonce too low", "nonce is too low", "nonce has already been used", "lower than the current nonce"):
		return ReplyUsed
	case says("underpriced", "fee too low", "less than block base fee", "gas price too low", "fee cap too low", "max fee per gas less"):
		return ReplyUnderpriced
	default:
		return ReplyFailed
	}
}
