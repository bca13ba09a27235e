package ledger

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
)

// UnmarshalCaddyfile parses the module:
//
//	ledger postgres <url> {
//		direct_url       <url>
//		heartbeat        <duration>
//		lost_after       <duration>
//		sweep_every      <duration>
//		decision_timeout <duration>
//		commit_timeout   <duration>
//		batch_max        <requests>
//		key_cache_max    <keys>
//	}
func (l *Postgres) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&l.URL) {
		return d.ArgErr()
	}
	if err := config.Locate(d, config.CheckNoPassword("ledger postgres", l.URL)); err != nil {
		return err
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "direct_url":
			return config.ParseChecked(d, &l.DirectURL, func(name, address string) error { return config.CheckNoPassword("ledger postgres: "+name, address) })
		case "heartbeat":
			return config.ParseDuration(d, &l.Heartbeat)
		case "lost_after":
			return config.ParseDuration(d, &l.LostAfter)
		case "sweep_every":
			return config.ParseDuration(d, &l.SweepEvery)
		case "decision_timeout":
			return config.ParseDuration(d, &l.DecisionTimeout)
		case "commit_timeout":
			return config.ParseDuration(d, &l.CommitTimeout)
		case "batch_max":
			return config.ParseCount(d, &l.BatchMax)
		case "key_cache_max":
			return config.ParseCount(d, &l.KeyCacheMax)
		default:
			return config.Unrecognized(d)
		}
	})
}

// UnmarshalCaddyfile parses the module:
//
//	ledger memory {
//		key <key> <team> <credits>
//	}
func (l *Memory) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "key":
			var key MemoryKey
			var credits string
			if !d.AllArgs(&key.Key, &key.Team, &credits) {
				return d.ArgErr()
			}
			err := config.Locate(d, config.CheckSecret("key", key.Key))
			if err != nil {
				return err
			}
			if key.Credits, err = config.ParseInt(d, credits, "credits"); err != nil {
				return err
			}
			l.KeyList = append(l.KeyList, key)
		default:
			return config.Unrecognized(d)
		}
		return nil
	})
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Postgres)(nil)
	_ caddyfile.Unmarshaler = (*Memory)(nil)
)
