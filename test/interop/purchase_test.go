//go:build interop

package interop

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// order is a purchase for a client program and its expected outcome.
type order struct {
	client             client
	what, settle       string // for the table
	url, method, body  string
	cap                uint64 // the most to pay; 0: the package's default
	key                []byte // the wallet's; nil: the chain's own wallet
	price              uint64
	refusedByClient    string // a part of its error, after one request and no payment
	refusedByServer    string // the code; the status is then 402
	receiptNetwork     string // default: the name in the client's protocol version
	upstream           *upstream
	callsOfTheUpstream int64
}

// purchase is a client program's reply.
type purchase struct {
	Status   int
	Body     string
	Requests int
	Error    string
	Receipt  *struct {
		Success     bool
		Transaction string
		Network     string
		Payer       string
		ErrorReason string
	}
}

// buy makes a client program buy, and compares its reply and the moved amounts with the order.
func (c *cell) buy(t *testing.T, o order) *purchase {
	t.Helper()
	key := o.key
	if key == nil {
		key = crypto.FromECDSA(c.chain.Wallet())
	}
	payer := chain.AddressOf(c.chain.Wallet())
	height, had, earned := c.height(t), c.balance(t, payer), c.balance(t, payTo)
	var calls int64
	if o.upstream != nil {
		calls = o.upstream.calls.Load()
	}
	send := map[string]any{
		"url": o.url, "method": cmp.Or(o.method, http.MethodGet), "body": o.body,
		"chainId": c.network.ChainID, "rpc": c.chain.RPCURL(), "key": hexKey(key),
	}
	if o.cap > 0 {
		send["cap"] = fmt.Sprint(o.cap)
	}
	var got purchase
	if err := c.stock.programs[o.client.program].ask(t.Context(), send, &got); err != nil {
		t.Fatal(err)
	}
	moved, spent := c.balance(t, payTo)-earned, had-c.balance(t, payer)
	c.stock.add(c.at, row{version(t, o.client.of) + " " + o.client.String(), o.what, o.settle, outcome(&got), moved})
	if o.upstream != nil {
		if calls := o.upstream.calls.Load() - calls; calls != o.callsOfTheUpstream {
			t.Errorf("calls of the upstream: got %d, want %d", calls, o.callsOfTheUpstream)
		}
	}
	switch {
	case o.refusedByClient != "":
		if !strings.Contains(got.Error, o.refusedByClient) || got.Requests != 1 {
			t.Errorf("got %+v after %d requests, want the error %q after one", got, got.Requests, o.refusedByClient)
		}
	case got.Error != "":
		t.Fatalf("error: got %s, want none", got.Error)
	case o.refusedByServer != "":
		if got.Status != http.StatusPaymentRequired || got.Requests != 2 || !strings.Contains(got.Body, `"`+o.refusedByServer+`"`) {
			t.Errorf("got %+v, want 402 %s for a payment", got, o.refusedByServer)
		}
	default:
		c.wantPaid(t, &o, &got, height)
		if moved != o.price || spent != o.price {
			t.Errorf("units moved: got %d to the seller and %d from the wallet, want %d", moved, spent, o.price)
		}
		return &got
	}
	if moved != 0 || spent != 0 {
		t.Errorf("units moved: got %d to the seller and %d from the wallet, want none", moved, spent)
	}
	return &got
}

// wantPaid wants a receipt for one transfer that is on the chain.
func (c *cell) wantPaid(t *testing.T, o *order, got *purchase, height uint64) {
	t.Helper()
	if got.Status != http.StatusOK || got.Requests != 2 {
		t.Fatalf("answer: got %d %s after %d requests, want 200 after two", got.Status, got.Body, got.Requests)
	}
	r, payer := got.Receipt, chain.AddressOf(c.chain.Wallet())
	network := cmp.Or(o.receiptNetwork, o.client.networkID(c.network))
	if r == nil || !r.Success || r.Network != network || common.HexToAddress(r.Payer) != payer {
		t.Fatalf("receipt: got %+v, want success on %s by %s", r, network, payer)
	}
	receipt, err := c.chain.Client().TransactionReceipt(t.Context(), common.HexToHash(r.Transaction))
	if errors.Is(err, ethereum.NotFound) {
		t.Fatalf("transaction %q of the receipt is not on the chain", r.Transaction)
	}
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		t.Errorf("transaction %s of the receipt reverted", r.Transaction)
	}
	if moved := c.transfers(t, payer, height); len(moved) != 1 || moved[0].tx != receipt.TxHash || moved[0].to != payTo || moved[0].units != o.price {
		t.Errorf("transfers: got %+v, want one of %d in %s to %s", moved, o.price, receipt.TxHash, payTo)
	}
}

// outcome sums up a purchase for the table.
func outcome(got *purchase) string {
	switch {
	case got.Error != "":
		return "the client refuses" // buy compares the error
	case got.Status != http.StatusOK:
		var body struct{ Error string }
		_ = json.Unmarshal([]byte(got.Body), &body)
		return fmt.Sprintf("%d %s", got.Status, body.Error)
	case got.Receipt == nil:
		return "200"
	default:
		return "200, receipt"
	}
}
