//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// priceEach is the price of a request on the paid side, in millionths of a USDC; pricePaid is the same for its Caddyfile.
const (
	priceEach = 10_000
	pricePaid = "0.01"
)

// payersCount is the number of wallets: each pays once in the largest crowd.
const payersCount = 200

// The accounts are derived from names, so that each process of a run can compute them. They have no value on other
// chains.
func payer(i int) *ecdsa.PrivateKey { return namedKey("payer " + strconv.Itoa(i)) }
func settler() *ecdsa.PrivateKey    { return namedKey("settler") }

func recipient() common.Address { return chain.AddressOf(namedKey("recipient")) }

func namedKey(name string) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("bench: " + name)))
	if err != nil {
		panic(err) // a hash above the curve's order: one in 2^128
	}
	return key
}

func hexKey(key *ecdsa.PrivateKey) string { return "0x" + hex.EncodeToString(crypto.FromECDSA(key)) }

// chainMain runs a development chain, whose address it prints, until it is ended.
func chainMain() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg := chain.Config{Accounts: []chain.Account{{
		Address: chain.AddressOf(settler()), Wei: new(big.Int).Mul(big.NewInt(1000), big.NewInt(params.Ether)),
	}}}
	const plenty = 1_000_000_000_000
	for i := range payersCount {
		cfg.Accounts = append(cfg.Accounts, chain.Account{Address: chain.AddressOf(payer(i)), MicroUSDC: plenty})
	}
	c, err := chain.Start(ctx, cfg)
	if err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	fmt.Println(c.RPCURL())
	<-ctx.Done()
	return c.Close()
}

// transfers counts the receipt's transfers of one request's price to the recipient.
func (m *market) transfers(r *types.Receipt) int {
	n := 0
	for _, event := range r.Logs {
		if event.Address == m.asset && len(event.Topics) == 3 && event.Topics[0] == transferTopic &&
			common.BytesToAddress(event.Topics[2][:]) == recipient() && new(big.Int).SetBytes(event.Data).Cmp(big.NewInt(priceEach)) == 0 {
			n++
		}
	}
	return n
}

// transferTopic identifies ERC-20's event; balanceOf is the selector of its function.
var (
	transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
	balanceOf     = crypto.Keccak256([]byte("balanceOf(address)"))[:4]
)

// balance is the recipient's, in millionths of a USDC.
func (m *market) balance(ctx context.Context) (int64, error) {
	data := append(append([]byte(nil), balanceOf...), common.LeftPadBytes(recipient().Bytes(), 32)...)
	out, err := m.rpc.CallContract(ctx, ethereum.CallMsg{To: &m.asset, Data: data}, nil)
	if err != nil {
		return 0, fmt.Errorf("the recipient's balance: %w", err)
	}
	n := new(big.Int).SetBytes(out)
	if !n.IsInt64() {
		return 0, errors.New("the recipient's balance is beyond 64 bits")
	}
	return n.Int64(), nil
}
