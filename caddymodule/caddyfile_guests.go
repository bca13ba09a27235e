package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
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
func (l *LedgerPostgres) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&l.URL) {
		return d.ArgErr()
	}
	if err := locate(d, checkNoPassword("ledger postgres", l.URL)); err != nil {
		return err
	}
	return parseBlock(d, func() error {
		switch d.Val() {
		case "direct_url":
			if err := parseString(d, &l.DirectURL); err != nil {
				return err
			}
			return locate(d, checkNoPassword("ledger postgres: direct_url", l.DirectURL))
		case "heartbeat":
			return parseDuration(d, &l.Heartbeat)
		case "lost_after":
			return parseDuration(d, &l.LostAfter)
		case "sweep_every":
			return parseDuration(d, &l.SweepEvery)
		case "decision_timeout":
			return parseDuration(d, &l.DecisionTimeout)
		case "commit_timeout":
			return parseDuration(d, &l.CommitTimeout)
		case "batch_max":
			return parseCount(d, &l.BatchMax)
		case "key_cache_max":
			return parseCount(d, &l.KeyCacheMax)
		default:
			return unrecognized(d)
		}
	})
}

// UnmarshalCaddyfile parses the module:
//
//	ledger memory {
//		key <key> <team> <credits>
//	}
func (l *LedgerMemory) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return parseBlock(d, func() error {
		switch d.Val() {
		case "key":
			var key MemoryKey
			var credits string
			if !d.AllArgs(&key.Key, &key.Team, &credits) {
				return d.ArgErr()
			}
			err := locate(d, checkSecret("key", key.Key))
			if err != nil {
				return err
			}
			if key.Credits, err = parseInt(d, credits, "credits"); err != nil {
				return err
			}
			l.KeyList = append(l.KeyList, key)
		default:
			return unrecognized(d)
		}
		return nil
	})
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*LedgerPostgres)(nil)
	_ caddyfile.Unmarshaler = (*LedgerMemory)(nil)
)
