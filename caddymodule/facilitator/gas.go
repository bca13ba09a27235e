package facilitator

import (
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
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

func (f *Local) parseGasBudget(d *caddyfile.Dispenser) error {
	if err := config.ParseString(d, &f.GasBudget); err != nil {
		return err
	}
	_, err := parseUSD("gas_budget", f.GasBudget)
	return config.Locate(d, err)
}

// parseETHUSD parses a price, or a feed and how old its price may be.
func (f *Local) parseETHUSD(d *caddyfile.Dispenser) error {
	if f.ETHUSD != "" {
		return d.Errf("%s appears more than once", d.Val())
	}
	args := d.RemainingArgs()
	if len(args) == 0 || len(args) > 2 {
		return d.ArgErr()
	}
	rate, err := parseCoinRate(args[0])
	if err != nil {
		return config.Locate(d, err)
	}
	f.ETHUSD = args[0]
	if len(args) == 1 {
		return nil
	}
	if rate.USD > 0 {
		return d.Errf("eth_usd: '%s' is not allowed: a fixed price has no maximum age, only a feed has", args[1])
	}
	age, err := caddy.ParseDuration(args[1])
	if err != nil || age <= 0 {
		return d.Errf("eth_usd: '%s' is not a maximum age for a feed's price, want a value such as 2h", args[1])
	}
	f.ETHUSDAgeMax = caddy.Duration(age)
	return nil
}
