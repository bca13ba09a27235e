package x402

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// multicall3 is the address of Multicall3, which is the same on every chain that has it.
var multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

var selAggregate3 = selector("aggregate3((address,bool,bytes)[])")

// call3 is one call in a Multicall3 batch. If a call fails and mayFail is false, the whole batch fails.
type call3 struct {
	target  common.Address
	mayFail bool
	data    []byte
}

// aggregate3Call encodes calls that Multicall3 makes in this order.
func aggregate3Call(calls ...call3) []byte {
	offset := int64(len(calls) * wordBytes) // of the next call, counted from after the array's length
	var offsets, bodies []byte
	for _, c := range calls {
		offsets = append(offsets, word(big.NewInt(offset))...)
		mayFail := new(big.Int)
		if c.mayFail {
			mayFail.SetInt64(1)
		}
		body := pack(addressWord(c.target), word(mayFail), word(big.NewInt(3*wordBytes)), packBytes(c.data))
		offset += int64(len(body))
		bodies = append(bodies, body...)
	}
	return pack(selAggregate3, word(big.NewInt(wordBytes)), word(big.NewInt(int64(len(calls)))), offsets, bodies)
}

var errResult = errors.New("the response of Multicall3 is malformed")

// aggregate3Result decodes what the call with the index returned, from (bool success, bytes returnData)[]. It returns
// nil for a call that failed.
func aggregate3Result(answer []byte, index int) ([]byte, error) {
	array, ok := abiTail(answer, 0)
	if !ok || len(array) < wordBytes {
		return nil, errResult
	}
	count, ok := abiLength(array[:wordBytes], len(array)/wordBytes)
	if !ok || index >= count {
		return nil, errResult
	}
	result, ok := abiTail(array[wordBytes:], index)
	if !ok || len(result) < 2*wordBytes {
		return nil, errResult
	}
	data, ok := abiBytes(result, result[wordBytes:2*wordBytes])
	if !ok {
		return nil, errResult
	}
	if isZero(result[:wordBytes]) {
		return nil, nil
	}
	return data, nil
}

// abiTail returns the data that the offset in the indexed word points to.
func abiTail(body []byte, index int) ([]byte, bool) {
	at := index * wordBytes
	if len(body) < at+wordBytes {
		return nil, false
	}
	offset, ok := abiLength(body[at:at+wordBytes], len(body))
	if !ok {
		return nil, false
	}
	return body[offset:], true
}
