//go:build interop

package interop

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// extensionStep is the result of one step of clients/extensions.mjs.
type extensionStep struct {
	Name    string
	Status  int
	Body    string
	Receipt *struct {
		Success     bool
		Transaction string
	}
	Sent []string
}

// The published code for x402 extensions works with the edge. One purchase is charged once even if it is signed again, and
// a wallet that signs in gets it again.
func TestStockExtensions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, 1)
	up := newUpstream(t)
	edge := p.edge(t, 0, up.address(), "", nil)
	height := p.height(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("clients", "extensions.mjs"))
	cmd.Env = append(os.Environ(), "PAID_URL="+edge.URL("/paid/report?of=today"), "WALLET_KEY=0x"+hex.EncodeToString(crypto.FromECDSA(p.chain.Wallet())))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var got []extensionStep
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	const payment, signIn = "payment-signature", "sign-in-with-x"
	want := []struct {
		name   string
		status int
		sent   []string
	}{
		{"paid", http.StatusOK, []string{payment}},
		{"paid again", http.StatusOK, []string{payment}},
		{"for another request", http.StatusConflict, []string{payment}},
		{"signed in", http.StatusOK, []string{signIn}},
		{"signed in, or else paid", http.StatusOK, []string{signIn}},
	}
	if len(got) != len(want) {
		t.Fatalf("steps: got %+v, want %d", got, len(want))
	}
	moved := p.transfers(t, chain.AddressOf(p.chain.Wallet()), height)
	if len(moved) != 1 || moved[0].units != priceUnits {
		t.Fatalf("transfers: got %+v, want one of %d", moved, priceUnits)
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.name || g.Status != w.status || !slices.Equal(g.Sent, w.sent) {
			t.Errorf("%s: got %+v, want %d after sending %q", w.name, g, w.status, w.sent)
		}
		if w.status == http.StatusOK && (g.Body != got[0].Body || g.Receipt == nil || !g.Receipt.Success || common.HexToHash(g.Receipt.Transaction) != moved[0].tx) {
			t.Errorf("%s: got %s with receipt %+v, want the first answer and transaction %s", w.name, g.Body, g.Receipt, moved[0].tx)
		}
	}
	if calls := up.calls.Load(); calls != 1 {
		t.Errorf("calls of the upstream: got %d, want 1", calls)
	}
}
