package caddymodule

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

func init() {
	caddy.RegisterModule(new(FacilitatorLocal))
}

// FacilitatorLocal checks and settles payments with a node and a key of its own.
type FacilitatorLocal struct {
	// The URL of a node of the network; give it as a placeholder such as
	// `{env.BASE_RPC_URL}`. Required.
	RPC string `json:"rpc"`

	// The private key that signs settlements and pays their gas, in hexadecimal;
	// give it as a placeholder such as `{env.SETTLER_KEY}`. It holds no customer's
	// money, and no other program may use it. Required.
	Signer string `json:"signer"`

	rpcURL  string
	key     *ecdsa.PrivateKey
	poolKey *localKey
}

// CaddyModule returns the Caddy module information.
func (*FacilitatorLocal) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.facilitators.local",
		New: func() caddy.Module { return new(FacilitatorLocal) },
	}
}

// Provision reads the secrets.
func (f *FacilitatorLocal) Provision(caddy.Context) error {
	err := checkNode("rpc", f.RPC)
	if err != nil {
		return err
	}
	if f.rpcURL, err = resolve("rpc", f.RPC); err != nil {
		return err
	}
	signer, err := resolveSecret("signer", f.Signer)
	if err != nil {
		return err
	}
	if f.key, err = crypto.HexToECDSA(strings.TrimPrefix(signer, "0x")); err != nil {
		return errors.New("signer: want a private key of 64 hexadecimal digits") // the cause would show parts of it
	}
	return nil
}

// Cleanup lets go of the facilitator.
func (f *FacilitatorLocal) Cleanup() error {
	if f.poolKey == nil {
		return nil
	}
	_, err := pools.Delete(*f.poolKey)
	return err
}

// localKey: one signer has one facilitator, or their transactions would collide.
type localKey struct {
	rpcURL  string
	signer  string
	network x402.Network
}

type pooledFacilitator struct {
	*x402.LocalFacilitator

	client *rpc.Client
}

const dialTimeout = 10 * time.Second

// Open implements FacilitatorSource.
func (f *FacilitatorLocal) Open(use FacilitatorUse) (x402.Facilitator, error) {
	key := localKey{rpcURL: f.rpcURL, signer: crypto.PubkeyToAddress(f.key.PublicKey).Hex(), network: use.Network}
	shared, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) {
		ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
		defer cancel()
		client, err := rpc.DialContext(ctx, f.rpcURL)
		if err != nil {
			return nil, fmt.Errorf("reaching the node: %w", err)
		}
		local, err := x402.NewLocalFacilitator(x402.LocalConfig{
			RPC: client, Network: use.Network, Signer: f.key, Observer: use.Observer, Logger: currentLogger("turnpike.x402"),
		})
		if err != nil {
			client.Close()
			return nil, err
		}
		return &pooledFacilitator{LocalFacilitator: local, client: client}, nil
	})
	if err != nil {
		return nil, err
	}
	pooled, ok := shared.(*pooledFacilitator)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as facilitator", shared)
	}
	f.poolKey = &key
	return pooled.LocalFacilitator, nil
}

// Destruct implements caddy.Destructor.
func (p *pooledFacilitator) Destruct() error {
	p.client.Close()
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
			if err = parseString(d, &f.RPC); err == nil {
				err = locate(d, checkNode("rpc", f.RPC))
			}
		case "signer":
			err = parseSecret(d, &f.Signer)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*FacilitatorLocal)(nil)
	_ FacilitatorSource     = (*FacilitatorLocal)(nil)
	_ caddy.Provisioner     = (*FacilitatorLocal)(nil)
	_ caddy.CleanerUpper    = (*FacilitatorLocal)(nil)
)
