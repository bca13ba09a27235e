package x402

import (
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

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// contractWallet deploys a wallet of the key's and gives it money.
func (c *town) contractWallet(salt [32]byte) (wallet common.Address, sign func(*Authorization) []byte) {
	c.Helper()
	ctx := c.Context()
	key := newKey(c.T)
	factory, err := chain.LoadContract("DevWalletFactory")
	if err != nil {
		c.Fatal(err)
	}
	where, err := factory.ABI.Pack("walletAddress", crypto.PubkeyToAddress(key.PublicKey), salt)
	if err != nil {
		c.Fatal(err)
	}
	to := chain.WalletFactory
	answer, err := c.chain.Client().CallContract(ctx, ethereum.CallMsg{To: &to, Data: where}, nil)
	if err != nil {
		c.Fatal(err)
	}
	create, err := factory.ABI.Pack("createWallet", crypto.PubkeyToAddress(key.PublicKey), salt)
	if err != nil {
		c.Fatal(err)
	}
	// From the demo wallet: the settler's account is the facilitator's alone.
	payer := c.chain.Wallet()
	nonce, err := c.chain.Client().PendingNonceAt(ctx, crypto.PubkeyToAddress(payer.PublicKey))
	if err != nil {
		c.Fatal(err)
	}
	id := new(big.Int).SetUint64(c.chain.ChainID())
	tx, err := types.SignNewTx(payer, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Data: create, Gas: 2_000_000,
		GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
	})
	if err != nil {
		c.Fatal(err)
	}
	if err := c.chain.Client().SendTransaction(ctx, tx); err != nil {
		c.Fatal(err)
	}
	if _, err := c.chain.WaitMined(ctx, tx.Hash()); err != nil {
		c.Fatal(err)
	}
	wallet = common.BytesToAddress(answer)
	if err := c.chain.Mint(ctx, wallet, 50_000); err != nil {
		c.Fatal(err)
	}
	return wallet, func(a *Authorization) []byte { return signFor(c.T, key, a) }
}

// TestContractWallets: a payer with code is asked by ERC-1271, and nothing else
// counts.
func TestContractWallets(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	wallet, owner := c.contractWallet([32]byte{1})
	a := c.payment(2, nil).Authorization
	a.From = wallet

	foreign := c.encode(2, &a, signFor(t, newKey(t), &a))
	wantRefusal(t, c.local.Verify(t.Context(), foreign, c.req), CodeSignature)
	_, err := c.local.Settle(t.Context(), foreign, c.req)
	wantRefusal(t, err, CodeSignature)
	long := c.encode(2, &a, make([]byte, 100))
	wantRefusal(t, c.local.Verify(t.Context(), long, c.req), CodeSignature)

	good := c.encode(2, &a, owner(&a))
	if err := c.local.Verify(t.Context(), good, c.req); err != nil {
		t.Fatalf("verify: %v", err)
	}
	if _, err := c.local.Settle(t.Context(), good, c.req); err != nil {
		t.Fatalf("settle: %v", err)
	}
	if got := c.balance(c.req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
	}
}

// TestCopiesOnChain sends one payment 50 times at once over two edges on one
// database, settled on a chain.
func TestCopiesOnChain(t *testing.T) {
	t.Parallel()
	const copies = 50
	c := newTown(t)
	pool := newPool(t)
	edge := func(cfg *Config) {
		cfg.Store, cfg.Facilitator, cfg.Now = NewPostgresClaims(pool), c.local, time.Now
		cfg.Accepts = []Acceptance{{Network: BaseSepolia(), PayTo: c.req.PayTo}}
	}
	b := newBooth(t, edge)
	gates := []*Gate{b.gate, b.newGate(edge)}
	buyer, err := NewBuyer(BuyerConfig{Client: &http.Client{Timeout: 10 * time.Second}, Key: c.chain.Wallet()})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := buyer.Sign(b.serve(b.request()).Result())
	if err != nil {
		t.Fatal(err)
	}
	var arrived, done sync.WaitGroup
	arrived.Add(copies)
	b.next = func(w http.ResponseWriter, _ *http.Request, _ Claim) error {
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
