package caddymodule

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/ethereum/go-ethereum/common"
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

	// The factories that may be called to deploy a payer's contract wallet in the
	// transaction that settles its payment (ERC-6492), by their addresses;
	// placeholders are replaced. The gas of the deployment is the signer's. Default:
	// none, and a wallet must be deployed before it pays.
	ERC6492Factories []string `json:"erc6492_factories,omitempty"`

	rpcURL    string
	key       *ecdsa.PrivateKey
	factories []common.Address
	poolKey   *localKey
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
	f.factories, err = resolveFactories(f.ERC6492Factories)
	return err
}

func resolveFactories(texts []string) ([]common.Address, error) {
	var factories []common.Address
	for _, text := range texts {
		address, err := resolve("erc6492_factory", text)
		if err != nil {
			return nil, err
		}
		if !common.IsHexAddress(address) {
			return nil, fmt.Errorf("erc6492_factory: %q is no address, want 0x and 40 hexadecimal digits", address)
		}
		factories = append(factories, common.HexToAddress(address))
	}
	return factories, nil
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
	// factories are the addresses one after the other: a key has to be comparable.
	factories string
}

type pooledFacilitator struct {
	*x402.LocalFacilitator

	client *rpc.Client
}

const dialTimeout = 10 * time.Second

// Open implements FacilitatorSource.
func (f *FacilitatorLocal) Open(use FacilitatorUse) (x402.Facilitator, error) {
	key := localKey{rpcURL: f.rpcURL, signer: crypto.PubkeyToAddress(f.key.PublicKey).Hex(), network: use.Network, factories: fmt.Sprint(f.factories)}
	shared, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) {
		ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
		defer cancel()
		client, err := rpc.DialContext(ctx, f.rpcURL)
		if err != nil {
			return nil, fmt.Errorf("reaching the node: %w", err)
		}
		local, err := x402.NewLocalFacilitator(x402.LocalConfig{
			RPC: client, Network: use.Network, Factories: f.factories, Signer: f.key, Observer: use.Observer, Logger: currentLogger("turnpike.x402"),
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
//		rpc             <url>
//		signer          <key>
//		erc6492_factory <address>
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
		case "erc6492_factory":
			var factory string
			err = parseString(d, &factory)
			if err == nil && slices.Contains(f.ERC6492Factories, factory) {
				return d.Errf("erc6492_factory %s is there twice", factory)
			}
			f.ERC6492Factories = append(f.ERC6492Factories, factory)
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
