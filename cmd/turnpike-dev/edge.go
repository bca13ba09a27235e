package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // registers Caddy's own modules

	"github.com/turnpike-edge/turnpike"
	"github.com/turnpike-edge/turnpike/cmd/adminsocket"
)

// decisionTimeout is how long a request waits for its key or credits unless the environment sets it: database,
// backend and browsers share this machine, which may stall for longer than the Caddyfile's 200 ms.
const decisionTimeout = 5 * time.Second

// startEdge runs the shipped Caddyfile in this process, with dev's settings.
func (d *devServer) startEdge(ctx context.Context) error {
	for name, value := range map[string]string{
		"TURNPIKE_SITE":              d.edgeURL() + ", http://127.0.0.1:" + strconv.Itoa(int(d.port)),
		"DATABASE_URL":               d.databaseURL,
		"TURNPIKE_IDENTITY_SECRET":   d.state.IdentitySecret,
		"TURNPIKE_IDENTITY_AUDIENCE": "",
		"TURNPIKE_BASE_URL":          d.edgeURL(),
		"TURNPIKE_DOCS_URL":          "",
		"PAY_TO":                     d.payTo().Hex(),
		"X402_NETWORK":               "base-sepolia",
		"BASE_RPC_URL":               d.chain.RPCURL(),
		"SETTLER_KEY":                d.state.SettlerKey,
		"TURNPIKE_DECISION_TIMEOUT":  cmp.Or(os.Getenv("TURNPIKE_DECISION_TIMEOUT"), decisionTimeout.String()),
	} {
		if value == "" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	config, err := d.edgeConfig(ctx)
	if err != nil {
		return err
	}
	if err := caddy.Load(config, true); err != nil {
		return fmt.Errorf("starting the edge: %w", err)
	}
	d.onStop(func(context.Context) error {
		err := caddy.Stop()
		// Caddy does not remove its admin socket before the process ends.
		if gone := os.Remove(d.adminSocket()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return err
	})
	return nil
}

func (d *devServer) adminSocket() string { return filepath.Join(d.state.dir, "admin.sock") }

// adminConfig returns Caddy's admin address on a socket that only this user can reach, or none if the directory's name
// does not fit in such an address.
func (d *devServer) adminConfig() map[string]any {
	config := map[string]any{"config": map[string]any{"persist": false}}
	if path := d.adminSocket(); adminsocket.Fits(path) {
		config["listen"] = adminsocket.Address(path)
		return config
	}
	d.logger.Info("the admin API is off: the data directory's path cannot be used for a socket", "directory", d.state.dir)
	config["disabled"] = true
	return config
}

// edgeConfig adapts the shipped Caddyfile and restricts it to this machine: loopback listeners, the admin address on a
// socket in the data directory, nothing saved.
func (d *devServer) edgeConfig(ctx context.Context) ([]byte, error) {
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(turnpike.Caddyfile, map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return nil, fmt.Errorf("reading the shipped Caddyfile: %w", err)
	}
	var config map[string]any
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, fmt.Errorf("reading the adapted Caddyfile: %w", err)
	}
	config["admin"] = d.adminConfig()
	config["logging"] = map[string]any{"logs": map[string]any{"default": map[string]any{"level": d.caddyLevel()}}}
	config["storage"] = map[string]any{"module": "file_system", "root": filepath.Join(d.state.dir, "caddy")}
	servers, err := httpServers(config)
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(int(d.port))
	for _, s := range servers {
		if server, ok := s.(map[string]any); ok {
			server["listen"] = []string{"127.0.0.1:" + port}
			if loopback6Works(ctx, port) {
				server["listen"] = []string{"127.0.0.1:" + port, "[::1]:" + port}
			}
			server["automatic_https"] = map[string]any{"disable": true}
		}
	}
	return json.Marshal(config)
}

func httpServers(config map[string]any) (map[string]any, error) {
	apps, _ := config["apps"].(map[string]any)
	http, _ := apps["http"].(map[string]any)
	servers, ok := http["servers"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the shipped Caddyfile has no site")
	}
	return servers, nil
}

func (d *devServer) caddyLevel() string {
	if verbose, _ := d.cmd.Flags().GetBool("verbose"); verbose {
		return "INFO"
	}
	return "ERROR"
}

// loopback6Works reports whether this machine has an IPv6 loopback whose port is free.
func loopback6Works(ctx context.Context, port string) bool {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "[::1]:"+port)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
