package x402

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
)

// Network is a chain together with the token that payments use on it.
type Network struct {
	// Name is the network's name in version 1 ("base"). If it is empty, the network is offered in version 2 only: stock
	// version 1 clients reject a whole challenge over one unknown name.
	Name string
	// ChainID is the EIP-155 chain id; version 2 writes it as "eip155:<id>".
	ChainID uint64
	// Asset is the token's contract. It must have six decimals and support EIP-3009.
	Asset common.Address
	// TokenName and TokenVersion are the token's EIP-712 domain. They differ between a network and its test network.
	TokenName    string
	TokenVersion string
}

// Base is Base mainnet with Circle's USDC.
func Base() Network {
	return Network{
		Name:         "base",
		ChainID:      8453,
		Asset:        common.HexToAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
		TokenName:    "USD Coin",
		TokenVersion: "2",
	}
}

// BaseSepolia is Base's test network with Circle's test USDC.
func BaseSepolia() Network {
	return Network{
		Name:         "base-sepolia",
		ChainID:      84532,
		Asset:        common.HexToAddress("0x036CbD53842c5426634e7929541eC2318f3dCF7e"),
		TokenName:    "USDC",
		TokenVersion: "2",
	}
}

// confirmationsUnknown is the default for networks that are not built in.
const confirmationsUnknown = 5

// Confirmations is the default number of blocks, including the transaction's own, that make a payment final on the
// network. docs/x402-settlement.md gives the reasons.
func (n Network) Confirmations() int {
	switch n.ChainID {
	case Base().ChainID:
		return 2
	case BaseSepolia().ChainID:
		return 1
	}
	return confirmationsUnknown
}

// ID returns the network's CAIP-2 identifier, such as "eip155:8453".
func (n Network) ID() string { return n.facts().id }

// KnownNetwork returns the built-in network with this version 1 name or CAIP-2 identifier.
func KnownNetwork(nameOrID string) (Network, bool) {
	for _, n := range []Network{Base(), BaseSepolia()} {
		if nameOrID == n.Name || nameOrID == n.ID() {
			return n, true
		}
	}
	return Network{}, false
}

var networkName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// Validate returns all faults of the network.
func (n Network) Validate() error {
	var errs []error
	if n.Name != "" && !networkName.MatchString(n.Name) {
		errs = append(errs, fmt.Errorf("network name %q: want lower-case letters, digits and hyphens, such as base-sepolia", n.Name))
	}
	if n.ChainID == 0 {
		errs = append(errs, errors.New("network chain id: want a positive number, such as 8453"))
	}
	if n.Asset == (common.Address{}) {
		errs = append(errs, errors.New("network asset: want the address of the token's contract"))
	}
	if n.TokenName == "" || n.TokenVersion == "" {
		errs = append(errs, errors.New("network token name and version: want the token's EIP-712 domain, such as USD Coin and 2"))
	}
	return errors.Join(errs...)
}

// VersionName returns the network's name in a protocol version.
func (n Network) VersionName(version int) string {
	if version == Version1 {
		return n.Name
	}
	return n.ID()
}

// tokenDomain is the extra member of requirements: the token's EIP-712 domain.
type tokenDomain struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// extra returns a shared value that must not be changed.
func (n Network) extra() json.RawMessage { return n.facts().extra }

// networkFacts are computed once per network.
type networkFacts struct {
	network   Network
	id        string
	separator common.Hash
	extra     json.RawMessage
}

// networkFactsMax limits the cache; a configuration has only a few networks.
const networkFactsMax = 64

// knownFacts is replaced as a whole, so it can be read without a lock.
var knownFacts atomic.Pointer[[]*networkFacts]

func (n Network) facts() *networkFacts {
	known := knownFacts.Load()
	if known != nil {
		for _, f := range *known {
			if f.network == n {
				return f
			}
		}
	}
	extra, err := json.Marshal(tokenDomain{Name: n.TokenName, Version: n.TokenVersion})
	if err != nil {
		extra = nil // cannot happen: two strings always marshal
	}
	f := &networkFacts{network: n, id: fmt.Sprintf("eip155:%d", n.ChainID), separator: n.domainSeparator(), extra: extra}
	for known == nil || len(*known) < networkFactsMax {
		more := []*networkFacts{f}
		if known != nil {
			more = append(slices.Clone(*known), f)
		}
		if knownFacts.CompareAndSwap(known, &more) {
			break
		}
		known = knownFacts.Load()
	}
	return f
}

// StoredNetwork returns the network of a claim. A claim does not store the domain of a token that is not built in. It is
// read from what the payer accepted, which the gate has compared with its own terms.
func StoredNetwork(networkID, asset string, payment []byte) (Network, error) {
	known, ok := KnownNetwork(networkID)
	if ok && known.Asset.Hex() == asset {
		return known, nil
	}
	network := Network{Name: known.Name}
	if _, err := fmt.Sscanf(networkID, "eip155:%d", &network.ChainID); err != nil || network.ID() != networkID {
		return Network{}, fmt.Errorf("stored network %q is not an id such as eip155:8453", networkID)
	}
	address, ok := ParseAddress(asset)
	if !ok {
		return Network{}, fmt.Errorf("stored asset %q is not an address", asset)
	}
	var wire struct {
		Accepted struct {
			Extra tokenDomain `json:"extra"`
		} `json:"accepted"`
	}
	if err := json.Unmarshal(payment, &wire); err != nil {
		return Network{}, fmt.Errorf("reading the stored payment: %w", err)
	}
	network.Asset = address
	network.TokenName, network.TokenVersion = wire.Accepted.Extra.Name, wire.Accepted.Extra.Version
	if err := network.Validate(); err != nil {
		return Network{}, fmt.Errorf("network of the stored payment: %w", err)
	}
	return network, nil
}
