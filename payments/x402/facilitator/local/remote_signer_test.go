package local

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

func parsedSigner(t *testing.T, text string) signer.Signer {
	t.Helper()
	parsed, err := signer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestRemoteSignerThatLies shows that a signature on anything but the requested transaction is not sent and leaves no
// trace in the outbox, and that the operator is told what is wrong.
func TestRemoteSignerThatLies(t *testing.T) {
	t.Parallel()
	dynamic := func(change func(tx *types.DynamicFeeTx)) func(tx *types.DynamicFeeTx) types.TxData {
		return func(tx *types.DynamicFeeTx) types.TxData { change(tx); return tx }
	}
	says := func(answer any, err error) func(context.Context, *types.Transaction) (any, error) {
		return func(context.Context, *types.Transaction) (any, error) { return answer, err }
	}
	stranger := x402test.NewKey(t)
	for name, tt := range map[string]struct {
		alter  func(tx *types.DynamicFeeTx) types.TxData
		answer func(ctx context.Context, signed *types.Transaction) (any, error)
		want   string
	}{
		"another nonce":     {dynamic(func(tx *types.DynamicFeeTx) { tx.Nonce++ }), nil, "nonce differ"},
		"a higher fee":      {dynamic(func(tx *types.DynamicFeeTx) { tx.GasFeeCap = new(big.Int).Add(tx.GasFeeCap, big.NewInt(1)) }), nil, "fees differ"},
		"another tip":       {dynamic(func(tx *types.DynamicFeeTx) { tx.GasTipCap = new(big.Int) }), nil, "fees differ"},
		"more gas":          {dynamic(func(tx *types.DynamicFeeTx) { tx.Gas++ }), nil, "gas differ"},
		"another recipient": {dynamic(func(tx *types.DynamicFeeTx) { tx.To = &common.Address{1} }), nil, "to differ"},
		"a new contract":    {dynamic(func(tx *types.DynamicFeeTx) { tx.To = nil }), nil, "to differ"},
		"a value":           {dynamic(func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }), nil, "value differ"},
		"other data":        {dynamic(func(tx *types.DynamicFeeTx) { tx.Data = append(bytes.Clone(tx.Data), 0) }), nil, "data differ"},
		"another chain":     {dynamic(func(tx *types.DynamicFeeTx) { tx.ChainID = big.NewInt(8453) }), nil, "chain id differ"},
		"an access list":    {dynamic(func(tx *types.DynamicFeeTx) { tx.AccessList = types.AccessList{{Address: common.Address{1}}} }), nil, "access list differ"},
		"an old transaction": {func(tx *types.DynamicFeeTx) types.TxData {
			return &types.LegacyTx{Nonce: tx.Nonce, GasPrice: tx.GasFeeCap, Gas: tx.Gas, To: tx.To, Data: tx.Data, Value: tx.Value}
		}, nil, "type"},
		"another account": {nil, func(_ context.Context, signed *types.Transaction) (any, error) {
			forged, err := types.SignNewTx(stranger, types.LatestSignerForChainID(signed.ChainId()), &types.DynamicFeeTx{
				ChainID: signed.ChainId(), Nonce: signed.Nonce(), GasTipCap: signed.GasTipCap(), GasFeeCap: signed.GasFeeCap(), Gas: signed.Gas(),
				To: signed.To(), Value: signed.Value(), Data: signed.Data(),
			})
			if err != nil {
				return nil, err
			}
			raw, err := forged.MarshalBinary()
			return hexutil.Bytes(raw), err
		}, "signed for a different account"},
		"half a transaction": {nil, func(_ context.Context, signed *types.Transaction) (any, error) {
			raw, err := signed.MarshalBinary()
			return hexutil.Bytes(raw[:len(raw)/2]), err
		}, "is not a transaction"},
		"nothing":      {nil, says(nil, nil), "is not a transaction"},
		"nonsense":     {nil, says("0xnonsense", nil), "is not a transaction"},
		"a refusal":    {nil, says(nil, x402test.NodeRefusal("account is locked")), "calling the signer: account is locked"},
		"no answer":    {nil, func(ctx context.Context, _ *types.Transaction) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, "deadline exceeded"},
		"far too much": {nil, says(hexutil.Bytes(make([]byte, 1<<20)), nil), "bytes: want"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 1)
			service, address := x402test.NewSigningService(t, d.signers[0])
			service.Lie(tt.alter, tt.answer)
			node := &x402test.Line{Node: d.Node}
			sent := sendsOf(node)
			box := outbox.NewMemory(time.Now)
			var log syncBuffer
			f := d.facilitator(t, func(c *Config) {
				c.RPC, c.Outbox, c.Signers, c.RPCTimeout = node, box, []signer.Signer{parsedSigner(t, address)}, time.Minute
				if name == "no answer" {
					c.RPCTimeout = time.Second
				}
				c.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			p := d.Payment(2, nil)
			if _, err := f.Settle(t.Context(), p, d.Req); !errors.Is(err, x402.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("settle: got %v, want that nothing was sent, and %q", err, tt.want)
			}
			if text := log.String(); !strings.Contains(text, "settlement not sent: signing failed") || !strings.Contains(text, tt.want) {
				t.Errorf("log: got\n%s\nwant %q", text, tt.want)
			}
			chain, err := f.chainKey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if next, err := box.Next(t.Context(), chain, x402test.AddressOf(d.signers[0])); err != nil || next != 0 {
				t.Errorf("outbox: got %d numbers, %v, want none", next, err)
			}
			select {
			case <-sent:
				t.Error("a transaction was sent")
			default:
			}
			// When the service works correctly again, the same payment is settled.
			service.Lie(nil, nil)
			if _, err := f.Settle(t.Context(), p, d.Req); err != nil {
				t.Errorf("settle by an honest signer: %v", err)
			}
			d.wantPaid(1)
		})
	}
}

// A stuck transaction is not replaced by one that a service has changed.
func TestRemoteSignerThatLiesOfAReplacement(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	service, address := x402test.NewSigningService(t, d.signers[0])
	node := &x402test.Line{Node: d.Node}
	sent := sendsOf(node)
	var log syncBuffer
	f := d.facilitator(t, func(c *Config) {
		c.RPC, c.Signers, c.StuckAfter = node, []signer.Signer{parsedSigner(t, address)}, 100*time.Millisecond
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	goOn := d.stopBlocks()
	asked := make(chan struct{}, 100)
	settled := d.settleSoon(f, d.Payment(2, nil))
	first := <-sent
	service.Lie(func(tx *types.DynamicFeeTx) types.TxData {
		select {
		case asked <- struct{}{}:
		default:
		}
		tx.GasFeeCap = new(big.Int).Mul(tx.GasFeeCap, big.NewInt(2))
		return tx
	}, nil)
	<-asked
	<-asked
	if text := log.String(); !strings.Contains(text, "is stuck and was not replaced") || !strings.Contains(text, "fees differ") {
		t.Errorf("log: got\n%s", text)
	}
	goOn()
	if got := d.wantSettled(settled).Transaction; got != first.Hash().Hex() {
		t.Errorf("settled by %s, want the first, %s", got, first.Hash().Hex())
	}
	d.wantPaid(1)
}

// syncBuffer is a log for several goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
