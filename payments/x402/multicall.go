package x402

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// multicall3 is where Multicall3 is, on every network that is settled on.
var multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

var selAggregate3 = selector("aggregate3((address,bool,bytes)[])")

// subcall is one call of several that are made in one.
type subcall struct {
	to           common.Address
	data         []byte
	allowFailure bool
}

// settlementCall is the call that settles a payment by itself.
func settlementCall(n Network, p *Payment) subcall {
	return subcall{to: n.Asset, data: transferCall(p), allowFailure: true}
}

// aggregate3 is the call of Multicall3 that makes the calls in order.
func aggregate3(calls []subcall) []byte {
	count := int64(len(calls))
	words := [][]byte{word(big.NewInt(wordBytes)), word(big.NewInt(count))}
	offset := count * wordBytes // of the next struct, from the first offset on
	var bodies [][]byte
	for _, c := range calls {
		allow := int64(0)
		if c.allowFailure {
			allow = 1
		}
		body := pack(addressWord(c.to), word(big.NewInt(allow)), word(big.NewInt(3*wordBytes)), packBytes(c.data))
		words = append(words, word(big.NewInt(offset)))
		bodies = append(bodies, body)
		offset += int64(len(body))
	}
	return pack(selAggregate3, append(words, bodies...)...)
}
