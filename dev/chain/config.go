package chain

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
)

// Config says how to start a chain. The zero value stands for a Base Sepolia with new keys on a free port of the loopback
// interface.
type Config struct {
	// ChainID is BaseSepolia (the default) or BaseMainnet.
	ChainID uint64
	// HTTPAddr is where JSON-RPC is served, host:port. Default 127.0.0.1:0, a free port. Access to it allows sending
	// transactions but reveals no key.
	HTTPAddr string
	// WalletKey is the demo buyer's key. It starts with WalletMicroUSDC. Default: a new key; pass one in to get the same
	// wallet next time.
	WalletKey *ecdsa.PrivateKey
	// WalletMicroUSDC is the demo buyer's balance in millionths of a USDC, the token's smallest unit. Default
	// 1,000,000,000 (1,000 USDC).
	WalletMicroUSDC uint64
	// SettlerKey is the key that pays the gas of settlements. Default: a new key.
	SettlerKey *ecdsa.PrivateKey
	// Accounts are further accounts to fund at genesis.
	Accounts []Account
	// IdleInterval is the greatest age of the newest block while nothing happens, in whole seconds. Default 2 s, the
	// block time of Base. Each block takes about 3 kB of memory.
	IdleInterval time.Duration
	// Now is the clock of block times. Default time.Now. A test that moves it then calls Chain.Seal, or waits up to 1 s.
	Now func() time.Time
	// Logger gets failures to seal and the node's warnings. Default: none.
	Logger *slog.Logger
}

// Account is an account that exists from the first block.
type Account struct {
	Address common.Address
	// Wei pays for gas; nil is none.
	Wei *big.Int
	// MicroUSDC is the token balance in millionths of a USDC.
	MicroUSDC uint64
}

const (
	defaultHTTPAddr        = "127.0.0.1:0"
	defaultWalletMicroUSDC = 1_000_000_000
	defaultIdleInterval    = 2 * time.Second
	genesisEther           = 1_000
)

func ether(n int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(n), big.NewInt(params.Ether))
}

// withDefaults fills in unset fields. It fails only if no key can be generated.
func (c Config) withDefaults() (Config, error) {
	if c.ChainID == 0 {
		c.ChainID = BaseSepolia
	}
	if c.HTTPAddr == "" {
		c.HTTPAddr = defaultHTTPAddr
	}
	if c.WalletMicroUSDC == 0 {
		c.WalletMicroUSDC = defaultWalletMicroUSDC
	}
	if c.IdleInterval == 0 {
		c.IdleInterval = defaultIdleInterval
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	for _, key := range []**ecdsa.PrivateKey{&c.WalletKey, &c.SettlerKey} {
		if *key != nil {
			continue
		}
		made, err := crypto.GenerateKey()
		if err != nil {
			return Config{}, fmt.Errorf("making a key: %w", err)
		}
		*key = made
	}
	return c, nil
}

// validate reports all faults at once. It expects defaults to be filled in.
func (c Config) validate() error {
	var faults []error
	if _, err := token(c.ChainID); err != nil {
		faults = append(faults, err)
	}
	if _, _, err := splitAddr(c.HTTPAddr); err != nil {
		faults = append(faults, fmt.Errorf("http address: %w", err))
	}
	if c.IdleInterval < time.Second || c.IdleInterval%time.Second != 0 {
		faults = append(faults, fmt.Errorf("idle interval %s: want whole seconds, at least 1s", c.IdleInterval))
	}
	for i, account := range c.Accounts {
		if account.Address == (common.Address{}) {
			faults = append(faults, fmt.Errorf("account %d: the zero address cannot be funded", i))
		}
		if account.Wei != nil && account.Wei.Sign() < 0 {
			faults = append(faults, fmt.Errorf("account %d: negative balance of %s wei", i, account.Wei))
		}
	}
	return errors.Join(faults...)
}

func splitAddr(addr string) (host string, port int, err error) {
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("want host:port, as in %s: %w", defaultHTTPAddr, err)
	}
	if host == "" {
		return "", 0, fmt.Errorf("%q names no host; want host:port, as in %s", addr, defaultHTTPAddr)
	}
	number, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("port %q is not a number from 0 to 65535", portText)
	}
	return host, int(number), nil
}
