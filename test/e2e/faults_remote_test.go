package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/server"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// remoteDouble is a third-party facilitator: a real one on the chain, behind a handler that injects faults per payer.
type remoteDouble struct {
	url   string
	truth http.Handler

	mu    sync.Mutex
	wrong map[string]func(d *deal) // by payer, in lower case
	asked map[string]*deal         // the last request to settle, by payer
}

// deal is one request to the facilitator.
type deal struct {
	remote *remoteDouble
	w      http.ResponseWriter
	r      *http.Request
	body   []byte
}

func newRemoteDouble(t *testing.T, c *chain.Chain, signers ...*ecdsa.PrivateKey) *remoteDouble {
	t.Helper()
	node, err := rpc.DialContext(t.Context(), c.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	local, err := local.New(local.Config{RPC: node, Network: x402.BaseSepolia(), Signers: signer.Keys(signers...)})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := server.New(server.Config{Facilitator: local, Networks: []x402.Network{x402.BaseSepolia()}})
	if err != nil {
		t.Fatal(err)
	}
	d := &remoteDouble{truth: truth, wrong: map[string]func(*deal){}, asked: map[string]*deal{}}
	server := httptest.NewServer(d)
	d.url = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections() // ends requests that hang
		server.Close()
		_ = local.Close(context.Background())
		node.Close()
	})
	return d
}

// breaks injects a fault into a payer's payments from now on; nil removes it.
func (d *remoteDouble) breaks(payer string, fault func(d *deal)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wrong[strings.ToLower(payer)] = fault
}

func (d *remoteDouble) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var asked struct {
		PaymentPayload struct {
			Payload struct{ Authorization struct{ From string } }
		}
	}
	_ = json.Unmarshal(body, &asked) // GET /supported has none
	d.mu.Lock()
	payer := strings.ToLower(asked.PaymentPayload.Payload.Authorization.From)
	fault, one := d.wrong[payer], &deal{d, w, r, body}
	if r.URL.Path == "/settle" {
		d.asked[payer] = one
	}
	d.mu.Unlock()
	if fault == nil {
		fault = (*deal).pass
	}
	fault(one)
}

// sendsNow settles a payer's last payment without a request.
func (d *remoteDouble) sendsNow(t *testing.T, payer string) {
	t.Helper()
	d.mu.Lock()
	last := d.asked[strings.ToLower(payer)]
	d.mu.Unlock()
	if last == nil {
		t.Fatal("the facilitator was not asked to settle")
	}
	if got := last.truth(); !strings.Contains(got.Body.String(), `"success":true`) {
		t.Errorf("settling late: got %d %s", got.Code, got.Body)
	}
}

// truth runs the real facilitator, and returns its response without passing it on. A payment to be settled is then
// settled.
func (d *deal) truth() *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	r := d.r.Clone(context.WithoutCancel(d.r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(d.body))
	d.remote.truth.ServeHTTP(answer, r)
	return answer
}

func (d *deal) pass() {
	answer := d.truth()
	d.w.Header().Set("Content-Type", "application/json")
	d.w.WriteHeader(answer.Code)
	_, _ = d.w.Write(answer.Body.Bytes())
}

// Faults of a request, for verifying and settling.

func (d *deal) drop() { panic(http.ErrAbortHandler) }

func (d *deal) hang() { <-d.r.Context().Done() }

func (d *deal) fail() { http.Error(d.w, "out of order", http.StatusInternalServerError) }

func (d *deal) redirect() {
	http.Redirect(d.w, d.r, "/else"+d.r.URL.Path, http.StatusTemporaryRedirect)
}

// remoteSays responds with status 200 and any text.
func remoteSays(text string) func(d *deal) {
	return func(d *deal) {
		d.w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(d.w, text)
	}
}

func saysSettled(transaction string) func(d *deal) {
	return remoteSays(`{"success":true,"transaction":"` + transaction + `","network":"base-sepolia"}`)
}

func saysRefused(reason string) func(d *deal) {
	return remoteSays(`{"success":false,"errorReason":"` + reason + `","transaction":"","network":"base-sepolia"}`)
}

// charged settles, and then does something else instead of reporting it.
func charged(then func(d *deal)) func(d *deal) {
	return func(d *deal) {
		d.truth()
		then(d)
	}
}

func verifying(do func(d *deal)) func(d *deal) { return atDoor("/verify", do) }

func settling(do func(d *deal)) func(d *deal) { return atDoor("/settle", do) }

func atDoor(path string, do func(d *deal)) func(d *deal) {
	return func(d *deal) {
		if d.r.URL.Path == path {
			do(d)
			return
		}
		d.pass()
	}
}
