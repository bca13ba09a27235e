package x402

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Rate says what a network's coin, which pays for gas, is worth in USD. One USDC counts
// as one USD.
type Rate struct {
	// USD is the price of one coin. Where it is set, no feed is asked.
	USD money.MicroUSDC
	// Feed is the contract that answers with the price (Chainlink's AggregatorV3Interface).
	Feed common.Address
	// AgeMax is how old the feed's answer may be. Default: 2 h.
	AgeMax time.Duration
}

// rateAgeMax is twice the heartbeat of the slower of the built-in feeds.
const rateAgeMax = 2 * time.Hour

// KnownRate returns Chainlink's ETH/USD feed of a built-in network, as
// https://docs.chain.link/data-feeds/price-feeds/addresses lists it. Its heartbeat is
// 20 minutes on Base and an hour on Base Sepolia.
func KnownRate(n Network) (Rate, bool) {
	switch n.ChainID {
	case Base().ChainID:
		return Rate{Feed: common.HexToAddress("0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70")}, true
	case BaseSepolia().ChainID:
		return Rate{Feed: common.HexToAddress("0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1")}, true
	}
	return Rate{}, false
}

// errNoRate says that it is not known what gas costs in USD.
var errNoRate = errors.New("the price of gas in USD is not known")

var (
	selLatestRoundData = selector("latestRoundData()")
	selDecimals        = selector("decimals()")
)

// round is what a feed answers with.
type round struct{ data, decimals hexutil.Bytes }

// calls ask the feed, if there is one to be asked.
func (r Rate) calls(c *chainReader, answer *round) []rpc.BatchElem {
	if r.USD > 0 || r.Feed == (common.Address{}) {
		return nil
	}
	return []rpc.BatchElem{
		c.call(r.Feed, selLatestRoundData, nil, &answer.data),
		c.call(r.Feed, selDecimals, nil, &answer.decimals),
	}
}

// read returns the price of one coin, by the calls once they are answered.
func (r Rate) read(answer *round, answered []rpc.BatchElem, now time.Time) (money.MicroUSDC, error) {
	switch {
	case r.USD > 0:
		return r.USD, nil
	case r.Feed == (common.Address{}):
		return 0, fmt.Errorf("%w: want eth_usd, a price or the address of a price feed", errNoRate)
	}
	for _, elem := range answered {
		if elem.Error != nil {
			return 0, fmt.Errorf("%w: asking the feed %s: %w", errNoRate, r.Feed, elem.Error)
		}
	}
	usd, at, err := answer.read()
	if err != nil {
		return 0, fmt.Errorf("%w: feed %s: %w", errNoRate, r.Feed, err)
	}
	most := r.AgeMax
	if most == 0 {
		most = rateAgeMax
	}
	// The age is judged by our clock: a node that has stopped would call it new for ever.
	if age := now.Sub(at); age.Abs() > most {
		return 0, fmt.Errorf("%w: feed %s: its answer is of %s, want one at most %s old", errNoRate, r.Feed, at.UTC().Format(time.RFC3339), most)
	}
	return usd, nil
}

// feedDecimalsMost is more than any feed has.
const feedDecimalsMost = 36

// read returns the price of (uint80 roundId, int256 answer, uint256 startedAt, uint256
// updatedAt, uint80 answeredInRound), and when it was updated.
func (r *round) read() (money.MicroUSDC, time.Time, error) {
	const answerAt, updatedAt, words = 1, 3, 5
	if len(r.data) < words*wordBytes || len(r.decimals) < wordBytes {
		return 0, time.Time{}, errors.New("no price feed is there")
	}
	field := func(i int) *big.Int { return new(big.Int).SetBytes(r.data[i*wordBytes : (i+1)*wordBytes]) }
	answer, updated, decimals := field(answerAt), field(updatedAt), new(big.Int).SetBytes(r.decimals[:wordBytes])
	if answer.Sign() == 0 || answer.Bit(8*wordBytes-1) == 1 {
		return 0, time.Time{}, errors.New("its answer is not more than 0")
	}
	if decimals.Cmp(big.NewInt(feedDecimalsMost)) > 0 || !updated.IsInt64() {
		return 0, time.Time{}, errors.New("its answer is not a price feed's")
	}
	usd := answer.Mul(answer, big.NewInt(microsOfUSD))
	usd.Div(usd, new(big.Int).Exp(big.NewInt(10), decimals, nil))
	if usd.Sign() == 0 || !usd.IsInt64() {
		return 0, time.Time{}, fmt.Errorf("its answer is out of range: %s millionths of a USD", usd)
	}
	return money.MicroUSDC(usd.Int64()), time.Unix(updated.Int64(), 0), nil
}

// microsOfUSD are the units of [money.MicroUSDC] in one USD.
const microsOfUSD = 1_000_000

// rateNow asks for the rate by itself.
func (c *chainReader) rateNow(ctx context.Context, rate Rate, now time.Time) (money.MicroUSDC, error) {
	var answer round
	batch := rate.calls(c, &answer)
	if len(batch) > 0 {
		if err := c.rpc.BatchCallContext(ctx, batch); err != nil {
			return 0, fmt.Errorf("%w: asking the feed %s: %w", errNoRate, rate.Feed, err)
		}
	}
	return rate.read(&answer, batch, now)
}
