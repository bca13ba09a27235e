package topup

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() { httpcaddyfile.RegisterHandlerDirective("topup", parseTopUp) }

// parseTopUp parses the directive:
//
//	topup [<matcher>]
func parseTopUp(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	t := new(Handler)
	return t, t.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseTopUp for the syntax.
func (*Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return config.ParseNothing(d) }

// UnmarshalCaddyfile parses the module:
//
//	topup none
func (*None) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return config.ParseNothing(d) }

// UnmarshalCaddyfile parses the module:
//
//	topup stripe {
//		secret_key     <key>
//		webhook_secret <secret>
//		optional
//		pack           <credits> <usd>
//		return_url     <url>
//		api_base       <url>
//		attempt_every  <duration>
//		daily_max      <attempts> <usd>
//		sweep_every    <duration>
//		paused
//	}
func (s *Stripe) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "secret_key":
			return config.ParseSecret(d, &s.SecretKey)
		case "webhook_secret":
			return config.ParseSecret(d, &s.WebhookSecret)
		case "optional":
			return config.ParseFlag(d, &s.Optional)
		case "pack":
			return s.parsePack(d)
		case "return_url":
			return config.ParseString(d, &s.ReturnURL)
		case "api_base":
			return config.ParseString(d, &s.APIBase)
		case "attempt_every":
			return config.ParseDuration(d, &s.AttemptEvery)
		case "daily_max":
			return s.parseDailyMax(d)
		case "sweep_every":
			return config.ParseDuration(d, &s.SweepEvery)
		case "paused":
			return config.ParseFlag(d, &s.Paused)
		default:
			return config.Unrecognized(d)
		}
	})
	if err != nil {
		return err
	}
	return s.check(d)
}

func (s *Stripe) check(d *caddyfile.Dispenser) error {
	if s.SecretKey == "" {
		return d.Err("topup stripe has no secret_key")
	}
	if s.WebhookSecret == "" {
		return d.Err("topup stripe has no webhook_secret")
	}
	if s.Packs == nil {
		return nil
	}
	return config.Locate(d, s.Packs.Validate())
}

func (s *Stripe) parsePack(d *caddyfile.Dispenser) error {
	credits, cents, err := parsePurse(d, "credits")
	if err != nil {
		return err
	}
	s.Packs = append(s.Packs, price.Pack{Credits: money.Credits(credits), Price: cents})
	return nil
}

func (s *Stripe) parseDailyMax(d *caddyfile.Dispenser) error {
	if s.DailyAttempts != 0 {
		return d.Err("daily_max appears more than once")
	}
	attempts, cents, err := parsePurse(d, "attempts")
	if err != nil {
		return err
	}
	const attemptsMax = 100_000
	if attempts < 1 || attempts > attemptsMax || cents < 1 {
		return d.Errf("daily_max: want 1 to %d attempts and an amount above 0; to stop sales, use `paused`", attemptsMax)
	}
	s.DailyAttempts, s.DailyCents = int(attempts), cents
	return nil
}

// parsePurse parses a count and an amount of US dollars.
func parsePurse(d *caddyfile.Dispenser, what string) (int64, money.Cents, error) {
	var count, usd string
	if !d.AllArgs(&count, &usd) {
		return 0, 0, d.ArgErr()
	}
	n, err := config.ParseInt(d, count, what)
	if err != nil {
		return 0, 0, err
	}
	cents, err := money.ParseCents(usd)
	return n, cents, config.Locate(d, err)
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Handler)(nil)
	_ caddyfile.Unmarshaler = (*None)(nil)
	_ caddyfile.Unmarshaler = (*Stripe)(nil)
)
