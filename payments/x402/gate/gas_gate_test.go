package gate

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// TestGasOfACent shows that a payment of a cent whose settlement costs two dollars is refused before anything runs. A
// claimed payment is settled even if gas has become dear and its price is unknown.
func TestGasOfACent(t *testing.T) {
	t.Parallel()
	const usual, dear = params.GWei / 200, 9 * params.GWei
	const feedUnit = 100_000_000   // the feed has eight decimals
	const later = 10 * time.Second // the facilitator reads the price of gas again
	c := newTown(t)
	var base, ahead atomic.Int64
	var unknown atomic.Bool
	base.Store(dear)
	node := &x402test.Line{Node: c.Node}
	node.On("eth_getBlockByNumber", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if newest, ok := result.(**evm.Head); ok && err == nil {
			(*newest).BaseFee = (*hexutil.Big)(big.NewInt(base.Load()))
		}
		return err
	})
	node.On("eth_maxPriorityFeePerGas", func(_ context.Context, _ func() error, result any, _ []any) error {
		*result.(*hexutil.Big) = hexutil.Big(*big.NewInt(params.GWei / 1000))
		return nil
	})
	feed, _ := evm.KnownRate(x402.BaseSepolia())
	node.On("eth_call", func(_ context.Context, next func() error, result any, args []any) error {
		to, data := x402test.CalledWith(args)
		switch {
		case to != feed.Feed:
			return next()
		case unknown.Load():
			return x402test.ErrTest
		case bytes.HasPrefix(data, calldata.Selector("latestRoundData()")):
			*result.(*hexutil.Bytes) = x402test.RoundOf(big.NewInt(3000*feedUnit), time.Now()) // the chain's own says 1 USD
			return nil
		}
		return next()
	})
	f := c.local(func(cfg *local.Config) {
		cfg.RPC, cfg.Now = node, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	b := newBooth(t, func(c *Config) { c.Facilitator = f })
	b.clock.Advance(time.Since(b.clock.Now()))
	b.key = c.Chain.Wallet()
	payment := b.pay(2)
	b.wantAnswer(b.serve(b.request(payment...)), http.StatusPaymentRequired, x402.CodeTransactionState)
	sent, err := c.Chain.Client().NonceAt(t.Context(), x402test.AddressOf(c.Chain.Settler()), nil)
	if err != nil || b.ran() != 0 || sent != 0 {
		t.Fatalf("runs and transactions: got %d and %d, %v, want none", b.ran(), sent, err)
	}
	base.Store(usual)
	ahead.Add(int64(later))
	b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
		base.Store(dear)
		unknown.Store(true)
		ahead.Add(int64(later))
		_, err := w.Write([]byte("report"))
		return err
	}
	b.wantPaid(b.serve(b.request(payment...)))
}

// TestGasBudgetUsedUp: while other payments hold the budget, a payment gets 503 and nothing runs. Claimed payments are
// settled, and what they do not use of the budget is free again.
func TestGasBudgetUsedUp(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.chain.has = x402.Checked{Gas: 10, GasBudget: 15}
	arrived, goOn := make(chan struct{}), make(chan struct{})
	work := b.next
	b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		close(arrived)
		<-goOn
		return work(w, r, c)
	}
	first := make(chan *answer)
	go func() { first <- b.serve(b.request(b.pay(2)...)) }()
	<-arrived
	late := b.pay(2)
	if a := b.serve(b.request(late...)); !errors.Is(a.err, x402.ErrUnavailable) || !errors.Is(a.err, claims.ErrGasBudget) || b.ran() != 1 {
		t.Errorf("without budget: got %v after %d runs, want ErrUnavailable and no run", a.err, b.ran())
	}
	close(goOn)
	b.wantPaid(<-first)
	b.next = work
	b.wantPaid(b.serve(b.request(late...)))
}

// TestMinedTransactionsSpend shows that a mined transaction's cost counts once, and that its claims reserve nothing more.
func TestMinedTransactionsSpend(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	pool := claimstest.NewPool(t)
	box := outbox.NewPostgres(pool, uuid.Nil)
	f := c.local(func(cfg *local.Config) { cfg.Outbox = box })
	archive := claimstest.Postgres(t, pool)
	b := newBoothOn(t, &archive, func(c *Config) { c.Facilitator = f })
	b.clock.Advance(time.Since(b.clock.Now()))
	b.key = c.Chain.Wallet()
	a := b.serve(b.request(b.pay(2)...))
	b.wantPaid(a)
	receipt, err := c.Chain.WaitMined(t.Context(), common.HexToHash(a.receipt(t).Transaction))
	if err != nil {
		t.Fatal(err)
	}
	wei := new(big.Int).Mul(receipt.EffectiveGasPrice, new(big.Int).SetUint64(receipt.GasUsed))
	gwei := wei.Add(wei, big.NewInt(params.GWei-1)).Div(wei, big.NewInt(params.GWei)).Int64()
	var spent, held int64
	row := pool.QueryRow(t.Context(), `select spent, x402_gas_held(network, 0, 0) from x402_gas where network = $1`, "eip155:84532")
	if err := row.Scan(&spent, &held); err != nil || spent != gwei || held != spent {
		t.Errorf("spent and held: got %d and %d, %v, want %d Gwei", spent, held, err, gwei)
	}
	chain := outbox.ChainKey{ID: 84532, Genesis: common.Hash(x402test.Word32())}
	tx := outbox.Tx{Signer: x402test.AddressOf(c.Chain.Settler()), Raw: hexutil.Bytes{1}, Hashes: []common.Hash{receipt.TxHash}, LapsesAt: time.Now()}
	if err := box.Take(t.Context(), chain, &tx, outbox.Claiming{Owner: uuid.New(), Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // two instances have seen it mined
		if err := box.Finish(t.Context(), chain, tx.Signer, tx.Nonce, &receipt.TxHash, 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := pool.QueryRow(t.Context(), `select x402_gas_held($1, 0, 0)`, "eip155:84532").Scan(&held); err != nil || held != spent+7 {
		t.Errorf("held: got %d, %v, want %d", held, err, spent+7)
	}
}
