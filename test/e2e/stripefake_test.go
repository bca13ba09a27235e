package e2e

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// stripeFake is an edge with its own chain, database and settler, so that every change there comes from one test.
type stripeFake struct {
	*stack

	runs atomic.Int64
	// contract and delegate are valid payers with code.
	contract, delegate *payer
}

// startStripeFake runs a stripeFake in front of an upstream that echoes the request.
func startStripeFake(t *testing.T) *stripeFake {
	t.Helper()
	shared := setup(t)
	c := &stripeFake{stack: shared.withDatabase(t)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.startChain(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.chain.Close() })
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.runs.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Report", reportSecret)
		w.Header().Set("Etag", `"`+reportSecret+`"`)
		fmt.Fprintf(w, "%s for %s %s %s", reportSecret, r.Method, r.RequestURI, body)
	}))
	t.Cleanup(upstream.Close)
	config, err := os.ReadFile("testdata/refusals.Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	edge, err := rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: c.binary, Dir: t.TempDir(), Caddyfile: config, Upstream: strings.TrimPrefix(upstream.URL, "http://"),
		DatabaseURL: c.databaseURL, RPCURL: c.chain.RPCURL(), Settler: c.chain.Settler(), PayTo: payTo, IdentitySecret: identitySecret,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = edge.Kill() })
	c.edge = edge.URL("")
	c.contract, c.delegate = c.undeployed(t, walletUnits).deployed(t), c.delegated(t, chain.WalletCode)
	return c
}

// reportSecret is in everything that the upstream sends, so it must not appear in an unpaid response.
const reportSecret = "the-report-itself"

// books is everything that a payment could have changed.
type books struct {
	runs              int64  // runs of the upstream
	nonce, pending    uint64 // the settler's
	wei               string // the settler's
	outbox, claims    int64
	ledger            int64
	received, balance uint64 // of the token: received by payTo, and left with a payer
}

func (c *stripeFake) books(t *testing.T, payer common.Address) books {
	t.Helper()
	ctx, node, settler := t.Context(), c.chain.Client(), chain.AddressOf(c.chain.Settler())
	b := books{runs: c.runs.Load()}
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	var err error
	b.nonce, err = node.NonceAt(ctx, settler, nil)
	check(err)
	b.pending, err = node.PendingNonceAt(ctx, settler)
	check(err)
	wei, err := node.BalanceAt(ctx, settler, nil)
	check(err)
	b.wei = wei.String()
	check(c.pool.QueryRow(ctx, `select (select count(*) from x402_transaction), (select count(*) from x402_claim),
		(select count(*) from ledger_transfer)`).Scan(&b.outbox, &b.claims, &b.ledger))
	b.received, err = c.chain.Balance(ctx, payTo)
	check(err)
	b.balance, err = c.chain.Balance(ctx, payer)
	check(err)
	return b
}

// wantPaid checks that the books changed exactly as by one served payment.
func (c *stripeFake) wantPaid(t *testing.T, payer common.Address, before books) {
	t.Helper()
	after := c.books(t, payer)
	if after.wei == before.wei {
		t.Error("the settler's ether: got it as before, want gas spent")
	}
	want := before
	want.runs++
	want.nonce++
	want.pending++
	want.outbox++
	want.claims++
	want.ledger++
	want.received += scrapeUnits
	want.balance -= scrapeUnits
	want.wei = after.wei
	if after != want {
		t.Errorf("books: got %+v, want %+v", after, want)
	}
}

// payer is an account of any kind that pays.
type payer struct {
	*stripeFake

	address common.Address
	key     *ecdsa.PrivateKey
	deploy  []byte // the call that makes the factory deploy its contract, if it has one
}

func (c *stripeFake) account(t *testing.T) *payer {
	t.Helper()
	w := c.wallet(t)
	return &payer{stripeFake: c, address: w.address(), key: w.key}
}

// funded gives the payer units.
func (c *stripeFake) funded(t *testing.T, p *payer, units uint64) *payer {
	t.Helper()
	if err := c.chain.Mint(t.Context(), p.address, units); err != nil {
		t.Fatal(err)
	}
	return p
}

// undeployed returns a contract wallet that has money and is not deployed yet.
func (c *stripeFake) undeployed(t *testing.T, units uint64) *payer {
	t.Helper()
	factory, err := chain.LoadContract("DevWalletFactory")
	if err != nil {
		t.Fatal(err)
	}
	p := &payer{stripeFake: c, key: c.emptyWallet(t).key}
	owner, salt := chain.AddressOf(p.key), [32]byte{1}
	if p.deploy, err = factory.ABI.Pack("createWallet", owner, salt); err != nil {
		t.Fatal(err)
	}
	where, err := factory.ABI.Pack("walletAddress", owner, salt)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.chain.Client().CallContract(t.Context(), ethereum.CallMsg{To: &chain.WalletFactory, Data: where}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.address = common.BytesToAddress(answer)
	return c.funded(t, p, units)
}

// deployed deploys the wallet. The demo buyer pays for it.
func (p *payer) deployed(t *testing.T) *payer {
	t.Helper()
	p.send(t, func(id *big.Int, nonce uint64) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: id, Nonce: nonce, To: &chain.WalletFactory, Data: p.deploy, Gas: 2_000_000,
			GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
		}
	})
	return p
}

// delegated returns an ordinary account with code (EIP-7702).
func (c *stripeFake) delegated(t *testing.T, code common.Address) *payer {
	t.Helper()
	p := c.account(t)
	authorization, err := types.SignSetCode(p.key, types.SetCodeAuthorization{ChainID: *uint256.NewInt(c.chain.ChainID()), Address: code})
	if err != nil {
		t.Fatal(err)
	}
	c.send(t, func(id *big.Int, nonce uint64) types.TxData {
		return &types.SetCodeTx{
			ChainID: uint256.MustFromBig(id), Nonce: nonce, To: payTo, Gas: 200_000,
			GasTipCap: uint256.NewInt(params.GWei), GasFeeCap: uint256.NewInt(100 * params.GWei),
			AuthList: []types.SetCodeAuthorization{authorization},
		}
	})
	return p
}

// send sends a transaction from the demo buyer: only the edge may use the settler's account.
func (c *stripeFake) send(t *testing.T, data func(id *big.Int, nonce uint64) types.TxData) {
	t.Helper()
	ctx, node, sender := t.Context(), c.chain.Client(), c.chain.Wallet()
	nonce, err := node.PendingNonceAt(ctx, chain.AddressOf(sender))
	if err != nil {
		t.Fatal(err)
	}
	id := new(big.Int).SetUint64(c.chain.ChainID())
	tx, err := types.SignNewTx(sender, types.LatestSignerForChainID(id), data(id, nonce))
	if err != nil {
		t.Fatal(err)
	}
	if err := node.SendTransaction(ctx, tx); err != nil {
		t.Fatal(err)
	}
	receipt, err := c.chain.WaitMined(ctx, tx.Hash())
	if err != nil || receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("transaction: got %+v, %v, want success", receipt, err)
	}
}

func (p *payer) code(t *testing.T) int {
	t.Helper()
	code, err := p.chain.Client().CodeAt(t.Context(), p.address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(code)
}

// payment returns a valid payment that is not signed yet.
func (p *payer) payment(t *testing.T, version int) *payment {
	t.Helper()
	made := (&wallet{s: p.stack, key: p.key}).payment(t, version)
	made.auth.From = p.address
	return made
}

// by signs with another key.
func (p *payment) by(key *ecdsa.PrivateKey) *payment {
	p.signer = key
	return p
}

// resigned changes the signature.
func (p *payment) resigned(f func(sig []byte) []byte) *payment {
	p.resign = f
	return p
}

// through wraps the signature for a wallet that a factory has not deployed yet (ERC-6492).
func (p *payment) through(factory common.Address, deploy []byte) *payment {
	return p.resigned(func(sig []byte) []byte {
		wrapped, err := wrapper6492.Pack(factory, deploy, sig)
		if err != nil {
			panic(err)
		}
		return append(wrapped, common.FromHex(strings.Repeat("6492", 16))...)
	})
}

var wrapper6492 = func() abi.Arguments {
	var arguments abi.Arguments
	for _, name := range []string{"address", "bytes", "bytes"} {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(err)
		}
		arguments = append(arguments, abi.Argument{Type: typ})
	}
	return arguments
}()

// cancelled makes the payer cancel a payment's authorization directly on the chain.
func (c *stripeFake) cancelled(t *testing.T, p *payer, made *payment) {
	t.Helper()
	token, err := chain.LoadContract("DevUSDC")
	if err != nil {
		t.Fatal(err)
	}
	typeHash := crypto.Keccak256([]byte("CancelAuthorization(address authorizer,bytes32 nonce)"))
	message := crypto.Keccak256(typeHash, common.LeftPadBytes(p.address.Bytes(), 32), made.auth.Nonce[:])
	separator := made.network.DomainSeparator()
	sig, err := crypto.Sign(crypto.Keccak256([]byte("\x19\x01"), separator[:], message), p.key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := token.ABI.Pack("cancelAuthorization", p.address, made.auth.Nonce, sig[64]+27, [32]byte(sig[:32]), [32]byte(sig[32:64]))
	if err != nil {
		t.Fatal(err)
	}
	to := c.chain.Token()
	c.send(t, func(id *big.Int, nonce uint64) types.TxData {
		return &types.DynamicFeeTx{
			ChainID: id, Nonce: nonce, To: &to, Data: data, Gas: 200_000,
			GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
		}
	})
}
