//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// side is a server under test.
type side struct {
	name    string
	address string
	admin   string // the path of its admin API's socket
	process *process
}

// The servers: stock Caddy, our binary without the gate, with metering, and with x402.
const (
	sideStock   = "stock"
	sidePlain   = "plain"
	sideMetered = "metered"
	sidePaid    = "paid"
)

// The Caddyfiles differ only in what the gate needs, and in the log format and the transport that our binary ships with.
const caddyfileHead = `{
	admin unix/%s
	persist_config off
	auto_https off
%s}

http://:%s {
	bind 127.0.0.1
`

const shippedOption = `	log {
		format lazy
	}
`

// The edge waits longer for its credits than it does as shipped, which is the one difference to that: a disk that stalls,
// as a shared one does, must cost the metered side requests per second, and not abort the run.
const turnpikeOption = `	turnpike {
		ledger postgres {env.BENCH_DATABASE_URL} {
			decision_timeout 5s
		}
		identity_secret {env.BENCH_IDENTITY_SECRET}
%s	}
`

const acceptPayments = `		x402 {
			pay_to {env.BENCH_PAY_TO}
			network base-sepolia
			facilitator local {
				rpc {env.BENCH_RPC_URL}
				signer {env.BENCH_SETTLER_KEY}
			}
		}
`

const meteredRoute = `	api_key
	meter {
		price 1
	}
`

const paidRoute = `	x402 {
		price /* ` + pricePaid + `
	}
`

// upstreamRoute keeps as many connections to the upstream as there are to the clients. With Caddy's default of 32, all
// sides would spend a fifth of their time dialling, and the gate would seem cheaper than it is.
const upstreamRoute = `	reverse_proxy %s {
		transport %s {
			keepalive_idle_conns_per_host 1024
		}
	}
}
`

// caddyfile returns a side's configuration.
func caddyfile(name, admin, address, upstream string) string {
	option, route, transport := "", "", "http"
	if name != sideStock {
		option, transport = shippedOption, "direct"
	}
	switch name {
	case sideMetered:
		option, route = option+fmt.Sprintf(turnpikeOption, ""), meteredRoute
	case sidePaid:
		option, route = option+fmt.Sprintf(turnpikeOption, acceptPayments), paidRoute
	}
	_, port, _ := net.SplitHostPort(address)
	return fmt.Sprintf(caddyfileHead, admin, option, port) + route + fmt.Sprintf(upstreamRoute, upstream, transport)
}

// startSide starts the server and returns when it responds.
func startSide(ctx context.Context, name, server, dir, upstream string, core int, env ...string) (*side, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s := &side{name: name, address: address, admin: filepath.Join(dir, name+".sock")}
	config := filepath.Join(dir, name+".caddyfile")
	if err := os.WriteFile(config, []byte(caddyfile(name, s.admin, address, upstream)), 0o600); err != nil {
		return nil, err
	}
	// Caddy keeps a little state even without TLS; it goes into the same directory.
	env = append(env, "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	s.process, err = spawn(ctx, core, server, []string{"run", "--adapter", "caddyfile", "--config", config}, env)
	if err != nil {
		return nil, err
	}
	if err := s.ready(ctx); err != nil {
		s.process.stop()
		return nil, fmt.Errorf("starting the %s side: %w%s", name, err, s.process.stderr)
	}
	return s, nil
}

// freeAddress finds a loopback port that is free at the moment.
func freeAddress(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	address := l.Addr().String()
	return address, l.Close()
}

const readyTimeout = 20 * time.Second

// ready waits until the server accepts connections.
func (s *side) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, "tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-again.C:
		case <-s.process.done:
			return errors.New("it has ended")
		case <-ctx.Done():
			return err
		}
	}
}

// profile writes CPU and allocation profiles of the next seconds into files that begin with prefix.
func (s *side) profile(ctx context.Context, prefix string, took time.Duration) error {
	allocs := make(chan error, 1)
	go func() { allocs <- s.fetchProfile(ctx, "allocs", prefix+"-allocs.pprof", took) }()
	return errors.Join(s.fetchProfile(ctx, "profile", prefix+"-cpu.pprof", took), <-allocs)
}

func (s *side) fetchProfile(ctx context.Context, kind, file string, took time.Duration) error {
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", s.admin)
		},
		DisableKeepAlives: true,
	}}
	url := fmt.Sprintf("http://127.0.0.1/debug/pprof/%s?seconds=%d", kind, max(1, int(took.Seconds())))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("profiling: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("profiling: status %d, error %w", resp.StatusCode, err)
	}
	return os.WriteFile(file, body, 0o600)
}
