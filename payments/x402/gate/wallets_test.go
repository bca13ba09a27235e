package gate

import (
	"crypto/ecdsa"
	"io"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// send sends a transaction from the demo wallet, since only the facilitator may use the settler's account.
func (c *town) send(data func(id *big.Int, nonce uint64) types.TxData) {
	c.Helper()
	ctx := c.Context()
	payer := c.chain.Wallet()
	nonce, err := c.chain.Client().PendingNonceAt(ctx, crypto.PubkeyToAddress(payer.PublicKey))
	if err != nil {
		c.Fatal(err)
	}
	id := new(big.Int).SetUint64(c.chain.ChainID())
	tx, err := types.SignNewTx(payer, types.LatestSignerForChainID(id), data(id, nonce))
	if err != nil {
		c.Fatal(err)
	}
	if err := c.chain.Client().SendTransaction(ctx, tx); err != nil {
		c.Fatal(err)
	}
	receipt, err := c.chain.WaitMined(ctx, tx.Hash())
	if err != nil || receipt.Status != types.ReceiptStatusSuccessful {
		c.Fatalf("transaction: got %v, %v, want success", receipt, err)
	}
}

// payer is an account that pays, of any kind.
type payer struct {
	*town
	address common.Address
	key     *ecdsa.PrivateKey
	deploy  []byte // calls the factory of its contract, if it has one
}

const payerUnits = 50_000

func (c *town) fund(p *payer, units uint64) *payer {
	c.Helper()
	if err := c.chain.Mint(c.Context(), p.address, units); err != nil {
		c.Fatal(err)
	}
	return p
}

// Account is a payer with only a key.
func (c *town) account(units uint64) *payer {
	c.Helper()
	key := newKey(c.T)
	return c.fund(&payer{town: c, address: crypto.PubkeyToAddress(key.PublicKey), key: key}, units)
}

// undeployedWallet is a contract wallet that has money and is not deployed yet.
func (c *town) undeployedWallet(units uint64) *payer {
	c.Helper()
	factory, err := chain.LoadContract("DevWalletFactory")
	if err != nil {
		c.Fatal(err)
	}
	p := &payer{town: c, key: newKey(c.T)}
	owner, salt := crypto.PubkeyToAddress(p.key.PublicKey), [32]byte{1}
	where, err := factory.ABI.Pack("walletAddress", owner, salt)
	if err != nil {
		c.Fatal(err)
	}
	to := chain.WalletFactory
	answer, err := c.chain.Client().CallContract(c.Context(), ethereum.CallMsg{To: &to, Data: where}, nil)
	if err != nil {
		c.Fatal(err)
	}
	p.address = common.BytesToAddress(answer)
	if p.deploy, err = factory.ABI.Pack("createWallet", owner, salt); err != nil {
		c.Fatal(err)
	}
	return c.fund(p, units)
}

// contractWallet is a contract wallet with money.
func (c *town) contractWallet() *payer {
	c.Helper()
	p := c.undeployedWallet(payerUnits)
	p.deployed()
	return p
}

func (p *payer) deployed() {
	p.Helper()
	to := chain.WalletFactory
	p.send(func(id *big.Int, nonce uint64) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: id, Nonce: nonce, To: &to, Data: p.deploy, Gas: 2_000_000,
			GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
		}
	})
}

// delegatedAccount is a payer whose account has EIP-7702 code.
func (c *town) delegatedAccount(code common.Address) *payer {
	c.Helper()
	p := c.account(payerUnits)
	delegation, err := types.SignSetCode(p.key, types.SetCodeAuthorization{ChainID: *uint256.NewInt(c.chain.ChainID()), Address: code})
	if err != nil {
		c.Fatal(err)
	}
	c.send(func(id *big.Int, nonce uint64) types.TxData {
		return &types.SetCodeTx{
			ChainID: uint256.MustFromBig(id), Nonce: nonce, To: c.req.PayTo, Gas: 200_000,
			GasTipCap: uint256.NewInt(params.GWei), GasFeeCap: uint256.NewInt(100 * params.GWei),
			AuthList: []types.SetCodeAuthorization{delegation},
		}
	})
	return p
}

func (p *payer) sign(a *x402.Authorization) []byte { return signFor(p.T, p.key, a) }

// wrapped returns a signature with the deployment of the payer's wallet (ERC-6492).
func (p *payer) wrapped(factory common.Address, inner []byte) []byte {
	return wrap6492(factory, p.deploy, inner)
}

// pays returns a good payment by the payer; sign makes its signature.
func (p *payer) pays(version int, sign func(*x402.Authorization) []byte) *x402.Payment {
	p.Helper()
	a := p.payment(version, nil).Authorization
	a.From = p.address
	return p.encode(version, &a, sign(&a))
}

// TestContractWallets shows that for a payer with code only its ERC-1271 answer counts.
func TestContractWallets(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	wallet := c.contractWallet()

	foreign := wallet.pays(2, c.account(1).sign)
	wantRefusal(t, verify(t, c.local, foreign, c.req), x402.CodeSignature)
	_, err := c.local.Settle(t.Context(), foreign, c.req)
	wantRefusal(t, err, x402.CodeSignature)
	long := wallet.pays(2, func(*x402.Authorization) []byte { return make([]byte, 100) })
	wantRefusal(t, verify(t, c.local, long, c.req), x402.CodeSignature)

	good := wallet.pays(2, wallet.sign)
	if _, err := c.local.Verify(t.Context(), good, c.req); err != nil {
		t.Fatalf("verify: %v", err)
	}
	if _, err := c.local.Settle(t.Context(), good, c.req); err != nil {
		t.Fatalf("settle: %v", err)
	}
	if got := c.balance(c.req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
	}
}

// TestCopiesOnChain sends one payment 50 times at once over two edges with one database, and settles it on a chain.
func TestCopiesOnChain(t *testing.T) {
	t.Parallel()
	const copies = 50
	c := newTown(t)
	on := claimstest.Postgres(t, claimstest.NewPool(t))
	edge := func(cfg *Config) {
		cfg.Facilitator, cfg.Now = c.local, time.Now
		cfg.Accepts = []Acceptance{{Network: x402.BaseSepolia(), PayTo: c.req.PayTo}}
	}
	b := newBoothOn(t, &on, edge)
	gates := []*Gate{b.gate, b.newGate(edge)}
	buyer, err := client.New(client.Config{Client: &http.Client{Timeout: 10 * time.Second}, Key: c.chain.Wallet()})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := buyer.Sign(b.serve(b.request()).Result())
	if err != nil {
		t.Fatal(err)
	}
	var arrived, done sync.WaitGroup
	arrived.Add(copies)
	b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
		arrived.Wait()
		_, err := io.WriteString(w, "report")
		return err
	}
	for i := range copies {
		done.Go(func() {
			arrived.Done()
			a := b.serveAt(gates[i%2], b.request(signed.HeaderName, signed.HeaderValue), "body")
			if a.err != nil || a.Code != http.StatusOK || a.Body.String() != "report" || a.receipt(t) == nil {
				t.Errorf("copy: got %d %s, %v", a.Code, a.Body, a.err)
			}
		})
	}
	done.Wait()
	if got := b.ran(); got != 1 {
		t.Errorf("upstream runs: got %d, want 1", got)
	}
	if got := c.balance(c.req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
	}
}
