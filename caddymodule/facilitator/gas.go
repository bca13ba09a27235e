package facilitator

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// parseUSD reads a decimal amount of USD; 0 for "".
func parseUSD(name, text string) (money.MicroUSDC, error) {
	if text == "" {
		return 0, nil
	}
	usd, err := money.ParseUSDC(text)
	if err != nil || usd == 0 {
		return 0, fmt.Errorf("%s: '%s' is not an amount of USD above 0 with at most 6 decimals, such as 50", name, text)
	}
	return usd, nil
}

// parseCoinRate reads the value of a coin: a price in USD, or the address of a price feed.
func parseCoinRate(text string) (rate evm.Rate, err error) {
	if !strings.HasPrefix(text, "0x") {
		rate.USD, err = parseUSD("eth_usd", text)
		return rate, err
	}
	if rate.Feed = common.HexToAddress(text); !common.IsHexAddress(text) || rate.Feed == (common.Address{}) {
		return rate, fmt.Errorf("eth_usd: '%s' is not the address of a price feed, want 0x and 40 hexadecimal digits", text)
	}
	return rate, nil
}

// rateOn returns the rate on a network: the configured one, or the known feed.
func (f *Local) rateOn(network x402.Network) (evm.Rate, error) {
	rate := f.rate
	if f.ETHUSD == "" {
		known, ok := evm.KnownRate(network)
		if !ok {
			return rate, fmt.Errorf("eth_usd: no built-in price feed for %s: want its coin's price in USD, such as 0.25, or the address of a feed",
				network.ID())
		}
		rate.Feed = known.Feed
	}
	return rate, nil
}
