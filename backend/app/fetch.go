package app

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

// HostLimitsConfig are the limits for one host. Zero values mean the defaults of package hostlimits.
type HostLimitsConfig struct {
	Off         bool
	Connections int
	Rate        float64 // requests per second
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

func hostLimitsFromEnv() (HostLimitsConfig, error) {
	var cfg HostLimitsConfig
	if err := intFromEnv(hostConnectionsName, 1, hostConnectionsMax, &cfg.Connections); err != nil {
		return cfg, err
	}
	switch text := os.Getenv(hostRateName); text {
	case "":
	case "off":
		cfg.Off = true
	default:
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || !(rate >= hostRateMin && rate <= hostRateMax) {
			return cfg, fmt.Errorf("%s is %q: want requests a second, %g to %d, or off", hostRateName, text, hostRateMin, hostRateMax)
		}
		cfg.Rate = rate
	}
	return cfg, nil
}

// bePolite adds the host limits to the fetcher of cfg. Private addresses that the operator allows are the operator's
// own, and are exempt.
func (b *Backend) bePolite(cfg *Config) (err error) {
	if cfg.HostLimits.Off {
		return nil
	}
	limits := hostlimits.Config{
		Queries: db.New(b.pool), Logger: cfg.Logger, Exempt: cfg.Fetch.AllowPrivate, Concurrency: int32(cfg.HostLimits.Connections), //nolint:gosec // it is bounded
	}
	if rate := cfg.HostLimits.Rate; rate > 0 {
		limits.Interval = time.Duration(math.Ceil(1000/rate)) * time.Millisecond
		limits.Burst = int(math.Ceil(rate))
	}
	if b.gate, err = hostlimits.New(limits); err != nil {
		return err
	}
	cfg.Fetch.Gate = b.gate
	return nil
}

// forgetHosts deletes the state of host limits for hosts that are no longer fetched from.
func (b *Backend) forgetHosts(ctx context.Context) error {
	if b.gate == nil {
		return nil
	}
	_, err := b.gate.Purge(ctx)
	return err
}

// examineProxies reports from which countries pages can be fetched.
func examineProxies() Finding {
	const name = "Proxies (country)"
	proxies, err := proxiesFromEnv()
	switch {
	case err != nil:
		return Finding{name, false, strings.ReplaceAll(err.Error(), "\n", "; ")}
	case len(proxies) == 0:
		return Finding{name, true, "off; to fetch pages from other countries, set " + proxiesName + "=DE=http://user:password@host:port,…"}
	default:
		return Finding{name, true, "for " + strings.Join(proxies.Countries(), ", ")}
	}
}

// examineHostLimits reports the limits for one host.
func examineHostLimits() Finding {
	const name = "Politeness (per host)"
	cfg, err := hostLimitsFromEnv()
	switch {
	case err != nil:
		return Finding{name, false, err.Error()}
	case cfg.Off:
		return Finding{name, true, "off: requests to a host are not limited"}
	}
	connections, rate := "2", "5"
	if cfg.Connections > 0 {
		connections = strconv.Itoa(cfg.Connections)
	}
	if cfg.Rate > 0 {
		rate = strconv.FormatFloat(cfg.Rate, 'g', -1, 64)
	}
	return Finding{name, true, connections + " requests at once and " + rate + " a second, for all backends together"}
}
