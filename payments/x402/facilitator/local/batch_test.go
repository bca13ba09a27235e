package local

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// TestSettlementCalls compares the calls that we encode ourselves with the ABI of the contracts.
func TestSettlementCalls(t *testing.T) {
	t.Parallel()
	token, err := chain.LoadContract("DevUSDC")
	if err != nil {
		t.Fatal(err)
	}
	multicall, err := chain.LoadContract("DevMulticall")
	if err != nil {
		t.Fatal(err)
	}
	type wanted struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	checker := &chainChecker{network: x402.BaseSepolia()}
	var calls []evm.ContractCall
	var want []wanted
	for _, length := range []int{0, 1, 32, 64, 65, 66, 100, 500} {
		p := &x402.Payment{Signature: bytes.Repeat([]byte{27}, length), Authorization: x402.Authorization{
			From: common.HexToAddress("0x01"), To: common.HexToAddress("0x02"), Value: 10_000,
			ValidAfter: big.NewInt(5), ValidBefore: new(big.Int).Lsh(common.Big1, 200), Nonce: x402test.Word32(),
		}}
		a := &p.Authorization
		args := []any{a.From, a.To, big.NewInt(int64(a.Value)), a.ValidAfter, a.ValidBefore, a.Nonce}
		if length == x402.SignatureBytes {
			args = append(args, p.Signature[64], [32]byte(p.Signature[:32]), [32]byte(p.Signature[32:64]))
		} else {
			args = append(args, p.Signature)
		}
		var packed []byte
		for name, method := range token.ABI.Methods {
			if method.RawName == "transferWithAuthorization" && len(method.Inputs) == len(args) {
				if packed, err = token.ABI.Pack(name, args...); err != nil {
					t.Fatal(err)
				}
			}
		}
		call := checker.settlementCall(p)
		if !bytes.Equal(call.Data, packed) || call.Target != x402.BaseSepolia().Asset {
			t.Errorf("signature of %d bytes: got %x, want %x", length, call.Data, packed)
		}
		call.MayFail = length%2 == 0
		calls = append(calls, call)
		want = append(want, wanted{call.Target, call.MayFail, call.Data})
		packed, err = multicall.ABI.Pack("aggregate3", want)
		if err != nil {
			t.Fatal(err)
		}
		if got := evm.Aggregate(calls...); !bytes.Equal(got, packed) {
			t.Errorf("%d calls: got %x, want %x", len(calls), got, packed)
		}
	}
}

// TestEachOfABatchFailsAlone shows that a payment that would revert is left out of the batch, that one that reverts in
// the block does not stop the others, and that each gets its own code.
func TestEachOfABatchFailsAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	f := d.facilitator(t, nil)
	short, broke := x402test.NewKey(t), x402test.NewKey(t)
	if err := d.Chain.Mint(t.Context(), x402test.AddressOf(short), 15_000); err != nil { // enough for one of two payments
		t.Fatal(err)
	}
	contract := d.ContractWallet()
	wallet, owner := contract.Address, func(a *x402.Authorization) []byte { return x402test.SignFor(t, contract.Key, a) }
	by := func(from common.Address, sign func(*x402.Authorization) []byte) *x402.Payment {
		a := d.Payment(2, nil).Authorization
		a.From, a.Nonce = from, x402test.Word32()
		return d.Encode(2, &a, sign(&a))
	}
	payments := []*x402.Payment{
		d.Payment(2, nil),
		by(x402test.AddressOf(short), func(a *x402.Authorization) []byte { return x402test.SignFor(t, short, a) }),
		by(x402test.AddressOf(broke), func(a *x402.Authorization) []byte { return x402test.SignFor(t, broke, a) }),
		by(x402test.AddressOf(short), func(a *x402.Authorization) []byte { return x402test.SignFor(t, short, a) }),
		by(x402test.AddressOf(broke), func(a *x402.Authorization) []byte { return x402test.SignFor(t, short, a) }),
		by(wallet, owner),
		d.Payment(2, nil),
	}
	got := d.together(f, payments)
	for i, want := range map[int]x402.Code{2: x402.CodeInsufficientFunds, 3: x402.CodeInsufficientFunds, 4: x402.CodeSignature} {
		if got[i].err == nil {
			t.Errorf("payment %d: settled, want %s", i, want)
			continue
		}
		x402test.WantRefusal(t, got[i].err, want)
	}
	for _, i := range []int{0, 1, 5, 6} {
		if got[i].err != nil {
			t.Fatalf("payment %d: %v", i, got[i].err)
		}
	}
	if got[0] != got[1] || got[0] != got[6] || got[5] == got[0] {
		t.Errorf("transactions: got %v, want one for the wallets without code and another for the contract", got)
	}
	d.wantPaid(4)
}

// TestGasMax shows that a payment that needs more gas than gas_max is refused, and that the others are settled.
func TestGasMax(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	contract := d.ContractWallet()
	wallet, owner := contract.Address, func(a *x402.Authorization) []byte { return x402test.SignFor(t, contract.Key, a) }
	a := d.Payment(2, nil).Authorization
	a.From = wallet
	dear := d.Encode(2, &a, owner(&a))
	node := &x402test.Line{Node: d.Node}
	node.On("eth_estimateGas", func(_ context.Context, next func() error, result any, args []any) error {
		err := next()
		_, data := x402test.CalledWith(args)
		if gas, ok := result.(*hexutil.Uint64); ok && bytes.Contains(data, wallet[:]) {
			*gas = 100_001
		}
		return err
	})
	f := d.facilitator(t, func(c *Config) { c.RPC, c.GasMax = node, 100_000 })
	got := d.together(f, []*x402.Payment{d.Payment(2, nil), dear, d.Payment(2, nil)})
	x402test.WantRefusal(t, got[1].err, x402.CodeTransactionState)
	if got[0].err != nil || got[2].err != nil {
		t.Errorf("the others: got %v and %v", got[0].err, got[2].err)
	}
	d.wantPaid(2)
}

// TestABatchThatRevertsIsSettledOneByOne covers, for example, a batch that ran out of gas.
func TestABatchThatRevertsIsSettledOneByOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	node := &x402test.Line{Node: d.Node}
	f := d.facilitator(t, func(c *Config) { c.RPC = node })
	var estimates atomic.Int32
	node.On("eth_estimateGas", func(_ context.Context, next func() error, result any, _ []any) error {
		err := next()
		if gas, ok := result.(*hexutil.Uint64); ok && estimates.Add(1) <= 3 {
			*gas = 25_000 // the first try: too little for all three
		}
		return err
	})
	for i, o := range d.together(f, d.payments(3)) {
		if o.err != nil {
			t.Errorf("payment %d: %v", i, o.err)
		}
	}
	d.wantPaid(3)
	if got := d.sent(d.signers[0]); got != 4 {
		t.Errorf("transactions: got %d, want one that fails and three", got)
	}
}

func TestPoorSigners(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	poor := x402test.NewKey(t)
	var log strings.Builder
	outbox := outbox.NewMemory(time.Now)
	alone := d.facilitator(t, func(c *Config) {
		c.Signers, c.Outbox, c.BalanceMin, c.Logger = signer.Keys(poor), outbox, big.NewInt(params.Ether/2), slog.New(slog.NewTextHandler(&log, nil))
	})
	if _, err := alone.Settle(t.Context(), d.Payment(2, nil), d.Req); !errors.Is(err, x402.ErrUnavailable) {
		t.Errorf("settle without gas money: got %v, want ErrUnavailable", err)
	}
	status, err := alone.Signers(t.Context())
	if err != nil || len(status) != 1 || !status[0].Low || status[0].Wei.Sign() != 0 || status[0].Address != x402test.AddressOf(poor) || status[0].InFlight != 0 {
		t.Errorf("signers: got %+v, %v, want one that is low", status, err)
	}
	if open := d.open(alone, outbox); len(open) > 0 {
		t.Errorf("open transactions: got %+v, want none", open)
	}
	if got := strings.Count(log.String(), x402test.AddressOf(poor).Hex()); got != 1 {
		t.Errorf("alarms: got %d, want 1 in ten minutes:\n%s", got, log.String())
	}

	pool := d.facilitator(t, func(c *Config) { c.Signers = signer.Keys(d.signers[0], poor) })
	for _, o := range settleAll(t.Context(), []*Facilitator{pool}, d.Req, d.payments(6), 6) {
		if o.err != nil {
			t.Errorf("settle by a pool with a poor one: %v", o.err)
		}
	}
	d.wantPaid(6)
	if status, err = pool.Signers(t.Context()); err != nil || status[0].Low || !status[1].Low {
		t.Errorf("signers: got %+v, %v, want the second low", status, err)
	}
}

func TestConfirmations(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	const confirmations = 3
	node := &x402test.Line{Node: d.Node}
	sent := sendsOf(node)
	f := d.facilitator(t, func(c *Config) { c.RPC, c.Confirmations = node, confirmations })
	settled := d.settleSoon(f, d.Payment(2, nil))
	select {
	case <-sent:
	case early := <-settled:
		t.Fatalf("settle: got %+v, want it sent", early)
	}
	for range confirmations { // makes blocks: no block comes without a transaction
		if err := d.Chain.Mint(t.Context(), x402test.AddressOf(d.signers[0]), 1); err != nil {
			t.Fatal(err)
		}
	}
	receipt := d.receipt(d.wantSettled(settled))
	newest, err := d.Chain.Client().BlockNumber(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := newest - receipt.BlockNumber.Uint64() + 1; got < confirmations {
		t.Errorf("confirmations: got %d, want %d", got, confirmations)
	}
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	key := x402test.NewKey(t)
	_, err := New(Config{
		Signers: signer.Keys(key, key, nil), FeeMax: big.NewInt(-1), BatchMax: BatchMaxMost + 1, Confirmations: -1,
	})
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{"rpc:", "signer 2:", "signer 3:", "fee max", "batch max", "confirmations", "network chain id"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %q", err, want)
		}
	}
}

// spending is an Observer that adds up the cost of settlements.
type spending struct {
	x402.Unobserved

	gas atomic.Uint64
	wei atomic.Pointer[big.Int]
}

func (s *spending) Spent(gas uint64, wei *big.Int) {
	s.gas.Add(gas)
	s.wei.Store(wei)
}

// TestSpent compares the reported cost with what the account paid.
func TestSpent(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	watch := &spending{}
	f := d.facilitator(t, func(c *Config) { c.Observer = watch })
	receipt := d.receipt(d.wantSettled(d.settleSoon(f, d.Payment(2, nil))))
	status, err := f.Signers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	paid := new(big.Int).Sub(big.NewInt(params.Ether), status[0].Wei)
	if got := watch.wei.Load(); watch.gas.Load() != receipt.GasUsed || got == nil || got.Cmp(paid) != 0 {
		t.Errorf("spent: got %d gas and %s wei, want %d and %s", watch.gas.Load(), got, receipt.GasUsed, paid)
	}
	var rollup evm.Mined
	raw := `{"cumulativeGasUsed":"0x5","logsBloom":"0x` + strings.Repeat("00", 256) + `","logs":[],"transactionHash":"0x` + strings.Repeat("11", 32) +
		`","gasUsed":"0x5","effectiveGasPrice":"0x7","l1Fee":"0x64"}`
	if err := rollup.UnmarshalJSON([]byte(raw)); err != nil || rollup.Cost().Int64() != 135 {
		t.Errorf("a rollup's receipt: got %v, %v, want 5 x 7 + 100", rollup.Cost(), err)
	}
}
