package chain_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

func loadContract(t *testing.T, name string) *chain.Contract {
	t.Helper()
	contract, err := chain.LoadContract(name)
	if err != nil {
		t.Fatal(err)
	}
	return contract
}

// TestContractWallet pays from a contract wallet, deployed at the address that the factory predicted.
func TestContractWallet(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	factory := loadContract(t, "DevWalletFactory")
	owner, salt := newKey(t), [32]byte{7}
	where, err := factory.ABI.Pack("walletAddress", chain.AddressOf(owner), salt)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := b.call(common.Address{}, chain.WalletFactory, where)
	if err != nil {
		t.Fatal(err)
	}
	wallet := common.BytesToAddress(answer)
	create, err := factory.ABI.Pack("createWallet", chain.AddressOf(owner), salt)
	if err != nil {
		t.Fatal(err)
	}
	to := chain.WalletFactory
	for range 2 { // the second time the wallet exists already
		if receipt := b.send(b.Settler(), &to, create); receipt.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("create: got status %d, want success", receipt.Status)
		}
	}
	code, err := b.Client().CodeAt(b.ctx, wallet, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(code) == 0 {
		t.Fatalf("no code at %s", wallet)
	}
	b.drive(func() error { return b.Mint(b.ctx, wallet, 50_000) })

	a := b.authorization()
	a.from = wallet
	wantRefused(t, b.simulate(a, b.signed(newKey(t), a)), "FiatTokenV2: invalid signature")
	wantRefused(t, b.simulate(a, nil), "FiatTokenV2: invalid signature")
	token := b.Token()
	receipt := b.send(b.Settler(), &token, b.calldata(a, b.signed(owner, a)))
	if receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("settle: got status %d, want success", receipt.Status)
	}
	if got, want := b.balance(b.payee), uint64(10_000); got != want {
		t.Errorf("payee: got %d, want %d", got, want)
	}
}

// TestDelegatedAccount gives an ordinary account code by EIP-7702. From then on that code decides whether a plain signature
// of its key is valid.
func TestDelegatedAccount(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		delegate common.Address
		want     string
	}{
		"to a wallet that accepts its key": {chain.WalletCode, ""},
		"to code that judges nothing":      {chain.Multicall, "FiatTokenV2: invalid signature"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, chain.Config{})
			a := b.authorization()
			signature := b.signed(b.Wallet(), a)
			if err := b.simulate(a, signature); err != nil {
				t.Fatalf("before delegation: %v", err)
			}
			delegation, err := types.SignSetCode(b.Wallet(), types.SetCodeAuthorization{
				ChainID: *uint256.NewInt(b.ChainID()), Address: tt.delegate,
			})
			if err != nil {
				t.Fatal(err)
			}
			receipt := b.sendTx(b.Settler(), func(nonce uint64) types.TxData {
				return &types.SetCodeTx{
					ChainID: uint256.NewInt(b.ChainID()), Nonce: nonce, To: b.payee, Gas: 200_000,
					GasTipCap: uint256.NewInt(params.GWei), GasFeeCap: uint256.NewInt(100 * params.GWei),
					AuthList: []types.SetCodeAuthorization{delegation},
				}
			})
			if receipt.Status != types.ReceiptStatusSuccessful {
				t.Fatalf("delegate: got status %d, want success", receipt.Status)
			}
			code, err := b.Client().CodeAt(b.ctx, a.from, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := types.ParseDelegation(code); !ok || got != tt.delegate {
				t.Fatalf("code 0x%x is no delegation to %s", code, tt.delegate)
			}
			err = b.simulate(a, signature)
			if tt.want != "" {
				wantRefused(t, err, tt.want)
			} else if err != nil {
				t.Errorf("after delegation: %v", err)
			}
		})
	}
}

// TestWalletExecutes shows that only the owner can move a contract wallet's tokens.
func TestWalletExecutes(t *testing.T) {
	t.Parallel()
	owner := newKey(t)
	b := setup(t, chain.Config{Accounts: []chain.Account{{
		Address: chain.AddressOf(owner), Wei: big.NewInt(params.Ether),
	}}})
	contract := loadContract(t, "DevWallet")
	argument, err := contract.ABI.Pack("", chain.AddressOf(owner))
	if err != nil {
		t.Fatal(err)
	}
	deployed := b.send(owner, nil, append(contract.Bytecode, argument...))
	if deployed.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("deploy: got status %d, want success", deployed.Status)
	}
	wallet := deployed.ContractAddress
	b.drive(func() error { return b.Mint(b.ctx, wallet, 9) })
	data, err := contract.ABI.Pack("execute", b.Token(), new(big.Int), b.pack("transfer", b.payee, big.NewInt(9)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.call(b.payee, wallet, data)
	wantRefused(t, err, "caller is not the owner")
	if receipt := b.send(owner, &wallet, data); receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("execute: got status %d, want success", receipt.Status)
	}
	if got, want := b.balance(b.payee), uint64(9); got != want {
		t.Errorf("payee: got %d, want %d", got, want)
	}
	_, err = b.call(chain.AddressOf(owner), wallet, data)
	wantRefused(t, err, "ERC20: transfer amount exceeds balance")
}
