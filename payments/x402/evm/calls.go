package evm

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

const (
	blockLatest  = "latest"
	blockPending = "pending"
)

// callMsg is the argument of eth_call and eth_estimateGas.
type callMsg struct {
	From *common.Address `json:"from,omitempty"`
	To   common.Address  `json:"to"`
	Data hexutil.Bytes   `json:"data"`
}

// Call calls a contract at the newest block; from may be nil.
func Call(to common.Address, data []byte, from *common.Address, result any) rpc.BatchElem {
	return rpc.BatchElem{Method: "eth_call", Args: []any{callMsg{From: from, To: to, Data: data}, blockLatest}, Result: result}
}

// EstimateGas simulates a transaction on the pending block, because the newest block may be older than validAfter.
func EstimateGas(from, to common.Address, data []byte, result *hexutil.Uint64) rpc.BatchElem {
	return rpc.BatchElem{Method: "eth_estimateGas", Args: []any{callMsg{From: &from, To: to, Data: data}, blockPending}, Result: result}
}

// AuthorizationState asks a token whether an authorisation was used or cancelled. The answer is then not zero.
func AuthorizationState(token, from common.Address, nonce [32]byte, result *hexutil.Bytes) rpc.BatchElem {
	return Call(token, authorizationStateCall(from, nonce), nil, result)
}

func authorizationStateCall(from common.Address, nonce [32]byte) []byte {
	return calldata.Pack(selAuthorizationState, calldata.Address(from), nonce[:])
}

// Code reads the code of an account.
func Code(account common.Address, result *hexutil.Bytes) rpc.BatchElem {
	return rpc.BatchElem{Method: "eth_getCode", Args: []any{account, blockLatest}, Result: result}
}

// Coins reads an account's balance of the network's coin, in wei.
func Coins(account common.Address, result *hexutil.Big) rpc.BatchElem {
	return rpc.BatchElem{Method: "eth_getBalance", Args: []any{account, blockLatest}, Result: result}
}

// Newest reads the newest block.
func Newest(result **Head) rpc.BatchElem {
	return rpc.BatchElem{Method: "eth_getBlockByNumber", Args: []any{blockLatest, false}, Result: result}
}

// Tip reads the tip, in wei per unit of gas, that gets a transaction mined soon.
func Tip(result *hexutil.Big) rpc.BatchElem {
	return rpc.BatchElem{Method: "eth_maxPriorityFeePerGas", Result: result}
}

// PendingCount returns how many transactions of an account the node knows.
func PendingCount(ctx context.Context, node RPC, account common.Address) (uint64, error) {
	var counted hexutil.Uint64
	err := node.CallContext(ctx, &counted, "eth_getTransactionCount", account, blockPending)
	return uint64(counted), err
}

// rpcBatchMost is how many calls go in one request: providers limit it.
const rpcBatchMost = 50

// CallAll sends calls to a node in as many requests as they need. The timeout is for each.
func CallAll(ctx context.Context, node RPC, batch []rpc.BatchElem, timeout time.Duration) error {
	for len(batch) > 0 {
		n := min(len(batch), rpcBatchMost)
		callCtx, cancel := context.WithTimeout(ctx, timeout)
		err := node.BatchCallContext(callCtx, batch[:n])
		cancel()
		if err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}
