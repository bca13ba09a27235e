//go:build interop

package gate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/dev/anvil"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// TestByTheClock repeats settlement tests on nodes that make one block each second. In all other tests each transaction
// makes a block at once.
func TestByTheClock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"facilitators":   TestFacilitators,
		"all settled":    TestAllAreSettled,
		"stuck":          TestStuckTransactionIsReplaced,
		"waiting":        TestWaitingTransactionIsReplaced,
		"lapsed":         TestLapsedTransactionIsReplacedByNothing,
		"confirmations":  TestConfirmations,
		"sent once":      TestOneAuthorizationIsSentOnce,
		"not broadcast":  TestCrashBeforeBroadcast,
		"no receipt":     TestCrashBeforeReceipt,
		"fails alone":    TestEachOfABatchFailsAlone,
		"copies":         TestCopiesOnChain,
		"gas":            TestGasPerPayment,
		"pays elsewhere": TestPendingElsewhereIsNotRefused,
	} {
		t.Run(name, test)
	}
}

// TestAnvilSigns signs settlements with anvil's own eth_signTransaction, for an account whose key anvil holds.
func TestAnvilSigns(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	f, err := NewLocalFacilitator(LocalConfig{
		RPC: c.node, Network: x402.BaseSepolia(), PollInterval: 10 * time.Millisecond,
		Signers: []signer.Signer{parsedSigner(t, c.chain.(*anvil.Node).RPCURL()+"#"+anvil.Account.Hex())},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for range 3 {
		settled, err := f.Settle(t.Context(), c.payment(2, nil), c.req)
		if err != nil {
			t.Fatal(err)
		}
		tx, _, err := c.chain.Client().TransactionByHash(t.Context(), common.HexToHash(settled.Transaction))
		if err != nil {
			t.Fatal(err)
		}
		if from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx); err != nil || from != anvil.Account {
			t.Errorf("sender: got %s, %v, want %s", from, err, anvil.Account)
		}
	}
}

func openChain(t testing.TB, cfg chain.Config) testChain {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	blockTime := time.Duration(0)
	if strings.HasPrefix(t.Name(), "TestByTheClock/") {
		blockTime = time.Second
	}
	n, err := anvil.Start(ctx, anvil.Config{Dir: t.TempDir(), Chain: cfg, BlockTime: blockTime})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Errorf("ending anvil: %v", err)
		}
	})
	return n
}

// makeFinal makes blocks until every transaction that is in a block is final.
func makeFinal(c *town) {
	c.Helper()
	const epochs = 64 // blocks that are not final yet
	node, ok := c.chain.(*anvil.Node)
	if !ok {
		c.Fatalf("chain: got a %T, want anvil", c.chain)
	}
	if err := node.Mine(c.Context(), epochs+1, 0); err != nil {
		c.Fatal(err)
	}
}
