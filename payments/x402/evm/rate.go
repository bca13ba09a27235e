package evm

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
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// Rate is the price in USD of a network's coin, which pays for gas. One USDC counts as one USD.
type Rate struct {
	// USD is the price of one coin. If it is set, no feed is used.
	USD money.MicroUSDC
	// Feed is a price feed contract (Chainlink's AggregatorV3Interface).
	Feed common.Address
	// AgeMax is the maximum age of the feed's answer. Default: 2 h.
	AgeMax time.Duration
}

// rateAgeMax is twice the heartbeat of the slower of the built-in feeds.
const rateAgeMax = 2 * time.Hour

// KnownRate returns the Chainlink ETH/USD feed of a built-in network, from
// https://docs.chain.link/data-feeds/price-feeds/addresses. Its heartbeat is 20 minutes on Base and an hour on Base
// Sepolia.
func KnownRate(n x402.Network) (Rate, bool) {
	switch n.ChainID {
	case x402.Base().ChainID:
		return Rate{Feed: common.HexToAddress("0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70")}, true
	case x402.BaseSepolia().ChainID:
		return Rate{Feed: common.HexToAddress("0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1")}, true
	}
	return Rate{}, false
}

// ErrNoRate says that the price of gas in USD is not known.
var ErrNoRate = errors.New("the price of gas in USD is not known")

var (
	selLatestRoundData = calldata.Selector("latestRoundData()")
	selDecimals        = calldata.Selector("decimals()")
)

// RateReading holds a feed's answers.
type RateReading struct{ data, decimals hexutil.Bytes }

// Calls returns the calls that ask the feed, if one is used.
func (r Rate) Calls(answer *RateReading) []rpc.BatchElem {
	if r.USD > 0 || r.Feed == (common.Address{}) {
		return nil
	}
	return []rpc.BatchElem{
		Call(r.Feed, selLatestRoundData, nil, &answer.data),
		Call(r.Feed, selDecimals, nil, &answer.decimals),
	}
}

// Read returns the price of one coin from the answered calls.
func (r Rate) Read(answer *RateReading, answered []rpc.BatchElem, now time.Time) (money.MicroUSDC, error) {
	switch {
	case r.USD > 0:
		return r.USD, nil
	case r.Feed == (common.Address{}):
		return 0, fmt.Errorf("%w: set eth_usd to a price or to the address of a price feed", ErrNoRate)
	}
	for _, elem := range answered {
		if elem.Error != nil {
			return 0, fmt.Errorf("%w: calling the feed %s: %w", ErrNoRate, r.Feed, elem.Error)
		}
	}
	usd, at, err := answer.read()
	if err != nil {
		return 0, fmt.Errorf("%w: feed %s: %w", ErrNoRate, r.Feed, err)
	}
	most := r.AgeMax
	if most == 0 {
		most = rateAgeMax
	}
	// Use our own clock: a node that has stopped would always call the answer new.
	if age := now.Sub(at); age.Abs() > most {
		return 0, fmt.Errorf("%w: feed %s: its price is from %s, want one at most %s old", ErrNoRate, r.Feed, at.UTC().Format(time.RFC3339), most)
	}
	return usd, nil
}

// feedDecimalsMost is more than any feed uses.
const feedDecimalsMost = 36

// read decodes (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound). It
// returns the price and the time of its update.
func (r *RateReading) read() (money.MicroUSDC, time.Time, error) {
	const answerAt, updatedAt, words = 1, 3, 5
	if len(r.data) < words*calldata.WordBytes || len(r.decimals) < calldata.WordBytes {
		return 0, time.Time{}, errors.New("no price feed is at this address")
	}
	field := func(i int) *big.Int {
		return new(big.Int).SetBytes(r.data[i*calldata.WordBytes : (i+1)*calldata.WordBytes])
	}
	answer, updated, decimals := field(answerAt), field(updatedAt), new(big.Int).SetBytes(r.decimals[:calldata.WordBytes])
	if answer.Sign() == 0 || answer.Bit(8*calldata.WordBytes-1) == 1 {
		return 0, time.Time{}, errors.New("its price is not more than 0")
	}
	if decimals.Cmp(big.NewInt(feedDecimalsMost)) > 0 || !updated.IsInt64() {
		return 0, time.Time{}, errors.New("its response is not that of a price feed")
	}
	usd := answer.Mul(answer, big.NewInt(microsOfUSD))
	usd.Div(usd, new(big.Int).Exp(big.NewInt(10), decimals, nil))
	if usd.Sign() == 0 || !usd.IsInt64() {
		return 0, time.Time{}, fmt.Errorf("its price is out of range: %s millionths of a USD", usd)
	}
	return money.MicroUSDC(usd.Int64()), time.Unix(updated.Int64(), 0), nil
}

// microsOfUSD is the number of [money.MicroUSDC] in one USD.
const microsOfUSD = 1_000_000

// Now returns the price of one coin. It makes the calls itself.
func (r Rate) Now(ctx context.Context, node RPC, now time.Time) (money.MicroUSDC, error) {
	var answer RateReading
	batch := r.Calls(&answer)
	if len(batch) > 0 {
		if err := node.BatchCallContext(ctx, batch); err != nil {
			return 0, fmt.Errorf("%w: calling the feed %s: %w", ErrNoRate, r.Feed, err)
		}
	}
	return r.Read(&answer, batch, now)
}
