package config

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"
)

// ParseBlock calls parse for each subdirective of a block. parse returns Unrecognized for those that it does not know.
func ParseBlock(d *caddyfile.Dispenser, parse func() error) error {
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		if err := parse(); err != nil {
			return err
		}
	}
	return nil
}

// Unrecognized returns the error for a subdirective that does not exist.
func Unrecognized(d *caddyfile.Dispenser) error {
	return d.Errf("unrecognized subdirective '%s'", d.Val())
}

// ParseModule parses "<subdirective> <module name> …" into the module's JSON.
func ParseModule(d *caddyfile.Dispenser, namespace string, existing json.RawMessage) (json.RawMessage, error) {
	subdirective := d.Val()
	if existing != nil {
		return nil, d.Errf("%s appears more than once", subdirective)
	}
	if !d.NextArg() {
		return nil, d.ArgErr()
	}
	name := d.Val()
	if _, err := caddy.GetModule(namespace + "." + name); err != nil {
		return nil, d.Errf("unrecognized %s '%s'", subdirective, name)
	}
	mod, err := caddyfile.UnmarshalModule(d, namespace+"."+name)
	if err != nil {
		return nil, err
	}
	return caddyconfig.JSONModuleObject(mod, "type", name, nil), nil
}

// ParseString parses the one argument of a subdirective that may occur once.
func ParseString(d *caddyfile.Dispenser, to *string) error {
	name := d.Val()
	if *to != "" {
		return d.Errf("%s appears more than once", name)
	}
	if !d.AllArgs(to) {
		return d.ArgErr()
	}
	if *to == "" {
		return d.Errf("%s is empty", name)
	}
	return nil
}

// ParseChecked is ParseString for a value that check may refuse. check gets the name of the subdirective too.
func ParseChecked(d *caddyfile.Dispenser, to *string, check func(name, value string) error) error {
	name := d.Val()
	if err := ParseString(d, to); err != nil {
		return err
	}
	return Locate(d, check(name, *to))
}

// ParseSecret parses the one argument of a subdirective that takes a secret.
func ParseSecret(d *caddyfile.Dispenser, to *string) error { return ParseChecked(d, to, CheckSecret) }

// Locate adds the position in the Caddyfile to an error.
func Locate(d *caddyfile.Dispenser, err error) error {
	if err == nil {
		return nil
	}
	return d.WrapErr(err)
}

// ParseNothing parses a directive without arguments and block.
func ParseNothing(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return NoBlock(d)
}

// NoBlock refuses a block after a directive that has none.
func NoBlock(d *caddyfile.Dispenser) error {
	if d.NextBlock(d.Nesting()) {
		return d.Errf("unrecognized subdirective '%s'", d.Val())
	}
	return nil
}

// ParseFlag parses a subdirective without arguments.
func ParseFlag(d *caddyfile.Dispenser, to *bool) error {
	name := d.Val()
	if d.NextArg() {
		return d.ArgErr()
	}
	if *to {
		return d.Errf("%s appears more than once", name)
	}
	*to = true
	return nil
}

// ParseSize parses the one argument as a number of bytes: 65536, 64KiB, 1MB.
func ParseSize(d *caddyfile.Dispenser, to *int64) error {
	var text string
	if *to != 0 {
		return d.Errf("%s appears more than once", d.Val())
	}
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size == 0 || size > 1<<40 {
		return d.Errf("'%s' is not a size, want a value such as 1MiB", text)
	}
	*to = int64(size)
	return nil
}

// ParseCount parses the one argument as a number above 0.
func ParseCount(d *caddyfile.Dispenser, to *int) error {
	name := d.Val()
	var text string
	if *to != 0 {
		return d.Errf("%s appears more than once", name)
	}
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		return d.Errf("%s: '%s' is not a number above 0", name, text)
	}
	*to = int(n)
	return nil
}

// ParseInt parses text as a number of what, 0 or more.
func ParseInt(d *caddyfile.Dispenser, text, what string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, d.Errf("'%s' is not a number of %s", text, what)
	}
	return n, nil
}

// IsMethodList reports whether s is a list of HTTP methods, separated by commas.
func IsMethodList(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ,") == ""
}

// ParseDuration parses the one argument as a duration above 0: 30s, 5m.
func ParseDuration(d *caddyfile.Dispenser, to *caddy.Duration) error {
	var text string
	if *to != 0 {
		return d.Errf("%s appears more than once", d.Val())
	}
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	duration, err := caddy.ParseDuration(text)
	if err != nil || duration <= 0 {
		return d.Errf("'%s' is not a duration, want a value such as 30s", text)
	}
	*to = caddy.Duration(duration)
	return nil
}
