package facilitator

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
)

// UnmarshalCaddyfile parses the module:
//
//	facilitator local {
//		rpc             <url>…
//		signer          <key>|<url>#<address>
//		gas_max         <gas>
//		fee_max         <gwei>
//		eth_usd         <usd>|<feed> [<age>]
//		gas_share       <percent>
//		gas_budget      <usd>
//		balance_min     <ether>
//		batch_max       <payments>
//		confirmations   <blocks>
//		erc6492_factory <address>
//	}
func (f *Local) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "rpc":
			return parseNodes(d, &f.RPC)
		case "signer":
			var signer string
			err := config.ParseChecked(d, &signer, checkSigner)
			f.Signers = append(f.Signers, signer)
			return err
		case "gas_max":
			return config.ParseCount(d, &f.GasMax)
		case "fee_max":
			return config.ParseChecked(d, &f.FeeMax, checkEther(gweiDecimals))
		case "eth_usd":
			return f.parseETHUSD(d)
		case "gas_share":
			return config.ParseCount(d, &f.GasShare)
		case "gas_budget":
			return config.ParseChecked(d, &f.GasBudget, checkUSD)
		case "balance_min":
			return config.ParseChecked(d, &f.BalanceMin, checkEther(etherDecimals))
		case "batch_max":
			return config.ParseCount(d, &f.BatchMax)
		case "confirmations":
			return config.ParseCount(d, &f.Confirmations)
		case "erc6492_factory":
			var factory string
			err := config.ParseString(d, &factory)
			if err == nil && slices.Contains(f.ERC6492Factories, factory) {
				return d.Errf("erc6492_factory %s appears more than once", factory)
			}
			f.ERC6492Factories = append(f.ERC6492Factories, factory)
			return err
		default:
			return config.Unrecognized(d)
		}
	})
}

// checkEther refuses what is not a decimal number of a unit with that many decimals.
func checkEther(decimals int) func(name, text string) error {
	return func(name, text string) error {
		_, err := parseEther(name, text, decimals)
		return err
	}
}

func checkUSD(name, text string) error {
	_, err := parseUSD(name, text)
	return err
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

// UnmarshalCaddyfile parses the module:
//
//	facilitator http <url> {
//		header        <name> <value>
//		auth          <name> …
//		rpc           <url>…
//		timeout       <duration>
//		confirmations <blocks>
//	}
func (f *HTTP) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&f.URL) {
		return d.ArgErr()
	}
	if err := config.Locate(d, config.CheckNoPassword("facilitator http", f.URL)); err != nil {
		return err
	}
	err := config.ParseBlock(d, func() (err error) {
		switch d.Val() {
		case "header":
			return f.unmarshalHeader(d)
		case "auth":
			f.AuthRaw, err = config.ParseModule(d, "turnpike.facilitator_auths", f.AuthRaw)
		case "rpc":
			return parseNodes(d, &f.RPC)
		case "timeout":
			return config.ParseDuration(d, &f.Timeout)
		case "confirmations":
			return config.ParseCount(d, &f.Confirmations)
		default:
			return config.Unrecognized(d)
		}
		return err
	})
	if err != nil {
		return err
	}
	return config.Locate(d, errors.Join(f.checkAuth(), f.checkConfirmations()))
}

func (f *HTTP) unmarshalHeader(d *caddyfile.Dispenser) error {
	var name, value string
	if !d.AllArgs(&name, &value) {
		return d.ArgErr()
	}
	name = http.CanonicalHeaderKey(name)
	if _, isThere := f.Headers[name]; isThere {
		return d.Errf("header %s appears more than once", name)
	}
	if err := config.Locate(d, config.CheckHeader(name, value)); err != nil {
		return err
	}
	if f.Headers == nil {
		f.Headers = make(map[string]string)
	}
	f.Headers[name] = value
	return nil
}

// UnmarshalCaddyfile parses the module:
//
//	auth cdp {
//		key_id     <id>
//		key_secret <secret>
//	}
func (a *AuthCDP) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "key_id":
			return config.ParseString(d, &a.KeyID)
		case "key_secret":
			return config.ParseSecret(d, &a.KeySecret)
		default:
			return config.Unrecognized(d)
		}
	})
	if err == nil && (a.KeyID == "" || a.KeySecret == "") {
		return d.Err("auth cdp: want both key_id and key_secret")
	}
	return err
}

// parseNodes parses the arguments of a subdirective that takes the addresses of nodes.
func parseNodes(d *caddyfile.Dispenser, to *string) error {
	name := d.Val()
	if *to != "" {
		return d.Errf("%s appears more than once: list all nodes on one line", name)
	}
	if *to = strings.Join(d.RemainingArgs(), " "); *to == "" {
		return d.ArgErr()
	}
	return config.Locate(d, checkNodes(name, *to))
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Local)(nil)
	_ caddyfile.Unmarshaler = (*HTTP)(nil)
	_ caddyfile.Unmarshaler = (*AuthCDP)(nil)
)
