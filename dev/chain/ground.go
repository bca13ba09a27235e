package chain

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

// instanceBytes is the length of an instance id: enough to make collisions impossible in practice.
const instanceBytes = 16

// Ground is what a chain that began with this package's first block has, whatever node runs it: the token, its owner's
// powers, the accounts with money.
type Ground struct {
	cfg      Config
	instance string
	token    common.Address
	client   *ethclient.Client
	owner    *tokenOwner
}

// firstBlock is a chain that has not been started yet.
type firstBlock struct {
	cfg      Config
	ownerKey *ecdsa.PrivateKey
	instance []byte
	token    common.Address
	genesis  *core.Genesis
}

func newFirstBlock(cfg Config) (*firstBlock, error) {
	b := &firstBlock{cfg: cfg, instance: make([]byte, instanceBytes)}
	if _, err := rand.Read(b.instance); err != nil {
		return nil, fmt.Errorf("making an instance id: %w", err)
	}
	var err error
	if b.ownerKey, err = crypto.GenerateKey(); err != nil {
		return nil, fmt.Errorf("making the token owner's key: %w", err)
	}
	if b.token, err = token(cfg.ChainID); err != nil {
		return nil, err
	}
	if b.genesis, err = genesis(cfg, AddressOf(b.ownerKey), b.instance); err != nil {
		return nil, fmt.Errorf("making the genesis block: %w", err)
	}
	return b, nil
}

// ground returns the chain's contents once a node runs it.
func (b *firstBlock) ground(client *ethclient.Client, mined minedFunc) (Ground, error) {
	contract, err := LoadContract("DevUSDC")
	if err != nil {
		return Ground{}, err
	}
	return Ground{
		cfg: b.cfg, instance: hex.EncodeToString(b.instance), token: b.token, client: client,
		owner: &tokenOwner{
			client: client, token: b.token, key: b.ownerKey, contract: contract, mined: mined,
			signer: types.LatestSignerForChainID(new(big.Int).SetUint64(b.cfg.ChainID)),
		},
	}, nil
}

// ChainID is the id in transactions and in the token's signing domain.
func (g *Ground) ChainID() uint64 { return g.cfg.ChainID }

// InstanceID is new at every start, 32 hex digits. It is also the extra data of the genesis block, where clients of the
// RPC port find it.
func (g *Ground) InstanceID() string { return g.instance }

// Token is the address of the token, which is the network's USDC address.
func (g *Ground) Token() common.Address { return g.token }

// Settler is the key that pays for settlements. It has ether for gas.
func (g *Ground) Settler() *ecdsa.PrivateKey { return g.cfg.SettlerKey }

// Wallet is the demo buyer's key. It has tokens, and ether for experiments.
func (g *Ground) Wallet() *ecdsa.PrivateKey { return g.cfg.WalletKey }

// Client is connected to the chain. It is closed with the chain.
func (g *Ground) Client() *ethclient.Client { return g.client }
