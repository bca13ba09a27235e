package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/db"
)

// Variables with settings of fetching.
const (
	proxiesName         = "TURNPIKE_PROXIES"
	hostConnectionsName = "TURNPIKE_HOST_CONNECTIONS"
	hostRateName        = "TURNPIKE_HOST_RATE"
)

// politenessConfig are the limits for one host. Zero values mean the defaults of package hostlimits.
type politenessConfig struct {
	off         bool
	connections int
	rate        float64 // requests per second
}

// A limit outside of these is an error.
const (
	hostConnectionsMax = 1000
	hostRateMin        = 0.01
	hostRateMax        = 1000
)

// proxiesFromEnv reads the proxies. They contain passwords, so they come from the environment or from a file that it
// names, never from a command line.
func proxiesFromEnv() (fetch.Proxies, error) {
	text := os.Getenv(proxiesName)
	if path, ok := strings.CutPrefix(text, "@"); ok {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", proxiesName, err)
		}
		text = string(content)
	}
	proxies, err := fetch.ParseProxies(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", proxiesName, err)
	}
	return proxies, nil
}

func politenessFromEnv() (politenessConfig, error) {
	var cfg politenessConfig
	if err := intFromEnv(hostConnectionsName, 1, hostConnectionsMax, &cfg.connections); err != nil {
		return cfg, err
	}
	switch text := os.Getenv(hostRateName); text {
	case "":
	case "off":
		cfg.off = true
	default:
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || !(rate >= hostRateMin && rate <= hostRateMax) {
			return cfg, fmt.Errorf("%s is %q: want requests a second, %g to %d, or off", hostRateName, text, hostRateMin, hostRateMax)
		}
		cfg.rate = rate
	}
	return cfg, nil
}

// bePolite adds the host limits to the fetcher of cfg. Private addresses that the operator allows are the operator's
// own, and are exempt.
func (b *backend) bePolite(cfg *backendConfig) (err error) {
	if cfg.politeness.off {
		return nil
	}
	limits := hostlimits.Config{
		Queries: db.New(b.pool), Logger: cfg.logger, Exempt: cfg.fetch.AllowPrivate, Concurrency: int32(cfg.politeness.connections), //nolint:gosec // it is bounded
	}
	if rate := cfg.politeness.rate; rate > 0 {
		limits.Interval = time.Duration(math.Ceil(1000/rate)) * time.Millisecond
		limits.Burst = int(math.Ceil(rate))
	}
	if b.gate, err = hostlimits.New(limits); err != nil {
		return err
	}
	cfg.fetch.Gate = b.gate
	return nil
}

// forgetHosts deletes the state of host limits for hosts that are no longer fetched from.
func (b *backend) forgetHosts(ctx context.Context) error {
	if b.gate == nil {
		return nil
	}
	_, err := b.gate.Purge(ctx)
	return err
}

// examineProxies reports from which countries pages can be fetched.
func examineProxies() finding {
	const name = "Proxies (country)"
	proxies, err := proxiesFromEnv()
	switch {
	case err != nil:
		return finding{name, false, strings.ReplaceAll(err.Error(), "\n", "; ")}
	case len(proxies) == 0:
		return finding{name, true, "off; to fetch pages from other countries, set " + proxiesName + "=DE=http://user:password@host:port,…"}
	default:
		return finding{name, true, "for " + strings.Join(proxies.Countries(), ", ")}
	}
}

// examinePoliteness reports the limits for one host.
func examinePoliteness() finding {
	const name = "Politeness (per host)"
	cfg, err := politenessFromEnv()
	switch {
	case err != nil:
		return finding{name, false, err.Error()}
	case cfg.off:
		return finding{name, true, "off: requests to a host are not limited"}
	}
	connections, rate := "2", "5"
	if cfg.connections > 0 {
		connections = strconv.Itoa(cfg.connections)
	}
	if cfg.rate > 0 {
		rate = strconv.FormatFloat(cfg.rate, 'g', -1, 64)
	}
	return finding{name, true, connections + " requests at once and " + rate + " a second, for all backends together"}
}
