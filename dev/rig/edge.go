package rig

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

//go:embed Caddyfile
var caddyfile []byte

// EdgeConfig configures an edge. All fields are required except Caddyfile, Admin, PublicURL, DirectURL, LostAfter,
// DecisionTimeout, Stripe and Env.
type EdgeConfig struct {
	// Binary is the result of Build, Dir a directory for the edge's files. Edges may share both.
	Binary, Dir string
	// Caddyfile is the edge's configuration. Default: this package's own. The shipped one is limited to this machine.
	Caddyfile []byte
	// Admin is the admin endpoint of an edge: a host and port, or unix/ and a path. Default: none.
	Admin string
	// Upstream is a host and port.
	Upstream string
	// DatabaseURL names a migrated database. DirectURL bypasses the pooler, if there is one; the Caddyfile must use it.
	DatabaseURL, DirectURL string
	// RPCURL is a node of a chain with Base Sepolia's id.
	RPCURL string
	// Settler pays the gas of settlements. Edges with one database may share it.
	Settler *ecdsa.PrivateKey
	// PayTo is the recipient of payments.
	PayTo common.Address
	// IdentitySecret signs the identity header for the upstream, 32 bytes or more.
	IdentitySecret string
	// PublicURL is the common address that clients use for several edges: a payment is bound to it. Default: the edge's
	// own address.
	PublicURL string
	// LostAfter is how long an edge may be silent before another considers it dead. Default: a minute.
	LostAfter time.Duration
	// DecisionTimeout is how long a request waits for the ledger, with the shipped Caddyfile or this package's. A longer
	// one is for busy machines, where a slow database must not count as one that is down. Default: as shipped.
	DecisionTimeout time.Duration
	// Stripe is the Stripe fake for buying credits. Default: credits cannot be bought.
	Stripe *Stripe
	// Env has further settings, each as NAME=value. They override this package's, which lift the limits on requests.
	Env []string
}

// Stripe is the address and test keys of a Stripe fake.
type Stripe struct{ SecretKey, WebhookSecret, APIBase string }

// env returns the settings for the shipped Caddyfile. If s is nil, they are empty, to hide those of this process.
func (s *Stripe) env() []string {
	if s == nil {
		s = new(Stripe)
	}
	env := []string{"STRIPE_SECRET_KEY=" + s.SecretKey, "STRIPE_WEBHOOK_SECRET=" + s.WebhookSecret}
	if s.APIBase != "" {
		env = append(env, "STRIPE_API_BASE="+s.APIBase)
	}
	return env
}

// Edge is a running edge.
type Edge struct {
	*Process

	// Address is the host and port that it serves, by plain HTTP.
	Address string
	// Log is the file that it logs to.
	Log string
}

// URL is the address of a path at the edge.
func (e *Edge) URL(path string) string { return "http://" + e.Address + path }

// unlimited lifts the limits of the shipped Caddyfile: here a few teams, and wallets at one address, make all requests.
var unlimited = []string{
	"TURNPIKE_LIMIT_READS=100000000", "TURNPIKE_LIMIT_WRITES=100000000", "TURNPIKE_LIMIT_JOBS=100000000",
	"TURNPIKE_LIMIT_BILLING=100000000", "TURNPIKE_LIMIT_WEBHOOKS=100000000", "TURNPIKE_IN_FLIGHT=100000",
}

// StartEdge starts an edge on a free port and returns when it serves.
func StartEdge(ctx context.Context, cfg EdgeConfig) (*Edge, error) {
	address, err := StableAddress(ctx)
	if err != nil {
		return nil, err
	}
	if cfg.PublicURL == "" {
		cfg.PublicURL = "http://" + address
	}
	if cfg.LostAfter == 0 {
		cfg.LostAfter = time.Minute
	}
	if cfg.Admin == "" {
		cfg.Admin = "off"
	}
	// A separate file: edges that start at the same moment must not read each other's incomplete one.
	config := filepath.Join(cfg.Dir, "Caddyfile-"+address)
	if err := os.WriteFile(config, cfg.caddyfile(), 0o600); err != nil {
		return nil, fmt.Errorf("writing the edge's configuration: %w", err)
	}
	cmd := exec.Command(cfg.Binary, "run", "--config", config, "--adapter", "caddyfile")
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(),
		"HOME="+cfg.Dir, "XDG_DATA_HOME="+cfg.Dir, "XDG_CONFIG_HOME="+cfg.Dir,
		"TURNPIKE_SITE=http://"+address, "BACKEND="+cfg.Upstream, "RIG_PUBLIC_URL="+cfg.PublicURL, "RIG_LOST_AFTER="+cfg.LostAfter.String(),
		"RIG_ADMIN="+cfg.Admin,
		"DATABASE_URL="+cfg.DatabaseURL, "DATABASE_DIRECT_URL="+cfg.DirectURL,
		"TURNPIKE_IDENTITY_SECRET="+cfg.IdentitySecret, "PAY_TO="+cfg.PayTo.Hex(), "X402_NETWORK=base-sepolia",
		"BASE_RPC_URL="+cfg.RPCURL, "SETTLER_KEY="+hex.EncodeToString(crypto.FromECDSA(cfg.Settler)),
	)
	cmd.Env = append(append(append(cmd.Env, unlimited...), cfg.Stripe.env()...), cfg.Env...)
	if cfg.DecisionTimeout > 0 {
		cmd.Env = append(cmd.Env, "TURNPIKE_DECISION_TIMEOUT="+cfg.DecisionTimeout.String())
	}
	log := filepath.Join(cfg.Dir, "edge-"+address+".log")
	process, err := Start(cmd, log)
	if err != nil {
		return nil, err
	}
	e := &Edge{Process: process, Address: address, Log: log}
	if err := Await(ctx, address, process.Done()); err != nil {
		return nil, errors.Join(fmt.Errorf("starting an edge: %w (see %s)", err, log), process.Kill())
	}
	return e, nil
}

// caddyfile returns the configuration to run. One that was not made for this package is limited to the loopback
// interface, and gets no default admin endpoint, which all edges would share.
func (c *EdgeConfig) caddyfile() []byte {
	if c.Caddyfile == nil {
		return caddyfile
	}
	if bytes.Contains(c.Caddyfile, []byte("\tadmin ")) {
		return c.Caddyfile
	}
	return bytes.Replace(c.Caddyfile, []byte("\n{\n"), []byte("\n{\n\tadmin {$RIG_ADMIN:off}\n\tpersist_config off\n\tdefault_bind 127.0.0.1\n"), 1)
}

// Caddyfile returns this package's own configuration, for a program that runs variants of it.
func Caddyfile() []byte { return bytes.Clone(caddyfile) }

// Ports below the ranges from which systems choose ports for outgoing connections: 32768 and up on Linux, 49152 and up
// elsewhere (RFC 6335 section 6).
const stablePortMin, stablePortMax = 20_000, 32_000

// marks reserve the ports of this process until it ends.
var marks struct {
	sync.Mutex
	held []net.PacketConn
}

// StableAddress returns a free loopback address that stays free while the process that serves it is restarted: no
// outgoing connection gets its port in between, and no other call of StableAddress, in this process or another, returns
// it while this process lives. This matters because Caddy shares listening ports (SO_REUSEPORT): an edge on the address
// of another edge's admin endpoint would start while that is down, and later each would get half of the requests.
func StableAddress(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	for range stablePortMax - stablePortMin {
		port := stablePortMin + 2*rand.IntN((stablePortMax-stablePortMin)/2) //nolint:gosec // no secret
		// The owner of the odd UDP port owns the even one below it.
		mark, err := lc.ListenPacket(ctx, "udp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+1)))
		if err != nil {
			continue
		}
		free, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			_ = mark.Close()
			continue
		}
		marks.Lock()
		marks.held = append(marks.held, mark)
		marks.Unlock()
		return free.Addr().String(), free.Close()
	}
	return "", errors.Join(fmt.Errorf("no free port from %d to %d", stablePortMin, stablePortMax), context.Cause(ctx))
}

// awaitEvery is how often a starting process is polled: it cannot notify us.
const awaitEvery = 20 * time.Millisecond

// Await returns when something listens at address. It gives up when ended is closed, or with ctx.
func Await(ctx context.Context, address string, ended <-chan struct{}) error {
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-ended:
			return errors.New("the process exited before it served requests")
		case <-ctx.Done():
			return fmt.Errorf("the process did not serve requests in time: %w", context.Cause(ctx))
		}
	}
}
