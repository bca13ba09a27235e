package apikey

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/caddyauth"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("api_key", parseHandler)
	httpcaddyfile.RegisterHandlerDirective("turnpike_key", parseProvider)
}

// parseHandler parses the directive:
//
//	api_key [<matcher>] {
//		optional
//		anonymous <paths…>
//		public    <paths…>
//		scope     <scope> <paths…>
//	}
//
// <scope> is read, write or billing. The line may be repeated; the first match applies.
func parseHandler(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	k := new(Handler)
	return k, k.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseHandler for the syntax.
func (k *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "optional":
			return config.ParseFlag(d, &k.Optional)
		case "anonymous", "public":
			list := &k.Anonymous
			if d.Val() == "public" {
				list = &k.Public
			}
			paths := d.RemainingArgs()
			if len(paths) == 0 {
				return d.ArgErr()
			}
			if _, err := price.NewPaths(paths...); err != nil {
				return d.WrapErr(err)
			}
			*list = append(*list, paths...)
		case "scope":
			args := d.RemainingArgs()
			if len(args) < 2 {
				return d.ArgErr()
			}
			rule := ScopePaths{Scope: args[0], Paths: args[1:]}
			if _, err := rule.compile(); err != nil {
				return d.WrapErr(err)
			}
			k.Scopes = append(k.Scopes, rule)
		default:
			return config.Unrecognized(d)
		}
		return nil
	})
}

// parseProvider parses the directive:
//
//	turnpike_key [<matcher>]
func parseProvider(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	if err := config.ParseNothing(h.Dispenser); err != nil {
		return nil, err
	}
	return &caddyauth.Authentication{
		ProvidersRaw: caddy.ModuleMap{"turnpike_key": caddyconfig.JSON(new(Provider), nil)},
	}, nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Handler)(nil)
