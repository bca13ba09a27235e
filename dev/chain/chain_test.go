package chain_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// TestOverHTTP makes the calls of a settlement with a stock client over the RPC port, by the wall clock: it simulates,
// estimates, sends, and waits for the receipt.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{Now: time.Now})
	client, err := ethclient.DialContext(b.ctx, b.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	chainID, err := client.ChainID(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := chainID.Uint64(), chain.BaseSepolia; got != want {
		t.Errorf("chain id: got %d, want %d", got, want)
	}
	first, err := client.HeaderByNumber(b.ctx, new(big.Int))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hexutil.Encode(first.Extra), "0x"+b.InstanceID(); got != want {
		t.Errorf("genesis extra data: got %s, want the instance id %s", got, want)
	}

	a := b.authorization()
	a.validBefore = big.NewInt(time.Now().Unix() + 60)
	data := b.calldata(a, sign(t, b.Wallet(), a.digest(b.ChainID(), transferType)))
	settler, token := chain.AddressOf(b.Settler()), b.Token()
	message := ethereum.CallMsg{From: settler, To: &token, Data: data}
	if _, err := client.CallContract(b.ctx, message, nil); err != nil {
		t.Fatalf("simulate: %v", err)
	}
	gas, err := client.EstimateGas(b.ctx, message)
	if err != nil {
		t.Fatalf("estimate: %v", err)
	}
	tip, err := client.SuggestGasTipCap(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	signer := types.LatestSignerForChainID(chainID)
	tx, err := types.SignNewTx(b.Settler(), signer, &types.DynamicFeeTx{
		ChainID: chainID, To: &token, Data: data, Gas: gas,
		GasTipCap: tip, GasFeeCap: big.NewInt(10 * params.GWei),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.TransactionReceipt(b.ctx, tx.Hash()); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("receipt before sending: got %v, want not found", err)
	}
	sent := time.Now()
	if err := client.SendTransaction(b.ctx, tx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.WaitMined(b.ctx, tx.Hash()); err != nil {
		t.Fatal(err)
	}
	t.Logf("sealed after %s", time.Since(sent))
	receipt, err := bind.WaitMined(b.ctx, client, tx)
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("status: got %d, want success", receipt.Status)
	}
	if got, want := b.balance(b.payee), uint64(10_000); got != want {
		t.Errorf("payee: got %d, want %d", got, want)
	}
}

// TestBlockTimeFollowsWallClock checks that block times rise and never pass the clock, even when transactions arrive faster
// than blocks may be sealed.
func TestBlockTimeFollowsWallClock(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{Now: time.Now, IdleInterval: time.Second})
	var last uint64
	for range 3 {
		if err := b.Mint(b.ctx, b.payee, 1); err != nil {
			t.Fatal(err)
		}
		head, err := b.Client().HeaderByNumber(b.ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		now := uint64(time.Now().Unix())
		if head.Time > now {
			t.Errorf("block %d: time %d is ahead of the clock's %d", head.Number, head.Time, now)
		}
		if head.Time <= last {
			t.Errorf("block %d: time %d does not rise from %d", head.Number, head.Time, last)
		}
		last = head.Time
	}
}

// TestIdleChainKeepsUp shows that an idle chain follows the clock by itself.
func TestIdleChainKeepsUp(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{IdleInterval: time.Second})
	b.clock.Advance(time.Hour)
	want := uint64(b.clock.Now().Unix())
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		head, err := b.Client().HeaderByNumber(b.ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if head.Time == want {
			return
		}
		<-tick.C
	}
}

func TestSealNeedsANewSecond(t *testing.T) {
	t.Parallel()
	// The interval is so long that the chain seals nothing by itself.
	b := setup(t, chain.Config{IdleInterval: time.Hour})
	if _, err := b.Seal(b.ctx); !errors.Is(err, chain.ErrClockBehind) {
		t.Errorf("seal in the head's second: got %v, want %v", err, chain.ErrClockBehind)
	}
	b.clock.Advance(time.Second)
	header, err := b.Seal(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := int64(header.Time), b.clock.Now().Unix(); got != want {
		t.Errorf("block time: got %d, want %d", got, want)
	}
	b.clock.Advance(-time.Minute)
	if _, err := b.Seal(b.ctx); !errors.Is(err, chain.ErrClockBehind) {
		t.Errorf("seal with the clock set back: got %v, want %v", err, chain.ErrClockBehind)
	}
}

// TestManyTransactions fills blocks with transactions from many clients at once.
func TestManyTransactions(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	const callers = 64
	done := make(chan error, callers)
	b.drive(func() error {
		for range callers {
			go func() { done <- b.Mint(b.ctx, b.payee, 5) }()
		}
		var failures error
		for range callers {
			failures = errors.Join(failures, <-done)
		}
		return failures
	})
	if got, want := b.balance(b.payee), uint64(5*callers); got != want {
		t.Errorf("balance: got %d, want %d", got, want)
	}
}

func TestInstancesDiffer(t *testing.T) {
	t.Parallel()
	one, other := setup(t, chain.Config{}), setup(t, chain.Config{})
	if one.InstanceID() == other.InstanceID() {
		t.Errorf("both instances are %s", one.InstanceID())
	}
	if one.RPCURL() == other.RPCURL() {
		t.Errorf("both serve %s", one.RPCURL())
	}
}

func TestGenesisAccounts(t *testing.T) {
	t.Parallel()
	extra, wallet := newKey(t), newKey(t)
	b := setup(t, chain.Config{
		WalletKey: wallet, WalletMicroUSDC: 7_000_000,
		Accounts: []chain.Account{
			{Address: chain.AddressOf(extra), Wei: big.NewInt(42), MicroUSDC: 3},
			{Address: chain.AddressOf(wallet), MicroUSDC: 5},
		},
	})
	if got, want := b.balance(chain.AddressOf(wallet)), uint64(7_000_005); got != want {
		t.Errorf("wallet: got %d, want %d", got, want)
	}
	if got, want := b.balance(chain.AddressOf(extra)), uint64(3); got != want {
		t.Errorf("extra account: got %d, want %d", got, want)
	}
	wei, err := b.Client().BalanceAt(b.ctx, chain.AddressOf(extra), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := wei.Int64(), int64(42); got != want {
		t.Errorf("extra account: got %d wei, want %d", got, want)
	}
	supply, err := b.call(common.Address{}, b.Token(), b.pack("totalSupply"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := new(big.Int).SetBytes(supply).Uint64(), uint64(7_000_008); got != want {
		t.Errorf("supply: got %d, want %d", got, want)
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg  chain.Config
		want string
	}{
		"unknown chain":   {chain.Config{ChainID: 1}, "chain id 1 has no known USDC address"},
		"no port":         {chain.Config{HTTPAddr: "127.0.0.1"}, "want host:port"},
		"no host":         {chain.Config{HTTPAddr: ":8545"}, "names no host"},
		"bad port":        {chain.Config{HTTPAddr: "127.0.0.1:65536"}, "not a number from 0 to 65535"},
		"idle too short":  {chain.Config{IdleInterval: time.Millisecond}, "idle interval 1ms"},
		"zero account":    {chain.Config{Accounts: []chain.Account{{MicroUSDC: 1}}}, "account 0: the zero address"},
		"negative wei":    {chain.Config{Accounts: []chain.Account{{Address: chain.Multicall, Wei: big.NewInt(-1)}}}, "negative balance of -1 wei"},
		"contract funded": {chain.Config{Accounts: []chain.Account{{Address: chain.Multicall}}}, "is a contract of this chain"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := chain.Start(context.Background(), tt.cfg)
			if err == nil {
				_ = c.Close()
				t.Fatal("started")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want it to say %q", err, tt.want)
			}
		})
	}
}

func TestTakenPort(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	addr := strings.TrimPrefix(b.RPCURL(), "http://")
	c, err := chain.Start(b.ctx, chain.Config{HTTPAddr: addr})
	if err == nil {
		_ = c.Close()
		t.Fatal("started on a taken port")
	}
	if !strings.Contains(err.Error(), addr) {
		t.Errorf("got %q, want it to name %s", err, addr)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	url := b.RPCURL()
	waiting := make(chan error, 1)
	go func() {
		_, err := b.WaitMined(b.ctx, common.Hash{1})
		waiting <- err
	}()
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-waiting; !errors.Is(err, chain.ErrClosed) {
		t.Errorf("waiting: got %v, want %v", err, chain.ErrClosed)
	}
	if _, err := b.Seal(b.ctx); !errors.Is(err, chain.ErrClosed) {
		t.Errorf("seal: got %v, want %v", err, chain.ErrClosed)
	}
	client, err := ethclient.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.ChainID(b.ctx); err == nil {
		t.Errorf("%s still answers", url)
	}
}

// BenchmarkStart should stay under 0.5 s, because `turnpike dev` and many tests wait for it.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		c, err := chain.Start(context.Background(), chain.Config{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
