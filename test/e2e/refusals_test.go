package e2e

import (
	"bytes"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// refusedPayment is a payment that buys nothing, with either way of settling.
type refusedPayment struct {
	name string
	// only is the protocol version in which it can be expressed; 0: both.
	only int
	// pay returns the payment's headers in a protocol version.
	pay    func(t *testing.T, version int) []string
	status int
	code   x402.Code
	says   string
	// route is the only route that refuses it; "": all do.
	route string
}

// both are the routes of a stripeFake: the same response, settled in both ways.
var both = []string{"/after/report", "/before/report"}

// refusals returns invalid payments, by what is wrong with them.
func (c *stripeFake) refusals(t *testing.T) []refusedPayment {
	t.Helper()
	p := c.account(t)
	made := func(change func(*payment) *payment) func(*testing.T, int) []string {
		return func(t *testing.T, version int) []string {
			t.Helper()
			return change(p.payment(t, version)).headers(t)
		}
	}
	by := func(p *payer, change func(*payment) *payment) func(*testing.T, int) []string {
		return func(t *testing.T, version int) []string {
			t.Helper()
			made := p.payment(t, version)
			if change != nil {
				made = change(made)
			}
			return made.headers(t)
		}
	}
	in := func(member func(a *x402.Authorization) **big.Int, d time.Duration) func(*testing.T, int) []string {
		return made(func(p *payment) *payment {
			return p.altered(func(a *x402.Authorization) { *member(a) = big.NewInt(time.Now().Add(d).Unix()) })
		})
	}
	validAfter := func(a *x402.Authorization) **big.Int { return &a.ValidAfter }
	validBefore := func(a *x402.Authorization) **big.Int { return &a.ValidBefore }
	signed := func(f func(a *x402.Authorization)) func(*testing.T, int) []string {
		return made(func(p *payment) *payment { return p.altered(f) })
	}
	message := func(f func(m map[string]any)) func(*testing.T, int) []string {
		return made(func(p *payment) *payment { return p.tampered(f) })
	}
	resigned := func(f func(sig []byte) []byte) func(*testing.T, int) []string {
		return made(func(p *payment) *payment { return p.resigned(f) })
	}
	header := func(f func(value string) []string) func(*testing.T, int) []string {
		return func(t *testing.T, version int) []string {
			t.Helper()
			var headers []string
			for _, value := range f(p.payment(t, version).headers(t)[1]) {
				headers = append(headers, headerOf(version), value)
			}
			return headers
		}
	}
	to := common.HexToAddress(otherAddress)
	stranger := c.emptyWallet(t).key
	penniless := c.emptyWallet(t)
	poor := c.funded(t, &payer{stripeFake: c, address: penniless.address(), key: penniless.key}, scrapeUnits-1)
	denied := c.account(t)
	if err := c.chain.Deny(t.Context(), denied.address); err != nil {
		t.Fatal(err)
	}
	contract, good7702, bad7702 := c.contract, c.delegate, c.delegated(t, chain.Multicall)
	absent, pauper := c.undeployed(t, walletUnits), c.undeployed(t, scrapeUnits-1)
	void := p.payment(t, 1)
	c.cancelled(t, p, void)
	const (
		bad    = http.StatusBadRequest
		unpaid = http.StatusPaymentRequired
		large  = http.StatusRequestHeaderFieldsTooLarge
	)
	return []refusedPayment{
		{name: "wrong recipient", pay: signed(func(a *x402.Authorization) { a.To = to }), status: unpaid, code: x402.CodeRecipient, says: "authorization.to"},
		{name: "wrong recipient accepted", only: 2, pay: acceptedAs(p, "payTo", otherAddress), status: unpaid, code: x402.CodeRecipient, says: "accepted.payTo"},
		{name: "recipient changed after signing", pay: byMember(p, "to", otherAddress), status: unpaid, code: x402.CodeRecipient, says: "authorization.to"},
		{name: "wrong asset accepted", only: 2, pay: acceptedAs(p, "asset", otherAddress), status: unpaid, code: x402.CodeRequirements, says: "accepted.asset"},
		{name: "wrong domain accepted", only: 2, pay: acceptedAs(p, "extra", map[string]any{"name": "USD Coin", "version": "2"}), status: unpaid, code: x402.CodeRequirements, says: "accepted.extra"},
		{name: "longer timeout accepted", only: 2, pay: acceptedAs(p, "maxTimeoutSeconds", 7000), status: unpaid, code: x402.CodeRequirements, says: "accepted.maxTimeoutSeconds"},
		{name: "wrong network", pay: message(func(m map[string]any) { set(m, "network", "base", "eip155:8453") }), status: unpaid, code: x402.CodeNetwork, says: "want"},
		{name: "network of the other version", pay: message(func(m map[string]any) { set(m, "network", "eip155:84532", "base-sepolia") }), status: unpaid, code: x402.CodeNetwork, says: "want"},
		{name: "wrong scheme", pay: message(func(m map[string]any) { set(m, "scheme", "upto", "upto") }), status: unpaid, code: x402.CodeUnsupportedScheme, says: "want exact"},
		{name: "no scheme", pay: message(func(m map[string]any) { set(m, "scheme", "", "") }), status: unpaid, code: x402.CodeScheme, says: "want exact"},
		{name: "a unit less", pay: signed(func(a *x402.Authorization) { a.Value-- }), status: unpaid, code: x402.CodeValue, says: "want exactly 10000"},
		{name: "a unit more", pay: signed(func(a *x402.Authorization) { a.Value++ }), status: unpaid, code: x402.CodeValue, says: "want exactly 10000"},
		{name: "a unit less accepted", only: 2, pay: acceptedAs(p, "amount", "9999"), status: unpaid, code: x402.CodeValue, says: "want exactly 10000"},
		{name: "amount changed after signing", pay: byMember(p, "value", "10001"), status: unpaid, code: x402.CodeValue, says: "want exactly 10000"},

		{name: "expired", pay: in(validBefore, -time.Second), status: unpaid, code: x402.CodeValidBefore, says: "authorization.validBefore"},
		{name: "long expired", pay: in(validBefore, -time.Hour), status: unpaid, code: x402.CodeValidBefore, says: "authorization.validBefore"},
		{name: "expires now", pay: in(validBefore, 0), status: unpaid, code: x402.CodeValidBefore, says: "authorization.validBefore"},
		{name: "expires in 6 s", pay: in(validBefore, 6*time.Second), status: unpaid, code: x402.CodeValidBefore, says: "authorization.validBefore"},
		{name: "expires before it could be settled", pay: in(validBefore, 100*time.Second), status: unpaid, code: x402.CodeValidBefore, says: "may take that long", route: both[0]},
		{name: "not yet valid", pay: in(validAfter, time.Minute), status: unpaid, code: x402.CodeValidAfter, says: "authorization.validAfter"},
		{name: "valid in a moment", pay: in(validAfter, 5*time.Second), status: unpaid, code: x402.CodeValidAfter, says: "authorization.validAfter"},

		{name: "high s", pay: resigned(highS), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "v of 29", pay: resigned(func(sig []byte) []byte { sig[64] = 29; return sig }), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "a zero signature", pay: resigned(func(sig []byte) []byte { return make([]byte, len(sig)) }), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "a cut signature", pay: resigned(func(sig []byte) []byte { return sig[:64] }), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "signed by another", pay: made(func(p *payment) *payment { return p.by(stranger) }), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "signed for another chain", pay: made(func(p *payment) *payment { p.network = x402.Base(); return p }), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "nonce changed after signing", pay: byMember(p, "nonce", "0x"+strings.Repeat("ab", 32)), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},

		{name: "no base64", pay: header(func(string) []string { return []string{"%%%"} }), status: bad, code: x402.CodePayload, says: "want base64"},
		{name: "empty", pay: header(func(string) []string { return []string{""} }), status: bad, code: x402.CodePayload},
		{name: "truncated", pay: header(func(v string) []string { return []string{v[:len(v)/8*4]} }), status: bad, code: x402.CodePayload, says: "is not valid JSON"},
		{name: "truncated by a byte", pay: header(func(v string) []string { return []string{strings.TrimRight(v, "=")[:len(v)-4]} }), status: bad, code: x402.CodePayload},
		{name: "oversized", pay: header(func(string) []string { return []string{strings.Repeat("A", x402.HeaderBytesMax+1)} }), status: large, code: x402.CodePayload, says: "the maximum is 8192"},
		{name: "twice", pay: header(func(v string) []string { return []string{v, v} }), status: bad, code: x402.CodePayload, says: "2 payment headers"},
		{name: "two in one line", pay: header(func(v string) []string { return []string{v + ", " + v} }), status: bad, code: x402.CodePayload},
		{name: "both headers", pay: func(t *testing.T, version int) []string {
			t.Helper()
			return append(p.payment(t, version).headers(t), p.payment(t, 3-version).headers(t)...)
		}, status: bad, code: x402.CodePayload, says: "send exactly one of"},
		{name: "in the other version's header", pay: func(t *testing.T, version int) []string {
			t.Helper()
			return []string{headerOf(version), p.payment(t, 3-version).headers(t)[1]}
		}, status: bad, code: x402.CodeVersion, says: "x402Version"},
		{name: "a member missing", pay: message(func(m map[string]any) { delete(m["payload"].(map[string]any), "authorization") }), status: bad, code: x402.CodePayload, says: "payload.authorization is missing"},
		{name: "from the recipient", pay: byMember(p, "from", payTo.Hex()), status: bad, code: x402.CodePayload, says: "authorization.from"},

		{name: "poor by a unit", pay: by(poor, nil), status: unpaid, code: x402.CodeInsufficientFunds, says: "has 0.009999 USDC, but this costs 0.01"},
		{name: "denied by the token", pay: by(denied, nil), status: unpaid, code: x402.CodeTransactionState, says: "the token would refuse"},
		{name: "cancelled on the chain", pay: func(t *testing.T, version int) []string {
			t.Helper()
			made := *void
			made.version = version
			return made.headers(t)
		}, status: unpaid, code: x402.CodeTransactionState, says: "used or cancelled"},

		{name: "a contract, signed by another", pay: by(contract, func(p *payment) *payment { return p.by(stranger) }), status: unpaid, code: x402.CodeSignature, says: "the payer is a contract"},
		{name: "a contract, by a long signature", pay: by(contract, func(p *payment) *payment {
			return p.resigned(func(sig []byte) []byte { return append(sig, 0) })
		}), status: unpaid, code: x402.CodeSignature, says: "the payer is a contract"},
		{name: "a delegated account, signed by another", pay: by(good7702, func(p *payment) *payment { return p.by(stranger) }), status: unpaid, code: x402.CodeSignature, says: "the payer is a contract"},
		{name: "a delegated account whose code knows no signatures", pay: by(bad7702, nil), status: unpaid, code: x402.CodeSignature, says: "the payer is a contract"},

		{name: "not deployed, without ERC-6492", pay: by(absent, nil), status: unpaid, code: x402.CodeSignature, says: "not the payer's"},
		{name: "not deployed, by a foreign factory", pay: by(absent, func(p *payment) *payment { return p.through(chain.Multicall, absent.deploy) }), status: unpaid, code: x402.CodeUndeployed, says: "is not an allowed factory"},
		{name: "not deployed, by the token as factory", pay: by(absent, func(p *payment) *payment { return p.through(c.chain.Token(), absent.deploy) }), status: unpaid, code: x402.CodeUndeployed, says: "is not an allowed factory"},
		{name: "not deployed, signed by another", pay: by(absent, func(p *payment) *payment { return p.by(stranger).through(chain.WalletFactory, absent.deploy) }), status: unpaid, code: x402.CodeSignature},
		{name: "not deployed, by another's deployment", pay: by(absent, func(p *payment) *payment { return p.through(chain.WalletFactory, pauper.deploy) }), status: unpaid, code: x402.CodeSignature},
		{name: "not deployed, poor by a unit", pay: by(pauper, func(p *payment) *payment { return p.through(chain.WalletFactory, pauper.deploy) }), status: unpaid, code: x402.CodeInsufficientFunds, says: "has 0.009999 USDC, but this costs 0.01"},
		{name: "ERC-6492 in no form", pay: resigned(func(sig []byte) []byte {
			return append(bytes.Clone(sig), common.FromHex(strings.Repeat("6492", 16))...)
		}), status: bad, code: x402.CodePayload, says: "ERC-6492"},
	}
}

// set sets a member that the versions keep in different places.
func set(m map[string]any, member, v1, v2 string) {
	value := v1
	if accepted, ok := m["accepted"].(map[string]any); ok {
		m, value = accepted, v2
	}
	if value == "" {
		delete(m, member)
		return
	}
	m[member] = value
}

func acceptedAs(p *payer, member string, value any) func(*testing.T, int) []string {
	return func(t *testing.T, version int) []string {
		t.Helper()
		return p.payment(t, version).accepted(member, value).headers(t)
	}
}

func byMember(p *payer, member string, value any) func(*testing.T, int) []string {
	return func(t *testing.T, version int) []string {
		t.Helper()
		return p.payment(t, version).authorized(member, value).headers(t)
	}
}

// codeBy returns the code in a version. Only one code differs.
func codeBy(version int, code x402.Code) string {
	if version == 2 && code == x402.CodeValue {
		return string(x402.CodeValueMismatch)
	}
	return string(code)
}

// TestRefusals sends every kind of invalid payment. None reaches the upstream or costs gas, a row or a transfer.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c := startStripeFake(t)
	answered := map[string]bool{}
	tried := 0
	table := c.refusals(t)
	payer := c.account(t)
	try := func(t *testing.T, row *refusedPayment, version int, route string) {
		t.Helper()
		tried++
		headers := row.pay(t, version)
		before := c.books(t, payer.address)
		got := call{method: http.MethodGet, url: c.edge + route, headers: headers}.do(t)
		code := codeBy(version, row.code)
		got.challenged(t, c.stack, row.status, code, row.says)
		answered[fmt.Sprint(row.status, " ", code)] = true
		if bytes.Contains(got.body, []byte(reportSecret)) {
			t.Errorf("answer: got %s, want nothing of the upstream's", got.body)
		}
		if after := c.books(t, payer.address); after != before {
			t.Errorf("books: got %+v, want them as before: %+v", after, before)
		}
	}
	for i := range table {
		row := &table[i]
		for _, version := range []int{1, 2} {
			for _, route := range both {
				if row.only != 0 && row.only != version || row.route != "" && row.route != route {
					continue
				}
				t.Run(fmt.Sprintf("%s by version %d%s", row.name, version, strings.ReplaceAll(route, "/", " ")), func(t *testing.T) {
					try(t, row, version, route)
				})
			}
		}
	}
	t.Run("paused", func(t *testing.T) {
		if err := c.chain.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, version := range []int{1, 2} {
			for _, route := range both {
				try(t, &refusedPayment{
					pay:    func(t *testing.T, version int) []string { t.Helper(); return payer.payment(t, version).headers(t) },
					status: http.StatusPaymentRequired, code: x402.CodeTransactionState, says: "the token would refuse",
				}, version, route)
			}
		}
		if err := c.chain.Unpause(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("over the server's limit", func(t *testing.T) {
		before := c.books(t, payer.address)
		for _, version := range []int{1, 2} {
			tried++
			got := call{method: http.MethodGet, url: c.edge + both[0]}.with(headerOf(version), strings.Repeat("A", 40<<10)).do(t)
			if got.status != http.StatusRequestHeaderFieldsTooLarge || len(got.body) > 100 {
				t.Errorf("version %d: got %d %s, want 431 by the server", version, got.status, got.body)
			}
		}
		if after := c.books(t, payer.address); after != before {
			t.Errorf("books: got %+v, want them as before: %+v", after, before)
		}
	})
	c.goodPayments(t)
	for _, status := range c.usedPayments(t, &tried) {
		answered[status] = true
	}
	c.validFromNow(t)
	c.wantDocumented(t, answered)
	t.Logf("%d kinds of bad payments, %d requests: none ran the upstream, cost gas or left a row", len(table)+2, tried)
}

// goodPayments shows that similar payments without the fault are accepted.
func (c *stripeFake) goodPayments(t *testing.T) {
	t.Helper()
	for i, version := range []int{1, 2} {
		absent := c.undeployed(t, walletUnits)
		short := c.account(t)
		for _, tc := range []struct {
			name   string
			payer  *payer
			change func(*payment) *payment
			route  string
		}{
			{"an ordinary account", c.account(t), nil, both[i]},
			{"with v of 0 or 1", c.account(t), func(p *payment) *payment {
				return p.resigned(func(sig []byte) []byte { sig[64] -= 27; return sig })
			}, both[1-i]},
			{"a contract wallet", c.contract, nil, both[i]},
			{"a delegated account", c.delegate, nil, both[1-i]},
			{"deployed along", absent, func(p *payment) *payment { return p.through(chain.WalletFactory, absent.deploy) }, both[i]},
			{"deployed before", absent, func(p *payment) *payment { return p.through(chain.WalletFactory, absent.deploy) }, both[1-i]},
			{"with 30 s left, settled before", short, func(p *payment) *payment {
				return p.altered(func(a *x402.Authorization) { a.ValidBefore = big.NewInt(time.Now().Add(30 * time.Second).Unix()) })
			}, both[1]},
		} {
			t.Run(fmt.Sprintf("%s by version %d", tc.name, version), func(t *testing.T) {
				made := tc.payer.payment(t, version)
				if tc.change != nil {
					made = tc.change(made)
				}
				before := c.books(t, tc.payer.address)
				c.wantServed(t, call{method: http.MethodGet, url: c.edge + tc.route, headers: made.headers(t)}.do(t))
				c.wantPaid(t, tc.payer.address, before)
				if tc.payer.deploy != nil && tc.payer.code(t) == 0 {
					t.Error("the wallet: got no code, want it deployed")
				}
			})
		}
	}
}

func (c *stripeFake) wantServed(t *testing.T, got answer) {
	t.Helper()
	got.wantStatus(t, http.StatusOK)
	if !bytes.Contains(got.body, []byte(reportSecret)) || got.header.Get("Payment-Response")+got.header.Get("X-Payment-Response") == "" {
		t.Errorf("answer: got %s with %v, want the report and a receipt", got.body, got.header)
	}
}

// validFromNow pays with an authorization that is valid after the current second, so not yet. If the clock ticks before
// the edge checks it, the test tries another second.
func (c *stripeFake) validFromNow(t *testing.T) {
	t.Helper()
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("valid after now, by version %d", version), func(t *testing.T) {
			for range 30 {
				p := c.account(t)
				now := time.Now()
				made := p.payment(t, version).altered(func(a *x402.Authorization) { a.ValidAfter = big.NewInt(now.Unix()) })
				before := c.books(t, p.address)
				headers := made.headers(t)
				if time.Now().Unix() != now.Unix() {
					continue
				}
				got := call{method: http.MethodGet, url: c.edge + both[0], headers: headers}.do(t)
				if got.status == http.StatusOK && time.Now().Unix() != now.Unix() {
					continue
				}
				got.challenged(t, c.stack, http.StatusPaymentRequired, string(x402.CodeValidAfter), "authorization.validAfter")
				if after := c.books(t, p.address); after != before {
					t.Errorf("books: got %+v, want them as before: %+v", after, before)
				}
				return
			}
			t.Error("30 payments took longer than to the end of their second")
		})
	}
}

// codesPage has a table of the codes with which payments are refused.
const codesPage = "../../docs/x402-settlement.md"

var documentedCode = regexp.MustCompile("`([a-z0-9_]+)`")

// wantDocumented compares the codes that occurred with the table in the docs.
func (c *stripeFake) wantDocumented(t *testing.T, answered map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(codesPage)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n### Codes\n")
	table, _, _ := strings.Cut(after, "\n## ")
	if !found {
		t.Fatalf("%s has no table of codes", codesPage)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		for _, code := range documentedCode.FindAllStringSubmatch(cells[2], -1) {
			documented[strings.TrimSpace(cells[1])+" "+code[1]] = true
		}
	}
	for code := range documented {
		if !answered[code] && code != "status error" {
			t.Errorf("%s: %s is there, and no payment of this test has met it", codesPage, code)
		}
	}
	for code := range answered {
		if !documented[code] {
			t.Errorf("%s: %s is not there, and a payment has met it", codesPage, code)
		}
	}
}
