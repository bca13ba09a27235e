package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// called sets the payment identifier of the purchase.
func (p *payment) called(id string) *payment {
	return p.tampered(func(m map[string]any) {
		m["extensions"] = map[string]any{"payment-identifier": map[string]any{"info": map[string]any{"required": false, "id": id}}}
	})
}

// TestPurchaseIsChargedOnce shows that a client that lost a response can sign a new payment for the same purchase: it
// gets the response, and is not charged again.
func TestPurchaseIsChargedOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, page := s.wallet(t), s.pages.fresh()
	c := s.paidScrape(page)
	buy := func(c call, id string) answer { return c.with(w.payment(t, 2).called(id).headers(t)...).do(t) }
	const id = "pay_7d5d747be160e280504c099d984bcfe0"

	first := buy(c, id)
	first.wantStatus(t, http.StatusOK)
	again := buy(c, id)
	again.wantStatus(t, http.StatusOK)
	if !bytes.Equal(again.body, first.body) || first.header.Get("Payment-Response") == "" || again.header.Get("Payment-Response") != first.header.Get("Payment-Response") {
		t.Errorf("paid for again: got %s with receipt %s\nwant %s with receipt %s", again.body, again.header.Get("Payment-Response"), first.body, first.header.Get("Payment-Response"))
	}
	other := buy(s.paidScrape(s.pages.fresh()), id)
	if other.status != http.StatusConflict || !strings.Contains(string(other.body), `"payment_identifier_used"`) || other.header.Get("Payment-Required") != "" {
		t.Errorf("another request by the identifier: got %d %s, want 409 and no offer", other.status, other.body)
	}
	short := buy(c, "short")
	if short.status != http.StatusBadRequest || !strings.Contains(string(short.body), "16 to 128") {
		t.Errorf("a short identifier: got %d %s, want 400 that says what is wrong", short.status, short.body)
	}
	w.wantSpent(t, scrapeUnits)
	w.wantStates(t, "settled")
	s.pages.wantFetched(t, page, 1)
}

// TestPurchaseAtTwoEdges sends payments for one purchase to two edges at the same time.
func TestPurchaseAtTwoEdges(t *testing.T) {
	t.Parallel()
	const payments = 16
	s := setup(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	second, err := s.startEdge(ctx, s.backend)
	if err != nil {
		t.Fatal(err)
	}
	w, page := s.wallet(t), s.pages.fresh()
	calls, answers := make([]call, payments), make([]answer, payments)
	for i := range calls {
		c := s.paidScrape(page)
		if i%2 == 1 { // with the Host of the first edge: it is the same resource
			c = c.with("Host", strings.TrimPrefix(s.edge, "http://"))
			c.url = strings.Replace(c.url, s.edge, second, 1)
		}
		calls[i] = c.with(w.payment(t, 2).called("pay_7d5d747be160e280504c099d984bcfe0").headers(t)...)
	}
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range calls {
		all.Go(func() {
			<-start
			var err error
			if answers[i], err = calls[i].try(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
	for i, got := range answers {
		if want := answers[0]; got.status != http.StatusOK || !bytes.Equal(got.body, want.body) || got.header.Get("Payment-Response") != want.header.Get("Payment-Response") {
			t.Errorf("payment %d: got %d %s with receipt %s, want what the first got", i, got.status, got.body, got.header.Get("Payment-Response"))
		}
	}
	w.wantSpent(t, scrapeUnits)
	w.wantStates(t, "settled")
	s.pages.wantFetched(t, page, 1)
}

// signIn returns the header with which the wallet accepts a challenge's sign-in offer: an EIP-4361 message, signed as
// wallets do.
func (w *wallet) signIn(t *testing.T, c call) []string {
	t.Helper()
	challenge := c.do(t)
	challenge.wantStatus(t, http.StatusPaymentRequired)
	var said struct {
		Extensions map[string]struct {
			Info            map[string]any
			SupportedChains []struct{ ChainID, Type string }
		}
	}
	decodeHeader(t, challenge.header.Get("Payment-Required"), &said)
	offer := said.Extensions["sign-in-with-x"]
	if len(offer.SupportedChains) != 1 {
		t.Fatalf("got offer %+v, want one chain", offer)
	}
	info, chain := offer.Info, offer.SupportedChains[0]
	text := fmt.Sprintf("%s wants you to sign in with your Ethereum account:\n%s\n\n%s\n\nURI: %s\nVersion: %s\nChain ID: %s\nNonce: %s\nIssued At: %s\nExpiration Time: %s",
		info["domain"], w.address().Hex(), info["statement"], info["uri"], info["version"], strings.TrimPrefix(chain.ChainID, "eip155:"),
		info["nonce"], info["issuedAt"], info["expirationTime"])
	sig, err := crypto.Sign(accounts.TextHash([]byte(text)), w.key)
	if err != nil {
		t.Fatal(err)
	}
	sig[crypto.RecoveryIDOffset] += 27
	info["address"], info["chainId"], info["type"], info["signature"] = w.address().Hex(), chain.ChainID, chain.Type, hexutil.Encode(sig)
	raw, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"SIGN-IN-WITH-X", base64.StdEncoding.EncodeToString(raw)}
}

// TestWalletSignsIn shows that a wallet that signs in can read again what it has paid for, and nothing else.
func TestWalletSignsIn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, page := s.wallet(t), s.pages.fresh()
	c := s.paidScrape(page)
	c.with(w.signIn(t, c)...).do(t).challenged(t, s, http.StatusPaymentRequired, "siwx_nothing_paid", "0.01 USDC")
	paid := c.with(w.good(t, 1)...).do(t)
	paid.wantStatus(t, http.StatusOK)
	var receipt1, receipt2 receipt
	decodeHeader(t, paid.header.Get("X-Payment-Response"), &receipt1)

	signedIn := w.signIn(t, c)
	read := c.with(signedIn...).do(t)
	read.wantStatus(t, http.StatusOK)
	decodeHeader(t, read.header.Get("Payment-Response"), &receipt2)
	if !bytes.Equal(read.body, paid.body) || receipt2.Transaction != receipt1.Transaction || !receipt2.Success {
		t.Errorf("signed in: got %s with receipt %+v\nwant %s with transaction %s", read.body, receipt2, paid.body, receipt1.Transaction)
	}
	c.with(signedIn...).do(t).challenged(t, s, http.StatusPaymentRequired, "invalid_siwx_nonce", "used before")
	c.with(w.signIn(t, c)...).do(t).wantStatus(t, http.StatusOK)

	other := s.emptyWallet(t)
	c.with(other.signIn(t, c)...).do(t).challenged(t, s, http.StatusPaymentRequired, "siwx_nothing_paid")
	otherBody := s.paidScrape(s.pages.fresh())
	otherBody.with(w.signIn(t, c)...).do(t).challenged(t, s, http.StatusPaymentRequired, "siwx_nothing_paid")
	forged := &wallet{s: s, key: other.key}
	header := forged.signIn(t, c)
	raw, err := base64.StdEncoding.DecodeString(header[1])
	if err != nil {
		t.Fatal(err)
	}
	header[1] = b64(strings.ReplaceAll(string(raw), other.address().Hex(), w.address().Hex()))
	c.with(header...).do(t).challenged(t, s, http.StatusPaymentRequired, "invalid_siwx_signature")

	w.wantSpent(t, scrapeUnits)
	w.wantStates(t, "settled")
	s.pages.wantFetched(t, page, 1)
}
