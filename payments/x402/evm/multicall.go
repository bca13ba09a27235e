package evm

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// Multicall3 is the address of Multicall3, which is the same on every chain that has it.
var Multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

var selAggregate3 = calldata.Selector("aggregate3((address,bool,bytes)[])")

// ContractCall is one call in a Multicall3 batch. If a call fails and mayFail is false, the whole batch fails.
type ContractCall struct {
	Target  common.Address
	MayFail bool
	Data    []byte
}

// Aggregate encodes calls that Multicall3 makes in this order.
func Aggregate(calls ...ContractCall) []byte {
	offset := int64(len(calls) * calldata.WordBytes) // of the next call, counted from after the array's length
	var offsets, bodies []byte
	for _, c := range calls {
		offsets = append(offsets, calldata.Word(big.NewInt(offset))...)
		mayFail := new(big.Int)
		if c.MayFail {
			mayFail.SetInt64(1)
		}
		body := calldata.Pack(calldata.Address(c.Target), calldata.Word(mayFail), calldata.Word(big.NewInt(3*calldata.WordBytes)), calldata.Bytes(c.Data))
		offset += int64(len(body))
		bodies = append(bodies, body...)
	}
	return calldata.Pack(selAggregate3, calldata.Word(big.NewInt(calldata.WordBytes)), calldata.Word(big.NewInt(int64(len(calls)))), offsets, bodies)
}

var errResult = errors.New("the response of Multicall3 is malformed")

// aggregate3Result decodes what the call with the index returned, from (bool success, bytes returnData)[]. It returns
// nil for a call that failed.
func aggregate3Result(answer []byte, index int) ([]byte, error) {
	array, ok := abiTail(answer, 0)
	if !ok || len(array) < calldata.WordBytes {
		return nil, errResult
	}
	count, ok := calldata.ReadLength(array[:calldata.WordBytes], len(array)/calldata.WordBytes)
	if !ok || index >= count {
		return nil, errResult
	}
	result, ok := abiTail(array[calldata.WordBytes:], index)
	if !ok || len(result) < 2*calldata.WordBytes {
		return nil, errResult
	}
	data, ok := calldata.ReadBytes(result, result[calldata.WordBytes:2*calldata.WordBytes])
	if !ok {
		return nil, errResult
	}
	if calldata.IsZero(result[:calldata.WordBytes]) {
		return nil, nil
	}
	return data, nil
}

// abiTail returns the data that the offset in the indexed word points to.
func abiTail(body []byte, index int) ([]byte, bool) {
	at := index * calldata.WordBytes
	if len(body) < at+calldata.WordBytes {
		return nil, false
	}
	offset, ok := calldata.ReadLength(body[at:at+calldata.WordBytes], len(body))
	if !ok {
		return nil, false
	}
	return body[offset:], true
}

// deployment is the call to the factory. It may fail: the call after it shows whether the wallet is deployed.
func deployment(u *x402.Undeployed) ContractCall {
	return ContractCall{Target: u.Factory, MayFail: true, Data: u.Deploy}
}

// SettlementCall is the one call that settles a payment: the transfer or, where the payer's wallet may have to be
// deployed first, both through Multicall3. The deployment may fail, since somebody else may have made it. The transfer
// may not: if it fails, the deployment is reverted too. In a batch, the whole call may fail without affecting other
// payments.
func SettlementCall(n x402.Network, p *x402.Payment, deploy bool) ContractCall {
	transfer := ContractCall{Target: n.Asset, MayFail: true, Data: transferCall(p)}
	if !deploy {
		return transfer
	}
	transfer.MayFail = false
	return ContractCall{Target: Multicall3, MayFail: true, Data: Aggregate(deployment(p.Wallet), transfer)}
}
