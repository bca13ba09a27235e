package facilitator

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// TestFacilitatorLocalWarnsAtTheStart shows the same warnings as for the remote facilitator.
func TestFacilitatorLocalWarnsAtTheStart(t *testing.T) {
	t.Parallel()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"0x1"}`)
	}))
	t.Cleanup(node.Close)
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	f := &Local{rpcURLs: []string{node.URL + "/v2/hunter2"}}
	f.signers = signer.Keys(key)
	p, err := f.connect(Use{Network: x402.BaseSepolia()}, evm.Rate{}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	p.checks.Wait()
	if err := p.Destruct(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "the node is on chain 1: want 84532") || strings.Contains(log.String(), "hunter2") {
		t.Errorf("got\n%s, want a warning of the chain, without the node's address", log.String())
	}
}
