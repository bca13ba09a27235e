//go:build interop

package local

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/dev/anvil"
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
	f, err := New(Config{
		RPC: c.Node, Network: x402.BaseSepolia(), PollInterval: 10 * time.Millisecond,
		Signers: []signer.Signer{parsedSigner(t, c.Chain.(*anvil.Node).RPCURL()+"#"+anvil.Account.Hex())},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for range 3 {
		settled, err := f.Settle(t.Context(), c.Payment(2, nil), c.Req)
		if err != nil {
			t.Fatal(err)
		}
		tx, _, err := c.Chain.Client().TransactionByHash(t.Context(), common.HexToHash(settled.Transaction))
		if err != nil {
			t.Fatal(err)
		}
		if from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx); err != nil || from != anvil.Account {
			t.Errorf("sender: got %s, %v, want %s", from, err, anvil.Account)
		}
	}
}
