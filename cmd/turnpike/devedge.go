package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike"
)

// startEdge runs the shipped Caddyfile in this process, with dev's settings.
func (d *devServer) startEdge(context.Context) error {
	for name, value := range map[string]string{
		"TURNPIKE_SITE":              d.edgeURL() + ", http://127.0.0.1:" + strconv.Itoa(d.port),
		"DATABASE_URL":               d.databaseURL,
		"TURNPIKE_IDENTITY_SECRET":   d.state.IdentitySecret,
		"TURNPIKE_IDENTITY_AUDIENCE": "",
		"TURNPIKE_DOCS_URL":          d.edgeURL() + "/docs",
		"PAY_TO":                     d.payTo().Hex(),
		"X402_NETWORK":               "base-sepolia",
		"BASE_RPC_URL":               d.chain.RPCURL(),
		"SETTLER_KEY":                d.state.SettlerKey,
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
	config, err := d.edgeConfig()
	if err != nil {
		return err
	}
	if err := caddy.Load(config, true); err != nil {
		return fmt.Errorf("starting the edge: %w", err)
	}
	d.onStop(func(context.Context) error { return caddy.Stop() })
	return nil
}

// edgeConfig adapts the shipped Caddyfile and keeps it to this machine: loopback
// listeners, the admin address on a socket in the data directory, nothing saved.
func (d *devServer) edgeConfig() ([]byte, error) {
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(turnpike.Caddyfile, map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return nil, fmt.Errorf("reading the shipped Caddyfile: %w", err)
	}
	var config map[string]any
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, fmt.Errorf("reading the adapted Caddyfile: %w", err)
	}
	config["admin"] = map[string]any{
		"listen": "unix/" + filepath.Join(d.state.dir, "admin.sock") + "|0600",
		"config": map[string]any{"persist": false},
	}
	config["logging"] = map[string]any{"logs": map[string]any{"default": map[string]any{"level": d.caddyLevel()}}}
	config["storage"] = map[string]any{"module": "file_system", "root": filepath.Join(d.state.dir, "caddy")}
	servers, err := httpServers(config)
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(d.port)
	for _, s := range servers {
		if server, ok := s.(map[string]any); ok {
			server["listen"] = []string{"127.0.0.1:" + port}
			if loopback6Works(port) {
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

// greet prints what a newcomer needs: addresses, and commands to copy.
func (d *devServer) greet() {
	w := d.cmd.OutOrStdout()
	binary := os.Args[0]
	scrape := fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["markdown"]}`, d.sampleURL)
	fmt.Fprintf(w, `
Turnpike is up.

  edge    %[1]s          docs  %[1]s/docs
  key     %[2]s
  wallet  %[3]s, 1000 USDC on the development chain (instance %[4]s)

A scrape by key, for 1 credit:

  curl -sS %[1]s/v1/scrapes -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '%[5]s'

The challenge that an agent without a key gets:

  curl -sS -i %[1]s/x402/v1/scrapes -H 'Content-Type: application/json' -d '%[5]s'

A scrape paid with 0.01 USDC, by x402 version 2 and 1:

  %[6]s pay %[1]s/x402/v1/scrapes --key-file %[7]s --data '%[5]s'
  %[6]s pay %[1]s/x402/v1/scrapes --key-file %[7]s --data '%[5]s' --version 1

What the team has left, and whether the ledger agrees:

  DATABASE_URL='%[8]s' %[6]s credits show --team %[9]s
  DATABASE_URL='%[8]s' %[6]s payments reconcile

%[10]sCtrl-C stops everything; the data in %[11]s is there for the next start.
`, d.edgeURL(), d.state.APIKey, crypto.PubkeyToAddress(d.wallet.PublicKey), d.chain.InstanceID()[:8], scrape,
		binary, d.walletFile, d.databaseURL, d.state.TeamID, d.loopbackNote(), d.state.dir)
}

func (d *devServer) loopbackNote() string {
	if d.allowLoopback {
		return "Pages on this machine may be scraped, on any port.\n"
	}
	return "Of this machine only the sample page may be scraped; --allow-loopback opens the rest.\n"
}

// loopback6Works reports whether this machine has an IPv6 loopback whose port is free.
func loopback6Works(port string) bool {
	l, err := net.Listen("tcp", "[::1]:"+port)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
