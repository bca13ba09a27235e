package turnpike

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

const (
	trialKey       = "trial-key"
	identitySecret = "an identity secret of this test only, 32+"
	payTo          = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	baseSepoliaID  = 84532
)

// trialCaddyfile needs no database and no chain: it has credits in memory and a facilitator over HTTP.
const trialCaddyfile = `{
	admin off
	auto_https off
	turnpike {
		ledger memory {
			key {env.TRIAL_KEY} team_trial 100
		}
		x402 {
			pay_to %[4]s
			network base-sepolia
			facilitator http %[3]s
		}
		identity_secret {env.TRIAL_IDENTITY_SECRET}
	}
}

http://%[1]s {
	handle /paid/* {
		x402 {
			price /paid/* 0.01
		}
		reverse_proxy %[2]s
	}
	handle {
		api_key
		meter {
			price /reports 5
		}
		reverse_proxy %[2]s
	}
}
`

// serveBothWays starts binary as an edge in front of a trivial upstream, and makes a request by key and one by wallet.
func serveBothWays(t *testing.T, binary string) {
	t.Helper()
	upstream := newUpstream(t)
	facilitator := newFacilitator(t)
	address := startEdge(t, binary, func(address string) string {
		return fmt.Sprintf(trialCaddyfile, address, upstream.Listener.Addr(), facilitator.URL, payTo)
	})
	requestByKey(t, "http://"+address+"/reports")
	requestByWallet(t, "http://"+address+"/paid/report", facilitator)
}

func requestByKey(t *testing.T, url string) {
	t.Helper()
	refused := send(t, url, nil)
	if refused.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: got %d %s, want 401", refused.StatusCode, refused.body)
	}
	got := send(t, url, map[string]string{"Authorization": "Bearer " + trialKey})
	if got.StatusCode != http.StatusOK || got.body != "a report" {
		t.Fatalf("with the key: got %d %q, want 200 and the report", got.StatusCode, got.body)
	}
	for name, want := range map[string]string{"X-Credits-Used": "5", "X-Credits-Remaining": "95", "Turnpike-Identity": ""} {
		if got := got.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func requestByWallet(t *testing.T, url string, facilitator *facilitatorDouble) {
	t.Helper()
	challenge := send(t, url, nil)
	if challenge.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("without a payment: got %d %s, want 402", challenge.StatusCode, challenge.body)
	}
	if !strings.Contains(challenge.body, `"x402Version":1`) {
		t.Errorf("body of the challenge: got %s, want it to speak version 1 too", challenge.body)
	}
	paid := send(t, url, map[string]string{"PAYMENT-SIGNATURE": pay(t, challenge.Header.Get("PAYMENT-REQUIRED"))})
	if paid.StatusCode != http.StatusOK || paid.body != "a report" {
		t.Fatalf("with a payment: got %d %q, want 200 and the report", paid.StatusCode, paid.body)
	}
	var receipt struct {
		Success     bool
		Transaction string
	}
	decodeHeader(t, paid.Header.Get("PAYMENT-RESPONSE"), &receipt)
	if !receipt.Success || receipt.Transaction != settlementHash {
		t.Errorf("receipt: got %+v, want success by %s", receipt, settlementHash)
	}
	if got := facilitator.settled.Load(); got != 1 {
		t.Errorf("settlements: got %d, want 1", got)
	}
}

// pay signs a payment for a version 2 challenge with a new wallet.
func pay(t *testing.T, header string) string {
	t.Helper()
	var challenge struct {
		Accepts []json.RawMessage
	}
	decodeHeader(t, header, &challenge)
	if len(challenge.Accepts) == 0 {
		t.Fatal("the challenge accepts nothing")
	}
	var offer struct {
		Network, Amount, Asset, PayTo string
		MaxTimeoutSeconds             int64
		Extra                         struct{ Name, Version string }
	}
	if err := json.Unmarshal(challenge.Accepts[0], &offer); err != nil {
		t.Fatalf("reading the offer: %v", err)
	}
	if want := fmt.Sprintf("eip155:%d", baseSepoliaID); offer.Network != want || offer.Amount != "10000" || offer.PayTo != payTo {
		t.Fatalf("offer: got %+v, want 10000 to %s on %s", offer, payTo, want)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce)
	authorization := map[string]any{
		"from": crypto.PubkeyToAddress(key.PublicKey).Hex(), "to": offer.PayTo, "value": offer.Amount,
		"validAfter": "0", "validBefore": fmt.Sprint(time.Now().Unix() + offer.MaxTimeoutSeconds), "nonce": hexutil.Encode(nonce),
	}
	payment, err := json.Marshal(map[string]any{
		"x402Version": 2,
		"accepted":    challenge.Accepts[0],
		"payload": map[string]any{
			"authorization": authorization,
			"signature":     sign(t, key, offer.Extra.Name, offer.Extra.Version, offer.Asset, authorization),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(payment)
}

// sign returns the EIP-712 signature of an EIP-3009 authorisation.
func sign(t *testing.T, key *ecdsa.PrivateKey, name, version, asset string, authorization map[string]any) string {
	t.Helper()
	field := func(name, kind string) apitypes.Type { return apitypes.Type{Name: name, Type: kind} }
	digest, _, err := apitypes.TypedDataAndHash(apitypes.TypedData{
		Types: apitypes.Types{
			"EIP712Domain": {field("name", "string"), field("version", "string"), field("chainId", "uint256"), field("verifyingContract", "address")},
			"TransferWithAuthorization": {
				field("from", "address"), field("to", "address"), field("value", "uint256"),
				field("validAfter", "uint256"), field("validBefore", "uint256"), field("nonce", "bytes32"),
			},
		},
		PrimaryType: "TransferWithAuthorization",
		Domain: apitypes.TypedDataDomain{
			Name: name, Version: version, ChainId: (*math.HexOrDecimal256)(big.NewInt(baseSepoliaID)),
			VerifyingContract: common.HexToAddress(asset).Hex(),
		},
		Message: authorization,
	})
	if err != nil {
		t.Fatalf("hashing the authorisation: %v", err)
	}
	signature, err := crypto.Sign(digest, key)
	if err != nil {
		t.Fatalf("signing: %v", err)
	}
	signature[crypto.RecoveryIDOffset] += 27 // contracts expect 27 or 28
	return hexutil.Encode(signature)
}

// newUpstream responds with a report to every request that has the edge's identity.
func newUpstream(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Count(r.Header.Get("Turnpike-Identity"), ".") != 2 {
			http.Error(w, "no identity", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, "a report")
	}))
	t.Cleanup(server.Close)
	return server
}

const settlementHash = "0x00000000000000000000000000000000000000000000000000000000000003e9"

// facilitatorDouble is a facilitator that accepts every payment, so the edge has to find a bad one itself.
type facilitatorDouble struct {
	*httptest.Server
	settled atomic.Int64
}

func newFacilitator(t *testing.T) *facilitatorDouble {
	t.Helper()
	double := new(facilitatorDouble)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /supported", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"},`+
			`{"x402Version":1,"scheme":"exact","network":"base-sepolia"}],"extensions":[],"signers":{}}`)
	})
	mux.HandleFunc("POST /verify", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"isValid":true,"payer":%q}`, payerOf(r))
	})
	mux.HandleFunc("POST /settle", func(w http.ResponseWriter, r *http.Request) {
		double.settled.Add(1)
		fmt.Fprintf(w, `{"success":true,"payer":%q,"transaction":%q,"network":"eip155:84532"}`, payerOf(r), settlementHash)
	})
	double.Server = httptest.NewServer(mux)
	t.Cleanup(double.Close)
	return double
}

func payerOf(r *http.Request) string {
	var body struct {
		PaymentPayload struct {
			Payload struct{ Authorization struct{ From string } }
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body.PaymentPayload.Payload.Authorization.From
}

type answer struct {
	*http.Response

	body string
}

func send(t *testing.T, url string, header map[string]string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatalf("asking %s: %v", url, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("reading the answer of %s: %v", url, err)
	}
	return answer{resp, string(body)}
}

func decodeHeader(t *testing.T, value string, into any) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("header %q: %v", value, err)
	}
}

// startEdge runs binary until the test ends, with the Caddyfile that config makes for a free address. It returns that
// address once the edge listens there.
func startEdge(t *testing.T, binary string, config func(address string) string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	dir := t.TempDir()
	caddyfile := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(caddyfile, []byte(config(address)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, binary, "run", "--config", caddyfile, "--adapter", "caddyfile")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir,
		"TRIAL_IDENTITY_SECRET="+identitySecret, "TRIAL_KEY="+trialKey)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting the edge: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Logf("the edge's log:\n%s", log.Bytes())
		}
	})
	await(t, address, ended)
	return address
}

// await polls until something listens at address; nothing signals it.
func await(t *testing.T, address string, ended <-chan struct{}) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ended:
			t.Fatal("the edge exited before it served requests")
		case <-limit:
			t.Fatal("the edge did not serve requests within a minute")
		}
	}
}
