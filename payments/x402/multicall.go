package x402

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// multicall3 is Multicall3, which is at the same address on every chain that has it.
var multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

var selAggregate3 = selector("aggregate3((address,bool,bytes)[])")

// call3 is one of the calls that Multicall3 makes in one. If one fails that may
// not, they all do.
type call3 struct {
	target  common.Address
	mayFail bool
	data    []byte
}

// aggregate3Call packs calls that Multicall3 makes in their order.
func aggregate3Call(calls ...call3) []byte {
	offset := int64(len(calls) * wordBytes) // of the next call, from behind the array's length
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
