package caddymodule

import "github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

// UnmarshalCaddyfile parses the guest:
//
//	ledger postgres <url> {
//		heartbeat   <duration>
//		lost_after  <duration>
//		sweep_every <duration>
//	}
func (l *LedgerPostgres) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&l.URL) {
		return d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "heartbeat":
			l.Heartbeat, err = parseDuration(d)
		case "lost_after":
			l.LostAfter, err = parseDuration(d)
		case "sweep_every":
			l.SweepEvery, err = parseDuration(d)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// UnmarshalCaddyfile parses the guest:
//
//	ledger memory {
//		key <key> <team> <credits>
//	}
func (l *LedgerMemory) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		switch d.Val() {
		case "key":
			var key MemoryKey
			var credits string
			if !d.AllArgs(&key.Key, &key.Team, &credits) {
				return d.ArgErr()
			}
			var err error
			if key.Credits, err = parseInt(d, credits, "credits"); err != nil {
				return err
			}
			l.KeyList = append(l.KeyList, key)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
	}
	return nil
}

// UnmarshalCaddyfile parses the guest:
//
//	facilitator local {
//		rpc    <url>
//		signer <key>
//	}
func (f *FacilitatorLocal) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "rpc":
			err = parseString(d, &f.RPC)
		case "signer":
			err = parseString(d, &f.Signer)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// UnmarshalCaddyfile parses the guest:
//
//	facilitator http <url> {
//		header <name> <value>
//	}
func (f *FacilitatorHTTP) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&f.URL) {
		return d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		switch d.Val() {
		case "header":
			var name, value string
			if !d.AllArgs(&name, &value) {
				return d.ArgErr()
			}
			if f.Headers == nil {
				f.Headers = make(map[string]string)
			}
			f.Headers[name] = value
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
	}
	return nil
}

// UnmarshalCaddyfile parses the provider, which has no options:
//
//	turnpike_key
func (*KeyAuth) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return noBlock(d)
}

func noBlock(d *caddyfile.Dispenser) error {
	if d.NextBlock(d.Nesting()) {
		return d.Errf("unrecognized subdirective '%s'", d.Val())
	}
	return nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*LedgerPostgres)(nil)
	_ caddyfile.Unmarshaler = (*LedgerMemory)(nil)
	_ caddyfile.Unmarshaler = (*FacilitatorLocal)(nil)
	_ caddyfile.Unmarshaler = (*FacilitatorHTTP)(nil)
	_ caddyfile.Unmarshaler = (*KeyAuth)(nil)
)
