package x402test

import (
	"bytes"
	"crypto/ecdsa"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/google/uuid"
	"github.com/holiman/uint256"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// NewKey returns a new key.
func NewKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Sign signs an authorisation.
func Sign(t testing.TB, key *ecdsa.PrivateKey, a *x402.Authorization, n x402.Network) []byte {
	t.Helper()
	digest := a.Digest(n)
	sig, err := crypto.Sign(digest[:], key)
	if err != nil {
		t.Fatal(err)
	}
	return x402.NormalizeV(sig)
}

// SignFor signs for Base Sepolia, whose role the development chain plays.
func SignFor(t testing.TB, key *ecdsa.PrivateKey, a *x402.Authorization) []byte {
	t.Helper()
	return Sign(t, key, a, x402.BaseSepolia())
}

// AddressOf returns the address of a key.
func AddressOf(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

// Word32 returns 32 bytes that no other test uses.
func Word32() (w [32]byte) {
	id := uuid.New()
	copy(w[16:], id[:])
	return w
}

func ABIArguments(types ...string) (arguments abi.Arguments) {
	for _, name := range types {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(err)
		}
		arguments = append(arguments, abi.Argument{Type: typ})
	}
	return arguments
}

var wrapperArguments = ABIArguments("address", "bytes", "bytes")

// Wrap6492 encodes an ERC-6492 signature with go-ethereum's encoder.
func Wrap6492(factory common.Address, deploy, inner []byte) []byte {
	packed, err := wrapperArguments.Pack(factory, deploy, inner)
	if err != nil {
		panic(err)
	}
	return append(packed, bytes.Repeat([]byte{0x64, 0x92}, 16)...)
}

// Send sends a transaction from the demo wallet, since only the facilitator may use the settler's account.
func (c *Town) Send(data func(id *big.Int, nonce uint64) types.TxData) {
	c.Helper()
	ctx := c.Context()
	payer := c.Chain.Wallet()
	nonce, err := c.Chain.Client().PendingNonceAt(ctx, crypto.PubkeyToAddress(payer.PublicKey))
	if err != nil {
		c.Fatal(err)
	}
	id := new(big.Int).SetUint64(c.Chain.ChainID())
	tx, err := types.SignNewTx(payer, types.LatestSignerForChainID(id), data(id, nonce))
	if err != nil {
		c.Fatal(err)
	}
	if err := c.Chain.Client().SendTransaction(ctx, tx); err != nil {
		c.Fatal(err)
	}
	receipt, err := c.Chain.WaitMined(ctx, tx.Hash())
	if err != nil || receipt.Status != types.ReceiptStatusSuccessful {
		c.Fatalf("transaction: got %v, %v, want success", receipt, err)
	}
}

// Payer is an account that pays, of any kind.
type Payer struct {
	*Town
	Address common.Address
	Key     *ecdsa.PrivateKey
	deploy  []byte // calls the factory of its contract, if it has one
}

const PayerUnits = 50_000

func (c *Town) Fund(p *Payer, units uint64) *Payer {
	c.Helper()
	if err := c.Chain.Mint(c.Context(), p.Address, units); err != nil {
		c.Fatal(err)
	}
	return p
}

// Account is a payer with only a key.
func (c *Town) Account(units uint64) *Payer {
	c.Helper()
	key := NewKey(c)
	return c.Fund(&Payer{Town: c, Address: crypto.PubkeyToAddress(key.PublicKey), Key: key}, units)
}

// UndeployedWallet is a contract wallet that has money and is not deployed yet.
func (c *Town) UndeployedWallet(units uint64) *Payer {
	c.Helper()
	factory, err := chain.LoadContract("DevWalletFactory")
	if err != nil {
		c.Fatal(err)
	}
	p := &Payer{Town: c, Key: NewKey(c)}
	owner, salt := crypto.PubkeyToAddress(p.Key.PublicKey), [32]byte{1}
	where, err := factory.ABI.Pack("walletAddress", owner, salt)
	if err != nil {
		c.Fatal(err)
	}
	to := chain.WalletFactory
	answer, err := c.Chain.Client().CallContract(c.Context(), ethereum.CallMsg{To: &to, Data: where}, nil)
	if err != nil {
		c.Fatal(err)
	}
	p.Address = common.BytesToAddress(answer)
	if p.deploy, err = factory.ABI.Pack("createWallet", owner, salt); err != nil {
		c.Fatal(err)
	}
	return c.Fund(p, units)
}

// ContractWallet is a contract wallet with money.
func (c *Town) ContractWallet() *Payer {
	c.Helper()
	p := c.UndeployedWallet(PayerUnits)
	p.Deployed()
	return p
}

func (p *Payer) Deployed() {
	p.Helper()
	to := chain.WalletFactory
	p.Send(func(id *big.Int, nonce uint64) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: id, Nonce: nonce, To: &to, Data: p.deploy, Gas: 2_000_000,
			GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
		}
	})
}

// DelegatedAccount is a payer whose account has EIP-7702 code.
func (c *Town) DelegatedAccount(code common.Address) *Payer {
	c.Helper()
	p := c.Account(PayerUnits)
	delegation, err := types.SignSetCode(p.Key, types.SetCodeAuthorization{ChainID: *uint256.NewInt(c.Chain.ChainID()), Address: code})
	if err != nil {
		c.Fatal(err)
	}
	c.Send(func(id *big.Int, nonce uint64) types.TxData {
		return &types.SetCodeTx{
			ChainID: uint256.MustFromBig(id), Nonce: nonce, To: c.Req.PayTo, Gas: 200_000,
			GasTipCap: uint256.NewInt(params.GWei), GasFeeCap: uint256.NewInt(100 * params.GWei),
			AuthList: []types.SetCodeAuthorization{delegation},
		}
	})
	return p
}

func (p *Payer) Sign(a *x402.Authorization) []byte { return SignFor(p, p.Key, a) }

// Wrapped returns a signature with the deployment of the payer's wallet (ERC-6492).
func (p *Payer) Wrapped(factory common.Address, inner []byte) []byte {
	return Wrap6492(factory, p.deploy, inner)
}

// Pays returns a good payment by the payer; sign makes its signature.
func (p *Payer) Pays(version int, sign func(*x402.Authorization) []byte) *x402.Payment {
	p.Helper()
	a := p.Payment(version, nil).Authorization
	a.From = p.Address
	return p.Encode(version, &a, sign(&a))
}
