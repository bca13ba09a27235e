package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// opened is the documented gate's page, open in a browser with a wallet.
type opened struct {
	*tab

	gate   *gated
	wallet *browserWallet
}

// browsed is a browser and the documented gate, which protects reports.
type browsed struct {
	*headless

	gate   *gated
	broken atomic.Bool // the upstream fails
}

func startBrowsed(t *testing.T) *browsed {
	t.Helper()
	b := &browsed{headless: startChromium(t)}
	b.gate = startGated(t, func(w http.ResponseWriter, r *http.Request) {
		if b.broken.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"report":"` + r.URL.Path + `","day":"Friday","figures":[1,2,3]}`))
	})
	return b
}

// open shows a report's page to a user with a wallet. change adjusts the wallet.
func (b *browsed) open(t *testing.T, change func(*browserWallet)) *opened {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pageTimeout)
	t.Cleanup(cancel)
	o := &opened{tab: b.tab(ctx), gate: b.gate}
	o.wallet = &browserWallet{t: t, key: b.gate.chain.Wallet(), chain: b.gate.chain, chainID: 1, known: map[uint64]bool{1: true}, refuses: map[string]bool{}}
	if change != nil {
		change(o.wallet)
	}
	if o.wallet.key != nil {
		o.wallet.inject(o.tab)
	}
	o.tab.open(b.gate.url + "/reports/7")
	return o
}

func (o *opened) wantPaid(want uint64) {
	o.t.Helper()
	got, err := o.gate.chain.Balance(o.ctx, payTo)
	if err != nil || got != want {
		o.t.Errorf("paid: got %d units (%v), want %d", got, err, want)
	}
}

// looks takes screenshots for a person to judge.
func (o *opened) looks(name string) {
	o.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		o.screen(390, 844, scheme)
		o.screenshot(name + "-390-" + scheme)
		o.screen(1280, 800, scheme)
		o.screenshot(name + "-1280-" + scheme)
	}
}

// TestBrowserPays buys a report with a wallet that does not know the network yet.
func TestBrowserPays(t *testing.T) {
	t.Parallel()
	o := startBrowsed(t).open(t, nil)
	o.looks("offer")
	o.click("pay")
	o.visible("answer")
	o.looks("answer")
	var got struct {
		Shown, Price, Receipt, Save, Focus string
		Pay, Problem                       bool
	}
	o.eval(`({
		Price: document.getElementById("price").innerText,
		Shown: document.getElementById("shown").innerText, Receipt: document.getElementById("receipt").innerHTML,
		Save: document.getElementById("save").download, Focus: document.activeElement.id,
		Pay: document.getElementById("pay").checkVisibility(), Problem: document.getElementById("problem").checkVisibility(),
	})`, &got)
	if !strings.Contains(got.Shown, `"report": "/reports/7"`) || got.Save != "7.json" || got.Focus != "answer-heading" || got.Pay || got.Problem {
		t.Errorf("got %+v, want the report", got)
	}
	if got.Price != "Paid 0.25 USDC" || !strings.Contains(got.Receipt, "https://basescan.org/tx/0x") {
		t.Errorf("receipt: got %s %s", got.Price, got.Receipt)
	}
	want := []string{
		"eth_requestAccounts", "eth_chainId", "wallet_switchEthereumChain", "wallet_addEthereumChain", "eth_chainId",
		"wallet_switchEthereumChain", "eth_chainId", "eth_call", "eth_signTypedData_v4",
	}
	if !slices.Equal(o.wallet.asked, want) {
		t.Errorf("the wallet was asked for %q, want %q", o.wallet.asked, want)
	}
	o.wantPaid(250_000)
	if n := o.gate.calls.Load(); n != 1 {
		t.Errorf("the upstream was called %d times, want once", n)
	}
	if len(o.complaints) > 1 { // the 402 itself is one
		t.Errorf("the browser complains: %s", o.complaints)
	}
}

// TestBrowserPageSaysWhatIsWrong shows that the page explains each failure, and whether anything was paid.
func TestBrowserPageSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := startBrowsed(t)
	for _, tt := range []struct {
		name   string
		change func(w *browserWallet)
		want   []string
	}{
		{"no wallet", func(w *browserWallet) { w.key = nil }, []string{"No wallet was found in this browser", "USDC on Base"}},
		{"refuses to show an account", func(w *browserWallet) { w.refuses["eth_requestAccounts"] = true }, []string{"You refused to show an account", "Nothing was paid"}},
		{"refuses to change the network", func(w *browserWallet) { w.refuses["wallet_switchEthereumChain"] = true }, []string{"You refused to switch the network"}},
		{"refuses to add the network", func(w *browserWallet) { w.refuses["wallet_addEthereumChain"] = true }, []string{"You refused to add the network"}},
		{"stays on another network", func(w *browserWallet) { w.stubborn = true }, []string{"on another network", "Base (chain 8453)"}},
		{"refuses to sign", func(w *browserWallet) { w.refuses["eth_signTypedData_v4"] = true }, []string{"You refused to sign", "Nothing was paid"}},
		{"poor", func(w *browserWallet) {
			var err error
			if w.key, err = crypto.GenerateKey(); err != nil {
				w.t.Fatal(err)
			}
			if err := w.chain.Mint(w.t.Context(), chain.AddressOf(w.key), 20_000); err != nil {
				w.t.Fatal(err)
			}
		}, []string{"has 0.02 USDC on Base", "costs 0.25", "Nothing was paid"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := b.open(t, tt.change)
			o.click("pay")
			said := o.visible("problem")
			for _, want := range tt.want {
				if !strings.Contains(said, want) {
					t.Errorf("got %q, want it to say %q", said, want)
				}
			}
			if tt.name == "poor" {
				o.looks("problem")
			}
			var disabled bool
			if o.eval(`document.getElementById("pay").disabled`, &disabled); disabled {
				t.Error("the button stays locked: there is no way to try again")
			}
			o.wantPaid(0)
			if n := o.gate.calls.Load(); n != 0 {
				t.Errorf("the upstream was called %d times", n)
			}
		})
	}
}

// TestBrowserAsksAgain shows that a payment whose response was lost is sent again, also after a reload, without a second
// signature or charge.
func TestBrowserAsksAgain(t *testing.T) {
	t.Parallel()
	b := startBrowsed(t)
	b.broken.Store(true)
	o := b.open(t, nil)
	o.click("pay")
	if said := o.visible("problem"); !strings.Contains(said, "not charged, and can be used again") {
		t.Errorf("got %q, want it to say what became of the payment", said)
	}
	o.visible("again")
	o.wantPaid(0)
	o.tab.open(o.gate.url + "/reports/7")
	if said := o.visible("progress"); !strings.Contains(said, "already signed a payment for this page") {
		t.Errorf("after a reload: got %q", said)
	}
	o.looks("again")
	b.broken.Store(false)
	o.click("again")
	o.visible("answer")
	o.wantPaid(250_000)
	if n := len(slices.DeleteFunc(o.wallet.asked, func(m string) bool { return m != "eth_signTypedData_v4" })); n != 1 {
		t.Errorf("the wallet was asked to sign %d times, want once", n)
	}
}
