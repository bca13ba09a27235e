package limits

import (
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/ratelimit"
)

func init() { httpcaddyfile.RegisterHandlerDirective("team_limit", parseTeamLimit) }

// parseTeamLimit parses the directive:
//
//	team_limit [<matcher>] {
//		class   <name> [<methods>] <paths…> <rate>
//		default   <rate>
//		keyless   <rate>
//		in_flight <requests>
//	}
//
// <rate> is `<requests> per <duration> [burst <requests>]`. <duration> is in whole seconds, such as 1m. The burst is how many
// may come at once after a pause; <requests> if left out. <methods> are HTTP methods, separated by commas; any, if left out.
// <paths…> are patterns. The first class that matches a request's method and path applies; `default` (600 per 1m if left out) is
// for requests in no class. `keyless` is for all requests without a key; if it is left out, they have the limits of their
// classes. `in_flight` (64 if left out) is the most requests of all classes in flight at once.
func parseTeamLimit(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	t := new(TeamLimit)
	return t, t.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseTeamLimit for the syntax.
func (t *TeamLimit) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() (err error) {
		switch d.Val() {
		case "class":
			return t.unmarshalClass(d)
		case "default":
			t.Default, err = parseOneRate(d, t.Default)
		case "keyless":
			t.Keyless, err = parseOneRate(d, t.Keyless)
		case "in_flight":
			return t.unmarshalInFlight(d)
		default:
			return config.Unrecognized(d)
		}
		return err
	})
}

func (t *TeamLimit) unmarshalInFlight(d *caddyfile.Dispenser) error {
	var text string
	if err := config.ParseString(d, &text); err != nil {
		return err
	}
	if t.InFlight != 0 {
		return d.Err("in_flight appears more than once")
	}
	n, err := config.ParseInt(d, text, "requests")
	if err != nil {
		return err
	}
	if n == 0 {
		return d.Err("in_flight must be 1 or more")
	}
	t.InFlight = n
	return nil
}

func (t *TeamLimit) unmarshalClass(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	per := slices.Index(args, "per")
	if per < 3 { // before it come the name, a path and a number
		return d.Err("invalid class, want: class <name> [<methods>] <paths…> <requests> per <duration> [burst <requests>]")
	}
	class := Class{Name: args[0]}
	if err := ratelimit.CheckName(class.Name); err != nil {
		return d.WrapErr(err)
	}
	isSame := func(c Class) bool { return c.Name == class.Name }
	if class.Name == classDefault || class.Name == classKeyless || slices.ContainsFunc(t.Classes, isSame) {
		return d.Errf("class %s appears more than once, or has the name of a built-in class", class.Name)
	}
	of := args[1 : per-1]
	if config.IsMethodList(of[0]) {
		class.Methods, of = strings.Split(of[0], ","), of[1:]
	}
	if len(of) == 0 {
		return d.Errf("class %s has no paths", class.Name)
	}
	if _, err := price.NewPaths(of...); err != nil {
		return d.WrapErr(err)
	}
	class.Paths = of
	rate, err := parseRate(d, args[per-1:])
	class.RequestRate = rate
	t.Classes = append(t.Classes, class)
	return err
}

// parseOneRate parses the rate of a subdirective that may occur once.
func parseOneRate(d *caddyfile.Dispenser, existing *RequestRate) (*RequestRate, error) {
	name := d.Val()
	if existing != nil {
		return nil, d.Errf("%s appears more than once", name)
	}
	rate, err := parseRate(d, d.RemainingArgs())
	return &rate, err
}

// parseRate parses "<requests> per <duration> [burst <requests>]".
func parseRate(d *caddyfile.Dispenser, args []string) (RequestRate, error) {
	var rate RequestRate
	if (len(args) != 3 && len(args) != 5) || args[1] != "per" || (len(args) == 5 && args[3] != "burst") {
		return rate, d.Err("invalid rate, want: <requests> per <duration> [burst <requests>]")
	}
	var err error
	if rate.Events, err = config.ParseInt(d, args[0], "requests"); err != nil {
		return rate, err
	}
	window, err := caddy.ParseDuration(args[2])
	if err != nil || window < time.Second {
		return rate, d.Errf("'%s' is not a duration, want whole seconds such as 60s", args[2])
	}
	rate.Window = caddy.Duration(window)
	if len(args) == 5 {
		if rate.Burst, err = config.ParseInt(d, args[4], "requests"); err != nil {
			return rate, err
		}
		if rate.Burst == 0 {
			return rate, d.Err("burst must be 1 or more")
		}
	}
	if err := rate.limit().Validate(); err != nil {
		return rate, d.WrapErr(err)
	}
	return rate, nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*TeamLimit)(nil)
